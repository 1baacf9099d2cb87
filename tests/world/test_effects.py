"""What each kind of op does, said once more upon plain JSON: that, and nothing else; and that tests try what takes
effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import worlds as w
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.ops import OP_KINDS
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState
from world import strategies as some
from world.shaped import SCENE, STATS

Json = dict[str, Any]
Law = Callable[[Json, Any], None]


def gain(world: Json, owner: str, item: str, delta: int) -> None:
    held = world["inventory"].setdefault(owner, {})
    held[item] = held.get(item, 0) + delta
    if held[item] == 0:
        del held[item]


def transfer(world: Json, op: o.TransferItem) -> None:
    gain(world, op.from_id, op.item_id, -op.quantity)
    gain(world, op.to_id, op.item_id, op.quantity)


def advance_time(world: Json, op: o.AdvanceTime) -> None:
    world["minutes"] += op.minutes


def move(world: Json, op: o.Move) -> None:
    world["positions"][op.entity_id] = op.to


def open_scene(world: Json, op: o.OpenScene) -> None:
    number = world["scene"]["number"] + 1
    world["scene"] = {"number": number, "location_id": op.location_id, "opened_minute": world["minutes"]}
    world["visits"][op.location_id] = world["visits"].get(op.location_id, 0) + 1


def clock(world: Json, op: o.TickClock) -> None:
    ticked = world["clocks"][op.clock_id]
    ticked["value"] = sorted((0, ticked["value"] + op.delta, ticked["max"]))[1]


def reveal(world: Json, op: o.RevealItem) -> None:
    learned = world["reveals"].setdefault(op.to, {})
    learned.setdefault(op.item_id, {"how": op.how, "minute": world["minutes"]})


def relation(world: Json, op: o.ChangeRelation) -> None:
    a, b = sorted((op.a, op.b))
    edge = world["relations"].setdefault(f"{a}|{b}", {"a": a, "b": b, **dict.fromkeys(some.SHIFTS, 0)})
    for name in some.SHIFTS:
        edge[name] += getattr(op, name)


def thread(world: Json, op: o.UpdateThread) -> None:
    world["threads"][op.thread_id]["status"] = op.status


def fact_add(world: Json, op: o.AddFact) -> None:
    assert op.fact.id not in world["facts"]
    world["facts"][op.fact.id] = op.fact.model_dump(mode="json")


def fact_update(world: Json, op: o.UpdateFact) -> None:
    world["facts"][op.fact_id]["object"] = op.object


def door(world: Json, op: o.SetDoor) -> None:
    world["doors"][op.door_id]["locked"] = op.locked
    if op.locked:
        world["doors"][op.door_id].pop("open", None)  # a closed door is written without the key


def door_swing(world: Json, op: o.SwingDoor) -> None:
    assert not (op.open and world["doors"][op.door_id]["locked"])
    world["doors"][op.door_id].pop("open", None)
    if op.open:
        world["doors"][op.door_id]["open"] = True


def entity_add(world: Json, op: o.AddEntity) -> None:
    assert op.entity.id not in world["entities"]
    world["entities"][op.entity.id] = op.entity.model_dump(mode="json")
    if op.entity.type == "npc":
        world["positions"][op.entity.id] = op.at
    elif op.at is not None:
        gain(world, op.at, op.entity.id, 1)


def recall(world: Json, op: o.Recall) -> None:
    world["recall"][op.key] = world["recall"].get(op.key, 0) + 1


def end(world: Json, op: o.EndCampaign) -> None:
    assert world["ended"] is None
    world["ended"] = op.ending_id


def place_of(world: Json, op: o.PathOp) -> tuple[Json, str]:
    inner = world["ruleset"]["scene"] if op.of is None else world["ruleset"]["stats"][op.of]
    *way, name = op.path.split(".")
    for one in way:
        inner = inner.setdefault(one, {})
    return inner, name


def set_path(world: Json, op: o.SetPath) -> None:
    inner, name = place_of(world, op)
    inner[name] = op.value


def count(world: Json, op: o.PathOp, by: float) -> None:
    inner, name = place_of(world, op)
    schema: Json = SCENE if op.of is None else STATS
    bounds = schema["properties"][name]
    inner[name] = max(inner[name] + by, bounds.get("minimum", -1e9))
    inner[name] = min(inner[name], bounds.get("maximum", 1e9))


def append(world: Json, op: o.AppendTo) -> None:
    inner, name = place_of(world, op)
    inner[name] = [*inner.get(name, []), op.value]


def remove(world: Json, op: o.RemoveFrom) -> None:
    inner, name = place_of(world, op)
    if op.value is None:
        del inner[name]
    else:
        inner[name].remove(op.value)


def reshape(world: Json, op: o.Reshape) -> None:
    held = world["ruleset"]
    held |= {"stat_schema": plain(op.stat_schema), "scene_schema": plain(op.scene_schema)}
    for block in held["stats"].values():
        block.setdefault("nerve", 1)


LAWS: dict[str, Law] = {
    "advance_time": advance_time,
    "move": move,
    "open_scene": open_scene,
    "inventory": lambda world, op: gain(world, op.owner_id, op.item_id, op.delta),
    "transfer": transfer,
    "clock": clock,
    "reveal": reveal,
    "relation": relation,
    "thread": thread,
    "fact_add": fact_add,
    "fact_update": fact_update,
    "door": door,
    "door_swing": door_swing,
    "entity_add": entity_add,
    "recall": recall,
    "end": end,
    "set": set_path,
    "increment": lambda world, op: count(world, op, op.value),
    "decrement": lambda world, op: count(world, op, -op.value),
    "append": append,
    "remove": remove,
    "reshape": reshape,
}


def holds(before: WorldState, op: o.StateOp, after: WorldState) -> None:
    """The state after an op is what its law makes of the state before, and nothing else has changed."""
    expected = before.model_dump(mode="json")
    LAWS[op.op](expected, op)
    assert w.as_json(after.model_dump(mode="json")) == w.as_json(expected)


def test_every_kind_of_op_has_a_law_and_ops_to_try_it_with() -> None:
    assert set(LAWS) == set(OP_KINDS) == set(some.FITTING)


@pytest.mark.parametrize("kind", OP_KINDS)
@settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data())
def test_an_op_that_fits_changes_what_its_law_says_and_nothing_else(kind: str, data: st.DataObject) -> None:
    state = data.draw(some.states)
    fitting = some.fitting(state, kind)
    assume(fitting is not None)
    op = data.draw(fitting)
    applied = apply(state, [op])
    assert applied.refusal is None
    assert applied.state != state
    holds(state, op, applied.state)


@given(some.states, some.strays)
def test_an_op_that_may_not_fit_changes_what_its_law_says_or_nothing(state: WorldState, op: o.StateOp) -> None:
    applied = apply(state, [op])
    if applied.refusal is None:
        holds(state, op, applied.state)
    else:
        assert applied.state == state


def test_most_ops_that_are_tried_fit_and_take_effect_and_each_kind_does() -> None:
    tried: Counter[str] = Counter()
    effective: Counter[str] = Counter()

    @settings(derandomize=True, max_examples=200, database=None)
    @given(some.turns())
    def try_a_turn(turn: some.Turn) -> None:
        state, ops = turn
        for op in ops:
            after = apply(state, [op]).state
            tried[op.op] += 1
            effective[op.op] += after.content_hash() != state.content_hash()
            state = after

    try_a_turn()
    assert tried.total() > 500
    assert effective.total() >= 0.6 * tried.total()
    assert all(effective[kind] for kind in OP_KINDS), effective
