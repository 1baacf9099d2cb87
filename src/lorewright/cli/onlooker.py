"""Onlooker: shows a turn while it is thought. A narration streams as provisional; when the turn is committed it is
drawn anew as what happened, and when it is not, it is said that it did not happen."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lorewright.cli.flow import Flow
from lorewright.cli.output import can_redraw, has_dim, rub_out, say, spinner, write
from lorewright.cli.prose import page_width

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
