"""The last narrations -> what a listener still has in the ear: whole sentences, runs of words, the last opening."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SENTENCE_END = re.compile(r"(?<=[.!?…:])\s+|(?<=[.!?…]”)\s+")
_WORD = re.compile(r"[\w'’-]+")
_RUN = 4
# A turn of several rounds has so many narrations, or hardly more.
_OPENINGS = 5

Run = tuple[str, ...]


class Memory:
    """What was told in the last turns, oldest first, and so far in this one."""

    def __init__(self, recent: Sequence[str]) -> None:
        self._texts = list(recent)
        self._runs = {run for text in recent for run in _runs(text)}
        self._last = _words(recent[-1])[:2] if recent else []
        self._openings = [_words(text)[:2] for text in recent[-_OPENINGS:]]

    def add(self, text: str) -> None:
        """Something more was told in this turn."""
        self._texts.append(text)
        self._runs.update(_runs(text))

    def age(self, text: str) -> int | None:
        """How many tellings ago the latest of the text's sentences was told; None where none of them was."""
        found = [at for one in sentences(text) for at, told in enumerate(reversed(self._texts)) if one in told]
        return min(found, default=None)

    def holds_all(self, names: Sequence[str], *, last: int) -> bool:
        """Whether one of the last tellings has all of the names."""
        return any(all(name in text for name in names) for text in self._texts[-last:])

    def opens_alike(self, text: str) -> bool:
        """Whether the text would open as the last turn did: its first two words, or `You`."""
        first = _words(text)[:2]
        return bool(self._last) and (first == self._last or first[:1] == self._last[:1] == ["you"])

    def opened_lately(self, text: str) -> bool:
        """Whether one of the last narrations opened with the same two words."""
        return _words(text)[:2] in self._openings

    def last(self) -> str:
        """What was told last; empty where nothing was."""
        return self._texts[-1] if self._texts else ""

    def worn(self, text: str) -> int:
        """How many four-word runs of the text are still in the ear."""
        return sum(1 for run in _runs(text) if run in self._runs)


def sentences(text: str) -> list[str]:
    """The sentences of a text; what stands before a colon is one."""
    return [part for part in _SENTENCE_END.split(text) if len(_words(part)) > 1]


def jars(one: str, two: str) -> bool:
    """Whether two sentences in a row begin alike, or the second takes up two of the last words of the first. Speech
    does neither: its words are somebody else's."""
    if one[:1] in ("“", "") or two[:1] in ("“", ""):
        return False
    first, second = _words(one), _words(two)
    if first[:1] == second[:1]:
        return True
    tail = first[-5:]
    return any(tail[at : at + 2] == second[:2] for at in range(len(tail)))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _runs(text: str) -> list[Run]:
    words = _words(text)
    return [tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)]
