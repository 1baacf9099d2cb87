"""A section's text -> plain sentences that can be quoted one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from lorewright.index.generation import Generation
from lorewright.packs.items import read_items
from lorewright.packs.models import OPEN_ROLES
from lorewright.packs.plain import plain_text
from lorewright.retrieval.overrides import ids_of, things
from lorewright.scene_lore.models import LoreText


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


# Generations and IDs -> what is openly said of people and things: sentences that can be quoted one by one.

# Who looks closer reads on, but not a whole book: enough for several looks.
_MOST_LINES = 8
# Taking sentences apart costs a millisecond a paragraph; more than this is never told of one thing.
_MOST_CHARACTERS = 3_000


def described(generations: Sequence[Generation], entity_ids: Iterable[str]) -> Mapping[str, tuple[LoreText, ...]]:
    """For each of the IDs that a pack knows its first open lines, in source order; what has none is left out.

    `generations` are those in force.
    """
    same = things(generations)
    found = {one: _lines(generations, ids_of(one, same)) for one in dict.fromkeys(entity_ids)}
    return {entity_id: lines for entity_id, lines in found.items() if lines}


def are_linked(generations: Sequence[Generation], one: str, other: str) -> bool:
    """Whether the open text of either of two entities names the other, or they are the same."""
    return one == other or _names(generations, one, other) or _names(generations, other, one)


def _names(generations: Sequence[Generation], one: str, other: str) -> bool:
    return any(
        value == other
        for generation in generations
        for chunk in generation.chunks_of(one)
        if chunk.role in OPEN_ROLES
        for _, value in generation.links_of(chunk.row)
    )


def _lines(generations: Sequence[Generation], ids: Iterable[str]) -> tuple[LoreText, ...]:
    lines: list[LoreText] = []
    for generation in generations:
        for chunk in (chunk for one in ids for chunk in generation.chunks_of(one) if chunk.role == "lore"):
            for number, text in enumerate(_quotable(chunk.text[:_MOST_CHARACTERS]), start=1):
                lines.append(LoreText(key=f"{chunk.id}@{number}", chunk_id=chunk.id, text=text))
            if len(lines) >= _MOST_LINES:
                return tuple(lines[:_MOST_LINES])
    return tuple(lines)


@lru_cache(maxsize=512)
def _quotable(text: str) -> tuple[str, ...]:
    return tuple(quotable_sentences(text))
