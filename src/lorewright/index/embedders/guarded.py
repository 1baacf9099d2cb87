"""An embedder or reranker that is used only after whoever decides has let it pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

from lorewright.index.embedders.embedder import Embedder, Vectors
from lorewright.index.rerankers.reranker import Reranker


class GuardedEmbedder:
    """Opens another embedder when it is first used, after `hold` has let it pass; until then nothing of that one is
    read, loaded or connected. A `fingerprint` that is known without opening it can be read all the same."""

    def __init__(
        self, open_it: Callable[[], Embedder], hold: Callable[[], None], *, fingerprint: str | None = None
    ) -> None:
        self._open_it = open_it
        self._hold = hold
        self._fingerprint = fingerprint
        self._embedder: Embedder | None = None
        self._lock = Lock()

    @property
    def fingerprint(self) -> str:
        """The other's."""
        return self._opened().fingerprint if self._fingerprint is None else self._fingerprint

    @property
    def batch_size(self) -> int:
        """The other's."""
        return self._opened().batch_size

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As the other embeds them.

        Raises:
            NotTrusted: it may not be used.
            EmbedderError: it cannot be opened, or fails.
        """
        return self._opened().embed(texts)

    def embed_query(self, text: str) -> Vectors:
        """As the other embeds it; raises as `embed`."""
        return self._opened().embed_query(text)

    def _opened(self) -> Embedder:
        with self._lock:
            if self._embedder is None:
                self._hold()
                self._embedder = self._open_it()
            return self._embedder


class GuardedReranker:
    """Another reranker, after `hold` has let it pass; before that it loads nothing."""

    def __init__(self, reranker: Reranker, hold: Callable[[], None]) -> None:
        self._reranker = reranker
        self._hold = hold

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """As the other scores them.

        Raises:
            NotTrusted: it may not be used.
            EmbedderError: its model is missing or fails.
        """
        self._hold()
        return self._reranker.scores(question, texts)
