"""Ops on what characters carry within and are to each other -> the state after one, or why it does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from lorewright.world import ops as o
from lorewright.world.frozen import with_entry, without_entry
from lorewright.world.inner import Character, CharacterState, Observation, observation_id
from lorewright.world.state import WorldState, relationship_key

InnerOp = (
    o.SetRelationship
    | o.EndRelationship
    | o.SetCharacterState
    | o.ClearCharacterState
    | o.AddCondition
    | o.RemoveCondition
    | o.Observe
    | o.SetStreak
    | o.Escalate
)


def changed_within(state: WorldState, op: InnerOp) -> WorldState | str:
    """The state after the op, or the reason why it does not fit."""
    match op:
        case o.SetRelationship():
            return _relate(state, op)
        case o.EndRelationship():
            key = relationship_key(op.a, op.b, op.rel_type)
            if key not in state.relationships:
                return "unknown_relationship"
            return state.with_fields(relationships=without_entry(state.relationships, key))
        case o.Observe():
            return _observe(state, op)
        case o.SetStreak():
            return _count(state, "streaks", op.who, op.failures)
        case o.Escalate():
            return _count(state, "escalation", op.who, op.to)
        case o.SetCharacterState() | o.ClearCharacterState() | o.AddCondition() | o.RemoveCondition():
            return _change(state, op)
        case _:
            assert_never(op)


def _relate(state: WorldState, op: o.SetRelationship) -> WorldState | str:
    given = op.relationship
    if given.a == given.b:
        return "same_entity"
    if given.a not in state.entities or given.b not in state.entities:
        return "unknown_entity"
    key = relationship_key(given.a, given.b, given.rel_type)
    return state.with_fields(relationships=with_entry(state.relationships, key, given))


def _observe(state: WorldState, op: o.Observe) -> WorldState | str:
    """What is seen again keeps its words and its date; it counts once more, and matters as much as it ever did."""
    if op.who not in state.positions:
        return "unknown_entity"
    memory = state.observations.get(op.who, {})
    one_id = observation_id(op.content)
    before = memory.get(one_id)
    if before is None:
        after = Observation(content=op.content, importance=op.importance, minute=state.minutes)
    else:
        again = {
            "reinforcement_count": before.reinforcement_count + 1,
            "importance": max(before.importance, op.importance),
        }
        after = before.model_copy(update=again)
    return state.with_fields(observations=with_entry(state.observations, op.who, with_entry(memory, one_id, after)))


def _count(state: WorldState, field: str, who: str, value: int) -> WorldState | str:
    """A number of somebody's; 0 is not written."""
    if who not in state.positions:
        return "unknown_entity"
    numbers: Mapping[str, int] = getattr(state, field)
    if numbers.get(who, 0) == value:
        return state
    return state.with_fields(**{field: with_entry(numbers, who, value) if value else without_entry(numbers, who)})


def _change(
    state: WorldState, op: o.SetCharacterState | o.ClearCharacterState | o.AddCondition | o.RemoveCondition
) -> WorldState | str:
    """A change of one character; who holds nothing any more is not written."""
    if op.who not in state.positions:
        return "unknown_entity"
    before = state.characters.get(op.who, Character())
    fields = _fields(before, op)
    if isinstance(fields, str):
        return fields
    after = before.model_copy(update=fields)
    kept = bool(after.profile or after.states or after.conditions)
    characters = with_entry(state.characters, op.who, after) if kept else without_entry(state.characters, op.who)
    return state.with_fields(characters=characters)


def _fields(
    before: Character, op: o.SetCharacterState | o.ClearCharacterState | o.AddCondition | o.RemoveCondition
) -> dict[str, Any] | str:
    match op:
        case o.SetCharacterState():
            return {"states": with_entry(before.states, op.name, CharacterState(value=op.value, level=op.level))}
        case o.ClearCharacterState():
            return (
                "unknown_state" if op.name not in before.states else {"states": without_entry(before.states, op.name)}
            )
        case o.AddCondition():
            if op.condition in before.conditions:
                return "already_exists"
            return {"conditions": (*before.conditions, op.condition)}
        case o.RemoveCondition():
            if op.condition not in before.conditions:
                return "unknown_condition"
            return {"conditions": tuple(one for one in before.conditions if one != op.condition)}
        case _:
            assert_never(op)
