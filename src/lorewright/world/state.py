"""The complete state of a campaign after a turn: immutable, serialisable, hashable by content.

`entities` has all persons, places and things, `positions` the places of characters, `inventory` who owns what; a place
owns the things that lie in it. `reveals` has the items that each viewer has learned, so that rollback and branches need
no extra care.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, ValidationError, model_serializer, model_validator

from lorewright.errors import StateMisfit
from lorewright.ids import canonical_json, content_hash
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.ruleset_state import Gauge, RulesetState
from lorewright.world.things import (
    CHARTED_TAG,
    ESCALATION,
    OFFSTAGE,
    SHELF_TAG,
    Character,
    Clock,
    Door,
    Entity,
    EntityType,
    Exit,
    Fact,
    How,
    Observation,
    Origin,
    PendingThreat,
    Relation,
    Relationship,
    Reveal,
    Scene,
    Situation,
    Thread,
    TurnOrder,
)

__all__ = [
    "CHARTED_TAG",
    "OFFSTAGE",
    "SHELF_TAG",
    "Clock",
    "Door",
    "Entity",
    "EntityType",
    "Exit",
    "Fact",
    "How",
    "Origin",
    "Relation",
    "Relationship",
    "Reveal",
    "Scene",
    "Thread",
    "WorldState",
    "pair",
    "relation_key",
    "relationship_key",
]

# Fields that were added later. Empty ones are not written, so that older states keep their bytes and their hash.
_LATER = (
    *(
        "observations",
        "relationships",
        "characters",
        "streaks",
        "escalation",
        "threats",
        "situations",
        "turn_order",
        "personas",
    ),
)


# The maps that grow with a story: an entry is serialised, and read again, only if it has changed.
_MANY = frozenset({"entities", "facts"})


class WorldState(Frozen):
    """The complete state after a turn; `ruleset` holds stat blocks and the ruleset's scene, if it has any.

    `observations[who][id]` are the memories of a character, `streaks[who]` is how many of their checks have failed in a
    row, `escalation[who]` how far they go against the player, an index in `ESCALATION`. `player_id` is the character
    that the player plays now, `personas` are all that they may play, if there is more than one.
    """

    schema_version: Literal[1, 2, 3] = 1
    player_id: str
    minutes: int = Field(default=0, ge=0)
    scene: Scene
    entities: FrozenMap[str, Entity]
    exits: FrozenMap[str, tuple[Exit, ...]] = Field(default_factory=dict)
    doors: FrozenMap[str, Door] = Field(default_factory=dict)
    positions: FrozenMap[str, str] = Field(default_factory=dict)
    inventory: FrozenMap[str, FrozenMap[str, int]] = Field(default_factory=dict)
    clocks: FrozenMap[str, Clock] = Field(default_factory=dict)
    threads: FrozenMap[str, Thread] = Field(default_factory=dict)
    facts: FrozenMap[str, Fact] = Field(default_factory=dict)
    relations: FrozenMap[str, Relation] = Field(default_factory=dict)
    reveals: FrozenMap[str, FrozenMap[str, Reveal]] = Field(default_factory=dict)
    visits: FrozenMap[str, int] = Field(default_factory=dict)
    recall: FrozenMap[str, int] = Field(default_factory=dict)
    ended: str | None = None
    ruleset: RulesetState | None = None
    observations: FrozenMap[str, FrozenMap[str, Observation]] = Field(default_factory=dict)
    relationships: FrozenMap[str, Relationship] = Field(default_factory=dict)
    characters: FrozenMap[str, Character] = Field(default_factory=dict)
    streaks: FrozenMap[str, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)
    escalation: FrozenMap[str, Annotated[int, Field(ge=1, lt=len(ESCALATION))]] = Field(default_factory=dict)
    threats: FrozenMap[str, PendingThreat] = Field(default_factory=dict)
    situations: FrozenMap[str, Situation] = Field(default_factory=dict)
    turn_order: TurnOrder | None = None
    personas: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _in_its_version(cls, data: Any) -> Any:
        """Set the version: 2 with a ruleset state, 3 with any of the fields that were added later, else 1, so that
        older states keep their bytes and their hash."""
        if not isinstance(data, Mapping) or data.get("schema_version", 1) not in (1, 2, 3):
            return data
        return {**data, "schema_version": _version_of(data)}

    @model_serializer(mode="wrap")
    def _in_few_words(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the fields that were added later if they are empty."""
        written: dict[str, Any] = handler(self)
        return {key: value for key, value in written.items() if key not in self._unwritten_fields()}

    def with_fields(self, **fields: Any) -> WorldState:
        """Return the state with some fields set, in the version that fits."""
        after = self.model_copy(update=fields)
        if not fields.keys().isdisjoint(_LATER):
            version = _version_of({name: getattr(after, name) for name in (*_LATER, "ruleset")})
            after = after if version == after.schema_version else after.model_copy(update={"schema_version": version})
        return after

    def _unwritten_fields(self) -> set[str]:
        return {name for name in _LATER if not getattr(self, name)} | ({"ruleset"} if self.ruleset is None else set())

    def present(self) -> tuple[str, ...]:
        """Return the IDs of the characters at the scene's place, the player first, then by ID."""
        present = [who for who, where in self.positions.items() if where == self.scene.location_id]
        return tuple(sorted(present, key=lambda who: (who != self.player_id, who)))

    def present_npcs(self) -> tuple[str, ...]:
        """Return the IDs of the characters at the scene's place except the player's own, by ID."""
        return tuple(who for who in self.present() if not self.is_players(who))

    def open_threads(self) -> tuple[Thread, ...]:
        """Return the threads that are open, by ID."""
        return tuple(thread for _, thread in sorted(self.threads.items()) if thread.status == "open")

    def is_players(self, who: str) -> bool:
        """Tell whether a character is the player's: the played one, or another persona of theirs."""
        return who == self.player_id or who in self.personas

    def knowers(self, there: Collection[str]) -> tuple[str, ...]:
        """Return the personas who know of what those who were there saw or heard; empty where all personas do, or there
        is only one."""
        known = tuple(who for who in self.personas if who in there)
        return () if len(known) == len(self.personas) else known or (self.player_id,)

    def held_by(self, owner_id: str) -> dict[str, int]:
        """Return item ID -> quantity of the things that a character carries or that lie in a place; empty if
        unknown."""
        return dict(sorted(self.inventory.get(owner_id, {}).items()))

    def has_learned(self, viewer_id: str, item_id: str) -> bool:
        """Tell whether an item was revealed to a viewer."""
        return item_id in self.reveals.get(viewer_id, {})

    def learned_by(self, viewer_id: str) -> frozenset[str]:
        """Return the IDs of the items that were revealed to a viewer."""
        return frozenset(self.reveals.get(viewer_id, {}))

    def conditions_of(self, who: str) -> tuple[str, ...]:
        """Return the conditions of a character, in the order in which they were added; none if unknown."""
        character = self.characters.get(who)
        return () if character is None else character.conditions

    def facts_about(self, subject_id: str) -> tuple[Fact, ...]:
        """Return the facts about an entity, in the order in which they were established, including facts that nobody
        knows."""
        if self.indexed.get("facts") is not self.facts:
            found: dict[str, list[Fact]] = {}
            for fact in self.facts.values():
                found.setdefault(fact.subject_id, []).append(fact)
            self.indexed.update(facts=self.facts, by_subject=found)
        return tuple(self.indexed["by_subject"].get(subject_id, ()))

    def name_of(self, entity_id: str) -> str:
        """Return the display name of an entity, or the ID if it is unknown."""
        entity = self.entities.get(entity_id)
        return entity.name if entity else entity_id

    def clocks_shown(self) -> tuple[dict[str, Any], ...]:
        """Return the clocks by ID, then the ruleset's gauges, as everyone may see them: id, name, value, max."""
        shown = {"id", "name", "value", "max"}
        clocks = [self.clocks[clock].model_dump(include=shown) for clock in sorted(self.clocks)]
        return (*clocks, *(gauge.model_dump() for gauge in self.gauges()))

    def gauges(self) -> tuple[Gauge, ...]:
        """Return the bounded whole numbers of the ruleset's scene, in the order of its schema."""
        return () if self.ruleset is None else self.ruleset.gauges()

    def stat(self, who: str, name: str) -> int | float | None:
        """Return a number of a character's stat block; None if there is no such number."""
        value = None if self.ruleset is None else self.ruleset.value(name, of=who)
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def to_json(self) -> str:
        """Return canonical JSON: equal states give equal bytes in every process."""
        return _object(self._fields_as_json())

    def truth_hash(self) -> str:
        """Return the SHA-256 of all fields except the narrator's memory, so that the narration does not change later
        dice."""
        fields = self._fields_as_json()
        del fields["recall"]
        return content_hash(_object(fields))

    def content_hash(self) -> str:
        """Return the SHA-256 of the canonical JSON."""
        return content_hash(self.to_json())

    def as_read_after(self, before: WorldState) -> WorldState:
        """Return this state as it would be read from its JSON, given `before`, which was read so: shared parts are not
        read again. It differs from this state in the order of its maps and in values that JSON does not distinguish."""
        changed = [name for name in type(self).model_fields if getattr(self, name) is not getattr(before, name)]
        wanted = self._fields_as_json()
        # Entities take longest to read, and there are many: unchanged ones are left out.
        fields = {"player_id": wanted["player_id"], "scene": wanted["scene"], "entities": "{}"}
        written = [name for name in changed if name in wanted and name != "schema_version"]
        fields |= {name: self._new_entries(name, before) if name in _MANY else wanted[name] for name in written}
        read = WorldState.model_validate_json(_object(fields))
        found = {name: getattr(read if name in written else self, name) for name in changed}
        for name in _MANY & found.keys():
            found[name] = self._in_order(name, {**getattr(before, name), **found[name]})
        return before.model_copy(update=found)

    def _new_entries(self, name: str, before: WorldState) -> str:
        """Return the JSON of the entries of a map that differ from those of another state."""
        texts, old = self._entries_as_json(name), getattr(before, name)
        return _joined([texts[key][1] for key, entry in getattr(self, name).items() if old.get(key) is not entry])

    def _in_order(self, name: str, entries: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the entries whose keys are in a map of this state, in the order of its JSON."""
        return MappingProxyType({key: entries[key] for key in sorted(getattr(self, name))})

    @cached_property
    def indexed(self) -> dict[str, Any]:
        """A cache: the facts, and the same by subject. States derived from each other share it, as most turns do not
        change the facts."""
        return {}

    @cached_property
    def written(self) -> dict[str, tuple[object, str]]:
        """A cache: field -> a value and its JSON. States derived from each other share it, so that a turn serialises
        only the fields that it changed; the value tells whether the JSON is still valid."""
        return {}

    @cached_property
    def written_entries(self) -> dict[str, dict[str, tuple[object, str]]]:
        """A cache for the entries of large maps: field -> key -> a value, and the JSON of key and value."""
        return {}

    def _entries_as_json(self, name: str) -> dict[str, tuple[object, str]]:
        known = self.written_entries.setdefault(name, {})
        new = {
            key: entry for key, entry in getattr(self, name).items() if key not in known or known[key][0] is not entry
        }
        if new:
            dumped = self.model_copy(update={name: new}).model_dump(mode="json", include={name})[name]
            known.update(
                {key: (entry, f"{canonical_json(key)}:{canonical_json(dumped[key])}") for key, entry in new.items()}
            )
        return known

    def _fields_as_json(self) -> dict[str, str]:
        known = self.written
        unwritten = self._unwritten_fields()
        values = {name: getattr(self, name) for name in type(self).model_fields if name not in unwritten}
        new = {name for name, value in values.items() if name not in known or known[name][0] is not value}
        for name in new & _MANY:
            texts = self._entries_as_json(name)
            known[name] = (values[name], _joined([texts[key][1] for key in sorted(values[name])]))
        if rest := new - _MANY:
            dumped = self.model_dump(mode="json", include=rest)
            known.update({name: (values[name], canonical_json(dumped[name])) for name in rest})
        return {name: known[name][1] for name in values}


def _version_of(fields: Mapping[str, Any]) -> int:
    if any(fields.get(name) for name in _LATER):
        return 3
    return 1 if fields.get("ruleset") is None else 2


def _object(fields: Mapping[str, str]) -> str:
    """Return the canonical JSON of an object from that of its fields."""
    return "{" + ",".join(f'"{name}":{fields[name]}' for name in sorted(fields)) + "}"


def _joined(entries: Sequence[str]) -> str:
    return "{" + ",".join(entries) + "}"


def pair(a: str, b: str) -> tuple[str, str]:
    """Return the two IDs in their normal order."""
    return (a, b) if a <= b else (b, a)


def relation_key(a: str, b: str) -> str:
    """Return the key of the edge between two characters in `WorldState.relations`."""
    return "|".join(pair(a, b))


def relationship_key(a: str, b: str, rel_type: str) -> str:
    """Return the key of a relationship in `WorldState.relationships`."""
    return f"{a}|{b}|{rel_type}"


_HINT = "the file was changed by hand, or written by a newer version; restore a copy, or roll back to a turn before it"


def read_state(text: str) -> WorldState:
    """Return the state in stored JSON of any version.

    Raises:
        StateMisfit: a field is missing, has another type, or does not fit the ruleset's schemas.
    """
    try:
        return WorldState.model_validate_json(text)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        message = str(first["msg"]).removeprefix("Value error, ")
        raise StateMisfit(f"the stored state does not fit: {where}: {message}", hint=_HINT) from None
