"""What a character carries within: profile, states, conditions; and what they remember, which fades as time passes.

Nothing fades in the state. An observation keeps when it was made; how much it weighs is computed when somebody asks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from lorewright.ids import content_hash
from lorewright.world.frozen import Frozen, FrozenMap

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
