"""Onlooker: shows a turn while it is thought. A narration streams as provisional; when the turn is committed it is
drawn anew as what happened, and when it is not, it is said that it did not happen."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.cells import cell_len

from lorewright.cli.output import can_redraw, clean, has_dim, rub_out, say, spinner, write
from lorewright.cli.prose import page_width

# Pieces of a text as they come -> what to print now, wrapped by words at the width of a page. Each word is printed
# when it is whole; how many rows there are is counted, so that they can be drawn again.

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


# What marks provisional lines where nothing can be dim.
_MARGIN = "| "

_ANEW = "  — that did not happen: it is told anew —"
_NOT_SO = "  — that did not happen —"


class Onlooker:
    """A listener at the edge. With `streams` the player reads along."""

    def __init__(self, show: Callable[[str], None], *, streams: bool) -> None:
        self._show = show
        self._streams = streams
        self._size = shutil.get_terminal_size()
        self._flow = self._new_flow()

    def stage_began(self, stage: str, model_key: str) -> None:
        """A spinner with the stage's name, on a line of its own."""
        self._write(self._flow.close())
        self._show(f"{stage.replace('_', ' ')} ({model_key}) …")

    def told(self, text: str) -> None:
        """A piece of the narration, as provisional."""
        if self._streams and (shown := self._flow.feed(text)):
            self._show("")
            self._write(shown)

    def not_so(self, reason: str) -> None:
        """Says so, where anything was told. The reason is for the record: it says what was wrong with an output."""
        self._close(_ANEW)

    def did_not_happen(self) -> None:
        """The turn came to nothing."""
        self._close(_NOT_SO)

    def happened(self, told: str) -> bool:
        """The turn is committed, with this telling: whether the player has it before their eyes as it was committed."""
        self._show("")
        self._write(self._flow.close())
        flow, self._flow = self._flow, self._new_flow()
        if not flow.rows:
            return False
        final = Flow(self._width)
        text = final.feed(told) + final.close()
        if self._can_redraw(flow.rows):
            rub_out(flow.rows)
            write(text)
            return True
        return flow.words == final.words

    def _close(self, what: str) -> None:
        self._show("")
        self._write(self._flow.close())
        if self._flow.rows:
            say(what, style="bold")
        self._flow = self._new_flow()

    def _write(self, text: str) -> None:
        if text:
            write(text, style="dim")

    @property
    def _width(self) -> int:
        # A row that is filled to its last column is two rows on some screens.
        return min(page_width(), self._size.columns - 1)

    def _new_flow(self) -> Flow:
        return Flow(self._width, margin="" if has_dim() else _MARGIN)

    def _can_redraw(self, rows: int) -> bool:
        # What has left the screen, or was wrapped anew with it, cannot be taken away.
        return can_redraw() and shutil.get_terminal_size() == self._size and rows < self._size.lines - 1


@contextmanager
def onlooker(*, streams: bool) -> Iterator[Onlooker]:
    """One for a turn; its spinner stands still when the turn is over, however it is."""
    with spinner() as show:
        yield Onlooker(show, streams=streams and can_redraw())
