"""Everything that is printed: text, tables, JSON, errors."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console, JustifyMethod
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TaskID, TextColumn, TimeElapsedColumn
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from lorewright.errors import LorewrightError
from lorewright.packs.files import Progress as OnProgress
from lorewright.packs.markdown.text_layout import CONTROLS, clean, markdown_lines
from lorewright.retrieval.query import LoreRetrievalResult

# The width of tables for programs and files, which have no screen.
_WIDE = 240


def console(*, stderr: bool = False) -> Console:
    """Return a console for stdout or stderr as it is now; colour and width are the terminal's."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream is not None and stream.isatty() else _WIDE
    return Console(file=stream, markup=False, highlight=False, emoji=False, soft_wrap=True, width=width)


def say(text: str = "", *, style: str = "") -> None:
    """Print a line."""
    console().print(Text(clean(text), style=style))


@contextmanager
def bold() -> Iterator[None]:
    """Show what is typed in the block in bold, where the terminal can, so that the player's lines stand out."""
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
    """Tell whether stdout is a screen on which printed lines can be replaced."""
    return _is_screen(console())


def write(text: str, *, style: str = "") -> None:
    """Print a piece of a line, at once."""
    console().print(Text(clean(text), style=style), end="")
    sys.stdout.flush()


def rub_out(rows: int) -> None:
    """Remove this many rows above the cursor from a screen that can be redrawn; the cursor stands where they began."""
    sys.stdout.write(f"\x1b[{rows}A\r\x1b[J" if rows else "")


def has_dim() -> bool:
    """Tell whether dim text on stdout looks different."""
    screen = console()
    return _is_screen(screen) and screen.color_system is not None and not screen.no_color


@contextmanager
def spinner() -> Iterator[Callable[[str], None]]:
    """Give a function that shows a text beside a spinner on stderr, until it gets an empty text; it does nothing where
    stderr is no screen."""
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
    """Print a line to stderr: for progress, not for results."""
    console(stderr=True).print(Text(clean(text), style="dim"))


def say_parts(*parts: tuple[str, str]) -> None:
    """Print a line of several (text, style) parts."""
    console().print(Text.assemble(*((clean(text), style) for text, style in parts)))


def show_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    right: Collection[str] = (),
    widths: Mapping[str, int] | None = None,
) -> None:
    """Print a table. Columns named in `right` are flush right; those in `widths` have this width, whatever is in
    them."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        side: JustifyMethod = "right" if column in right else "left"
        table.add_column(column, overflow="fold", justify=side, width=(widths or {}).get(column))
    for row in rows:
        table.add_row(*(Text(clean(str(cell))) for cell in row))
    console().print(table)


@dataclass(frozen=True, slots=True)
class Twig:
    """A line of a tree, with its style and its branches."""

    text: str
    style: str = ""
    twigs: tuple[Twig, ...] = ()


def show_tree(root: Twig) -> None:
    """Print a tree."""
    drawn = Tree(_line(root), guide_style="dim")
    waiting = [(drawn, root)]
    while waiting:
        onto, twig = waiting.pop()
        waiting += [(onto.add(_line(child)), child) for child in twig.twigs]
    console().print(drawn)


def _line(twig: Twig) -> Text:
    return Text(clean(twig.text).replace("\n", " "), style=twig.style)


def show_json(value: Any) -> None:
    """Print a value as JSON, keys in their own order; control characters are escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write(
        CONTROLS.sub(lambda c: c.group() if c.group() == "\n" else f"\\u{ord(c.group()):04x}", text) + "\n"
    )
    sys.stdout.flush()


def show_json_line(value: Any) -> None:
    """Print a value as JSON on a line of its own, at once: one of many, for a program that reads them as they come."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(CONTROLS.sub(lambda c: f"\\u{ord(c.group()):04x}", text) + "\n")
    sys.stdout.flush()


def complain(error: LorewrightError) -> None:
    """Print an error to stderr: what is wrong, and what to do about it."""
    err = console(stderr=True)
    err.print(Text(f"error[{error.code}]: ", style="bold red") + Text(clean(error.message), style="default"))
    if error.hint:
        err.print(Text("  hint: ", style="bold") + Text(clean(error.hint), style="default"))


def refuse(error: LorewrightError) -> None:
    """Tell a player on stderr why what they typed cannot be done, in plain words: nothing is broken."""
    err = console(stderr=True)
    err.print(Text(_sentence(error.message)))
    if error.hint:
        err.print(Text(f"  {_sentence(error.hint)}", style="dim"))


def _sentence(text: str) -> str:
    said = clean(text)
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith(('.', '!', '?', '…')) else '.'}"


# Progress: a bar on stderr while something lasts, and nothing where stderr is no terminal.


class _Count(MofNCompleteColumn):
    """The column `64/140`; empty for a task of one step, whose bar only shows that it goes on."""

    def render(self, task: Task) -> Text:
        """Return the count of a task that has more than one step."""
        return Text("") if task.total is None else super().render(task)


@contextmanager
def progress_bar() -> Iterator[OnProgress]:
    """Show the progress that the given function is told; each new task begins a new bar."""
    err = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), _Count(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        shown: list[tuple[str, TaskID]] = []

        def tell(what: str, done: int, total: int) -> None:
            if not shown or shown[-1][0] != what:
                for _, over in shown[-1:]:
                    bar.remove_task(over)
                shown.append((what, bar.add_task(what, total=None)))
            bar.update(shown[-1][1], completed=done, total=total if total > 1 else None)

        yield tell


# Wrapped text: prose is read best at the width of a book's page; lore that is looked up may be a little wider.
_WIDEST = 88
_WIDEST_SOURCE = 100


def wrapped(text: str, *, indent: str = "", hanging: str | None = None, whole_words: bool = False) -> str:
    """Return the text's paragraphs wrapped to the page or the screen; `hanging` indents all lines but a paragraph's
    first. With `whole_words` lines break only at spaces: an ID that is copied has to be whole."""
    after = indent if hanging is None else hanging
    return "\n\n".join(
        textwrap.fill(
            " ".join(paragraph.split()),
            _width(_WIDEST),
            initial_indent=indent,
            subsequent_indent=after,
            break_on_hyphens=not whole_words,
            break_long_words=not whole_words,
        )
        for paragraph in text.split("\n\n")
        if paragraph.strip()
    )


def page_width() -> int:
    """Return the width of prose on this screen, in columns."""
    return _width(_WIDEST)


def in_lines(parts: Sequence[str], *, indent: str = "  ", between: str = "   ") -> str:
    """Return the parts on lines, as many on each as the page holds; only a part that is longer than a line is
    broken."""
    lines: list[str] = []
    for part in parts:
        if lines and len(indent + lines[-1] + between + part) <= _width(_WIDEST):
            lines[-1] += between + part
        else:
            lines.append(part)
    return "\n".join(
        wrapped(line, indent=indent) if len(indent + line) > _width(_WIDEST) else indent + line for line in lines
    )


def laid_out(markdown: str) -> str:
    """Return a chunk's text with its links as they are shown: paragraphs and list items wrapped, all else line by
    line."""
    return "\n".join(markdown_lines(markdown, _width(_WIDEST_SOURCE)))


def _width(widest: int) -> int:
    # At least 20 columns, also on a screen with an unknown or tiny width.
    return max(min(widest, shutil.get_terminal_size().columns), 20)


# Search results: each chunk with its section, ID and score.


def show_passages(result: LoreRetrievalResult) -> None:
    """Print the chunks of a result, best first, and their number and tokens."""
    if not result.chunks:
        say("Nothing was found.")
    for chunk in result.chunks:
        say_parts(
            (chunk.section_path, "bold"), (f"  [{chunk.chunk_id}]", "dim"), (f"  {chunk.relevance_score:.2f}", "")
        )
        say(laid_out(chunk.text))
        say()
    if result.chunks:
        many = f"{len(result.chunks)} chunks" if len(result.chunks) > 1 else "1 chunk"
        say(f"{many}, {result.total_tokens} tokens", style="dim")
