"""Summariser: old narrations -> the story in short, in their own sentences: chosen, never rewritten.

Names and speech tell more later than weather and gestures do, and what is only a list (the ways on, who is there) tells
nothing that does not stand in the state. Of the earlier choice, the older part keeps less: each
sentence that goes is the one whose loss leaves the smallest gap for its age and tells least, so that a long story is
remembered from its beginning to its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lorewright.index.keywords import words_of
from lorewright.scene_lore.gather import in_sentences
from lorewright.tokens import count_tokens
from lorewright.values.annotations import (
    SENTENCE,
    SENTENCES,
    SUMMARY_TOKENS,
    SummarisedSentence,
    SummariserInput,
    SummariserOutput,
)

# How many sentences are chosen from new narrations, and how many from one turn.
CHOSEN = 8
OF_A_TURN = 2
# A sentence of less weight is chosen where there is nothing better: one name, as in every description of a place.
_TELLING = 4

_SHORTEST_WORDS = 4
_QUOTED = re.compile(r"[“«]([^”»]+)[”»]")
_ENDS = re.compile(r"[.!?…][”\"’')]*$")
_OPENED, _CLOSED = "“«", "”»"
# Nothing but a list behind a colon: `Ways on: the office, the walkway and the road.`
_LIST = re.compile(r":\s+[^:“«”»]*(?:,| and | or )[^:“«”»]*[.!]$")
# A sentence that begins with one of these refers to a name in the sentence before it.
_POINTS_BACK = frozenset(
    "he she it they him her his hers its their theirs this that these those there then so but and or nor yet".split()
)


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    turn_no: int
    place: int
    weight: int


def summarise(given: SummariserInput) -> SummariserOutput:
    """Return the summary so far with the best sentences told since, no longer than a summary may be.

    Where no sentence can be quoted alone, the first one stands for all.
    """
    named = [f" {' '.join(words_of(name))} " for name in given.names]
    chosen = _chosen(given, named)
    if not chosen and not given.before:
        first = given.told[0]
        chosen = [SummarisedSentence(text=first.text[:SENTENCE].strip() or "…", turns=(first.turn_no,))]
    return SummariserOutput(sentences=tuple(_fitting([*given.before, *chosen], named)))


def _chosen(given: SummariserInput, named: Sequence[str]) -> list[SummarisedSentence]:
    best = sorted(
        _candidates(given, named), key=lambda candidate: (-candidate.weight, candidate.turn_no, candidate.place)
    )
    best = [candidate for candidate in best if candidate.weight >= _TELLING] or best[:1]
    seen = {key for sentence in given.before for key in _quotations(sentence.text)}
    kept: list[_Candidate] = []
    for candidate in best:
        of_turn = [other for other in kept if other.turn_no == candidate.turn_no]
        # A repeated quotation is no news, however it is introduced.
        if len(of_turn) < OF_A_TURN and len(kept) < CHOSEN and seen.isdisjoint(said := _quotations(candidate.text)):
            seen |= said
            kept.append(candidate)
    in_order = sorted(kept, key=lambda candidate: (candidate.turn_no, candidate.place))
    return [SummarisedSentence(text=candidate.text, turns=(candidate.turn_no,)) for candidate in in_order]


def _candidates(given: SummariserInput, named: Sequence[str]) -> Iterator[_Candidate]:
    for narration in given.told:
        for place, text in enumerate(passages(narration.text)):
            if len(words_of(text)) >= _SHORTEST_WORDS and len(text) <= SENTENCE and _ENDS.search(text):
                # A story's opening says what it is about.
                opening = _TELLING if narration.turn_no == 0 else 0
                yield _Candidate(text, narration.turn_no, place, _weight(text, named) + opening)


def _weight(text: str, named: Sequence[str]) -> int:
    """Return how much a sentence tells later: by the names in it, and whether somebody says something in it."""
    if not any(mark in text for mark in _OPENED) and _LIST.search(text):
        return 0
    words = words_of(text)
    run = f" {' '.join(words)} "
    names = sum(1 for name in named if name in run)
    weight = 2 * min(names, 3) + (3 if any(mark in text for mark in _OPENED) else 0)
    weight += 1 if "you" in words or "your" in words else 0
    return weight - (3 if words and words[0] in _POINTS_BACK else 0)


def _quotations(text: str) -> set[str]:
    """Return what is quoted in a sentence; where nothing is, the sentence itself."""
    quoted = {" ".join(words_of(quotation)) for quotation in _QUOTED.findall(text)}
    return {quotation for quotation in quoted if quotation} or {" ".join(words_of(text))}


def passages(text: str) -> list[str]:
    """Return the sentences of a narration; speech over several sentences stays together, so no quotation is cut."""
    found: list[str] = []
    open_quotes = 0
    for sentence in in_sentences(text):
        if open_quotes > 0 and found:
            found[-1] = f"{found[-1]} {sentence}"
        else:
            found.append(sentence)
            open_quotes = 0
        open_quotes += sum(sentence.count(mark) for mark in _OPENED) - sum(sentence.count(mark) for mark in _CLOSED)
    return [passage for passage in found if _is_whole(passage)]


def _is_whole(text: str) -> bool:
    """Tell whether every quotation in it is closed."""
    opened, closed = (sum(text.count(mark) for mark in marks) for marks in (_OPENED, _CLOSED))
    return opened == closed and text.count('"') % 2 == 0


def _fitting(sentences: Sequence[SummarisedSentence], named: Sequence[str]) -> list[SummarisedSentence]:
    kept = list(sentences)
    while len(kept) > 1 and (
        len(kept) > SENTENCES
        # As in the first version, whatever the script: a replay summarises what was summarised.
        or sum(count_tokens(sentence.text, reading=1) for sentence in kept) > SUMMARY_TOKENS
    ):
        del kept[_least_important(kept, named)]
    return kept


def _least_important(kept: Sequence[SummarisedSentence], named: Sequence[str]) -> int:
    """Return the index of the sentence whose loss is least: by the gap that it leaves at its age, and by what it tells.
    The beginning of the story stays longest.
    """
    newest = kept[-1].turns[-1]

    def loss(place: int) -> float:
        before = kept[place - 1].turns[-1]
        after = kept[place + 1].turns[0] if place + 1 < len(kept) else newest + 1
        gap = (max(after - before, 0) + 1) / (newest + 1 - kept[place].turns[-1])
        return gap * max(_weight(kept[place].text, named), 1)

    return min(range(1, len(kept)), key=lambda place: (loss(place), place))
