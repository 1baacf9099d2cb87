"""Everything that is printed: text, tables, JSON, errors. The one place that knows what a terminal must not get."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console, JustifyMethod
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from lorewright.errors import LorewrightError

# Escape sequences begin with these; Rich and click let them through. Bidirectional overrides turn a line around.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

# Tables for programs and files are not cut at the width of a screen that is not there.
_WIDE = 240


def clean(text: str) -> str:
    """The text without anything that a terminal would obey."""
    return _CONTROLS.sub("", text)


def console(*, stderr: bool = False) -> Console:
    """A console for stdout or stderr as it is now; colour and width as the terminal has them."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream is not None and stream.isatty() else _WIDE
    return Console(file=stream, markup=False, highlight=False, emoji=False, soft_wrap=True, width=width)


def say(text: str = "", *, style: str = "") -> None:
    """Print a line."""
    console().print(Text(clean(text), style=style))


@contextmanager
def bold() -> Iterator[None]:
    """What is typed meanwhile shows in bold, where the terminal has it: a prompt stands out from what is told."""
    screen = console()
    shown = screen.color_system is not None and not screen.no_color
    if shown:
        sys.stdout.write("\x1b[1m")
    try:
        yield
    finally:
        if shown:
            sys.stdout.write("\x1b[0m")
            sys.stdout.flush()


def can_redraw() -> bool:
    """Whether stdout is a screen on which what was printed can be printed anew in its place."""
    return _is_screen(console())


def write(text: str, *, style: str = "") -> None:
    """Print a piece of a line, at once."""
    console().print(Text(clean(text), style=style), end="")
    sys.stdout.flush()


def rub_out(rows: int) -> None:
    """Take so many rows above the cursor away from a screen on which one can redraw; the cursor stands where they
    began."""
    sys.stdout.write(f"\x1b[{rows}A\r\x1b[J" if rows else "")


def has_dim() -> bool:
    """Whether what is dim on stdout looks otherwise than what is not."""
    screen = console()
    return _is_screen(screen) and screen.color_system is not None and not screen.no_color


@contextmanager
def spinner() -> Iterator[Callable[[str], None]]:
    """What is going on, on stderr, while it is told anything but an empty text; nothing where that is no screen."""
    err = console(stderr=True)
    live: list[Live] = []

    def show(text: str) -> None:
        while live:
            live.pop().stop()
        if text and _is_screen(err):
            turning = Spinner("dots", Text(clean(text), style="dim"))
            live.append(Live(turning, console=err, transient=True, redirect_stdout=False, redirect_stderr=False))
            live[-1].start(refresh=True)

    try:
        yield show
    finally:
        show("")


def _is_screen(screen: Console) -> bool:
    return screen.is_terminal and not screen.is_dumb_terminal


def note(text: str) -> None:
    """Print a line to stderr: for what is going on, not for what was asked."""
    console(stderr=True).print(Text(clean(text), style="dim"))


def say_parts(*parts: tuple[str, str]) -> None:
    """Print a line of several (text, style)."""
    console().print(Text.assemble(*((clean(text), style) for text, style in parts)))


def show_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    right: Collection[str] = (),
    widths: Mapping[str, int] | None = None,
) -> None:
    """Print a table. Columns named in `right` are flush right; those in `widths` are so wide, whatever is in them."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        side: JustifyMethod = "right" if column in right else "left"
        table.add_column(column, overflow="fold", justify=side, width=(widths or {}).get(column))
    for row in rows:
        table.add_row(*(Text(clean(str(cell))) for cell in row))
    console().print(table)


@dataclass(frozen=True, slots=True)
class Twig:
    """A line of a tree, with its style and what hangs on it."""

    text: str
    style: str = ""
    twigs: tuple[Twig, ...] = ()


def show_tree(root: Twig) -> None:
    """Print a tree."""
    drawn = Tree(_line(root), guide_style="dim")
    waiting = [(drawn, root)]
    while waiting:
        onto, twig = waiting.pop()
        waiting += [(onto.add(_line(one)), one) for one in twig.twigs]
    console().print(drawn)


def _line(twig: Twig) -> Text:
    return Text(clean(twig.text).replace("\n", " "), style=twig.style)


def show_json(value: Any) -> None:
    """Print a value as JSON, keys in their own order; what a terminal would obey is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write(
        _CONTROLS.sub(lambda c: c.group() if c.group() == "\n" else f"\\u{ord(c.group()):04x}", text) + "\n"
    )
    sys.stdout.flush()


def show_json_line(value: Any) -> None:
    """Print a value as JSON on a line of its own, at once: one of many, for a program that reads along."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(_CONTROLS.sub(lambda c: f"\\u{ord(c.group()):04x}", text) + "\n")
    sys.stdout.flush()


def complain(error: LorewrightError) -> None:
    """Print an error to stderr: what, and what to do about it."""
    err = console(stderr=True)
    err.print(Text(f"error[{error.code}]: ", style="bold red") + Text(clean(error.message), style="default"))
    if error.hint:
        err.print(Text("  hint: ", style="bold") + Text(clean(error.hint), style="default"))
