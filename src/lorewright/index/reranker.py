"""What reads a question and a text together and says how well the one answers the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lorewright.index.keywords import content_words

# A fake for tests: a text answers as well as it shares words with the question.


class OverlapReranker:
    """The share of the question's words that a text holds; knows no meanings."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """See `Reranker`; in 0..1."""
        asked = set(content_words(question))
        return [len(asked & set(content_words(text))) / max(len(asked), 1) for text in texts]


class Reranker(Protocol):
    """Scores texts for a question. Safe to be asked from several threads."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score a text, in their order; higher answers better. They compare within one call only.

        Raises:
            EmbedderError: the model is missing or fails.
        """
