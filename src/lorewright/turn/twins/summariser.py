"""Old narrations -> the story in short, in their own sentences: chosen, never rewritten.

What names somebody or something, or is said aloud, tells more later than weather and gestures do. Of what was chosen
before, the older it is the less is kept: each sentence that goes is the one whose loss leaves the smallest gap for its
age, so that a long story is remembered from its beginning to its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lorewright.index.words import words_of
from lorewright.scene_lore.sections import in_sentences
from lorewright.tokens import count_tokens
from lorewright.turn.summary_records import (
    SENTENCE,
    SENTENCES,
    SUMMARY_TOKENS,
    SummarisedSentence,
    SummariserInput,
    SummariserOutput,
)

# So many sentences are chosen of what is new, and so many of one turn.
CHOSEN = 8
OF_A_TURN = 2

_SHORTEST_WORDS = 4
_ENDS = re.compile(r"[.!?…][”\"’')]*$")
_OPENED, _CLOSED = "“«", "”»"
# A sentence that begins with one of these is of something that was named in the sentence before it.
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
    """The summary so far with the best sentences of what was told since, no longer than a summary may be.

    Where nothing that was told can be quoted alone, the first sentence of it stands for all.
    """
    chosen = _chosen(given)
    if not chosen and not given.before:
        first = given.told[0]
        chosen = [SummarisedSentence(text=first.text[:SENTENCE].strip() or "…", turns=(first.turn_no,))]
    return SummariserOutput(sentences=tuple(_fitting([*given.before, *chosen])))


def _chosen(given: SummariserInput) -> list[SummarisedSentence]:
    best = sorted(_candidates(given), key=lambda one: (-one.weight, one.turn_no, one.place))
    seen = {_key(one.text) for one in given.before}
    kept: list[_Candidate] = []
    for one in best:
        of_turn = [other for other in kept if other.turn_no == one.turn_no]
        if _key(one.text) not in seen and len(of_turn) < OF_A_TURN and len(kept) < CHOSEN:
            seen.add(_key(one.text))
            kept.append(one)
    in_order = sorted(kept, key=lambda one: (one.turn_no, one.place))
    return [SummarisedSentence(text=one.text, turns=(one.turn_no,)) for one in in_order]


def _candidates(given: SummariserInput) -> Iterator[_Candidate]:
    named = [f" {' '.join(words_of(name))} " for name in given.names]
    for told in given.told:
        for place, text in enumerate(passages(told.text)):
            words = words_of(text)
            if len(words) < _SHORTEST_WORDS or len(text) > SENTENCE or not _ENDS.search(text):
                continue
            said = f" {' '.join(words)} "
            names = sum(1 for name in named if name in said)
            weight = 2 * min(names, 3) + (2 if any(mark in text for mark in _OPENED) else 0)
            weight += 1 if "you" in words or "your" in words else 0
            yield _Candidate(text, told.turn_no, place, weight - (3 if words[0] in _POINTS_BACK else 0))


def passages(text: str) -> list[str]:
    """The sentences of a narration; what is said aloud in several stays together, so that no quotation is cut."""
    found: list[str] = []
    open_quotes = 0
    for sentence in in_sentences(text):
        if open_quotes > 0 and found:
            found[-1] = f"{found[-1]} {sentence}"
        else:
            found.append(sentence)
            open_quotes = 0
        open_quotes += sum(sentence.count(mark) for mark in _OPENED) - sum(sentence.count(mark) for mark in _CLOSED)
    return [one for one in found if _is_whole(one)]


def _is_whole(text: str) -> bool:
    """Whether every quotation in it is closed."""
    opened, closed = (sum(text.count(mark) for mark in marks) for marks in (_OPENED, _CLOSED))
    return opened == closed and text.count('"') % 2 == 0


def _fitting(sentences: Sequence[SummarisedSentence]) -> list[SummarisedSentence]:
    kept = list(sentences)
    while len(kept) > 1 and (len(kept) > SENTENCES or sum(count_tokens(one.text) for one in kept) > SUMMARY_TOKENS):
        del kept[_least(kept)]
    return kept


def _least(kept: Sequence[SummarisedSentence]) -> int:
    """Where the sentence stands whose loss leaves the smallest gap for its age; how the story began is kept longest."""
    newest = kept[-1].turns[-1]

    def gap(place: int) -> float:
        before = kept[place - 1].turns[-1]
        after = kept[place + 1].turns[0] if place + 1 < len(kept) else newest + 1
        return (after - before) / (newest + 1 - kept[place].turns[-1])

    return min(range(1, len(kept)), key=lambda place: (gap(place), place))


def _key(text: str) -> str:
    return " ".join(words_of(text))
