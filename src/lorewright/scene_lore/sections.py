"""A section's text -> plain sentences that can be quoted one by one."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from lorewright.packs.items import read_items
from lorewright.packs.plain import plain_text


@cache
def _segmenter() -> Any:
    # Imported late: whoever asks for lore need not wait for what takes sentences apart.
    import pysbd

    return pysbd.Segmenter(language="en", clean=False)


def sentences(markdown: str) -> list[str]:
    """The sentences of a section's prose, in order, without markup."""
    found: list[str] = []
    for paragraph in markdown.split("\n\n"):
        text = plain_text(paragraph)
        found += [sentence.strip() for sentence in _segmenter().segment(text) if sentence.strip()] if text else []
    return found


def in_sentences(text: str) -> list[str]:
    """The sentences of plain prose, in order; a line break ends one."""
    lines = [line for line in text.split("\n") if line.strip()]
    return [one.strip() for line in lines for one in _segmenter().segment(line) if one.strip()]


# Tables, templates, addresses, code and footnotes: what is no prose, and what a telling must not show.
_NO_PROSE = re.compile(r"[|{}<>\\`=\[\]]|\]\(|\[\[|https?:|www\.|\.md\b|\[\^|\w:\w|\w_\w|#|\*\*|--|^[-*+•–—>\d(]|^\W*$")
_STARTS = re.compile(r"[“\"‘'«¿¡]?[^\W\d_]")
_ENDS = re.compile(r"[.!?…。！？][”\"’'»)]*$")
_FEWEST_WORDS, _MOST_WORDS = 3, 45
# Of more numbers than this among its words a line is made of that reckons rather than tells.
_NUMBERS_SHARE = 0.2


def quotable_sentences(markdown: str) -> list[str]:
    """The sentences that read as prose where they are quoted alone: no fragments, tables or addresses."""
    return [sentence for sentence in sentences(_without_tables(markdown)) if is_quotable(sentence)]


def is_quotable(sentence: str) -> bool:
    """Whether a sentence without markup begins and ends as one, is neither too short nor too long, and is prose."""
    if _NO_PROSE.search(sentence) or not _STARTS.match(sentence) or not _ENDS.search(sentence):
        return False
    words = sentence.split()
    if sum(1 for word in words if any(map(str.isdigit, word))) > _NUMBERS_SHARE * len(words):
        return False
    return _FEWEST_WORDS <= len(words) <= _MOST_WORDS or (not sentence.isascii() and len(sentence) >= 8)


def _without_tables(markdown: str) -> str:
    return "\n".join(line for line in markdown.split("\n") if not line.lstrip().startswith(("|", "#", "{%")))


def list_lines(markdown: str) -> list[str]:
    """The list items of a section, or its paragraphs where it has no list, in plain words."""
    return [item.text for item in read_items(markdown, chunk_id="", line=1, discoverable=False)]
