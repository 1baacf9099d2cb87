"""A question's vector -> the chunks nearest to it: exactly, or from what Chroma proposes. Both answer the same.

Chroma proposes windows; their cosines are computed exactly, and an answer is given only where what was not proposed
cannot belong in it. Else more is asked for, and in the end everything is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from lorewright.index.embedders.embedder import Vectors
from lorewright.index.vectors.exact import Rows, WindowVectors, nearest

# Many windows of one chunk, and such as are not shown, take places among the proposed.
_PROPOSED_PER_CHUNK = 5
_LEAST_PROPOSED = 50
# Asking for more than this share of the windows costs more than looking at all of them.
_LARGEST_SHARE = 4
# What exact search rounds away: cosines this close may be equal to it.
_TIE = 1e-5


class ProposalFailed(Exception):
    """No windows can be proposed, now or later: search exactly."""


class NearestSearch(Protocol):
    """Finds the chunks nearest to a question."""

    def best_chunks(self, query: Vectors, *, top: int) -> list[tuple[int, float]]:
        """The `top` chunks nearest to a question as (row, cosine), nearest first; ties go by row."""
        ...


class Proposer(Protocol):
    """Proposes windows that may be the nearest."""

    @property
    def strays(self) -> Sequence[int]:
        """Windows that `nearest` never proposes: they are looked at for every question."""
        ...

    def nearest(self, query: Vectors, *, top: int) -> list[int]:
        """About `top` windows, nearest first.

        Raises:
            ProposalFailed: it cannot, now or later.
        """
        ...


class ChromaSearch:
    """Exact answers from proposed windows. Once the proposer has failed, every search is exact."""

    def __init__(self, proposer: Proposer, windows: WindowVectors) -> None:
        """`proposer` proposes indices of `windows`."""
        self._proposer: Proposer | None = proposer
        self._strays = np.asarray(proposer.strays, dtype=np.int64)
        self._windows = windows

    @property
    def exact_only(self) -> bool:
        """Whether the proposer has failed."""
        return self._proposer is None

    def best_chunks(self, query: Vectors, *, top: int) -> list[tuple[int, float]]:
        """The `top` chunks nearest to a question as (row, cosine), nearest first; ties go by row."""
        asked = max(_PROPOSED_PER_CHUNK * top, _LEAST_PROPOSED)
        while asked * _LARGEST_SHARE <= len(self._windows.vectors):
            proposed = self._proposed(query, asked)
            if len(proposed) < asked:
                break
            best = nearest(self._windows.best_of(np.union1d(proposed, self._strays), query), top=top)
            if len(best) == top and self._settled(proposed, query, best):
                return best
            asked *= 2
        return self._windows.best_chunks(query, top=top)

    def _proposed(self, query: Vectors, asked: int) -> Rows:
        """The windows proposed, ascending; none where none can be."""
        if self._proposer is not None:
            try:
                return np.unique(np.asarray(self._proposer.nearest(query, top=asked), dtype=np.int64))
            except ProposalFailed:
                self._proposer = None
        return np.zeros(0, dtype=np.int64)

    def _settled(self, proposed: Rows, query: Vectors, best: list[tuple[int, float]]) -> bool:
        """Whether the last of the best is above the farthest of the proposed: what was not proposed is no nearer."""
        farthest = float((self._windows.vectors[proposed] @ query).min())
        return not best or best[-1][1] > farthest + _TIE
