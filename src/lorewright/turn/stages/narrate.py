"""Narrate: what came of it -> prose, and nothing but prose."""

from __future__ import annotations

from lorewright.turn.records import NarratorInput, NarratorOutput
from lorewright.turn.stages.stage import Stage
from lorewright.turn.twins.narrator import narrate


class Narrate(Stage[NarratorInput, NarratorOutput]):
    """The telling."""

    name = "narrator"
    output_type = NarratorOutput

    def twin(self, given: NarratorInput) -> NarratorOutput:
        """The grammar of phrases."""
        return narrate(given)
