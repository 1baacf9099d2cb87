"""Listener: who watches a turn while it is thought. Nothing that it hears has happened until the turn is committed."""

from __future__ import annotations

from typing import Protocol


class Listener(Protocol):
    """Is told how a turn gets on; what it raises ends the turn."""

    def stage_began(self, stage: str, model_key: str) -> None:
        """A model is being asked."""
        ...

    def told(self, text: str) -> None:
        """A piece of the narration, as the player may read it; provisional."""
        ...

    def not_so(self, reason: str) -> None:
        """What was told since the narration began did not happen; it is being told anew."""
        ...


class Silent:
    """Hears and does nothing."""

    def stage_began(self, stage: str, model_key: str) -> None:
        """Nothing."""

    def told(self, text: str) -> None:
        """Nothing."""

    def not_so(self, reason: str) -> None:
        """Nothing."""


SILENT = Silent()
