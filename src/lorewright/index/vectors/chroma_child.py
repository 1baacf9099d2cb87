"""What is done to Chroma's folders in a process of its own, because a torn folder may kill whoever opens it.

    python -m lorewright.index.vectors.chroma_child build TARGET GENERATION    vectors.npy -> a sealed store in TARGET
    python -m lorewright.index.vectors.chroma_child probe COPY GENERATION      does COPY hold and find these vectors?

Exit code 0: done. Anything else, a signal included: not.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import Thread

import numpy as np

from lorewright.index.embedders.embedder import Vectors
from lorewright.index.vectors.chroma_files import STRAYS_FILE, TWINS_FILE, seal
from lorewright.index.vectors.chroma_store import Store, write_store
from lorewright.index.vectors.exact import Rows, open_vectors

_PROBED_ROWS = 16
_PROBE_TOP = 10


def build(target: Path, generation: Path) -> bool:
    """Write a store of the vectors, each that stands there twice once, and seal it."""
    vectors = open_vectors(generation)
    if not np.isfinite(vectors).all():
        return False
    firsts = first_twins(vectors)
    distinct = np.unique(firsts)
    write_store(target, distinct.tolist(), vectors[distinct])
    np.save(target / TWINS_FILE, firsts)
    np.save(target / STRAYS_FILE, strays(target, vectors, distinct))
    seal(target, windows=vectors.shape[0], dimensions=vectors.shape[1])
    return True


def first_twins(vectors: Vectors) -> Rows:
    """For each vector the first that is the same.

    Many twins would be linked with each other only, and a search that starts elsewhere never reaches them.
    """
    first: dict[bytes, int] = {}
    return np.array([first.setdefault(row.tobytes(), index) for index, row in enumerate(vectors)], dtype=np.int64)


def strays(target: Path, vectors: Vectors, distinct: Rows) -> Rows:
    """The vectors that a search for all does not find: neighbours are linked one way only, and some are nobody's."""
    store = Store(target)
    missed = [np.setdiff1d(distinct, store.nearest(vectors[row], top=len(distinct))) for row in _some(distinct)]
    store.close()
    return np.unique(np.concatenate(missed))


def _some(rows: Rows) -> list[int]:
    return [int(row) for row in rows[:: len(rows) // _PROBED_ROWS + 1]]


def probe(copy: Path, generation: Path) -> bool:
    """Open a store, count, and ask for some of the vectors themselves."""
    vectors = open_vectors(generation)
    distinct = np.unique(np.load(copy / TWINS_FILE, allow_pickle=False))
    linked = np.setdiff1d(distinct, np.load(copy / STRAYS_FILE, allow_pickle=False))
    store = Store(copy)
    sound = sorted(store.ids()) == distinct.tolist() and all(
        row in store.nearest(vectors[row], top=_PROBE_TOP) for row in _some(linked) if vectors[row].any()
    )
    store.close()
    return sound


def main(command: str, folder: str, generation: str) -> int:
    """Do what is asked, or die with whoever asked: they hold the other end of stdin."""
    Thread(target=_die_with_parent, daemon=True).start()
    done = {"build": build, "probe": probe}[command](Path(folder), Path(generation))
    return 0 if done else 1


def _die_with_parent() -> None:
    os.read(0, 1)  # Nothing is ever written: it returns when the other end is closed.
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
