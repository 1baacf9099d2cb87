"""Verbs that a ruleset need not name: they are there where a free attempt is, and give way to a scenario's rules on it."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.rules.validate import validate
from lorewright.rules.verbs import verbs
from lorewright.world import ops as o
from lorewright.world.state import Fact, WorldState
from support import small_world as w

FREEFORM, _ = load_ruleset("freeform")
SMALL = [name for name, verb in verbs().items() if verb.like]
AT_VIKTOR = {"act": "attempt", "target": w.VIKTOR}


def ruleset(**fields: Any) -> Ruleset:
    return Ruleset.model_validate({**FREEFORM.model_dump(mode="json", by_alias=True), **fields})


def reason(kind: str, target: str | None, state: WorldState, by: Ruleset) -> str | None:
    return validate([w.attempt(kind, target)], state, w.campaign_rules(ruleset=by)).results[0].reason


def played(kind: str, target: str | None, rules: CampaignRules, *, total: int = 0, **more: Any) -> Any:
    return w.play(w.attempt(kind, target, **more), rules=rules, dice=w.SteadyDice(total)).outcomes[0]


def test_a_ruleset_that_has_a_free_attempt_has_them_without_a_row() -> None:
    assert set(SMALL) <= set(FREEFORM.kinds()) - FREEFORM.actions.keys()
    assert all(FREEFORM.row(name).check is None for name in SMALL)
    assert all(1 <= FREEFORM.row(name).minutes <= FREEFORM.row("attempt").minutes for name in SMALL)


def test_a_ruleset_without_a_free_attempt_has_those_alone_that_it_names() -> None:
    board, _ = load_ruleset("tic-tac-toe")
    assert set(SMALL) & set(board.kinds()) < set(SMALL)
    with pytest.raises(KeyError, match="dance"):
        board.row("dance")


def test_a_row_of_its_own_goes_first() -> None:
    own = {"summary": "Dance as if for a prize", "minutes": 20, "check": {"add": "nerve"}}
    rows = {**FREEFORM.model_dump(mode="json", by_alias=True)["actions"], "dance": own}
    assert ruleset(actions=rows).row("dance").minutes == 20


@pytest.mark.parametrize(
    ("condition", "barred", "free"),
    [("bound", ("wave", "dance"), ("laugh", "sing")), ("gagged", ("laugh", "sing"), ("wave", "dance"))],
)
def test_what_forbids_a_free_attempt_or_speech_forbids_what_is_like_it(
    condition: str, barred: tuple[str, ...], free: tuple[str, ...]
) -> None:
    state = w.after(w.small_world(), o.AddCondition(who=w.JO, condition=condition))
    assert {reason(kind, None, state, FREEFORM) for kind in barred} == {"not_capable"}
    assert {reason(kind, None, state, FREEFORM) for kind in free} == {None}


def test_who_is_gagged_cannot_greet_and_nobody_greets_the_dead() -> None:
    gagged = w.after(w.small_world(), o.AddCondition(who=w.JO, condition="gagged"))
    dead = w.after(w.small_world(), o.AddFact(fact=Fact(id="f", subject_id=w.VIKTOR, predicate="dead", object=True)))
    assert reason("greet", w.VIKTOR, gagged, FREEFORM) == "not_capable"
    assert reason("greet", w.VIKTOR, dead, FREEFORM) == "contradicts_fact"


def test_who_is_out_cold_does_none_of_them() -> None:
    state = w.after(w.small_world(), o.AddCondition(who=w.JO, condition="unconscious"))
    assert {reason(kind, w.VIKTOR, state, FREEFORM) for kind in SMALL} == {"not_capable"}


def test_a_ruleset_may_forbid_one_of_them_by_name() -> None:
    by = ruleset(conditions={"lame": {"forbids": ["dance"]}})
    state = w.after(w.small_world(), o.AddCondition(who=w.JO, condition="lame"))
    assert (reason("dance", None, state, by), reason("wave", None, state, by)) == ("not_capable", None)


def test_it_is_possible_only_with_somebody_who_is_here() -> None:
    assert reason("wave", w.VIKTOR, w.small_world(), FREEFORM) is None
    assert reason("wave", w.CHEN, w.small_world(), FREEFORM) == "not_present"


def test_it_takes_its_minutes_and_no_dice() -> None:
    outcome = played("dance", w.VIKTOR, w.freeform_rules())
    assert (outcome.type, outcome.code, outcome.band, outcome.roll, outcome.minutes) == (
        "dance",
        "acted",
        None,
        None,
        3,
    )


def test_a_rule_of_the_scenario_on_a_free_attempt_decides_as_before_with_its_dice_too() -> None:
    by = w.freeform_rules({"id": "moved", "on": AT_VIKTOR, "check": {"add": "charm"}, "say": {"success": "He weeps."}})
    outcome = played("sing", w.VIKTOR, by, total=11, verb="sing to")
    assert (outcome.type, outcome.band, outcome.say) == ("attempt", "success", ("He weeps.",))


def test_civil_words_are_talk_to_a_rule_of_the_scenario_on_talk() -> None:
    talk = w.freeform_rules({"id": "talk", "on": {"act": "ask", "target": w.VIKTOR}, "say": {"success": "He beams."}})
    assert played("greet", w.VIKTOR, talk).say == ("He beams.",)
    tried = w.freeform_rules({"id": "tried", "on": AT_VIKTOR, "check": {"add": "charm"}})
    assert played("greet", w.VIKTOR, tried).type == "greet"


def test_a_rule_about_somebody_else_or_about_the_verb_itself_leaves_the_attempt_alone() -> None:
    others = w.freeform_rules({"id": "other", "on": {**AT_VIKTOR, "target": w.MARA}, "say": {"success": "She weeps."}})
    own = w.freeform_rules({"id": "own", "on": {**AT_VIKTOR, "act": "sing"}, "say": {"success": "He hums along."}})
    assert (played("sing", w.VIKTOR, others).type, played("sing", w.VIKTOR, own).say) == ("sing", ("He hums along.",))
