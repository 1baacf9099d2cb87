"""The annotations of a turn, stored besides its state: a summary of old narrations, entries of the campaign's lorebook,
reviews that wait, and decisions about reviews. Each belongs to its turn and does not exist on other branches."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from lorewright.scene_lore.gather import in_sentences
from lorewright.world.frozen import Frozen
from lorewright.world.ops import StateOp

# Marks in a narration (`[2]`, `[1, 3]`) name the sources of a sentence. A mark is nothing but numbers in square
# brackets; it belongs to the sentence that it stands in or follows. Anything else in brackets is text.

_MARK = re.compile(r"(?<![ \t])[ \t]*\[([0-9]{1,3}(?:[ \t]*,[ \t]*[0-9]{1,3})*)\]")
# A mark after the end of its sentence, with the quotation marks that close there. While the text is split into
# sentences, marks are written with private-use characters, so that no bracket or full stop of theirs is taken for the
# text's.
_MARK_AFTER_END = re.compile(r"""([.!?…]+[”’"')]*)((?:\ue000[\d,]+\ue001)+)""")
_ENCODED_MARK = re.compile("\ue000([\\d,]+)\ue001")
# The characters of a mark after its bracket: a text that ends in these may go on as a mark.
_MARK_CHARACTERS = "0123456789, \t"
_MARK_SIGNS = re.compile("[\ue000\ue001]")


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence without its marks, and the numbers of its marks in order, each once."""

    sentence: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """A narration without its marks, and its sentences."""

    text: str
    sentences: tuple[MarkedSentence, ...]

    def unknown(self, known: Collection[int]) -> list[int]:
        """Return the numbers that are not among the known ones, ascending."""
        return sorted({number for sentence in self.sentences for number in sentence.numbers} - set(known))


def read_marks(narration: str) -> Marked:
    """Return the text without marks, and its sentences with the numbers of their marks."""
    plain = _MARK_SIGNS.sub("", narration)
    encoded = _MARK.sub(lambda mark: f"\ue000{''.join(mark[1].split())}\ue001", plain)
    # A mark behind the full stop is no sentence of its own.
    split = in_sentences(_MARK_AFTER_END.sub(r"\2\1", encoded))
    sentences = [MarkedSentence(_ENCODED_MARK.sub("", sentence).strip(), _numbers(sentence)) for sentence in split]
    worded = [marked for marked in sentences if any(map(str.isalnum, marked.sentence))]
    return Marked(_told(plain).strip(), tuple(worded))


class Unmarked:
    """A filter that passes a narration on without its marks while it is written: text that may become a mark is held
    back until it is clear whether it is one."""

    def __init__(self, told: Callable[[str], None]) -> None:
        self._told = told
        self._held = ""

    def __call__(self, piece: str) -> None:
        """Take the next piece and pass on what is certain."""
        self._held += _MARK_SIGNS.sub("", piece)
        before = self._held.rstrip(_MARK_CHARACTERS)
        opened = len(before) - 1 if before.endswith("[") else len(self._held)
        # White space may belong to a mark that comes next.
        cut = len(self._held[:opened].rstrip(" \t"))
        ready, self._held = _told(self._held[:cut]), self._held[cut:]
        if ready:
            self._told(ready)


def _told(text: str) -> str:
    return _MARK.sub("", text)


def _numbers(sentence: str) -> tuple[int, ...]:
    found = (int(number) for mark in _ENCODED_MARK.findall(sentence) for number in mark.split(",") if number)
    return tuple(dict.fromkeys(found))


# The annotations of a turn: summaries, entries of the lorebook, reviews and decisions on them.


class SummarySentence(Frozen):
    """A sentence of a summary and the turns that it tells of, in order; `audience` are those who were there for all of
    them: it is shown to nobody else."""

    text: str = Field(min_length=1, max_length=600)
    turn_ids: tuple[str, ...] = Field(min_length=1)
    turn_nos: tuple[int, ...] = Field(min_length=1)
    audience: tuple[str, ...] = ()


class Summary(Frozen):
    """The narrations of some turns in short, from one turn number to another, both included. It replaces the summaries
    before it, whose sentences it keeps or shortens."""

    from_turn_no: int = Field(ge=0)
    to_turn_no: int = Field(ge=0)
    sentences: tuple[SummarySentence, ...]


class LorebookEntry(Frozen):
    """Something that a narration established, or tried to: a fact with its confidence (0 to 1). An entry with a flag is
    not part of the world: it speaks against what is firm (`contradicts`); `against` is the ID of that fact."""

    subject_id: str
    predicate: str
    detail: str
    confidence: float = Field(ge=0, le=1)
    fact_id: str | None = None
    flag: Literal["contradicts"] | None = None
    against: str | None = None


class Review(Frozen):
    """Ops that a stage proposed without being sure enough of them: they wait until somebody accepts or rejects them.
    `shown` is the proposal in words."""

    stage: str
    kind: str
    subject_id: str
    ops: tuple[StateOp, ...]
    shown: str
    confidence: float = Field(ge=0, le=1)
    reason: str = ""


class Decision(Frozen):
    """The decision about a review; the review is given by its turn and its place in the turn."""

    review_turn_id: str
    review_no: int = Field(ge=0)
    decision: Literal["accepted", "rejected"]


class EntryDecision(Frozen):
    """The decision about a flagged entry of the lorebook, which is given by its turn and its place in the turn."""

    entry_turn_id: str
    entry_no: int = Field(ge=0)
    decision: Literal["accepted", "rejected"]


class Annotations(Frozen):
    """The annotations of one turn."""

    summary: Summary | None = None
    lorebook: tuple[LorebookEntry, ...] = ()
    reviews: tuple[Review, ...] = ()
    decisions: tuple[Decision, ...] = ()
    settled: tuple[EntryDecision, ...] = Field(default=(), exclude_if=lambda settled: not settled)


NO_ANNOTATIONS = Annotations()


# The summariser's input and output: old narrations, and the story in sentences that name their turns.

# The most characters of a summary's sentence, which is to be read at a glance, and the most turns that it tells of.
SENTENCE = 400
SOURCE_TURNS = 12
# Two dozen sentences of some twenty words are a page: as much as a stage can be shown besides all else.
SENTENCES = 24
SUMMARY_TOKENS = 700


class ToldTurn(Frozen):
    """The narrations of one turn, as far as one of the player's characters was there: `audience` are those who were
    there for all of them."""

    turn_no: int
    turn_id: str
    text: str
    audience: tuple[str, ...] = ()


class SummarisedSentence(Frozen):
    """A sentence, and the numbers of the turns that it tells of."""

    text: str = Field(min_length=1, max_length=SENTENCE)
    turns: tuple[int, ...] = Field(min_length=1, max_length=SOURCE_TURNS)


class SummariserInput(Frozen):
    """The input of the summariser. `before` is the summary so far, oldest first; `told` the turns that it does not tell
    of yet. `names` are those of people, places and things that stand in them."""

    player_name: str = ""
    before: tuple[SummarisedSentence, ...] = ()
    told: tuple[ToldTurn, ...]
    names: tuple[str, ...] = ()

    def sources(self, turns: Iterable[int]) -> str:
        """Return all that is known of some turns, as lines: the sentences of `before` that tell of these turns alone
        (they were checked against their own turns when they were written), then what was told in them."""
        wanted = set(turns)
        told = [turn.text for turn in self.told if turn.turn_no in wanted]
        before = (sentence.text for sentence in self.before if set(sentence.turns) <= wanted)
        return "\n".join([*before, *told])

    def covered(self, turns: Iterable[int]) -> frozenset[int]:
        """Return those of some turns that are known from what was told of these turns alone."""
        wanted = set(turns)
        before = {turn for sentence in self.before if set(sentence.turns) <= wanted for turn in sentence.turns}
        return frozenset(before | {told.turn_no for told in self.told if told.turn_no in wanted})

    @property
    def known_turns(self) -> frozenset[int]:
        """Return the numbers of the turns that a sentence may tell of."""
        before = frozenset(turn for sentence in self.before for turn in sentence.turns)
        return before | {told.turn_no for told in self.told}


class SummariserOutput(Frozen):
    """The whole story so far in short: what was kept of the summary before, and what is new, oldest first."""

    sentences: tuple[SummarisedSentence, ...] = Field(min_length=1, max_length=SENTENCES)


def summarised_sentences(summary: Summary | None) -> tuple[SummarisedSentence, ...]:
    """Return the sentences of a summary as the summariser is shown them."""
    sentences = () if summary is None else summary.sentences
    return tuple(SummarisedSentence(text=sentence.text, turns=sentence.turn_nos) for sentence in sentences)


def summary_for(summary: Summary | None, who: str) -> tuple[SummarySentence, ...]:
    """Return the sentences of a summary that somebody may be shown: those whose turns they were all there for."""
    return () if summary is None else tuple(sentence for sentence in summary.sentences if who in sentence.audience)
