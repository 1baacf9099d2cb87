"""A fake for tests: a text answers as well as it shares words with the question."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.index.words import content_words


class OverlapReranker:
    """The share of the question's words that a text holds; knows no meanings."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """See `Reranker`; in 0..1."""
        asked = set(content_words(question))
        return [len(asked & set(content_words(text))) / max(len(asked), 1) for text in texts]
