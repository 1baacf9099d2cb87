"""The complete state of a campaign after a turn: immutable, serialisable, hashable by content.

Who and what there is stands in `entities`; where characters are in `positions`; who has what in `inventory`,
where a place owns what lies in it. What a viewer has learned stands in `reveals`: so rollback and branches
forget and remember by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, ValidationError, model_serializer, model_validator

from lorewright.errors import StateMisfit
from lorewright.ids import canonical_json, content_hash
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.ruleset_state import Gauge, RulesetState
from lorewright.world.things import (
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

# Fields that came later. One that holds nothing is not written: a state without them keeps its bytes and its hash.
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


# The maps that grow with a story: an entry of them is written, and read again, only when it has changed.
_MANY = frozenset({"entities", "facts"})


class WorldState(Frozen):
    """Everything that is true after a turn; `ruleset` holds stat blocks and the ruleset's scene, where it has any.

    `observations[who][id]` is what somebody remembers, `streaks[who]` how many of their checks have failed in a row,
    `escalation[who]` how far they have been driven against the player, a place in `ESCALATION`. `player_id` is whom the
    player plays just now, `personas` all whom they may play, where there is more than one.
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
        """Version 2 is a state with a part that its ruleset shapes, version 3 one with any of what came later still.
        One without is written as version 1, so that states from before keep their bytes and their hash."""
        if not isinstance(data, Mapping) or data.get("schema_version", 1) not in (1, 2, 3):
            return data
        return {**data, "schema_version": _version_of(data)}

    @model_serializer(mode="wrap")
    def _in_few_words(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What came later is written only where there is any, as if it had never come."""
        written: dict[str, Any] = handler(self)
        return {key: value for key, value in written.items() if key not in self._left_out()}

    def with_fields(self, **fields: Any) -> WorldState:
        """The state with some fields set, in the version that it has then."""
        after = self.model_copy(update=fields)
        if not fields.keys().isdisjoint(_LATER):
            version = _version_of({name: getattr(after, name) for name in (*_LATER, "ruleset")})
            after = after if version == after.schema_version else after.model_copy(update={"schema_version": version})
        return after

    def _left_out(self) -> set[str]:
        return {name for name in _LATER if not getattr(self, name)} | ({"ruleset"} if self.ruleset is None else set())

    def present(self) -> tuple[str, ...]:
        """IDs of the characters at the scene's place, the player first, then by ID."""
        here = [who for who, where in self.positions.items() if where == self.scene.location_id]
        return tuple(sorted(here, key=lambda who: (who != self.player_id, who)))

    def present_npcs(self) -> tuple[str, ...]:
        """IDs of the characters at the scene's place but for the player's own, by ID."""
        return tuple(who for who in self.present() if not self.is_players(who))

    def is_players(self, who: str) -> bool:
        """Whether a character is the player's: the one who is played, or another persona of theirs."""
        return who == self.player_id or who in self.personas

    def held_by(self, owner_id: str) -> dict[str, int]:
        """Item IDs and quantities that a character carries or that lie in a place; empty if unknown."""
        return dict(sorted(self.inventory.get(owner_id, {}).items()))

    def has_learned(self, viewer_id: str, item_id: str) -> bool:
        """Whether an item was revealed to a viewer."""
        return item_id in self.reveals.get(viewer_id, {})

    def learned_by(self, viewer_id: str) -> frozenset[str]:
        """The items that were revealed to a viewer."""
        return frozenset(self.reveals.get(viewer_id, {}))

    def conditions_of(self, who: str) -> tuple[str, ...]:
        """The conditions that somebody is in, in the order in which they came; none for somebody unknown."""
        character = self.characters.get(who)
        return () if character is None else character.conditions

    def facts_about(self, subject_id: str) -> tuple[Fact, ...]:
        """What is established about somebody or something, in the order in which it was; also what nobody knows of."""
        if self.indexed.get("facts") is not self.facts:
            found: dict[str, list[Fact]] = {}
            for fact in self.facts.values():
                found.setdefault(fact.subject_id, []).append(fact)
            self.indexed.update(facts=self.facts, by_subject=found)
        return tuple(self.indexed["by_subject"].get(subject_id, ()))

    def name_of(self, entity_id: str) -> str:
        """The display name, or the ID where nothing has it."""
        entity = self.entities.get(entity_id)
        return entity.name if entity else entity_id

    def clocks_shown(self) -> tuple[dict[str, Any], ...]:
        """The clocks by ID, then the ruleset's gauges, as everyone may see them: id, name, value, max."""
        shown = {"id", "name", "value", "max"}
        clocks = [self.clocks[clock].model_dump(include=shown) for clock in sorted(self.clocks)]
        return (*clocks, *(gauge.model_dump() for gauge in self.gauges()))

    def gauges(self) -> tuple[Gauge, ...]:
        """The bounded whole numbers of the ruleset's scene, in the order of its schema."""
        return () if self.ruleset is None else self.ruleset.gauges()

    def stat(self, who: str, name: str) -> int | float | None:
        """A number of somebody's stat block; None where there is no such number."""
        value = None if self.ruleset is None else self.ruleset.value(name, of=who)
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def to_json(self) -> str:
        """Canonical JSON: equal states give equal bytes in every process."""
        return _object(self._fields_as_json())

    def truth_hash(self) -> str:
        """SHA-256 of all but the narrator's memory: how a turn was told must not change what the next dice show."""
        fields = self._fields_as_json()
        del fields["recall"]
        return content_hash(_object(fields))

    def content_hash(self) -> str:
        """SHA-256 of the canonical JSON."""
        return content_hash(self.to_json())

    def as_read_after(self, before: WorldState) -> WorldState:
        """This state as it would be read from its JSON, where `before` was read so: what the two share is not read
        again. It differs from this one in the order of its maps and in what JSON does not tell apart."""
        changed = [name for name in type(self).model_fields if getattr(self, name) is not getattr(before, name)]
        wanted = self._fields_as_json()
        # An entity takes longer to read than all else, and there are many: they are left out where they are the same.
        fields = {"player_id": wanted["player_id"], "scene": wanted["scene"], "entities": "{}"}
        written = [name for name in changed if name in wanted and name != "schema_version"]
        fields |= {name: self._new_entries(name, before) if name in _MANY else wanted[name] for name in written}
        read = WorldState.model_validate_json(_object(fields))
        found = {name: getattr(read if name in written else self, name) for name in changed}
        for name in _MANY & found.keys():
            found[name] = self._in_order(name, {**getattr(before, name), **found[name]})
        return before.model_copy(update=found)

    def _new_entries(self, name: str, before: WorldState) -> str:
        """JSON of the entries of a map that are not those of another state."""
        texts, old = self._entries_as_json(name), getattr(before, name)
        return _joined([texts[key][1] for key, one in getattr(self, name).items() if old.get(key) is not one])

    def _in_order(self, name: str, entries: Mapping[str, Any]) -> Mapping[str, Any]:
        """Those of the entries whose keys stand in a map of this state, in the order of its JSON."""
        return MappingProxyType({key: entries[key] for key in sorted(getattr(self, name))})

    @cached_property
    def indexed(self) -> dict[str, Any]:
        """The facts that were put in order by subject, and that order. A state and those made of it share this, as
        `written`: most turns leave the facts as they are."""
        return {}

    @cached_property
    def written(self) -> dict[str, tuple[object, str]]:
        """Field -> a value of it and the JSON of that value. A state and those that are made of it share this, so that
        a turn writes again only the fields that it changed; the value tells whether a text is of the field as it is."""
        return {}

    @cached_property
    def written_entries(self) -> dict[str, dict[str, tuple[object, str]]]:
        """The same for the entries of maps that grow long: field -> key -> a value, and the JSON of key and value."""
        return {}

    def _entries_as_json(self, name: str) -> dict[str, tuple[object, str]]:
        known = self.written_entries.setdefault(name, {})
        new = {key: one for key, one in getattr(self, name).items() if key not in known or known[key][0] is not one}
        if new:
            dumped = self.model_copy(update={name: new}).model_dump(mode="json", include={name})[name]
            known.update(
                {key: (one, f"{canonical_json(key)}:{canonical_json(dumped[key])}") for key, one in new.items()}
            )
        return known

    def _fields_as_json(self) -> dict[str, str]:
        known = self.written
        left_out = self._left_out()
        values = {name: getattr(self, name) for name in type(self).model_fields if name not in left_out}
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
    """Canonical JSON of an object, of that of its fields."""
    return "{" + ",".join(f'"{name}":{fields[name]}' for name in sorted(fields)) + "}"


def _joined(entries: Sequence[str]) -> str:
    return "{" + ",".join(entries) + "}"


def pair(a: str, b: str) -> tuple[str, str]:
    """The two IDs in their normal order."""
    return (a, b) if a <= b else (b, a)


def relation_key(a: str, b: str) -> str:
    """Key of the one edge between two people in `WorldState.relations`."""
    return "|".join(pair(a, b))


def relationship_key(a: str, b: str, rel_type: str) -> str:
    """Key of one relationship in `WorldState.relationships`."""
    return f"{a}|{b}|{rel_type}"


# Stored JSON -> WorldState, of any version that was ever written, or an error that names what does not fit.

_HINT = "the file was changed by hand, or written by a newer version; restore a copy, or roll back to a turn before it"


def read_state(text: str) -> WorldState:
    """The state that a text says.

    Raises:
        StateMisfit: a field is missing, is of another kind, or does not fit the ruleset's schemas.
    """
    try:
        return WorldState.model_validate_json(text)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        message = str(first["msg"]).removeprefix("Value error, ")
        raise StateMisfit(f"the stored state does not fit: {where}: {message}", hint=_HINT) from None
