"""Pieces of a text as they come -> what to print now, wrapped by words at the width of a page. Each word is printed
when it is whole; how many rows there are is counted, so that they can be drawn again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len

from lorewright.cli.output import clean

_PARAGRAPH = re.compile(r"[ \t]*\n\s*\n\s*")
_WORD = re.compile(r"(\s+)|(\S+)")


class Flow:
    """A text that is written while it comes. `margin` stands before each of its lines.

    `rows` is how many line ends were printed; `words` is all that was printed, without what stands between the words.
    """

    def __init__(self, width: int, *, margin: str = "") -> None:
        self._width = max(width - len(margin), 1)
        self._margin = margin
        self._column = 0
        self._word = ""
        self._gap = ""
        self.rows = 0
        self.words: list[str] = []

    def feed(self, piece: str) -> str:
        """What to print now that this piece has come; what may be half a word is kept back."""
        return "".join(self._fed(clean(piece)))

    def close(self) -> str:
        """The last word, and the end of its line; nothing where nothing was told."""
        last = self._taken()
        if not self._column:
            return last
        self._column = 0
        self.rows += 1
        return f"{last}\n"

    def _fed(self, piece: str) -> Iterator[str]:
        for blank, letters in _WORD.findall(piece):
            if blank:
                yield self._taken()
                self._gap += blank
                continue
            self._word += letters
            while cell_len(self._word) > self._width:
                # No screen holds it: it is broken where the line ends.
                head = _fitting(self._word, self._width)
                rest, self._word = self._word[len(head) :], head
                yield self._taken(broken=True)
                self._word = rest

    def _taken(self, *, broken: bool = False) -> str:
        """The word that was kept back, on this line or the next."""
        word, gap = self._word, self._gap
        if not word:
            return ""
        self._word, self._gap = "", ""
        if broken and self.words and not gap:
            self.words[-1] += word
        else:
            self.words.append(word)
        before = self._before(word, gap)
        self._column += cell_len(word)
        return before + word

    def _before(self, word: str, gap: str) -> str:
        if not self._column:
            # Also at the very beginning: what stands before the first word is nothing.
            return self._margin
        if _PARAGRAPH.search(gap):
            return self._lines(2)
        if self._column + bool(gap) + cell_len(word) > self._width:
            return self._lines(1)
        self._column += bool(gap)
        return " " if gap else ""

    def _lines(self, number: int) -> str:
        self.rows += number
        self._column = 0
        empty = f"\n{self._margin.rstrip()}" * (number - 1)
        return f"{empty}\n{self._margin}"


def _fitting(word: str, width: int) -> str:
    """So much of a word as a line holds, at least a letter."""
    end = min(len(word), width)
    while end > 1 and cell_len(word[:end]) > width:
        end -= 1
    return word[:end]
