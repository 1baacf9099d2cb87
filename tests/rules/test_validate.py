"""validate: what is possible, why the rest is not, what it costs; and every reason is met at least once."""

from __future__ import annotations

from typing import Any, get_args

import pytest

import worlds as w
from lorewright.rules.actions import Attempt
from lorewright.rules.hardships import Contradiction, Hindrance
from lorewright.rules.outcomes import ReasonCode, Validation
from lorewright.rules.validate import validate
from lorewright.world import ops as o
from lorewright.world.state import Door, Entity, Fact, WorldState

ENDED = w.small_world(ended="raided")
AT_THE_PIER = w.after(w.small_world(), o.Move(entity_id=w.JO, to=w.PIER), o.OpenScene(location_id=w.PIER))
BOUND = o.AddCondition(who=w.JO, condition="bound")
DEAD = Fact(id="f", subject_id=w.VIKTOR, predicate="dead", object=True)
# Hindrances of a kind that a ruleset has; the test's own has none else.
HINDRANCES = {
    "conditions": {"bound": Hindrance(forbids=("search",))},
    "situations": {"blackout": Hindrance(forbids=("search",))},
    "contradictions": (Contradiction(fact="dead", forbids=("ask",)),),
}
OPEN = w.small_world(doors={w.DOOR: Door(open=True, key_id=w.KEY)})

BLOCKED: list[tuple[ReasonCode, Attempt, WorldState, str]] = [
    ("campaign_over", w.attempt("look"), ENDED, "The story has ended."),
    ("unknown_action", w.attempt("fly"), w.small_world(), "That is nothing one can do here."),
    ("not_your_turn", w.attempt("wait", actor=w.VIKTOR), w.small_world(), "Viktor does not act now."),
    ("not_your_turn", w.attempt("wait", actor="x"), w.small_world(), "Somebody else does not act now."),
    ("no_such_exit", w.go(w.ALLEY), w.small_world(exits={}), "No way leads from here to the back alley."),
    ("too_far", w.go(w.ALLEY), AT_THE_PIER, "The back alley is further than one step. One gets there by street."),
    ("not_capable", w.attempt("search"), w.after(w.small_world(), BOUND), "You are in no condition for that."),
    (
        "not_capable",
        w.attempt("search", actor=w.VIKTOR),
        w.after(w.small_world(), o.SetTurnOrder(actors=(w.VIKTOR,)), BOUND.model_copy(update={"who": w.VIKTOR})),
        "Viktor is in no condition for that.",
    ),
    (
        "contradicts_fact",
        w.attempt("ask", w.VIKTOR),
        w.after(w.small_world(), o.AddFact(fact=DEAD)),
        "What is known of Viktor speaks against that.",
    ),
    (
        "not_allowed_now",
        w.attempt("search"),
        w.after(w.small_world(), o.BeginSituation(situation_id="blackout")),
        "That cannot be done as things stand.",
    ),
    ("no_such_exit", w.go(w.BAR), w.small_world(), "No way leads from here to the Neon Dragon."),
    ("no_such_exit", w.attempt("go"), w.small_world(), "No way leads from here to such a place."),
    ("door_locked", w.go(w.ALLEY), w.small_world(), "The steel door is locked."),
    ("nobody_to_ask", w.attempt("ask"), w.small_world(), "It is not clear whom to ask."),
    ("object_not_found", w.attempt("ask", "town:ghost"), w.small_world(), "Nothing like that is here."),
    ("not_a_person", w.attempt("ask", w.COIN), w.small_world(), "The coin is nobody to deal with."),
    ("object_not_found", w.attempt("ask", w.UNIT), w.small_world(), "The comm unit is not to be found here."),
    ("not_to_oneself", w.attempt("ask", w.JO), w.small_world(), "That cannot be done to oneself."),
    ("nobody_named", w.attempt("persuade"), w.small_world(), "It is not clear who is meant."),
    ("nobody_named", w.attempt("give", item_id=w.CARD), w.small_world(), "It is not clear who is meant."),
    ("object_not_found", w.attempt("give", w.VIKTOR), w.small_world(), "Viktor is not to be found here."),
    ("not_in_inventory", w.attempt("give", w.VIKTOR, item_id=w.COIN), w.small_world(), "You do not have the coin."),
    (
        "not_in_inventory",
        w.attempt("attack", w.VIKTOR, item_id=w.KEY),
        w.small_world(),
        "You do not have the steel key.",
    ),
    ("not_in_inventory", w.attempt("use", w.DOOR, item_id=w.KEY), w.small_world(), "You do not have the steel key."),
    ("not_in_inventory", w.attempt("drop", w.COIN), w.small_world(), "You do not have the coin."),
    ("object_not_found", w.attempt("drop"), w.small_world(), "Nothing like that is here."),
    ("object_not_found", w.attempt("use"), w.small_world(), "Nothing like that is here."),
    ("not_openable", w.attempt("open", w.COIN), w.small_world(), "The coin is nothing that opens, shuts or locks."),
    ("object_not_found", w.attempt("open"), w.small_world(), "Nothing like that is here."),
    ("door_locked", w.attempt("open", w.DOOR), w.small_world(), "The steel door is locked."),
    ("door_locked", w.attempt("sneak", to=w.ALLEY), w.small_world(), "The steel door is locked."),
    ("already_open", w.attempt("open", w.DOOR), OPEN, "The steel door is open already."),
    ("already_closed", w.attempt("close", w.DOOR), w.small_world(), "The steel door is shut already."),
    ("already_locked", w.attempt("lock", w.DOOR), w.small_world(), "The steel door is locked already."),
    ("nothing_to_unlock", w.attempt("unlock", w.DOOR), OPEN, "The steel door is not locked."),
    ("no_key", w.attempt("unlock", w.DOOR), w.small_world(), "You have no key to the steel door."),
    ("no_key", w.attempt("lock", w.DOOR), OPEN, "You have no key to the steel door."),
    (
        "wrong_key",
        w.attempt("unlock", w.DOOR, item_id=w.CARD),
        w.small_world(),
        "The business card does not fit the steel door.",
    ),
    ("no_lock", w.attempt("lock", w.DOOR), w.small_world(doors={w.DOOR: Door()}), "The steel door has no lock."),
    ("not_present", w.attempt("ask", w.CHEN), w.small_world(), "Agent Chen is not here."),
    ("cannot_take_person", w.attempt("take", w.VIKTOR), w.small_world(), "Viktor cannot be taken."),
    ("not_takeable", w.attempt("take", w.DOOR), w.small_world(), "The steel door cannot be taken."),
    ("not_takeable", w.attempt("take", w.BAR), w.small_world(), "The Neon Dragon cannot be taken."),
    ("object_not_found", w.attempt("take"), w.small_world(), "Nothing like that is here."),
    (
        "object_not_found",
        w.attempt("take", w.UNIT),
        w.small_world(),
        "The comm unit is not to be found here.",
    ),
    ("object_not_found", w.attempt("take", w.KEY), w.small_world(), "The steel key is not to be found here."),
    ("already_carried", w.attempt("take", w.CARD), w.small_world(), "You carry the business card already."),
    (
        "object_not_found",
        w.attempt("look", w.UNIT),
        w.small_world(),
        "The comm unit is not to be found here.",
    ),
    ("not_present", w.attempt("look", w.CHEN), w.small_world(), "Agent Chen is not here."),
    ("not_present", w.attempt("persuade", w.CHEN), w.small_world(), "Agent Chen is not here."),
    (
        "object_not_found",
        w.attempt("persuade", w.UNIT),
        w.small_world(),
        "The comm unit is not to be found here.",
    ),
]
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


@pytest.mark.parametrize(("reason", "tried", "state", "message"), BLOCKED)
def test_an_impossible_attempt_gets_its_reason_and_a_plain_sentence(
    reason: ReasonCode, tried: Attempt, state: WorldState, message: str
) -> None:
    hindering = w.ruleset().model_copy(update=HINDRANCES)
    (result,) = judged(tried, state=state, ruleset=hindering).results
    assert (result.success, result.reason, result.message) == (False, reason, message)


def test_every_reason_is_met_in_these_tests() -> None:
    assert {reason for reason, *_ in BLOCKED} | {"depends_on_failed"} == set(get_args(ReasonCode))


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


def test_messages_hold_no_ids() -> None:
    assert all("town:" not in message for *_, message in BLOCKED)
