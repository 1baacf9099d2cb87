"""A section's text -> plain sentences that can be quoted one by one."""

from __future__ import annotations

from functools import cache

import pysbd

from lorewright.packs.items import read_items
from lorewright.packs.plain import plain_text


@cache
def _segmenter() -> pysbd.Segmenter:
    return pysbd.Segmenter(language="en", clean=False)


def sentences(markdown: str) -> list[str]:
    """The sentences of a section's prose, in order, without markup."""
    found: list[str] = []
    for paragraph in markdown.split("\n\n"):
        text = plain_text(paragraph)
        found += [sentence.strip() for sentence in _segmenter().segment(text) if sentence.strip()] if text else []
    return found


def list_lines(markdown: str) -> list[str]:
    """The list items of a section, or its paragraphs where it has no list, in plain words."""
    return [item.text for item in read_items(markdown, chunk_id="", line=1, discoverable=False)]
