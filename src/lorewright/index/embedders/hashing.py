"""Hashed words -> unit vectors, without a model. Texts that share words are near each other, others are not.

It ships for tests and for trying the program without weights; it knows no meanings.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from lorewright.index.embedders.embedder import Vectors, encodable

_WORD = re.compile(r"\w+")
_PAIR_WEIGHT = 0.5  # two words in a row say a little more than both apart


class HashingEmbedder:
    """Adds words and pairs of words to `dimensions` places with a sign; the result is the same on every machine."""

    def __init__(self, dimensions: int = 256) -> None:
        if dimensions < 1:
            raise ValueError("dimensions must be positive")
        self._dimensions = dimensions

    @property
    def fingerprint(self) -> str:
        """The name of the vector space, as `hashing-256`."""
        return f"hashing-{self._dimensions}"

    @property
    def batch_size(self) -> int:
        """Any size is as good as another."""
        return 256

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text: float32 (texts, dimensions)."""
        if not texts:
            return np.zeros((0, self._dimensions), dtype=np.float32)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a text, float32 (dimensions,); a text without words has that of the empty word."""
        sums = np.zeros(self._dimensions, dtype=np.float64)
        for feature, weight in _features(encodable(text).lower()):
            self._add(sums, feature, weight)
        if not sums.any():
            self._add(sums, "", 1.0)
        unit: Vectors = (sums / np.sqrt((sums * sums).sum())).astype(np.float32)
        return unit

    def _add(self, sums: np.ndarray[tuple[int], np.dtype[np.float64]], feature: str, weight: float) -> None:
        # Not hash(): that differs from process to process.
        number = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "big")
        sums[(number >> 1) % self._dimensions] += weight if number & 1 else -weight


def _features(text: str) -> Iterator[tuple[str, float]]:
    words = _WORD.findall(text)
    yield from ((word, 1.0) for word in words)
    yield from ((f"{first} {second}", _PAIR_WEIGHT) for first, second in pairwise(words))
