"""Windows' vectors -> exact cosines, and each chunk's best: the reference for every vector lane.

A long text is embedded in windows; the score of a chunk is that of its best window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tokenize import TokenError

import numpy as np
import numpy.typing as npt

from lorewright.index.embedders.embedder import Vectors
from lorewright.storage.enclosure import Enclosure

VECTORS_FILE = "vectors.npy"

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# Cosines are rounded to this many digits, so that very close ones are equal.
_DIGITS = 5
_TIE = 2 * 10**-_DIGITS

# Below the cosine of any unit vectors, also after rounding.
_LEAST = -2.0


@dataclass(frozen=True, slots=True)
class WindowVectors:
    """The windows of one generation.

    `vectors` is float32 (windows, dimensions) with rows of unit length; `chunk_rows` (windows,) is the chunk of each
    window, in ascending order. If `shown` is set, the windows that it marks False are ignored. `starts` are the first
    windows of the chunks, where they are known already.

    The cosines of the last question for which all windows were compared are cached, for later calls about some of them.
    """

    vectors: Vectors
    chunk_rows: Rows
    shown: Mask | None = None
    starts: Rows | None = None
    _last: dict[bytes, Vectors] = field(init=False, default_factory=dict, repr=False, compare=False)

    def of_rows(self, rows: Sequence[int], query: Vectors) -> dict[int, float]:
        """Return chunk row -> the cosine of its best shown window; chunks without one are left out."""
        wanted = np.array(sorted(set(rows)), np.int64)
        starts = np.searchsorted(self.chunk_rows, wanted)
        counts = np.searchsorted(self.chunk_rows, wanted, side="right") - starts
        # The windows of a chunk are adjacent: from its start, as many as it has.
        first = np.repeat(starts - np.cumsum(counts) + counts, counts)
        return self.best_of(first + np.arange(len(first)), query)

    def best_of(self, windows: Rows, query: Vectors) -> dict[int, float]:
        """Return the same for some windows (indices in ascending order)."""
        windows = windows if self.shown is None else windows[self.shown[windows]]
        last = self._last.get(query.tobytes())
        cosines = _cosines(self.vectors[windows], query) if last is None else last[windows]
        chunk_rows = self.chunk_rows[windows]
        rows, best = _best_by_row(chunk_rows, cosines, starts_of(chunk_rows))
        return dict(zip(rows.tolist(), _rounded(best).tolist(), strict=True))

    def best_chunks(self, query: Vectors, *, top: int) -> list[tuple[int, float]]:
        """Return the `top` chunks nearest to a question as (row, cosine), nearest first; ties go by row."""
        cosines = _cosines(self.vectors, query)
        if self.shown is not None:
            # Hidden windows are computed, too: leaving them out would copy all others.
            cosines[~self.shown] = -np.inf
        self._last.clear()
        self._last[query.tobytes()] = cosines
        starts = starts_of(self.chunk_rows) if self.starts is None else self.starts
        rows, best = _best_by_row(self.chunk_rows, cosines, starts)
        least = max(float(np.partition(best, -top)[-top]) if len(best) > top > 0 else _LEAST, _LEAST)
        near = best >= least - _TIE
        return nearest(dict(zip(rows[near].tolist(), _rounded(best[near]).tolist(), strict=True)), top=top)


def _cosines(vectors: Vectors, query: Vectors) -> Vectors:
    """Return the cosines, computed row by row: the last bits of a matrix product depend on its number of rows, and the
    same question must get the same score in any case. It is no slower, for reading the vectors takes the time, and it
    uses one thread, where the product's threads would hinder the embedder's."""
    found: Vectors = np.einsum("ij,j->i", vectors, query)
    return found


def starts_of(rows: Rows) -> Rows:
    """Return the index of the first window of each chunk, given the chunk row of each window in ascending order."""
    return np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]]) if len(rows) else np.zeros(0, np.int64)


def _best_by_row(rows: Rows, cosines: Vectors, starts: Rows) -> tuple[Rows, Vectors]:
    """Return each chunk row once, in order, and the cosine of its best window."""
    return rows[starts], np.maximum.reduceat(cosines, starts) if len(starts) else cosines


def _rounded(cosines: Vectors) -> npt.NDArray[np.float64]:
    """Return rounded cosines; rounding keeps their order or makes them equal."""
    return cosines.astype(np.float64).round(_DIGITS)


def nearest(cosines: dict[int, float], *, top: int) -> list[tuple[int, float]]:
    """Return the `top` rows of the largest cosine, largest first; ties go by row."""
    return sorted(cosines.items(), key=lambda pair: (-pair[1], pair[0]))[:top]


def open_vectors(folder: Path) -> Vectors:
    """Return the vectors of a generation's folder, memory-mapped: (windows, dimensions).

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: the file is cut off or no array.
        UnsafePath: the folder or the file is a link.
    """
    path = Enclosure(folder).path(VECTORS_FILE)
    try:
        vectors: Vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except (SyntaxError, TokenError) as problem:
        # numpy reads the file's head as a line of Python.
        raise ValueError(f"its head cannot be read: {problem}") from None
    return vectors
