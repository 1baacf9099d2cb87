"""What stands against an attempt beside place and possession: conditions, stats, circumstances, facts, needs, turns."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.rules.actions import Attempt
from lorewright.rules.patch import ReasonCode
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.validate import validate
from lorewright.world import ops as o
from lorewright.world.state import Fact, WorldState
from support import small_world as w

SQUARES = {
    "type": "object",
    "properties": {"squares": {"type": "object", "additionalProperties": {"type": "string"}}},
}
MARK = {
    "summary": "Mark a square",
    "ends_turn": True,
    "needs": [{"when": {"path": "squares.$target", "is": ""}, "say": "The square is taken."}],
    "effects": {"success": [{"op": "set", "path": "squares.$target", "value": "$actor"}]},
}


def rules(**fields: Any) -> CampaignRules:
    """The ruleset for tests with some of its parts otherwise, as an author writes them."""
    written = w.ruleset().model_dump(mode="json", by_alias=True)
    actions = {**written["actions"], **fields.pop("actions", {})}
    return w.campaign_rules(ruleset={**written, "actions": actions, **fields})


def board(**squares: str) -> WorldState:
    """The bar with a board on the table: the coin and the card are its squares, and two take turns."""
    held = {"coin": "", "card": "", **squares}
    ruled = {"stat_schema": {}, "scene_schema": SQUARES, "scene": {"squares": held}}
    start = WorldState.model_validate({**w.small_world().model_dump(mode="json"), "ruleset": ruled})
    return w.after(start, o.SetTurnOrder(actors=(w.JO, w.VIKTOR)))


def reasons(tried: list[Attempt], state: WorldState, by: CampaignRules) -> list[ReasonCode | None]:
    return [result.reason for result in validate(tried, state, by).results]


def test_a_condition_forbids_what_the_ruleset_says_and_nothing_else() -> None:
    by = rules(conditions={"bound": {"forbids": ["search", "go"]}})
    state = w.after(w.small_world(), o.AddCondition(who=w.JO, condition="bound"))
    tried = [w.attempt("search"), w.go(w.PIER), w.attempt("look")]
    assert reasons(tried, state, by) == ["not_capable", "not_capable", None]


def test_a_condition_of_somebody_else_hinders_nobody() -> None:
    by = rules(conditions={"bound": {"forbids": ["*"]}})
    state = w.after(w.small_world(), o.AddCondition(who=w.MARA, condition="bound"))
    assert reasons([w.attempt("search")], state, by) == [None]


def test_whoever_can_do_nothing_may_still_look_about() -> None:
    by = rules(conditions={"unconscious": {"forbids": ["*"]}})
    state = w.after(w.small_world(), o.AddCondition(who=w.JO, condition="unconscious"))
    assert reasons([w.attempt("search"), w.attempt("look")], state, by) == ["not_capable", None]


@pytest.mark.parametrize(("least", "reason"), [(1, None), (2, "not_capable")])
def test_an_action_may_ask_for_so_much_of_a_trait(least: int, reason: ReasonCode | None) -> None:
    by = rules(actions={"sneak": {"summary": "sneak", "at_least": {"charm": least}}})
    assert reasons([w.attempt("sneak")], w.small_world(), by) == [reason]


def test_a_circumstance_forbids_things_as_long_as_it_holds() -> None:
    by = rules(situations={"blackout": {"forbids": ["search"]}})
    dark = w.after(w.small_world(), o.BeginSituation(situation_id="blackout"))
    light = w.after(dark, o.EndSituation(situation_id="blackout"))
    assert [reasons([w.attempt("search")], one, by) for one in (dark, light)] == [["not_allowed_now"], [None]]


@pytest.mark.parametrize(
    ("fact", "reason"),
    [
        ({"object": True}, "contradicts_fact"),
        ({"object": "since Tuesday"}, "contradicts_fact"),
        ({"object": False}, None),
        ({"visibility": "gm"}, None),
        ({"subject_id": w.MARA}, None),
        ({"predicate": "tired"}, None),
    ],
)
def test_a_known_fact_speaks_against_an_attempt(fact: dict[str, Any], reason: ReasonCode | None) -> None:
    by = rules(contradictions=[{"fact": "dead", "forbids": ["ask"]}])
    known = Fact.model_validate({"id": "f", "subject_id": w.VIKTOR, "predicate": "dead", **fact})
    state = w.after(w.small_world(), o.AddFact(fact=known))
    assert reasons([w.attempt("ask", w.VIKTOR)], state, by) == [reason]


@pytest.mark.parametrize(
    ("about", "subject", "tried"),
    [
        ("item", w.CARD, w.attempt("give", w.VIKTOR, item_id=w.CARD)),
        ("place", w.PIER, w.go(w.PIER)),
        ("place", w.BAR, w.attempt("search")),
        ("actor", w.JO, w.attempt("wait")),
    ],
)
def test_a_fact_may_be_about_any_part_of_the_attempt(about: str, subject: str, tried: Attempt) -> None:
    kind = tried.action.type
    by = rules(contradictions=[{"fact": "lost", "about": about, "forbids": [kind]}])
    state = w.after(w.small_world(), o.AddFact(fact=Fact(id="f", subject_id=subject, predicate="lost")))
    assert reasons([tried], state, by) == ["contradicts_fact"]
    assert reasons([tried], w.small_world(), by) == [None]


def test_a_need_that_does_not_hold_is_told_in_the_rulesets_own_words() -> None:
    by = rules(actions={"mark": MARK}, scene_state_schema=SQUARES)
    (taken,) = validate([w.attempt("mark", w.COIN)], board(coin="viktor"), by).results
    assert (taken.reason, taken.message) == ("not_allowed_now", "The square is taken.")
    assert validate([w.attempt("mark", w.CARD)], board(coin="viktor"), by).results[0].success


def test_whoever_has_acted_waits_for_their_turn() -> None:
    by = rules(actions={"mark": MARK}, scene_state_schema=SQUARES)
    twice = [w.attempt("mark", w.COIN), w.attempt("mark", w.CARD)]
    assert reasons(twice, board(), by) == [None, "not_your_turn"]


def test_what_ends_no_turn_can_be_done_out_of_turn_by_whoever_is_in_the_order() -> None:
    by = rules(actions={"mark": MARK}, scene_state_schema=SQUARES)
    tried = [w.attempt("look", actor=w.VIKTOR), w.attempt("look", actor=w.MARA), w.attempt("mark", w.CARD)]
    assert reasons(tried, board(), by) == [None, "not_your_turn", None]


def test_each_marks_what_is_theirs_in_turn() -> None:
    by = rules(actions={"mark": MARK}, scene_state_schema=SQUARES)
    turn = [w.attempt("mark", w.COIN), w.attempt("mark", w.COIN, actor=w.VIKTOR)]
    resolution = w.play(*turn, state=board(), rules=by)
    assert [one.code for one in resolution.outcomes] == ["acted", "blocked"]
    state = w.after(board(), *resolution.ops)
    assert state.ruleset is not None
    assert state.ruleset.value("squares.coin") == "jo"
    assert state.turn_order is not None
    assert state.turn_order.current == w.VIKTOR
