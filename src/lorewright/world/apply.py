"""apply(state, ops) -> Applied: the only way in which state changes. Pure: it refuses, it never raises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from lorewright.ids import with_other_ids
from lorewright.world import ops as o
from lorewright.world.frozen import Frozen, with_entry, without_entry
from lorewright.world.ruleset_state import apply_to_path, reshaped
from lorewright.world.state import OFFSTAGE, Relation, Reveal, Scene, WorldState, pair, relation_key, relationship_key
from lorewright.world.things import (
    Character,
    CharacterState,
    Observation,
    PendingThreat,
    Situation,
    TurnOrder,
    observation_id,
)

# Ops on the inner side of characters and on their relationships.

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


def apply_inner(state: WorldState, op: InnerOp) -> WorldState | str:
    """Return the state after the op, or the reason why it does not fit."""
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
    """Add an observation; a repeated one keeps its words and its date, is counted, and has the highest importance that
    it ever had."""
    if op.who not in state.positions:
        return "unknown_entity"
    memory = state.observations.get(op.who, {})
    memory_id = observation_id(op.content)
    before = memory.get(memory_id)
    if before is None:
        after = Observation(content=op.content, importance=op.importance, minute=state.minutes)
    else:
        again = {
            "reinforcement_count": before.reinforcement_count + 1,
            "importance": max(before.importance, op.importance),
        }
        after = before.model_copy(update=again)
    return state.with_fields(observations=with_entry(state.observations, op.who, with_entry(memory, memory_id, after)))


def _count(state: WorldState, field: str, who: str, value: int) -> WorldState | str:
    """Set a number of a character; 0 is not written."""
    if who not in state.positions:
        return "unknown_entity"
    numbers: Mapping[str, int] = getattr(state, field)
    if numbers.get(who, 0) == value:
        return state
    return state.with_fields(**{field: with_entry(numbers, who, value) if value else without_entry(numbers, who)})


def _change(
    state: WorldState, op: o.SetCharacterState | o.ClearCharacterState | o.AddCondition | o.RemoveCondition
) -> WorldState | str:
    """Apply a change to a character; an empty character is not written."""
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
            return {"conditions": tuple(condition for condition in before.conditions if condition != op.condition)}
        case _:
            assert_never(op)


# Ops on threats, situations, the progress of threads and the turn order.

PressureOp = o.Announce | o.EndThreat | o.BeginSituation | o.EndSituation | o.Investigate | o.SetTurnOrder | o.PassTurn


def apply_pressure(state: WorldState, op: PressureOp) -> WorldState | str:
    """Return the state after the op, or the reason why it does not fit."""
    match op:
        case o.Announce():
            if op.threat_id in state.threats:
                return "already_exists"
            threat = PendingThreat(since=state.minutes, due=state.minutes + op.minutes)
            return state.with_fields(threats=with_entry(state.threats, op.threat_id, threat))
        case o.EndThreat():
            if op.threat_id not in state.threats:
                return "unknown_threat"
            return state.with_fields(threats=without_entry(state.threats, op.threat_id))
        case o.BeginSituation():
            present = state.situations.get(op.situation_id)
            until = None if op.minutes is None else state.minutes + op.minutes
            situation = Situation(since=present.since if present else state.minutes, until=until)
            return state.with_fields(situations=with_entry(state.situations, op.situation_id, situation))
        case o.EndSituation():
            if op.situation_id not in state.situations:
                return "unknown_situation"
            return state.with_fields(situations=without_entry(state.situations, op.situation_id))
        case o.Investigate():
            return _investigate(state, op)
        case o.SetTurnOrder():
            return _set_order(state, op)
        case o.PassTurn():
            if state.turn_order is None:
                return "no_turn_order"
            return state.with_fields(turn_order=state.turn_order.passed())
        case _:
            assert_never(op)


def _investigate(state: WorldState, op: o.Investigate) -> WorldState | str:
    thread = state.threads.get(op.thread_id)
    if thread is None:
        return "unknown_thread"
    progress = max(thread.progress + op.delta, 0)
    progress = min(progress, thread.needed) if thread.needed else progress
    updated = thread.model_copy(update={"progress": progress})
    return state.with_fields(threads=with_entry(state.threads, op.thread_id, updated))


def _set_order(state: WorldState, op: o.SetTurnOrder) -> WorldState | str:
    if len(set(op.actors)) != len(op.actors):
        return "same_entity"
    if any(who not in state.positions for who in op.actors):
        return "unknown_entity"
    return state.with_fields(turn_order=TurnOrder(actors=op.actors) if op.actors else None)


# All ops: apply(state, ops) -> Applied. It refuses, it never raises.


class Refusal(Frozen):
    """The op that did not fit, by index, and a stable reason code. `field` is the path of an op on a path."""

    index: int
    reason: str
    field: str | None = None


class Applied(Frozen):
    """The state after the ops; if `refusal` is set, the given state, unchanged."""

    state: WorldState
    refusal: Refusal | None = None


def apply(state: WorldState, ops: Sequence[o.StateOp]) -> Applied:
    """Return the state after all of the ops in order, or the given state if one of them does not fit.

    Never raises and never mutates. The first op that does not fit refuses the whole list: `refusal` names it
    and its reason (`unknown_entity`, `unknown_place`, `unknown_item`, `unknown_clock`, `unknown_thread`,
    `unknown_fact`, `unknown_door`, `door_locked`, `not_enough`, `same_entity`, `already_exists`, `already_ended`,
    `id_taken`, `unknown_relationship`, `unknown_state`, `unknown_condition`, `unknown_threat`, `unknown_situation`,
    `no_turn_order`, `no_persona`; of the ops on a ruleset's paths `no_ruleset_state`, `unknown_character`,
    `unknown_path`, `not_a_number`, `not_a_list`, `not_there`, `breaks_schema`). After each op the ruleset's scene and
    stat blocks as a whole fit their schemas.
    """
    working = state
    for index, op in enumerate(ops):
        result = _apply_one(working, op)
        if isinstance(result, str):
            return Applied(state=state, refusal=Refusal(index=index, reason=result, field=_field(op)))
        working = result
    return Applied(state=working)


def _field(op: o.StateOp) -> str | None:
    if not isinstance(op, o.PathOp):
        return None
    return f"scene.{op.path}" if op.of is None else f"stats.{op.of}.{op.path}"


def _with(state: WorldState, **fields: Any) -> WorldState:
    return state.with_fields(**fields)


def _apply_one(state: WorldState, op: o.StateOp) -> WorldState | str:
    """Return the state after an op, or the reason why it does not fit."""
    match op:
        case o.AdvanceTime():
            return _with(state, minutes=state.minutes + op.minutes)
        case o.Move():
            return _move(state, op.entity_id, op.to)
        case o.OpenScene():
            return _open_scene(state, op.location_id)
        case o.ChangeInventory():
            return _change_inventory(state, op)
        case o.TransferItem():
            return _transfer(state, op)
        case o.TickClock():
            return _tick(state, op)
        case o.RevealItem():
            return _reveal(state, op)
        case o.ChangeRelation():
            return _change_relation(state, op)
        case o.UpdateThread():
            thread = state.threads.get(op.thread_id)
            if thread is None:
                return "unknown_thread"
            stakes = thread.stakes if op.stakes is None else op.stakes
            updated = thread.model_copy(update={"status": op.status, "stakes": stakes})
            return _with(state, threads=with_entry(state.threads, op.thread_id, updated))
        case o.AddFact():
            if op.fact.id in state.facts:
                return "already_exists"
            return _with(state, facts=with_entry(state.facts, op.fact.id, op.fact))
        case o.UpdateFact():
            fact = state.facts.get(op.fact_id)
            if fact is None:
                return "unknown_fact"
            revised = fact.model_copy(update={"object": op.object})
            return _with(state, facts=with_entry(state.facts, op.fact_id, revised))
        case o.SetDoor():
            return _set_door(state, op.door_id, locked=op.locked)
        case o.SwingDoor():
            return _swing_door(state, op.door_id, open_=op.open)
        case o.AddEntity():
            return _add_entity(state, op)
        case o.Recall():
            return _with(state, recall=with_entry(state.recall, op.key, state.recall.get(op.key, 0) + 1))
        case o.EndCampaign():
            return "already_ended" if state.ended is not None else _with(state, ended=op.ending_id)
        case o.SetPath() | o.Increment() | o.Decrement() | o.AppendTo() | o.RemoveFrom():
            shaped = apply_to_path(state.ruleset, op)
            return shaped if isinstance(shaped, str) else _with(state, ruleset=shaped)
        case o.PlayAs():
            return _play_as(state, op.who)
        case o.RenameIds():
            if not op.ids.keys().isdisjoint(op.ids.values()) or not state.entities.keys().isdisjoint(op.ids.values()):
                return "id_taken"
            return WorldState.model_validate(with_other_ids(state.model_dump(mode="json"), op.ids))
        case o.Reshape():
            other = reshaped(state.ruleset, op)
            return other if isinstance(other, str) else _with(state, ruleset=other)
        case (
            o.SetRelationship()
            | o.EndRelationship()
            | o.SetCharacterState()
            | o.ClearCharacterState()
            | o.AddCondition()
            | o.RemoveCondition()
            | o.Observe()
            | o.SetStreak()
            | o.Escalate()
        ):
            return apply_inner(state, op)
        case (
            o.Announce()
            | o.EndThreat()
            | o.BeginSituation()
            | o.EndSituation()
            | o.Investigate()
            | o.SetTurnOrder()
            | o.PassTurn()
        ):
            return apply_pressure(state, op)
        case o.UpdateEntity():
            return _update_entity(state, op)
        case _:
            assert_never(op)


def _is_place(state: WorldState, place_id: str) -> bool:
    entity = state.entities.get(place_id)
    return entity is not None and entity.type == "location"


def _move(state: WorldState, entity_id: str, to: str) -> WorldState | str:
    if entity_id not in state.positions:
        return "unknown_entity"
    if to != OFFSTAGE and not _is_place(state, to):
        return "unknown_place"
    return _with(state, positions=with_entry(state.positions, entity_id, to))


def _open_scene(state: WorldState, location_id: str) -> WorldState | str:
    if not _is_place(state, location_id):
        return "unknown_place"
    scene = Scene(number=state.scene.number + 1, location_id=location_id, opened_minute=state.minutes)
    visits = with_entry(state.visits, location_id, state.visits.get(location_id, 0) + 1)
    return _with(state, scene=scene, visits=visits)


def _play_as(state: WorldState, who: str) -> WorldState | str:
    if not state.is_players(who):
        return "no_persona"
    where = state.positions.get(who, OFFSTAGE)
    if not _is_place(state, where):
        return "unknown_place"
    played = _with(state, player_id=who)
    return played if where == state.scene.location_id else _open_scene(played, where)


def _change_inventory(state: WorldState, op: o.ChangeInventory) -> WorldState | str:
    if op.owner_id not in state.entities:
        return "unknown_entity"
    if op.item_id not in state.entities:
        return "unknown_item"
    before = state.inventory.get(op.owner_id, {})
    quantity = before.get(op.item_id, 0) + op.delta
    if quantity < 0:
        return "not_enough"
    after = with_entry(before, op.item_id, quantity) if quantity else without_entry(before, op.item_id)
    return _with(state, inventory=with_entry(state.inventory, op.owner_id, after))


def _transfer(state: WorldState, op: o.TransferItem) -> WorldState | str:
    if op.from_id == op.to_id:
        return "same_entity"
    lost = o.ChangeInventory(owner_id=op.from_id, item_id=op.item_id, delta=-op.quantity)
    gained = o.ChangeInventory(owner_id=op.to_id, item_id=op.item_id, delta=op.quantity)
    between = _change_inventory(state, lost)
    return between if isinstance(between, str) else _change_inventory(between, gained)


def _set_door(state: WorldState, door_id: str, *, locked: bool) -> WorldState | str:
    door = state.doors.get(door_id)
    if door is None:
        return "unknown_door"
    after = door.model_copy(update={"locked": locked, "open": door.open and not locked})
    return _with(state, doors=with_entry(state.doors, door_id, after))


def _swing_door(state: WorldState, door_id: str, *, open_: bool) -> WorldState | str:
    door = state.doors.get(door_id)
    if door is None:
        return "unknown_door"
    if open_ and door.locked:
        return "door_locked"
    return _with(state, doors=with_entry(state.doors, door_id, door.model_copy(update={"open": open_})))


def _tick(state: WorldState, op: o.TickClock) -> WorldState | str:
    clock = state.clocks.get(op.clock_id)
    if clock is None:
        return "unknown_clock"
    value = min(max(clock.value + op.delta, 0), clock.max)
    ticked = clock.model_copy(update={"value": value})
    return _with(state, clocks=with_entry(state.clocks, op.clock_id, ticked))


def _reveal(state: WorldState, op: o.RevealItem) -> WorldState | str:
    """Reveal an item; an item that is known already stays as it was learned."""
    if op.to not in state.positions:
        return "unknown_entity"
    known = state.reveals.get(op.to, {})
    if op.item_id in known:
        return state
    learned = with_entry(known, op.item_id, Reveal(how=op.how, minute=state.minutes))
    return _with(state, reveals=with_entry(state.reveals, op.to, learned))


def _change_relation(state: WorldState, op: o.ChangeRelation) -> WorldState | str:
    if op.a == op.b:
        return "same_entity"
    if op.a not in state.entities or op.b not in state.entities:
        return "unknown_entity"
    a, b = pair(op.a, op.b)
    key = relation_key(a, b)
    before = state.relations.get(key, Relation(a=a, b=b))
    after = Relation(
        a=a,
        b=b,
        trust=before.trust + op.trust,
        tension=before.tension + op.tension,
        closeness=before.closeness + op.closeness,
    )
    return _with(state, relations=with_entry(state.relations, key, after))


def _add_entity(state: WorldState, op: o.AddEntity) -> WorldState | str:
    if op.entity.id in state.entities:
        return "already_exists"
    added = _with(state, entities=with_entry(state.entities, op.entity.id, op.entity))
    if op.at is None:
        return "unknown_place" if op.entity.type in ("npc", "player") else added
    if not _is_place(added, op.at):
        return "unknown_place"
    if op.entity.type in ("npc", "player"):
        return _with(added, positions=with_entry(added.positions, op.entity.id, op.at))
    return _change_inventory(added, o.ChangeInventory(owner_id=op.at, item_id=op.entity.id, delta=1))


def _update_entity(state: WorldState, op: o.UpdateEntity) -> WorldState | str:
    entity = state.entities.get(op.entity_id)
    if entity is None:
        return "unknown_entity"
    changes = {"name": op.name, "aliases": op.aliases, "tags": op.tags}
    updated = entity.model_copy(update={key: value for key, value in changes.items() if value is not None})
    return _with(state, entities=with_entry(state.entities, op.entity_id, updated))
