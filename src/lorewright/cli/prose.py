"""Text -> lines that a screen holds: prose at the width of a book's page, a chunk of markdown as its reader has it."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence

from lorewright.cli.output import say, say_parts
from lorewright.packs.plain import plain_text
from lorewright.retrieval.query import LoreRetrievalResult

# Prose is read best at the width of a book's page; what is looked up may be a little wider.
_WIDEST = 88
_WIDEST_SOURCE = 100

_ITEM = re.compile(r"(\s*(?:[-*+]|\d{1,3}[.)])\s+)(.*)", re.DOTALL)
_FENCE = re.compile(r"\s*(```|~~~)")
# Tables, headings, quotations and code keep the lines that their author gave them.
_KEPT = re.compile(r"\s*[|#>]|    |\t")


def wrapped(text: str, *, indent: str = "", hanging: str | None = None, whole_words: bool = False) -> str:
    """The text's paragraphs, none wider than a page or the screen; `hanging` indents all lines of one but its first.
    With `whole_words` nothing is broken but at a space: an ID that is copied has to be whole."""
    after = indent if hanging is None else hanging
    return "\n\n".join(
        textwrap.fill(
            " ".join(part.split()),
            _width(_WIDEST),
            initial_indent=indent,
            subsequent_indent=after,
            break_on_hyphens=not whole_words,
            break_long_words=not whole_words,
        )
        for part in text.split("\n\n")
        if part.strip()
    )


def page_width() -> int:
    """How wide prose is on this screen."""
    return _width(_WIDEST)


def in_lines(parts: Sequence[str], *, indent: str = "  ", between: str = "   ") -> str:
    """The parts side by side, as many on a line as the page holds; none is broken that fits on a line."""
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
    """A chunk's text with its links as they are shown: paragraphs and list items wrapped, all else line by line."""
    return "\n".join(_laid_out(markdown, _width(_WIDEST_SOURCE)))


def unwrapped(markdown: str) -> str:
    """The same with each paragraph and list item on one line, for what wraps by itself."""
    return "\n".join(_laid_out(markdown, len(markdown) + 1))


def _laid_out(markdown: str, width: int) -> Iterator[str]:
    block: list[str] = []
    fenced = False
    for line in markdown.splitlines():
        fence = _FENCE.match(line) is not None
        kept = fenced or fence or not line.strip() or (_KEPT.match(line) is not None and not block)
        if block and (kept or _ITEM.match(line)):
            yield _filled(block, width)
            block = []
        if kept:
            yield line
        else:
            block.append(line)
        fenced ^= fence
    if block:
        yield _filled(block, width)


def _filled(block: Sequence[str], width: int) -> str:
    """A paragraph or a list item on its lines; an item's text stands to the right of its mark."""
    item = _ITEM.match("\n".join(block))
    mark, text = (item.group(1), item.group(2)) if item else ("", "\n".join(block))
    return textwrap.fill(plain_text(text), width, initial_indent=mark, subsequent_indent=" " * len(mark))


def _width(widest: int) -> int:
    # A screen without a width, or with hardly any, is told words all the same.
    return max(min(widest, shutil.get_terminal_size().columns), 20)


# What was found, as it is read: each chunk with its place, ID and score.


def show_passages(result: LoreRetrievalResult) -> None:
    """Print the chunks of a result, best first, and how much they are."""
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
