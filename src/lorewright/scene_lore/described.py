"""Generations and IDs -> what is openly said of people and things: sentences that can be quoted one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from lorewright.index.generation import Generation
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.overrides import ids_of, things
from lorewright.scene_lore.models import LoreText
from lorewright.scene_lore.sections import quotable_sentences

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
