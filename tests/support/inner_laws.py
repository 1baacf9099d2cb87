"""The laws of the ops on what characters carry within and on what hangs over a scene; see `laws`. What is empty is not
written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lorewright.world import ops as o
from lorewright.world.things import observation_id

Json = dict[str, Any]


def entity_update(world: Json, op: o.UpdateEntity) -> None:
    said = op.model_dump(mode="json", exclude={"op", "entity_id"}, exclude_none=True)
    world["entities"][op.entity_id].update(said)


def relationship(world: Json, op: o.SetRelationship) -> None:
    told = op.relationship
    assert told.a != told.b
    held = world.setdefault("relationships", {})
    held[f"{told.a}|{told.b}|{told.rel_type}"] = told.model_dump(mode="json")


def relationship_end(world: Json, op: o.EndRelationship) -> None:
    remove(world, "relationships", f"{op.a}|{op.b}|{op.rel_type}")


def remove(world: Json, field: str, key: str) -> None:
    del world[field][key]
    if not world[field]:
        del world[field]


def character(world: Json, who: str) -> Json:
    assert who in world["positions"]
    nobody = {"profile": {}, "states": {}, "conditions": []}
    found: Json = world.setdefault("characters", {}).setdefault(who, nobody)
    return found


def forget_nobodies(world: Json, who: str) -> None:
    if not any(world["characters"][who].values()):
        remove(world, "characters", who)


def character_state(world: Json, op: o.SetCharacterState) -> None:
    character(world, op.who)["states"][op.name] = {"value": op.value, "level": op.level}


def character_state_clear(world: Json, op: o.ClearCharacterState) -> None:
    del character(world, op.who)["states"][op.name]
    forget_nobodies(world, op.who)


def condition_add(world: Json, op: o.AddCondition) -> None:
    conditions = character(world, op.who)["conditions"]
    assert op.condition not in conditions
    conditions.append(op.condition)


def condition_remove(world: Json, op: o.RemoveCondition) -> None:
    character(world, op.who)["conditions"].remove(op.condition)
    forget_nobodies(world, op.who)


def observe(world: Json, op: o.Observe) -> None:
    assert op.who in world["positions"]
    memory = world.setdefault("observations", {}).setdefault(op.who, {})
    known = memory.get(observation_id(op.content))
    if known is None:
        new = {"content": op.content, "importance": op.importance, "minute": world["minutes"]}
        memory[observation_id(op.content)] = {**new, "reinforcement_count": 0}
    else:
        known["reinforcement_count"] += 1
        known["importance"] = max(known["importance"], op.importance)


def count(world: Json, field: str, who: str, number: int) -> None:
    assert who in world["positions"]
    held = {**world.pop(field, {}), who: number}
    if left := {one: value for one, value in held.items() if value}:
        world[field] = left


def threat(world: Json, op: o.Announce) -> None:
    held = world.setdefault("threats", {})
    assert op.threat_id not in held
    held[op.threat_id] = {"since": world["minutes"], "due": world["minutes"] + op.minutes}


def situation(world: Json, op: o.BeginSituation) -> None:
    held = world.setdefault("situations", {})
    since = held.get(op.situation_id, {"since": world["minutes"]})["since"]
    until = None if op.minutes is None else world["minutes"] + op.minutes
    held[op.situation_id] = {"since": since, "until": until}


def progress(world: Json, op: o.Investigate) -> None:
    thread = world["threads"][op.thread_id]
    most = thread.get("needed") or 10**9
    found = sorted((0, thread.pop("progress", 0) + op.delta, most))[1]
    if found:
        thread["progress"] = found


def turn_order(world: Json, op: o.SetTurnOrder) -> None:
    assert len({*op.actors}) == len(op.actors)
    assert {*op.actors} <= world["positions"].keys()
    world.pop("turn_order", None)
    if op.actors:
        world["turn_order"] = {"actors": list(op.actors), "at": 0}


def turn_pass(world: Json, op: o.PassTurn) -> None:
    order = world["turn_order"]
    order["at"] = (order["at"] + 1) % len(order["actors"])


INNER_LAWS: dict[str, Callable[[Json, Any], None]] = {
    "entity_update": entity_update,
    "relationship": relationship,
    "relationship_end": relationship_end,
    "character_state": character_state,
    "character_state_clear": character_state_clear,
    "condition_add": condition_add,
    "condition_remove": condition_remove,
    "observe": observe,
    "streak": lambda world, op: count(world, "streaks", op.who, op.failures),
    "escalate": lambda world, op: count(world, "escalation", op.who, op.to),
    "threat": threat,
    "threat_end": lambda world, op: remove(world, "threats", op.threat_id),
    "situation": situation,
    "situation_end": lambda world, op: remove(world, "situations", op.situation_id),
    "progress": progress,
    "turn_order": turn_order,
    "turn_pass": turn_pass,
}
