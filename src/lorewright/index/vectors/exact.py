"""Windows' vectors -> exact cosines, and each chunk's best: the truth of every vector lane.

A long text is embedded in windows; the score of a chunk is that of its best window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lorewright.index.embedders.embedder import Vectors

VECTORS_FILE = "vectors.npy"

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# Cosines are told to so many digits.
_DIGITS = 5


@dataclass(frozen=True, slots=True)
class WindowVectors:
    """The windows of one generation.

    `vectors` is float32 (windows, dimensions) with rows of unit length; `chunk_rows` (windows,) says which chunk each
    belongs to, in ascending order among those that are shown. Where `shown` is set, the windows that it marks False are
    not there.
    """

    vectors: Vectors
    chunk_rows: Rows
    shown: Mask | None = None

    def cosines(self, query: Vectors) -> dict[int, float]:
        """Chunk row -> the cosine of its best window that is shown; a chunk without one is not in it."""
        return self.best_of(np.arange(len(self.chunk_rows)), query)

    def of_rows(self, rows: Sequence[int], query: Vectors) -> dict[int, float]:
        """As `cosines`, of some chunks only."""
        return self.best_of(np.flatnonzero(np.isin(self.chunk_rows, np.asarray(rows, np.int64))), query)

    def best_of(self, windows: Rows, query: Vectors) -> dict[int, float]:
        """As `cosines`, of some windows only (indices in ascending order)."""
        rows, best = self._best(windows, query)
        return dict(zip(rows.tolist(), best.tolist(), strict=True))

    def best_chunks(self, query: Vectors, *, top: int) -> list[tuple[int, float]]:
        """The `top` chunks nearest to a question as (row, cosine), nearest first; ties go by row."""
        rows, best = self._best(np.arange(len(self.chunk_rows)), query)
        if len(rows) > top:
            among = best >= np.partition(best, -top)[-top]
            rows, best = rows[among], best[among]
        return nearest(dict(zip(rows.tolist(), best.tolist(), strict=True)), top=top)

    def _best(self, windows: Rows, query: Vectors) -> tuple[Rows, npt.NDArray[np.float64]]:
        """Each chunk once, in order, and the cosine of the best of its windows among these."""
        windows = self._shown(windows)
        chosen = self.vectors if len(windows) == len(self.vectors) else self.vectors[windows]
        # Row by row: the last bits of a matrix product depend on how many rows it has, and the same question must find
        # the same score whatever else is looked at. It also keeps to one thread, where the product's threads would
        # stand in the way of the embedder's.
        cosines = np.round(np.einsum("ij,j->i", chosen, query).astype(np.float64), _DIGITS)
        rows = self.chunk_rows[windows]
        if not len(rows):
            return rows, cosines
        starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
        return rows[starts], np.maximum.reduceat(cosines, starts)

    def _shown(self, windows: Rows) -> Rows:
        return windows if self.shown is None else windows[self.shown[windows]]


def nearest(cosines: dict[int, float], *, top: int) -> list[tuple[int, float]]:
    """The `top` rows of the largest cosine, largest first; ties go by row."""
    return sorted(cosines.items(), key=lambda pair: (-pair[1], pair[0]))[:top]


def open_vectors(folder: Path) -> Vectors:
    """The vectors of a generation's folder, memory-mapped: (windows, dimensions).

    Raises:
        FileNotFoundError: there are none.
        ValueError: the file is cut off or no array.
    """
    vectors: Vectors = np.load(folder / VECTORS_FILE, mmap_mode="r", allow_pickle=False)
    return vectors
