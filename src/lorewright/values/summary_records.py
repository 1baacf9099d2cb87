"""What the summariser is given and makes: old narrations, and the story in sentences that name their turns."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field

from lorewright.values.kept import Summary, SummarySentence
from lorewright.world.frozen import Frozen

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
    return () if summary is None else tuple(one for one in summary.sentences if who in one.audience)
