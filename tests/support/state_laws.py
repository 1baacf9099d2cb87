"""What each kind of op does, said once more, upon the plain JSON of a state: change it in place, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from lorewright.world import ops as o
from lorewright.world.schemas import plain
from support import state_strategies as some
from support.inner_laws import INNER_LAWS
from support.shaped_world import SCENE, STATS

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


def rename_ids(world: Json, op: o.RenameIds) -> None:
    text = json.dumps(world)
    for old, new in op.ids.items():
        for end in '":#/':
            text = text.replace(f'"{old}{end}', f'"{new}{end}')
    world |= json.loads(text)
    for gone in world.keys() - json.loads(text).keys():
        del world[gone]


def play_as(world: Json, op: o.PlayAs) -> None:
    world["player_id"] = op.who
    where = world["positions"][op.who]
    if world["scene"]["location_id"] != where:
        open_scene(world, o.OpenScene(location_id=where))


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
    "rename_ids": rename_ids,
    "play_as": play_as,
    **INNER_LAWS,
}
