"""What reads a question and a text together and says how well the one answers the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Scores texts for a question. Safe to be asked from several threads."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score a text, in their order; higher answers better. They compare within one call only.

        Raises:
            EmbedderError: the model is missing or fails.
        """
