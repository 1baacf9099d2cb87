"""Rulings by the rulebook: which attempts they are for, what they may say, what comes of them."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.rules.actions import Attempt
from lorewright.rules.consequences import Ruling, is_for_the_rulebook, wrong_with
from lorewright.rules.dice import FixedDice
from lorewright.rules.patch import ActionResult, Roll
from lorewright.rules.resolve import play_out
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.validate import validate
from lorewright.world import ops as o
from lorewright.world.events import RuledByTheBook
from support import small_world as w

HUM = w.attempt("attempt", verb="hum")
# What the small ruleset throws is 2d6: 7 is mixed, 10 a success.
RULES = w.campaign_rules(ruleset=w.ruleset().model_copy(update={"allowed_ops": {"resolve": ("observe", "clock")}}))


def roll(total: int, expression: str = "2d6") -> Roll:
    return FixedDice([total]).roll(expression, purpose="rulebook:0", actor_id=w.JO)


def problem(rules: CampaignRules = RULES, **ruling: Any) -> str | None:
    return wrong_with(Ruling.model_validate(ruling), w.small_world(), rules.ruleset)


def is_for(attempt: Attempt, rules: CampaignRules = RULES, *, success: bool = True) -> bool:
    judged = ActionResult(action_index=0, success=success, reason=None if success else "not_present")
    return is_for_the_rulebook(attempt, judged, w.small_world(), rules)


def test_a_free_attempt_that_no_rule_and_no_dice_decide_is_for_the_rulebook() -> None:
    assert is_for(HUM)


def test_what_code_decides_is_not_for_the_rulebook() -> None:
    assert not is_for(w.attempt("look"))
    assert not is_for(HUM, success=False)
    assert not is_for(HUM, w.campaign_rules({"on": {"act": "attempt"}, "success": [{"clock": w.HEAT}]}))
    assert not is_for(w.attempt("attempt", w.VIKTOR, verb="tickle"), w.freeform_rules())


@pytest.mark.parametrize(
    ("total", "band", "holds"),
    [(10, "success", True), (7, "mixed", True), (6, "fail", True), (6, "success", False), (12, "success", False)],
)
def test_the_band_is_what_the_rulesets_own_dice_show(total: int, band: str, *, holds: bool) -> None:
    said = problem(band=band, rolls=[roll(total)])
    assert (said is None) is holds
    assert holds or f"a total of {total} is" in str(said)


def test_dice_of_the_rulesets_have_to_be_read() -> None:
    assert "not no roll" in str(problem(rolls=[roll(10)]))


@pytest.mark.parametrize("rolls", [[], [roll(6, "1d6")], [roll(20, "1d20")]])
def test_without_the_rulesets_own_dice_there_is_no_band(rolls: list[Roll]) -> None:
    assert "without a throw of 2d6" in str(problem(band="success", rolls=rolls))


def test_other_dice_may_be_thrown_beside_them() -> None:
    assert problem(band="success", rolls=[roll(10), roll(4, "1d6")]) is None
    assert problem(rolls=[roll(4, "1d6")]) is None


def test_three_rolls_are_enough() -> None:
    assert problem(band="success", rolls=[roll(10)] * 3) is None
    assert "at most 3 rolls" in str(problem(band="success", rolls=[roll(10)] * 4))


@pytest.mark.parametrize(
    ("op", "said"),
    [
        (o.EndCampaign(ending_id="won"), "op_not_allowed"),
        (o.SetPath(path="minutes_left", value=0), "not_its_path"),
        (o.TickClock(clock_id="no such clock", delta=1), "unknown_clock"),
    ],
)
def test_ops_that_are_not_the_rulings_or_do_not_fit_are_refused(op: Any, said: str) -> None:
    assert said in str(problem(ops=[op]))


def test_a_ruling_is_played_with_its_dice_and_its_ops() -> None:
    state, ruled = w.small_world(), o.TickClock(clock_id=w.HEAT, delta=1)
    ruling = Ruling(band="success", rolls=(roll(10),), ops=(ruled,))
    validation = validate([HUM], state, RULES)
    patch = play_out([HUM], validation, state, RULES, FixedDice([]), rulings={0: ruling})
    assert patch.state.clocks[w.HEAT].value == 1
    outcome = patch.resolution().outcomes[0]
    assert (outcome.code, outcome.band, outcome.roll) == ("acted", "success", 0)
    assert [event for event in patch.events if isinstance(event, RuledByTheBook)] == [RuledByTheBook(band="success")]


def test_an_op_that_does_not_fit_any_more_is_skipped_and_an_event_says_so() -> None:
    gone = o.Observe(who="town:nobody", content="Something.", importance=1)
    state = w.small_world()
    patch = play_out(
        [HUM], validate([HUM], state, RULES), state, RULES, FixedDice([]), rulings={0: Ruling(ops=(gone,))}
    )
    assert [event.type for event in patch.events if event.type == "effect_refused"] == ["effect_refused"]
    assert patch.state.observations == state.observations
