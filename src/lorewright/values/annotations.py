"""What a turn keeps beside the state: a summary of what was told long ago, entries of the campaign's lorebook, what
waits to be reviewed, and what was decided of that. Each belongs to its turn: on another branch it never was."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from lorewright.scene_lore.gather import in_sentences
from lorewright.world.frozen import Frozen
from lorewright.world.ops import StateOp

# A narration with marks (`[2]`, `[1, 3]`) -> the text that is told, and what each sentence of it says it rests on.
#
# A mark is nothing but numbers in square brackets; it belongs to the sentence that it stands in or follows. Whatever
# else stands in brackets is text.

_MARK = re.compile(r"(?<![ \t])[ \t]*\[([0-9]{1,3}(?:[ \t]*,[ \t]*[0-9]{1,3})*)\]")
# A mark after the end of its sentence, with the quotation marks that close there; how marks are written while the text
# is split into sentences, so that no bracket or full stop of theirs is taken for one of the text's.
_AFTER_END = re.compile(r"""([.!?…]+[”’"')]*)((?:\ue000[\d,]+\ue001)+)""")
_HELD = re.compile("\ue000([\\d,]+)\ue001")
# What a mark is made of after its bracket: a text that ends in these may go on as one.
_WITHIN = "0123456789, \t"
_HOLDERS = re.compile("[\ue000\ue001]")


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence without its marks, and their numbers in order, each once."""

    sentence: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """A narration as it is told, and its sentences."""

    text: str
    sentences: tuple[MarkedSentence, ...]

    def unknown(self, known: Collection[int]) -> list[int]:
        """The numbers that are none of those that are known, ascending."""
        return sorted({number for sentence in self.sentences for number in sentence.numbers} - set(known))


def read_marks(narration: str) -> Marked:
    """The text without marks, and what stood in them, sentence by sentence."""
    plain = _HOLDERS.sub("", narration)
    held = _MARK.sub(lambda mark: f"\ue000{''.join(mark[1].split())}\ue001", plain)
    # A mark behind the full stop is no sentence of its own.
    split = in_sentences(_AFTER_END.sub(r"\2\1", held))
    found = [MarkedSentence(_HELD.sub("", one).strip(), _numbers(one)) for one in split]
    told = [one for one in found if any(map(str.isalnum, one.sentence))]
    return Marked(_told(plain).strip(), tuple(told))


class Unmarked:
    """Passes a narration on while it is written, without its marks: what may become one is held back until it is clear
    what it is."""

    def __init__(self, told: Callable[[str], None]) -> None:
        self._told = told
        self._held = ""

    def __call__(self, piece: str) -> None:
        """The next piece."""
        self._held += _HOLDERS.sub("", piece)
        before = self._held.rstrip(_WITHIN)
        opened = len(before) - 1 if before.endswith("[") else len(self._held)
        # White space may belong to a mark that comes next.
        cut = len(self._held[:opened].rstrip(" \t"))
        ready, self._held = _told(self._held[:cut]), self._held[cut:]
        if ready:
            self._told(ready)


def _told(text: str) -> str:
    return _MARK.sub("", text)


def _numbers(sentence: str) -> tuple[int, ...]:
    found = (int(number) for mark in _HELD.findall(sentence) for number in mark.split(",") if number)
    return tuple(dict.fromkeys(found))


class SummarySentence(Frozen):
    """One sentence of a summary and the turns that it tells of, in order; `audience` are those who were there for all
    of them: it is shown to nobody else."""

    text: str = Field(min_length=1, max_length=600)
    turn_ids: tuple[str, ...] = Field(min_length=1)
    turn_nos: tuple[int, ...] = Field(min_length=1)
    audience: tuple[str, ...] = ()


class Summary(Frozen):
    """The narrations of some turns in short, from one turn number to another, both included. It stands for the
    summaries before it as well, whose sentences it keeps or shortens."""

    from_turn_no: int = Field(ge=0)
    to_turn_no: int = Field(ge=0)
    sentences: tuple[SummarySentence, ...]


class LorebookEntry(Frozen):
    """Something that a narration established, or tried to: a fact with its confidence (0 to 1). With a flag it is not
    part of the world: it speaks against what is firm (`contradicts`), which `against` tells by the fact's ID."""

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
    """What became of a review: that of a turn, by its place in the turn."""

    review_turn_id: str
    review_no: int = Field(ge=0)
    decision: Literal["accepted", "rejected"]


class Annotations(Frozen):
    """All that one turn keeps."""

    summary: Summary | None = None
    lorebook: tuple[LorebookEntry, ...] = ()
    reviews: tuple[Review, ...] = ()
    decisions: tuple[Decision, ...] = ()


NOTHING_KEPT = Annotations()


# What the summariser is given and makes: old narrations, and the story in sentences that name their turns.

# A sentence of a summary is one to be read at a glance (characters), and tells of so many turns at most.
SENTENCE = 400
SOURCE_TURNS = 12
# Two dozen sentences of some twenty words are a page: what a stage can be shown beside all else.
SENTENCES = 24
SUMMARY_TOKENS = 700


class ToldTurn(Frozen):
    """What was told in one turn, as far as one of the player's characters was there: `audience` are those who were
    there for all of it."""

    turn_no: int
    turn_id: str
    text: str
    audience: tuple[str, ...] = ()


class SummarisedSentence(Frozen):
    """A sentence, and the numbers of the turns that it tells of."""

    text: str = Field(min_length=1, max_length=SENTENCE)
    turns: tuple[int, ...] = Field(min_length=1, max_length=SOURCE_TURNS)


class SummariserInput(Frozen):
    """`before` is the summary so far, oldest first; `told` what it does not tell of yet. `names` are those of people,
    places and things that stand in them."""

    player_name: str = ""
    before: tuple[SummarisedSentence, ...] = ()
    told: tuple[ToldTurn, ...]
    names: tuple[str, ...] = ()

    def sources(self, turns: Iterable[int]) -> str:
        """All that is known of some turns: what was told in them, and the sentences of before that are of these turns
        alone; those were held to their own turns in their time."""
        wanted = set(turns)
        told = [one.text for one in self.told if one.turn_no in wanted]
        return "\n".join([*(one.text for one in self.before if set(one.turns) <= wanted), *told])

    def covered(self, turns: Iterable[int]) -> frozenset[int]:
        """Which of some turns are known by what was told of these turns alone."""
        wanted = set(turns)
        before = {turn for one in self.before if set(one.turns) <= wanted for turn in one.turns}
        return frozenset(before | {one.turn_no for one in self.told if one.turn_no in wanted})

    @property
    def known_turns(self) -> frozenset[int]:
        """The turns that a sentence may tell of."""
        return frozenset(turn for one in self.before for turn in one.turns) | {one.turn_no for one in self.told}


class SummariserOutput(Frozen):
    """The whole story so far in short: what was kept of the summary before, and what is new, oldest first."""

    sentences: tuple[SummarisedSentence, ...] = Field(min_length=1, max_length=SENTENCES)


def summarised_sentences(summary: Summary | None) -> tuple[SummarisedSentence, ...]:
    """The sentences of a summary as the summariser is shown them."""
    told = () if summary is None else summary.sentences
    return tuple(SummarisedSentence(text=one.text, turns=one.turn_nos) for one in told)


def summary_for(summary: Summary | None, who: str) -> tuple[SummarySentence, ...]:
    """The sentences of a summary that somebody may be shown: of turns that they were there for, all of them."""
    return () if summary is None else tuple(sentence for sentence in summary.sentences if who in sentence.audience)
