"""Action: what someone tries to do, as data. Only these fields pass from prose to the truth engine."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from lorewright.world.frozen import Frozen, FrozenMap


class LookMetadata(Frozen):
    """What is looked at where it is no known thing; for the narrator only."""

    detail: str = Field(default="", max_length=200)


class AskMetadata(Frozen):
    """What is asked about, in the player's words; grounded to items by code before the rules see it."""

    topic: str = Field(default="", max_length=200)


class SearchMetadata(Frozen):
    """Where or for what one searches, in the player's words; empty for a search of the whole place."""

    detail: str = Field(default="", max_length=200)


class TakeMetadata(Frozen):
    """How many."""

    quantity: int = Field(default=1, ge=1, le=99)


class WaitMetadata(Frozen):
    """How long, in in-world minutes; the ruleset's own figure where it is not said."""

    minutes: int | None = Field(default=None, ge=1, le=480)


class NoMetadata(Frozen):
    """For actions that need none."""


METADATA: Mapping[str, type[Frozen]] = MappingProxyType(
    {
        "look": LookMetadata,
        "go": NoMetadata,
        "ask": AskMetadata,
        "take": TakeMetadata,
        "search": SearchMetadata,
        "wait": WaitMetadata,
    }
)


class Action(Frozen):
    """`{actor_id, type, target_id?, location_id?, metadata?}` and nothing else.

    `target_id` is a person or thing, `location_id` the place that a `go` leads to. The free text in
    `metadata` is for the narrator; no rule reads it. A type that no ruleset knows is a valid Action and an
    invalid attempt.
    """

    actor_id: str
    type: str
    target_id: str | None = None
    location_id: str | None = None
    metadata: FrozenMap[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _typed_metadata(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("type") in METADATA:
            given = data.get("metadata") or {}
            typed = METADATA[data["type"]].model_validate(dict(given)).model_dump(exclude_defaults=True)
            return {**data, "metadata": typed}
        return data

    @property
    def words(self) -> str:
        """The player's own words that ride along: a topic or a detail; empty where there are none."""
        return str(self.metadata.get("topic") or self.metadata.get("detail") or "")


class GroundedItem(Frozen):
    """A lore item that an action's words point at: by ID only, so that no record of it can tell a secret."""

    id: str
    role: Literal["knows", "withholds", "discoverable"]
    holder_id: str


class Grounding(Frozen):
    """What an action's words were matched to: items best first; topic keys are entity IDs and slugs."""

    items: tuple[GroundedItem, ...] = ()
    topics: tuple[str, ...] = ()


class Attempt(Frozen):
    """An action with its grounding, which is all that the rules know of its words."""

    action: Action
    grounding: Grounding = Grounding()

    @classmethod
    def of(cls, action: Action) -> Self:
        """An attempt with nothing grounded."""
        return cls(action=action)
