"""holds: every kind of condition, met and not met."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

import worlds as w
from lorewright.rules.conditions import Condition
from lorewright.rules.judge import holds
from lorewright.world import ops as o
from lorewright.world.state import WorldState

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
