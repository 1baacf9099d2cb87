"""Embedder: whoever turns texts into vectors of unit length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

# (texts, dimensions) or (dimensions,): rows of length 1.
Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors. The same text gives the same vector, whatever else stands in its batch."""

    @property
    def fingerprint(self) -> str:
        """Names the vector space: lower-case letters, digits, `.` and `-`, 3 to 60 of them. Vectors of two fingerprints
        never meet."""
        ...

    @property
    def batch_size(self) -> int:
        """How many texts are best embedded at once; an interrupted install loses at most so many."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, in order: float32 (texts, dimensions), finite, of unit length.

        Raises:
            EmbedderError: it cannot be done; nothing was kept.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question, float32 (dimensions,). Some models embed questions otherwise than texts.

        Raises:
            EmbedderError: it cannot be done.
        """
        ...
