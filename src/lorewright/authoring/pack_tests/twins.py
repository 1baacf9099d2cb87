"""Sections -> pairs that say the same: whenever both would answer, only the better-ranked is given."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from lorewright.index.generation import StoredChunk
from lorewright.index.words import words_of
from lorewright.retrieval.budget import DUPLICATE_SHARE

# Fewer words are said twice by chance.
_FEWEST_WORDS = 8


def twins_of(chunks: Sequence[StoredChunk]) -> Mapping[str, tuple[str, float]]:
    """Chunk ID -> the chunk that says most nearly the same, and the share of their words that both have, where that is
    so much that one of them is left out as a duplicate."""
    words = {chunk.id: frozenset(words_of(chunk.text)) for chunk in chunks}
    words = {one: said for one, said in words.items() if len(said) >= _FEWEST_WORDS}
    known = Counter(word for said in words.values() for word in said)
    # Two sets that share nine tenths of their words share one of their rarest tenth: only such pairs are compared.
    by_rare: dict[str, list[str]] = defaultdict(list)
    best: dict[str, tuple[str, float]] = {}
    for one, said in words.items():
        rare = sorted(said, key=lambda word: (known[word], word))
        rare = rare[: len(said) - math.ceil(DUPLICATE_SHARE * len(said)) + 1]
        for other in dict.fromkeys(other for word in rare for other in by_rare[word]):
            share = len(said & words[other]) / len(said | words[other])
            if share >= DUPLICATE_SHARE:
                for a, b in ((one, other), (other, one)):
                    if share > best.get(a, ("", 0.0))[1]:
                        best[a] = (b, share)
        for word in rare:
            by_rare[word].append(one)
    return best
