"""What hangs over a scene: threats that fall due, circumstances that hold for a while, and whose turn it is."""

from __future__ import annotations

from pydantic import Field, model_validator

from lorewright.world.frozen import Frozen

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
