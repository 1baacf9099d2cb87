"""Who and what a state holds: entities, ways, doors, clocks, threads, facts, relations, the scene, what was learned.

What a character carries within, and what hangs over a scene, is in `inner` and `pressures`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from lorewright.world.frozen import Frozen, FrozenMap

EntityType = Literal["player", "npc", "location", "item", "door", "faction", "other"]
Origin = Literal["pack", "campaign", "world"]
How = Literal["told", "found", "overheard", "witnessed"]

# Of a place whose things are notes: to be looked at rather than taken.
SHELF_TAG = "shelf"
# Where characters stand that belong to the cast and are nowhere yet, or no more.
OFFSTAGE = "offstage"


class Entity(Frozen):
    """A person, place or thing; `traits` are added to dice, `attrs` are the pack's own, read by no rule."""

    id: str
    type: EntityType
    name: str
    aliases: tuple[str, ...] = ()
    pronoun: Literal["he", "she", "they", "it"] = "they"
    traits: FrozenMap[str, int] = Field(default_factory=dict)
    attrs: FrozenMap[str, Any] = Field(default_factory=dict)
    tags: tuple[str, ...] = ()
    origin: Origin = "campaign"
    pack_id: str | None = None
    pack_entity_id: str | None = None


class Exit(Frozen):
    """A way out of a place: `name` is what a player types, `minutes` how long it takes, `via` a door's ID."""

    name: str
    to: str
    minutes: int = Field(default=1, ge=0)
    via: str | None = None


class Door(Frozen):
    """A door between places. A locked door is not open.

    Shut it lets people by, and locked it lets by whoever carries its key; with `shut_bars` one passes only while it
    stands open. `bolt_at` is the place in which its bolt is: whoever is there locks and unlocks it without a key.
    """

    locked: bool = False
    key_id: str | None = None
    open: bool = False
    shut_bars: bool = False
    bolt_at: str | None = None

    @model_serializer(mode="wrap")
    def _without_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What doors could not do at first is written only where one does it: other states keep their hash."""
        written: dict[str, Any] = handler(self)
        unsaid = {key for key in ("open", "shut_bars", "bolt_at") if not written[key]}
        return {key: value for key, value in written.items() if key not in unsaid}


class Clock(Frozen):
    """A progress clock: 0 <= value <= max."""

    id: str
    name: str
    value: int = Field(default=0, ge=0)
    max: int = Field(ge=1)
    tags: tuple[str, ...] = ()


class Thread(Frozen):
    """An open question of the story; `progress` is how far it has been looked into, of `needed` (0: nobody counts)."""

    id: str
    title: str
    status: str = "open"
    stakes: str = ""
    related_entity_ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    progress: int = Field(default=0, ge=0)
    needed: int = Field(default=0, ge=0)

    @model_serializer(mode="wrap")
    def _without_default(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Where nobody counts, nothing is written of it, as before there was progress: such a state keeps its hash."""
        written: dict[str, Any] = handler(self)
        return {key: value for key, value in written.items() if value or key not in ("progress", "needed")}


# How a fact came to be known that a model's narration has established.
NARRATED = "narrated"


class Fact(Frozen):
    """Something established: subject, predicate, object; the seed's columns."""

    id: str
    subject_id: str
    predicate: str
    object: Any = None
    visibility: str = "player"
    confidence: float = Field(default=1.0, ge=0, le=1)
    tags: tuple[str, ...] = ()
    origin: Origin = "campaign"
    discovered_turn: int | None = None
    discovery_method: str | None = None

    @property
    def is_only_told(self) -> bool:
        """Whether nothing but a narration says so: it is remembered and told, and no rule or condition goes by it."""
        return self.discovery_method == NARRATED


class Relation(Frozen):
    """What stands between two people; `a` sorts before `b`, so that a pair has one edge."""

    a: str
    b: str
    trust: int = 0
    tension: int = 0
    closeness: int = 0


class Relationship(Frozen):
    """What somebody is to somebody: `a` is the `rel_type` of `b` (`employer`, `sister`), whatever they feel now."""

    a: str
    b: str
    rel_type: str = Field(min_length=1, max_length=80)
    intensity: int = 0
    notes: FrozenMap[str, Any] = Field(default_factory=dict)


class Scene(Frozen):
    """The place at hand until it is left; `number` counts scenes from 1."""

    number: int = Field(default=1, ge=1)
    location_id: str
    opened_minute: int = Field(default=0, ge=0)

    @property
    def id(self) -> str:
        """`scene_001`, as the seed writes it."""
        return f"scene_{self.number:03d}"


class Reveal(Frozen):
    """How and when (in-world minutes) a viewer learned an item."""

    how: How
    minute: int = Field(ge=0)
