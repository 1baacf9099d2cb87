"""A question's vector -> the chunks nearest to it: exactly, or from windows that Chroma proposes, with the same result.

Chroma proposes windows; their cosines are computed exactly, and an answer is returned only if no other window can
belong to it. Else more are requested, and in the end all are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from lorewright.index.embedders.embedder import Vectors
from lorewright.index.vectors.exact import Rows, WindowVectors, nearest

# How many windows are requested per chunk: several may be of one chunk, and some are not shown.
_PROPOSED_PER_CHUNK = 5
_LEAST_PROPOSED = 50
# Requesting more than one in this many windows costs more than comparing all of them.
_LARGEST_SHARE = 4
# Cosines this close may be equal after the rounding of exact search.
_TIE = 1e-5


class ProposalFailed(Exception):
    """The proposer does not work, now or later: search exactly."""


class NearestSearch(Protocol):
    """Finds the chunks nearest to a question."""

    def best_chunks(self, query: Vectors, *, top: int) -> list[tuple[int, float]]:
        """Return the `top` chunks nearest to a question as (row, cosine), nearest first; ties go by row."""
        ...


class Proposer(Protocol):
    """Proposes windows that may be the nearest."""

    @property
    def strays(self) -> Sequence[int]:
        """Windows that `nearest` never proposes, so that they are compared for every question."""
        ...

    def nearest(self, query: Vectors, *, top: int) -> list[int]:
        """Return about `top` windows, nearest first.

        Raises:
            ProposalFailed: it does not work, now or later.
        """
        ...


class ChromaSearch:
    """Finds exact answers from proposed windows. Once the proposer has failed, every search is exact."""

    def __init__(self, proposer: Proposer, windows: WindowVectors) -> None:
        """`proposer` proposes indices of `windows`."""
        self._proposer: Proposer | None = proposer
        self._strays = np.asarray(proposer.strays, dtype=np.int64)
        self._windows = windows

    @property
    def exact_only(self) -> bool:
        """True once the proposer has failed."""
        return self._proposer is None

    def best_chunks(self, query: Vectors, *, top: int) -> list[tuple[int, float]]:
        """Return the `top` chunks nearest to a question as (row, cosine), nearest first; ties go by row."""
        count = max(_PROPOSED_PER_CHUNK * top, _LEAST_PROPOSED)
        while count * _LARGEST_SHARE <= len(self._windows.vectors):
            proposed = self._proposed(query, count)
            if len(proposed) < count:
                break
            best = nearest(self._windows.best_of(np.union1d(proposed, self._strays), query), top=top)
            if len(best) == top and self._settled(proposed, query, best):
                return best
            count *= 2
        return self._windows.best_chunks(query, top=top)

    def _proposed(self, query: Vectors, count: int) -> Rows:
        """Return the proposed windows, ascending; none once the proposer has failed."""
        if self._proposer is not None:
            try:
                return np.unique(np.asarray(self._proposer.nearest(query, top=count), dtype=np.int64))
            except ProposalFailed:
                self._proposer = None
        return np.zeros(0, dtype=np.int64)

    def _settled(self, proposed: Rows, query: Vectors, best: list[tuple[int, float]]) -> bool:
        """Tell whether the last of the best is above the farthest proposed window, so that all others are farther."""
        farthest = float((self._windows.vectors[proposed] @ query).min())
        return not best or best[-1][1] > farthest + _TIE
