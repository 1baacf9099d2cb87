"""Who and what a state holds: entities, ways, doors, clocks, threads, facts, relations, the scene, what was learned.

What a character carries within, and what hangs over a scene, is in `inner` and `pressures`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from lorewright.ids import content_hash
from lorewright.world.frozen import Frozen, FrozenMap

# What a character carries within: profile, states, conditions; and what they remember, which fades as time passes.
#
# Nothing fades in the state. An observation keeps when it was made; how much it weighs is computed when somebody asks.

# A state of this level and more is manifest: its owner and whoever tells of them know of it (specification: below it
# a state is subconscious, and read by extractors alone).
MANIFEST_LEVEL = 6

# Both from the specification: each time that the same is seen again adds so much, and after three times no more.
_REINFORCEMENT = 0.15
_MOST_REINFORCED = 3
# Weights that differ by less are equal: the last bits of an exponential differ between processors.
_DIGITS = 12


class CharacterState(Frozen):
    """A named inner state (`mood`, `wounds`, `morality`), and how far it has come to the surface (1 to 10)."""

    value: Any = None
    level: int = Field(default=MANIFEST_LEVEL, ge=1, le=10)

    @property
    def is_manifest(self) -> bool:
        """Whether its owner knows of it."""
        return self.level >= MANIFEST_LEVEL


class Character(Frozen):
    """Who somebody is beside their entity: the base profile, inner states by name, conditions (`bound`, `wounded`)."""

    profile: FrozenMap[str, Any] = Field(default_factory=dict)
    states: FrozenMap[str, CharacterState] = Field(default_factory=dict)
    conditions: tuple[str, ...] = ()


class Observation(Frozen):
    """Something that one character remembers, since when (in-world minutes), how much it matters to them (1 to 5), and
    how often the same was seen again."""

    content: str = Field(min_length=1, max_length=500)
    importance: int = Field(ge=1, le=5)
    minute: int = Field(ge=0)
    reinforcement_count: int = Field(default=0, ge=0)


@dataclass(frozen=True, slots=True)
class Recalled:
    """An observation with what it weighs just now: `decay_weight` in 0..1, `priority` as the specification has it."""

    id: str
    observation: Observation
    decay_weight: float
    priority: float


def observation_id(content: str) -> str:
    """The same thing seen again has the same ID: letter case and spaces make no other thing of it."""
    return f"obs_{content_hash(' '.join(content.casefold().split()))[:12]}"


def decay_weight(age_in_minutes: int, *, decay_lambda: float) -> float:
    """`exp(-lambda * age_in_minutes)`: 1 for what happened just now, and nearer to 0 the longer it is ago.

    Raises:
        ValueError: the age or lambda is negative.
    """
    if age_in_minutes < 0 or decay_lambda < 0:
        raise ValueError("age and lambda are not negative")
    return math.exp(-decay_lambda * age_in_minutes)


def priority(observation: Observation, *, minute: int, decay_lambda: float) -> float:
    """`importance * exp(-lambda * age_in_minutes) * (1 + min(reinforcement_count, 3) * 0.15)` at an in-world minute.

    What is dated later than that minute is as fresh as can be.
    """
    age = max(minute - observation.minute, 0)
    reinforced = 1 + min(observation.reinforcement_count, _MOST_REINFORCED) * _REINFORCEMENT
    return observation.importance * decay_weight(age, decay_lambda=decay_lambda) * reinforced


def recalled(
    memory: Mapping[str, Observation], *, minute: int, decay_lambda: float, limit: int | None = None
) -> tuple[Recalled, ...]:
    """What somebody remembers, what weighs most first; of what weighs the same the newest first, then by ID. Nothing is
    changed by remembering."""
    found = [
        Recalled(
            one_id,
            one,
            decay_weight(max(minute - one.minute, 0), decay_lambda=decay_lambda),
            priority(one, minute=minute, decay_lambda=decay_lambda),
        )
        for one_id, one in memory.items()
    ]
    found.sort(key=lambda one: (-round(one.priority, _DIGITS), -one.observation.minute, one.id))
    return tuple(found[:limit])


# What hangs over a scene: threats that fall due, circumstances that hold for a while, and whose turn it is.

# How far somebody goes against the player, by steps: not at all, with words, by force, to kill.
ESCALATION = ("none", "soft", "hard", "lethal")


class PendingThreat(Frozen):
    """Something announced that has not happened yet; it happens at the in-world minute `due` unless it is averted."""

    since: int = Field(ge=0)
    due: int = Field(ge=0)


class Situation(Frozen):
    """A circumstance that holds since a minute, until another or until something ends it: a blackout, a panic."""

    since: int = Field(ge=0)
    until: int | None = Field(default=None, ge=0)


class TurnOrder(Frozen):
    """Who acts in which order; `at` is the place of whoever acts now. Without one only the player acts."""

    actors: tuple[str, ...] = Field(min_length=1)
    at: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _of_these(self) -> TurnOrder:
        if self.at >= len(self.actors):
            raise ValueError("the turn is nobody's")
        if len(set(self.actors)) != len(self.actors):
            raise ValueError("somebody stands twice in the order")
        return self

    @property
    def current(self) -> str:
        """Who acts now."""
        return self.actors[self.at]

    def passed(self) -> TurnOrder:
        """The order with the turn passed on; after the last comes the first."""
        return TurnOrder(actors=self.actors, at=(self.at + 1) % len(self.actors))


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
