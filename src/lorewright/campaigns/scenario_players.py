"""Whom the player may play, as a scenario's author writes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.inner import CharacterState

# Text that says something; spaces at its ends are kept.
Written = Annotated[str, Field(pattern=r"\S")]


class ScenarioMemory(Frozen):
    """Something that a character remembers from the start, and how much it matters to them."""

    content: str = Field(min_length=1, max_length=500)
    importance: int = Field(default=3, ge=1, le=5)


class ScenarioPlayer(Frozen):
    """Who the player is, what moves them (`states`), and what they remember from the start (`observations`)."""

    name: str = "the traveller"
    pronoun: Literal["he", "she", "they", "it"] = "they"
    items: tuple[str, ...] = ()
    traits: FrozenMap[str, int] = Field(default_factory=dict)
    profile: FrozenMap[str, Any] = Field(default_factory=dict)
    states: FrozenMap[str, CharacterState] = Field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    observations: tuple[ScenarioMemory, ...] = ()


class ScenarioPersona(ScenarioPlayer):
    """Somebody else whom the player may play: where they are at the start (where the story starts, if it is not said),
    and how much some of the cast trust them."""

    name: Written
    at: str | None = None
    aliases: tuple[str, ...] = ()
    trust: FrozenMap[str, int] = Field(default_factory=dict)
