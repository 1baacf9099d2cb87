"""A stand-in for MiniLM whose meanings are written down: for tests of what is done with meanings, not of what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Vectors


class Meanings:
    """A stand-in for MiniLM: texts near a word that is listed have its direction, all others one of their own."""

    fingerprint = "minilm-stand-in"
    batch_size = 8

    def __init__(self, near: Mapping[str, tuple[float, float, float]], *, fails: bool = False) -> None:
        self.asked: list[str] = []
        self._near = near
        self._fails = fails

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self._fails:
            raise EmbedderError("the weights are gone")
        self.asked += texts
        rows = [next((v for word, v in self._near.items() if word in text), (0.0, 0.0, 1.0)) for text in texts]
        return np.array([np.array(row) / np.linalg.norm(row) for row in rows], dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self.embed([text])[0]
        return row


NEAR = {"marmoset": (1.0, 0.0, 0.0), "betrayed": (0.9, 0.3, 0.0), "pays well": (0.0, 1.0, 0.0), "girl": (0.9, 0.2, 0.1)}
