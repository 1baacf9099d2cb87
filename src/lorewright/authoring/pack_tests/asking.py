"""Packs that are asked as a game master asks them, many times over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lorewright.index.generation import Generation
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve
from lorewright.retrieval.view import LoreView


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much an answer may hold where nobody says otherwise: the workspace's settings."""

    limit: int
    max_tokens: int


class Asking:
    """Asks some generations as the game master, each question once."""

    def __init__(self, generations: Sequence[Generation], bounds: Bounds) -> None:
        self.generations = tuple(generations)
        self.bounds = bounds
        self._view = LoreView(self.generations)
        self._answers: dict[str, tuple[str, ...]] = {}

    def query(self, words: str) -> LoreRetrievalQuery:
        """The query of some words."""
        return LoreRetrievalQuery(
            keywords=words, corpus="authored", limit=self.bounds.limit, max_tokens=self.bounds.max_tokens
        )

    def ask(self, words: str) -> Retrieval:
        """The answer to some words, and the reasons for it."""
        return retrieve(self._view, self.query(words))

    def answer(self, words: str) -> tuple[str, ...]:
        """The IDs of the chunks of an answer, in their order."""
        if words not in self._answers:
            found = self.ask(words).result.chunks
            self._answers[words] = tuple(chunk.chunk_id for chunk in found)
        return self._answers[words]
