"""validate: what is possible, what depends on what, what it costs. Every reason is met in test_every_reason.py."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.rules.actions import Attempt
from lorewright.rules.patch import ReasonCode, Validation
from lorewright.rules.validate import validate
from lorewright.world import ops as o
from lorewright.world.state import Door, Entity, WorldState
from support import small_world as w

POSSIBLE = [
    w.attempt("look"),
    *(w.attempt("look", target) for target in (w.BAR, w.VIKTOR, w.JO, w.COIN, w.CARD, w.DOOR, w.ALLEY, w.PIER)),
    w.attempt("search"),
    w.attempt("wait"),
    w.attempt("ask", w.MARA),
    w.attempt("take", w.COIN),
    w.attempt("inventory"),
    w.attempt("sneak"),
    w.attempt("sneak", w.VIKTOR, to=w.PIER),
    w.attempt("attempt"),
    w.attempt("persuade", w.VIKTOR),
    w.go(w.PIER),
]


def judged(*attempts: Attempt, state: WorldState | None = None, **fields: Any) -> Validation:
    return validate(attempts, state or w.small_world(), w.campaign_rules(**fields))


def reasons(*attempts: Attempt, state: WorldState | None = None) -> list[ReasonCode | None]:
    return [result.reason for result in judged(*attempts, state=state).results]


@pytest.mark.parametrize("tried", POSSIBLE)
def test_a_possible_attempt_has_no_reason(tried: Attempt) -> None:
    assert reasons(tried) == [None]


def test_a_locked_door_blocks_whoever_lacks_its_key() -> None:
    carried = w.small_world(inventory={w.JO: {w.KEY: 1}})
    assert reasons(w.go(w.ALLEY)) == ["door_locked"]
    assert reasons(w.go(w.ALLEY), state=carried) == [None]


def test_a_locked_door_without_a_key_blocks_everyone() -> None:
    assert reasons(w.go(w.ALLEY), state=w.small_world(doors={w.DOOR: Door(locked=True)})) == ["door_locked"]


def test_an_unlocked_door_blocks_nobody() -> None:
    unlocked = w.after(w.small_world(), o.SetDoor(door_id=w.DOOR, locked=False))
    assert reasons(w.go(w.ALLEY), state=unlocked) == [None]


def test_a_key_taken_first_opens_the_door_of_the_same_turn() -> None:
    lying = w.small_world(inventory={w.BAR: {w.KEY: 1}})
    assert reasons(w.attempt("take", w.KEY), w.go(w.ALLEY), state=lying) == [None, None]


def test_what_follows_on_a_way_is_judged_where_the_way_leads() -> None:
    assert reasons(w.go(w.PIER), w.attempt("take", w.UNIT)) == [None, None]
    assert reasons(w.go(w.PIER), w.attempt("ask", w.VIKTOR)) == [None, "not_present"]


def test_what_needs_a_failed_action_depends_on_it() -> None:
    state = w.small_world(positions={w.JO: w.BAR, w.VIKTOR: w.ALLEY})
    blocked = judged(w.go(w.ALLEY), w.attempt("ask", w.VIKTOR), w.attempt("wait"), state=state).results
    assert [result.reason for result in blocked] == ["door_locked", "depends_on_failed", None]
    assert blocked[1].message == "That needed something that did not come off."


def test_what_would_fail_anyhow_keeps_its_reason() -> None:
    assert reasons(w.go(w.ALLEY), w.attempt("take", w.VIKTOR)) == ["door_locked", "cannot_take_person"]


def test_more_of_a_thing_can_be_taken_while_some_lies_here() -> None:
    assert reasons(*[w.attempt("take", w.COIN)] * 4) == [None, None, None, "already_carried"]


def test_a_thing_of_no_kind_that_can_be_carried_is_not_takeable() -> None:
    neon = Entity(id="town:neon", type="other", name="neon sign")
    state = w.after(w.small_world(), o.AddEntity(entity=neon, at=w.BAR))
    assert reasons(w.attempt("take", neon.id), w.attempt("look", neon.id), state=state) == [
        "not_takeable",
        None,
    ]


def test_costs_have_every_key_even_for_nothing() -> None:
    assert judged().costs == {"heat": 0, "time": 0, "cred": 0, "harm": 0, "rep": 0}


def test_costs_are_summed_over_what_is_possible() -> None:
    costly = w.ruleset({"search": {"heat": 1}, "ask": {"cred": 2}})
    turn = (w.attempt("search"), w.attempt("ask", w.MARA), w.attempt("ask", w.CHEN), w.go(w.PIER))
    costs = judged(*turn, ruleset=costly).costs
    assert costs == {"heat": 1, "time": 10 + 2 + 5, "cred": 2, "harm": 0, "rep": 0}


def test_waiting_costs_the_minutes_that_were_named() -> None:
    assert judged(w.attempt("wait", minutes=40)).costs["time"] == 40
    assert judged(w.attempt("wait")).costs["time"] == 15
