"""Reranker: reads a question and a text together and scores how well the text answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lorewright.index.keywords import content_words

# A fake for tests: a text scores by the words that it shares with the question.


class OverlapReranker:
    """Scores a text by the share of the question's words that it holds; it knows no meanings."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return scores in 0..1; see `Reranker`."""
        question_words = set(content_words(question))
        return [len(question_words & set(content_words(text))) / max(len(question_words), 1) for text in texts]


class Reranker(Protocol):
    """Scores texts for a question. Safe to use from several threads."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score for each text, in their order; higher is better. They compare within one call only.

        Raises:
            EmbedderError: the model is missing or fails.
        """
