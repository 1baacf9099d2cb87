"""The values of a state: entities, ways, doors, clocks, threads, facts, relations, the scene, reveals; the inner states
and memories of characters; threats, situations and the turn order of a scene.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from lorewright.ids import content_hash
from lorewright.visibility import FactReader, sees_fact
from lorewright.world.frozen import Frozen, FrozenMap

# Characters: profile, inner states, conditions and memories, which fade as time passes. Nothing fades in the state: an
# observation has its time, and its weight is computed when it is needed.

# An inner state of this level or more is manifest: its owner and the narrator know of it (specification: below it a
# state is subconscious, and read by extractors alone).
MANIFEST_LEVEL = 6

# Both from the specification: each repeated observation adds this much, up to three times.
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
        """True if its owner knows of it."""
        return self.level >= MANIFEST_LEVEL


class Character(Frozen):
    """A character's inner side: the base profile, inner states by name, conditions (`bound`, `wounded`)."""

    profile: FrozenMap[str, Any] = Field(default_factory=dict)
    states: FrozenMap[str, CharacterState] = Field(default_factory=dict)
    conditions: tuple[str, ...] = ()


class Observation(Frozen):
    """A memory of a character: content, importance (1 to 5), the in-world minute since when, and how often the same was
    observed again."""

    content: str = Field(min_length=1, max_length=500)
    importance: int = Field(ge=1, le=5)
    minute: int = Field(ge=0)
    reinforcement_count: int = Field(default=0, ge=0)


@dataclass(frozen=True, slots=True)
class Recalled:
    """An observation with its present weight: `decay_weight` in 0..1, `priority` as in the specification."""

    id: str
    observation: Observation
    decay_weight: float
    priority: float


def observation_id(content: str) -> str:
    """Return the ID of an observation; the same content has the same ID, ignoring letter case and white space."""
    return f"obs_{content_hash(' '.join(content.casefold().split()))[:12]}"


def decay_weight(age_in_minutes: int, *, decay_lambda: float) -> float:
    """Return `exp(-lambda * age_in_minutes)`: 1 for an age of 0, and nearer to 0 for older observations.

    Raises:
        ValueError: the age or lambda is negative.
    """
    if age_in_minutes < 0 or decay_lambda < 0:
        raise ValueError("age and lambda are not negative")
    return math.exp(-decay_lambda * age_in_minutes)


def priority(observation: Observation, *, minute: int, decay_lambda: float) -> float:
    """Return `importance * exp(-lambda * age_in_minutes) * (1 + min(reinforcement_count, 3) * 0.15)` at an in-world
    minute.

    An observation after that minute has an age of 0.
    """
    age = max(minute - observation.minute, 0)
    reinforced = 1 + min(observation.reinforcement_count, _MOST_REINFORCED) * _REINFORCEMENT
    return observation.importance * decay_weight(age, decay_lambda=decay_lambda) * reinforced


def recalled(
    memory: Mapping[str, Observation], *, minute: int, decay_lambda: float, limit: int | None = None
) -> tuple[Recalled, ...]:
    """Return a character's observations, highest priority first, then newest first, then by ID; at most `limit`.
    Nothing is changed."""
    found = [
        Recalled(
            memory_id,
            observation,
            decay_weight(max(minute - observation.minute, 0), decay_lambda=decay_lambda),
            priority(observation, minute=minute, decay_lambda=decay_lambda),
        )
        for memory_id, observation in memory.items()
    ]
    found.sort(key=lambda entry: (-round(entry.priority, _DIGITS), -entry.observation.minute, entry.id))
    return tuple(found[:limit])


# Pressures on a scene: threats that fall due, circumstances that hold for a while, and the turn order.

# How far a character goes against the player, by steps: not at all, with words, by force, to kill.
ESCALATION = ("none", "soft", "hard", "lethal")


class PendingThreat(Frozen):
    """A threat that was announced and has not happened yet; it happens at the in-world minute `due` unless averted."""

    since: int = Field(ge=0)
    due: int = Field(ge=0)


class Situation(Frozen):
    """A circumstance (a blackout, a panic) that holds from a minute until another, or until something ends it."""

    since: int = Field(ge=0)
    until: int | None = Field(default=None, ge=0)


class TurnOrder(Frozen):
    """The order in which characters act; `at` is the index of the present one. Without an order only the player
    acts."""

    actors: tuple[str, ...] = Field(min_length=1)
    at: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _of_these(self) -> TurnOrder:
        if self.at >= len(self.actors):
            raise ValueError("`at` is beyond the last of the actors")
        if len(set(self.actors)) != len(self.actors):
            raise ValueError("somebody stands twice in the order")
        return self

    @property
    def current(self) -> str:
        """The ID of the character who acts now."""
        return self.actors[self.at]

    def passed(self) -> TurnOrder:
        """Return the order with the turn passed on; after the last actor comes the first."""
        return TurnOrder(actors=self.actors, at=(self.at + 1) % len(self.actors))


# The things of the world: entities, ways, doors, clocks, threads, facts, relations, the scene.

EntityType = Literal["player", "npc", "location", "item", "door", "faction", "other"]
Origin = Literal["pack", "campaign", "world"]
# `noticed`: nobody says it and nothing is found, but it becomes plain from what is said or seen.
How = Literal["told", "found", "overheard", "witnessed", "noticed"]

# The tag of a place whose things are notes, which are read rather than taken.
SHELF_TAG = "shelf"
# The tag of a place whose ways everybody knows: one walks by it to places further off without having been there.
CHARTED_TAG = "charted"
# The position of characters of the cast who are nowhere yet, or no longer.
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

    A closed door can be passed, and a locked one by a character with its key; with `shut_bars` only an open one can be
    passed. `bolt_at` is the place with its bolt: characters there lock and unlock it without a key.
    """

    locked: bool = False
    key_id: str | None = None
    open: bool = False
    shut_bars: bool = False
    bolt_at: str | None = None

    @model_serializer(mode="wrap")
    def _without_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write fields that were added later only if they are set, so that older states keep their hash."""
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
    """An open question of the story; `progress` counts its investigation, up to `needed` (0: not counted)."""

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
        """Write `progress` and `needed`, which were added later, only if they are set, so that older states keep their
        hash."""
        written: dict[str, Any] = handler(self)
        return {key: value for key, value in written.items() if value or key not in ("progress", "needed")}


# The discovery method of a fact that a model's narration established.
NARRATED = "narrated"


# The predicates of promises, threats and debts.
PREDICATES = ("promised", "threatened", "owes")


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
    # The personas who know of it, where not all do. Left out while empty, so that older states keep their hashes.
    known_to: tuple[str, ...] = Field(default=(), exclude_if=lambda known_to: not known_to)

    def is_shown(self, reader: FactReader, who: str | None) -> bool:
        """Tell whether a viewer or stage is shown it; `who` is the persona that the viewer plays or the stage tells the
        story to, None for all of them."""
        return sees_fact(reader, visibility=self.visibility, knowers=self.known_to, who=who)

    @property
    def is_only_told(self) -> bool:
        """True if only a narration established it: it is remembered and told, but rules and conditions ignore it."""
        return self.discovery_method == NARRATED


class Relation(Frozen):
    """The relation between two characters; `a` sorts before `b`, so that a pair has a single edge."""

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
    """The present scene: a place, until it is left; `number` counts scenes from 1."""

    number: int = Field(default=1, ge=1)
    location_id: str
    opened_minute: int = Field(default=0, ge=0)

    @property
    def id(self) -> str:
        """The ID in the seed's form: `scene_001`."""
        return f"scene_{self.number:03d}"


class Reveal(Frozen):
    """The way and the in-world minute in which a viewer learned an item."""

    how: How
    minute: int = Field(ge=0)
