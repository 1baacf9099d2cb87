"""A chunk's text -> the windows in which it is embedded.

A sentence embedder reads a few dozen words well and a page badly: on real questions windows of 60 words find half as
many again as whole sections do; with titles before them, overlapping or without their markup they find no more
(`benchmarks/quality.py`). A window never spans two items, so that whoever has learned one item is never found by
the words of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from lorewright.packs.items import without_items
from lorewright.packs.models import Item

WINDOW_WORDS = 60


@dataclass(frozen=True, slots=True)
class Window:
    """A piece of a chunk's text; with `item_id` a piece of that item."""

    text: str
    item_id: str | None = None


def windows_of(text: str, items: Sequence[Item]) -> list[Window]:
    """The windows of a chunk in order: what stands beside its items first, then item by item. None of an empty text."""
    if not items:
        return [Window(piece) for piece in pieces_of(text)]
    beside = without_items(text, {item.name for item in items})
    return [
        *(Window(piece) for piece in pieces_of(beside)),
        *(Window(piece, item.id) for item in items for piece in pieces_of(item.text)),
    ]


def pieces_of(text: str) -> list[str]:
    """A text in pieces of at most WINDOW_WORDS words, as even as they can be, each word in one piece."""
    words = text.split()
    if not words:
        return []
    count = -(-len(words) // WINDOW_WORDS)
    ends = [len(words) * n // count for n in range(count + 1)]
    return [" ".join(words[start:end]) for start, end in pairwise(ends)]
