"""Narrate: the outcomes of a turn -> prose, and nothing but prose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from lorewright.builtin.narrator.narrate import narrate, tell_learned
from lorewright.index.keywords import words_of
from lorewright.turn.stages.narrate.context import narrator_context
from lorewright.turn.stages.narrate.sources import sources_of
from lorewright.turn.stages.stage import Stage
from lorewright.values.annotations import Unmarked, read_marks
from lorewright.values.records import FIRST_CODE, Evidence, NarratorInput, NarratorOutput, Supported, TurnListener

# A narration tells an item that shares so much of its words with it; less is enough where it cites it.
_TOLD, _TOLD_IF_CITED = 0.5, 0.25
# The characters by which words are compared, and those of words that say nothing by themselves.
_STEM, _SHORT = 5, 3
# Stands between a narration and what code puts behind it.
BEHIND = "\n\n"
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
    builtin_version = 15
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
        cited. Items that it does not tell are told behind it, in the built-in stage's sentences."""
        marked = read_marks(answer.final_text)
        ids = {source.number: source.id for source in sources_of(given)}
        support = tuple(
            Supported(sentence=sentence.sentence, ids=tuple(dict.fromkeys(ids[number] for number in sentence.numbers)))
            for sentence in marked.sentences
        )
        learned = [evidence for evidence in given.evidence if not evidence.known_before]
        left_out = [evidence for evidence in learned if not is_told(evidence, marked.text, support)]
        added = tell_learned(given, left_out) if left_out and given.code_version > FIRST_CODE else ""
        if added:
            support = (*support, Supported(sentence=added, ids=tuple(evidence.item_id for evidence in left_out)))
        rests_on = [cited for sentence in support for cited in sentence.ids]
        return NarratorOutput(
            final_text=f"{marked.text}{BEHIND}{added}" if added else marked.text,
            cited=tuple(dict.fromkeys((*(evidence.item_id for evidence in learned), *rests_on))),
            support=support,
            added=added,
        )


def is_told(evidence: Evidence, text: str, support: Iterable[Supported]) -> bool:
    """Return True if a text tells an item: it has half of its words, or a quarter of them and a sentence citing it."""
    words = _stems(evidence.text)
    share = len(words & _stems(text)) / len(words) if words else 1.0
    is_cited = any(evidence.item_id in sentence.ids for sentence in support)
    return share >= (_TOLD_IF_CITED if is_cited else _TOLD)


def _stems(text: str) -> frozenset[str]:
    """Return the beginnings of a text's words, without the short ones, which are in every text."""
    words = words_of(text.casefold())
    return frozenset(word[:_STEM] for word in words if len(word) > _SHORT or not word.isascii() or word.isdigit())


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
