"""A narration with marks (`[2]`, `[1, 3]`) -> the text that is told, and what each sentence of it says it rests on.

A mark is nothing but numbers in square brackets; it belongs to the sentence that it stands in or follows. Whatever else
stands in brackets is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from lorewright.scene_lore.sections import in_sentences

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
        return sorted({number for one in self.sentences for number in one.numbers} - set(known))


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
