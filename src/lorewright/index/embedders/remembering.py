"""An embedder that remembers the last questions: a turn asks the same one several times, with different eyes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from lorewright.index.embedders.embedder import Embedder, Vectors

_KEPT = 64


class RememberingEmbedder:
    """Asks another embedder, each question once. Safe to use from threads where that one is."""

    def __init__(self, embedder: Embedder, *, kept: int = _KEPT) -> None:
        """`kept` is how many questions are remembered, the latest."""
        self._embedder = embedder
        self._kept = kept
        self._questions: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()

    @property
    def fingerprint(self) -> str:
        """The other's."""
        return self._embedder.fingerprint

    @property
    def batch_size(self) -> int:
        """The other's."""
        return self._embedder.batch_size

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As the other embeds them."""
        return self._embedder.embed(texts)

    def embed_query(self, text: str) -> Vectors:
        """As the other embeds it, or has before."""
        with self._lock:
            known = self._questions.get(text)
        vector = self._embedder.embed_query(text) if known is None else known
        with self._lock:
            self._questions[text] = vector
            self._questions.move_to_end(text)
            while len(self._questions) > self._kept:
                self._questions.popitem(last=False)
        return vector
