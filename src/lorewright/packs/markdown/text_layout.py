"""Texts as people read them: without control characters, and with paragraphs and list items wrapped."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from lorewright.packs.markdown.chunking import plain_text

# Escape sequences begin with these; Rich and click let them through. Bidirectional overrides reverse a line.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_ITEM = re.compile(r"(\s*(?:[-*+]|\d{1,3}[.)])\s+)(.*)", re.DOTALL)
_FENCE = re.compile(r"\s*(```|~~~)")
# Tables, headings, quotations and code keep their author's lines.
_KEPT = re.compile(r"\s*[|#>]|    |\t")


def clean(text: str) -> str:
    """Return the text without control characters that a terminal would obey."""
    return CONTROLS.sub("", text)


def unwrapped(markdown: str) -> str:
    """Return the same with each paragraph and list item on one line, for readers that wrap by themselves."""
    return "\n".join(markdown_lines(markdown, len(markdown) + 1))


def markdown_lines(markdown: str, width: int) -> Iterator[str]:
    """Yield the lines of a text: paragraphs and list items wrapped to a width, all else as its author wrote it."""
    block: list[str] = []
    fenced = False
    for line in markdown.splitlines():
        fence = _FENCE.match(line) is not None
        as_is = fenced or fence or not line.strip() or (_KEPT.match(line) is not None and not block)
        if block and (as_is or _ITEM.match(line)):
            yield _filled(block, width)
            block = []
        if as_is:
            yield line
        else:
            block.append(line)
        fenced ^= fence
    if block:
        yield _filled(block, width)


def _filled(block: Sequence[str], width: int) -> str:
    """Return a paragraph or list item as wrapped lines; an item's text stands to the right of its mark."""
    item = _ITEM.match("\n".join(block))
    mark, text = (item.group(1), item.group(2)) if item else ("", "\n".join(block))
    return textwrap.fill(plain_text(text), width, initial_indent=mark, subsequent_indent=" " * len(mark))
