"""Narrate: the outcomes of a turn -> prose, and nothing but prose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from lorewright.builtin.narrator import narrate
from lorewright.turn.stages.narrate.context import narrator_context
from lorewright.turn.stages.narrate.sources import sources_of
from lorewright.turn.stages.stage import Stage
from lorewright.values.annotations import Unmarked, read_marks
from lorewright.values.records import NarratorInput, NarratorOutput, Supported, TurnListener

# The most characters of a narration: several pages, where it needs a few paragraphs.
MAX_TEXT = 20_000


class Prose(BaseModel):
    """What a model tells, with its marks. It has no say in anything else: facts, places and what may be cited are
    code's."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)

    final_text: str = Field(min_length=1, max_length=MAX_TEXT)


class Narrate(Stage[NarratorInput, Prose, NarratorOutput]):
    """The stage that narrates."""

    name = "narrator"
    answer_type = Prose
    made_type = NarratorOutput
    builtin_version = 2
    prose = True

    def builtin_answer(self, given: NarratorInput) -> NarratorOutput:
        """Return the narration made from the grammar of phrases."""
        return narrate(given)

    def context(self, given: NarratorInput) -> Mapping[str, Any]:
        """Return the variables: the numbered sources, and what happened."""
        return narrator_context(given).model_dump(mode="json")

    def heard(self, listener: TurnListener) -> ReadAlong:
        """Return a receiver that passes the narration on to the player."""
        return ReadAlong(listener)

    def wrong_with(self, answer: Prose, given: NarratorInput) -> str | None:
        """Return what is wrong: data in place of prose, nothing but marks, or marks of sources that were not shown;
        else None."""
        if answer.final_text.lstrip().startswith(("{", "```", "<!")):
            return "it is not prose: write the narration and nothing else"
        marked = read_marks(answer.final_text)
        if not marked.text:
            return "it has no text: write the narration"
        unknown = marked.unknown([source.number for source in sources_of(given)])
        if unknown:
            return f"it cites what it was not shown: {', '.join(f'[{number}]' for number in unknown[:5])}"
        return None

    def made_of(self, answer: Prose, given: NarratorInput) -> NarratorOutput:
        """Return the prose without its marks; the sources of its sentences, and the items gained in the turn, are
        cited."""
        marked = read_marks(answer.final_text)
        ids = {source.number: source.id for source in sources_of(given)}
        support = tuple(
            Supported(sentence=sentence.sentence, ids=tuple(dict.fromkeys(ids[number] for number in sentence.numbers)))
            for sentence in marked.sentences
        )
        new = [evidence.item_id for evidence in given.evidence if not evidence.known_before]
        rests_on = [cited for sentence in support for cited in sentence.ids]
        return NarratorOutput(final_text=marked.text, cited=tuple(dict.fromkeys((*new, *rests_on))), support=support)


class ReadAlong:
    """A receiver that passes a narration on to the player while it is written, without its marks."""

    def __init__(self, listener: TurnListener) -> None:
        self._listener = listener
        self._unmarked = Unmarked(listener.told)

    def piece(self, text: str) -> None:
        """Pass the next piece on."""
        self._unmarked(text)

    def rejected(self, problem: str) -> None:
        """Begin anew, and tell the listener why."""
        self._unmarked = Unmarked(self._listener.told)
        self._listener.not_so(problem)
