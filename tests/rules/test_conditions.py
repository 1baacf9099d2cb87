"""holds: every kind of condition, met and not met."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from lorewright.rules.actions import done_key, tried_key
from lorewright.rules.conditions import Condition
from lorewright.rules.reach import holds
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.state import WorldState
from support import small_world as w

CONDITION: TypeAdapter[Condition] = TypeAdapter(Condition)


def judged(written: dict[str, Any], state: WorldState | None = None) -> bool:
    return holds(CONDITION.validate_python(written), state or w.small_world())


MET = [
    {"has": w.CARD},
    {"at": w.BAR},
    {"present": w.VIKTOR},
    {"visited": w.BAR},
    {"clock": w.HEAT},
    {"clock": w.HEAT, "max": 0},
    {"thread": w.JIN, "status": "open"},
    {"minutes": 0},
    {"all": []},
    {"all": [{"has": w.CARD}, {"at": w.BAR}]},
    {"any": [{"has": w.UNIT}, {"at": w.BAR}]},
    {"not": {"at": w.PIER}},
    {"has": w.CARD, "of": "you"},
    {"regard": w.VIKTOR},
    {"regard": w.VIKTOR, "min": 0, "max": 0},
    {"regard": w.CHEN, "to": w.VIKTOR, "in": "tension", "max": 0},
]
UNMET = [
    {"has": w.UNIT},
    {"at": w.PIER},
    {"present": w.CHEN},
    {"visited": w.PIER},
    {"clock": w.HEAT, "min": 1},
    {"clock": "no_clock"},
    {"thread": w.JIN, "status": "resolved"},
    {"thread": "no_thread", "status": "open"},
    {"revealed": w.DEBT},
    {"minutes": 1},
    {"all": [{"has": w.CARD}, {"at": w.PIER}]},
    {"any": []},
    {"not": {"at": w.BAR}},
    {"has": w.CARD, "of": w.VIKTOR},
    {"revealed": w.DEBT, "to": w.VIKTOR},
    {"regard": w.VIKTOR, "min": 1},
    {"regard": w.VIKTOR, "in": "closeness", "max": -1},
    {"did": "act_1", "by": w.VIKTOR},
    {"tried": "act_1", "by": w.VIKTOR},
]


@pytest.mark.parametrize("written", MET)
def test_a_condition_that_is_met_holds(written: dict[str, Any]) -> None:
    assert judged(written)


@pytest.mark.parametrize("written", UNMET)
def test_a_condition_that_is_not_met_does_not_hold(written: dict[str, Any]) -> None:
    assert not judged(written)


def test_conditions_follow_the_state() -> None:
    state = w.after(
        w.small_world(),
        o.RevealItem(item_id=w.DEBT, to=w.JO, how="told"),
        o.TickClock(clock_id=w.HEAT, delta=3),
        o.AdvanceTime(minutes=30),
        o.Move(entity_id=w.JO, to=w.PIER),
        o.OpenScene(location_id=w.PIER),
    )
    assert judged({"revealed": w.DEBT}, state)
    assert judged({"clock": w.HEAT, "min": 3, "max": 3}, state)
    assert not judged({"clock": w.HEAT, "max": 2}, state)
    assert judged({"all": [{"visited": w.PIER}, {"visited": w.BAR}, {"minutes": 30}]}, state)
    assert not judged({"present": w.VIKTOR}, state)


@pytest.mark.parametrize("written", [*MET, *UNMET])
def test_a_condition_read_back_from_json_is_the_same_condition(written: dict[str, Any]) -> None:
    condition = CONDITION.validate_python(written)
    assert CONDITION.validate_json(CONDITION.dump_json(condition)) == condition


def test_whose_act_was_done_whose_thing_it_is_and_who_has_learned_what_count_by_person() -> None:
    state = w.small_world()
    ops = (
        o.Recall(key=done_key(w.VIKTOR, "warn")),
        o.Recall(key=tried_key(w.VIKTOR, "leave")),
        o.RevealItem(item_id=w.DEBT, to=w.CHEN, how="told"),
        o.ChangeRelation(a=w.VIKTOR, b=w.CHEN, trust=2),
        o.TransferItem(item_id=w.CARD, from_id=state.player_id, to_id=w.VIKTOR),
    )
    after = apply(state, ops).state
    assert judged({"did": "warn", "by": w.VIKTOR}, after)
    assert not judged({"did": "warn", "by": w.CHEN}, after)
    assert judged({"all": [{"tried": "leave", "by": w.VIKTOR}, {"not": {"did": "leave", "by": w.VIKTOR}}]}, after)
    assert not judged({"tried": "leave", "by": w.CHEN}, after)
    assert judged({"revealed": w.DEBT, "to": w.CHEN}, after)
    assert not judged({"revealed": w.DEBT}, after)
    assert judged({"has": w.CARD, "of": w.VIKTOR}, after)
    assert judged({"regard": w.CHEN, "to": w.VIKTOR, "min": 2}, after)
    assert judged({"regard": w.VIKTOR, "to": w.CHEN, "min": 2, "max": 2}, after)
    assert not judged({"regard": w.VIKTOR, "min": 1}, after)


@pytest.mark.parametrize("written", [one for one in (*MET, *UNMET) if {"has", "revealed", "regard"} & one.keys()])
def test_a_condition_is_read_again_as_it_was_written(written: dict[str, Any]) -> None:
    """Rules are stored as JSON and looked up through it."""
    condition = CONDITION.validate_python(written)
    assert CONDITION.validate_python(condition.model_dump(mode="json", by_alias=True, exclude_none=True)) == condition
