"""Narrate: what came of it -> prose, and nothing but prose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from lorewright.llm.model import OnText
from lorewright.turn.listener import Listener
from lorewright.turn.prompting.narrator import narrator_context
from lorewright.turn.records import NarratorInput, NarratorOutput
from lorewright.turn.stages.stage import Stage
from lorewright.turn.twins.narrator import narrate


class Prose(BaseModel):
    """What a model tells. It has no say in anything else: facts, places and what may be cited are code's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    final_text: str = Field(min_length=1)


class Narrate(Stage[NarratorInput, Prose, NarratorOutput]):
    """The telling."""

    name = "narrator"
    answer_type = Prose
    prose = True

    def twin(self, given: NarratorInput) -> NarratorOutput:
        """The grammar of phrases."""
        return narrate(given)

    def context(self, given: NarratorInput) -> Mapping[str, Any]:
        """The numbered sources, and what happened."""
        return narrator_context(given).model_dump(mode="json")

    def heard(self, listener: Listener) -> OnText:
        """The player reads along."""
        return listener.told

    def wrong_with(self, answer: Prose, given: NarratorInput) -> str | None:
        """A model that was asked for prose may still answer with data."""
        is_data = answer.final_text.lstrip().startswith(("{", "```", "<!"))
        return "it is not prose: write the narration and nothing else" if is_data else None

    def made_of(self, answer: Prose, given: NarratorInput) -> NarratorOutput:
        """The prose; it rests on the evidence that the turn brought."""
        new = tuple(evidence.item_id for evidence in given.evidence if not evidence.known_before)
        return NarratorOutput(final_text=answer.final_text, cited=new)
