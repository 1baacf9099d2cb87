"""A state -> the rows of the seeds' tables, and two states -> the rows in which they differ. Pure.

The sources of a row are compared before the row is made, and an entry that no op touched is the same object in both
states: a turn in a world of 20,000 facts makes the rows of the few that it changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lorewright.errors import HeadMoved, NotFound
from lorewright.ids import canonical_json
from lorewright.storage.database import Database
from lorewright.storage.heads import Statement, guard_head, head_row, state_row
from lorewright.storage.integrity import campaign_row
from lorewright.storage.projection import Key, RowChange, Value, project, projected_turn
from lorewright.turn.store.rows import OPS
from lorewright.world.apply import apply
from lorewright.world.ops import StateOp
from lorewright.world.schemas import plain
from lorewright.world.state import Clock, Entity, Fact, Relation, Relationship, Thread, WorldState, read_state
from lorewright.world.things import Character, Observation, PendingThreat, Situation

# The place of the base profile in the row of a character.
_PROFILE = 2
# The largest integer of SQLite.
_LARGEST = 2**63 - 1

# The character of an entity of which nothing else is known.
_NOBODY = Character()

Rest = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class ProjectedTable:
    """The definition of a table: the state's fields that it depends on, a function from a state to the source of each
    row by its key, and a function from a source to the row.

    If none of the fields changed the table is skipped.
    """

    name: str
    fields: tuple[str, ...]
    sources: Callable[[WorldState], Mapping[Any, Any]]
    rest: Callable[[Any], Rest]


def changed_rows(before: WorldState | None, after: WorldState) -> Iterator[RowChange]:
    """Yield the changes of rows that turn the tables of one state into those of another; without a first one, all rows
    of the other."""
    for table in TABLES:
        if before is not None and all(getattr(before, field) is getattr(after, field) for field in table.fields):
            continue
        old: Mapping[Any, Any] = {} if before is None else table.sources(before)
        new, found_before = table.sources(after), 0
        for key, source in new.items():
            was = old.get(key)
            found_before += was is not None
            if was is source:
                continue
            rest = table.rest(source)
            # Rows are compared, not their sources: to Python 1 is True, in JSON it is not.
            if was is None or table.rest(was) != rest:
                yield RowChange(table.name, _key(key), rest)
        if found_before < len(old):
            yield from (RowChange(table.name, _key(key), None) for key in old if key not in new)


def all_rows(campaign_id: str, state: WorldState, rules_json: str = "{}") -> dict[str, set[tuple[Value, ...]]]:
    """Return table -> every complete row of it, for a state; `rules_json` are the rules that the campaign began with,
    whose introductions stand for profiles that nobody wrote."""
    found: dict[str, set[tuple[Value, ...]]] = {table.name: set() for table in TABLES}
    introductions = json.loads(rules_json).get("introductions", {})
    for change in changed_rows(None, state):
        rest = change.rest or ()
        if change.table == "characters" and change.key[0] in introductions and rest[_PROFILE] == "{}":
            text = introductions[change.key[0]]["text"]
            said = json.dumps({"description": text}, ensure_ascii=False, separators=(",", ":"))
            rest = (*rest[:_PROFILE], said, *rest[_PROFILE + 1 :])
        found[change.table].add((campaign_id, *change.key, *rest))
    return found


def _key(key: str | Key) -> Key:
    return (key,) if isinstance(key, str) else key


def _json(value: Any) -> str:
    return canonical_json(plain(value))


def _whole(number: int) -> int:
    """Return the nearest number that SQLite can hold."""
    return max(-_LARGEST, min(number, _LARGEST))


def _entity(entity: Entity) -> Rest:
    return (
        entity.type,
        entity.name,
        _json(entity.attrs),
        _json(entity.tags),
        entity.origin,
        entity.pack_id,
        entity.pack_entity_id,
    )


def _fact(fact: Fact) -> Rest:
    return (
        fact.subject_id,
        fact.predicate,
        _json(fact.object),
        fact.visibility,
        fact.confidence,
        _json(fact.tags),
        None if fact.discovered_turn is None else _whole(fact.discovered_turn),
        fact.discovery_method,
        fact.origin,
        None,
    )


def _scenes(state: WorldState) -> dict[str, Any]:
    """Return the current scene: where, with whom, since when and until now, and the ruleset's scene state."""
    scene = state.scene
    ruled = {} if state.ruleset is None else state.ruleset.scene
    time = {"minutes": state.minutes, "opened_minute": scene.opened_minute}
    return {scene.id: (scene.location_id, state.present(), time, ruled, state.turn_order)}


def _scene(source: Any) -> Rest:
    location_id, present, time, ruled, order = source
    turns = None if order is None else _json({"actors": order.actors, "at": order.at})
    return location_id, _json(present), _json(time), _json(ruled), None, None, "[]", turns


def _thread(thread: Thread) -> Rest:
    return (
        thread.title,
        thread.status,
        _json({"text": thread.stakes}),
        _json(thread.related_entity_ids),
        _json(thread.tags),
        "campaign",
        None,
        _whole(thread.progress),
        _whole(thread.needed),
    )


def _clock(clock: Clock) -> Rest:
    return clock.name, _whole(clock.value), _whole(clock.max), _json(clock.tags), "campaign", None


def _held(state: WorldState) -> dict[Key, int]:
    return {(owner, item): quantity for owner, held in state.inventory.items() for item, quantity in held.items()}


def _relation(relation: Relation) -> Rest:
    return relation.a, relation.b, _whole(relation.trust), _whole(relation.tension), _whole(relation.closeness)


def _relationships(state: WorldState) -> dict[Key, Relationship]:
    return {
        (relationship.a, relationship.b, relationship.rel_type): relationship
        for relationship in state.relationships.values()
    }


def _relationship(relationship: Relationship) -> Rest:
    return _whole(relationship.intensity), _json(relationship.notes), "campaign", None


def _characters(state: WorldState) -> dict[str, Any]:
    """Return the characters that have a place or a stat block, by ID, with their values in each part of the state."""
    stats = {} if state.ruleset is None else state.ruleset.stats
    return {
        who: (
            state.name_of(who),
            "user_persona" if state.is_players(who) else "npc",
            state.characters.get(who, _NOBODY),
            stats.get(who, {}),
            state.positions.get(who),
            state.streaks.get(who, 0),
            state.escalation.get(who, 0),
        )
        for who in dict.fromkeys((*state.positions, *stats))
    }


def _character(source: Any) -> Rest:
    name, role, character, stats, location_id, streak, escalation = source
    states = {key: {"value": inner.value, "level": inner.level} for key, inner in character.states.items()}
    within = _json(states), _json(character.conditions)
    return name, role, _json(character.profile), _json(stats), location_id, *within, _whole(streak), escalation


def _memories(state: WorldState) -> dict[Key, Observation]:
    return {
        (who, observation_id): observation
        for who, memory in state.observations.items()
        for observation_id, observation in memory.items()
    }


def _memory(observation: Observation) -> Rest:
    return (
        observation.content,
        observation.importance,
        _whole(observation.reinforcement_count),
        _whole(observation.minute),
    )


def _threat(threat: PendingThreat) -> Rest:
    return _whole(threat.since), _whole(threat.due)


def _situation(situation: Situation) -> Rest:
    return _whole(situation.since), None if situation.until is None else _whole(situation.until)


_CHARACTER_FIELDS = ("positions", "ruleset", "entities", "player_id", "characters", "streaks", "escalation", "personas")
_SCENE_FIELDS = ("scene", "positions", "minutes", "ruleset", "player_id", "turn_order")

TABLES = (
    ProjectedTable("entities", ("entities",), lambda state: state.entities, _entity),
    ProjectedTable("established_facts", ("facts",), lambda state: state.facts, _fact),
    ProjectedTable("scene", _SCENE_FIELDS, _scenes, _scene),
    ProjectedTable("threads", ("threads",), lambda state: state.threads, _thread),
    ProjectedTable("clocks", ("clocks",), lambda state: state.clocks, _clock),
    ProjectedTable("inventory", ("inventory",), _held, lambda quantity: (_whole(quantity), "{}")),
    ProjectedTable("scene_relations", ("relations",), lambda state: state.relations, _relation),
    ProjectedTable("relationships", ("relationships",), _relationships, _relationship),
    ProjectedTable("characters", _CHARACTER_FIELDS, _characters, _character),
    ProjectedTable("observations", ("observations",), _memories, _memory),
    ProjectedTable("pending_threats", ("threats",), lambda state: state.threats, _threat),
    ProjectedTable("active_situations", ("situations",), lambda state: state.situations, _situation),
)


# A campaign's file -> the states that are stored in it, and the projection that follows its head.


@dataclass(frozen=True, slots=True)
class StateOf:
    """A turn's ID and the state after it."""

    turn_id: str
    state: WorldState


def stored_state(database: Database, turn_id: str) -> WorldState:
    """Return the state after a turn: as it was stored, or rebuilt from the nearest stored one before it.

    Raises:
        NotFound: there is no such turn.
        StateMisfit: the stored state does not fit; the message names the field.
    """
    rebuilt: list[tuple[StateOp, ...]] = []
    ancestor: str | None = turn_id
    while ancestor is not None:
        row = state_row(database, ancestor)
        if row is None:
            break
        if row["state_json"] is not None:
            state = read_state(row["state_json"])
            for ops in reversed(rebuilt):
                state = apply(state, ops).state
            return state
        rebuilt.append(OPS.validate_json(row["ops_json"]))
        ancestor = row["parent_id"]
    raise NotFound(f"there is no turn {turn_id}", hint="see: lorewright campaign log CAMPAIGN")


def projection_statements(
    database: Database, campaign_id: str, before: StateOf | None, after: StateOf
) -> tuple[Statement, ...]:
    """Return the statements that move the projection with the head, from one turn to another. If it is of a third turn,
    was never made, or the state before is unknown, they make it anew."""
    if not database.has_projection:
        return ()
    if before is None or projected_turn(database) != before.turn_id:
        return first_projection(campaign_id, after)
    return tuple(project(campaign_id, after.turn_id, changed_rows(before.state, after.state), anew=False))


def first_projection(campaign_id: str, of: StateOf) -> tuple[Statement, ...]:
    """Return the statements that make the projection of a turn, replacing all rows."""
    return tuple(project(campaign_id, of.turn_id, changed_rows(None, of.state), anew=True))


def bring_projection_up(database: Database, *, anew: bool = False) -> bool:
    """Make the projection that of the head if it is not, or in any case with `anew`; return True if it was made.

    Raises:
        NotFound: the head is no turn.
        StateMisfit: the head's state cannot be read.
    Whatever is raised, nothing was changed.
    """
    if not database.has_projection:
        return False
    head = head_row(database)
    if not anew and projected_turn(database) == head.turn_id:
        return False
    statements = first_projection(
        str(campaign_row(database)["id"]),
        StateOf(head.turn_id, stored_state(database, head.turn_id)),
    )
    try:
        with database.transaction() as connection:
            guard_head(connection, head.turn_id, head.revision)
            for statement in statements:
                connection.execute(*statement)
    except HeadMoved:
        # The move of the head has moved the projection, too.
        return False
    return True
