"""Intend: what a character knows -> what it does next. What comes of it is not said here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorewright.turn.intents import NpcIntent, NpcIntentInput
from lorewright.turn.stages.stage import Stage


class Intend(Stage[NpcIntentInput, NpcIntent, NpcIntent]):
    """One act of one of the cast."""

    name = "npc_intent"
    answer_type = NpcIntent

    def twin(self, given: NpcIntentInput) -> NpcIntent:
        """A moment's pause."""
        return NpcIntent(action_text=f"{given.me.name} waits.")

    def context(self, given: NpcIntentInput) -> Mapping[str, Any]:
        """Everything that it knows."""
        return given.model_dump(mode="json")

    def made_of(self, answer: NpcIntent, given: NpcIntentInput) -> NpcIntent:
        """The answer as it is."""
        return answer
