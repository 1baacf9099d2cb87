"""`vectors.npy` and its description: which embedder made it, how many windows, and the hash of its bytes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from lorewright.errors import DamagedFile
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.vectors.exact import VECTORS_FILE, WindowVectors, open_vectors
from lorewright.index.vectors.search import ChromaSearch, NearestSearch, Proposer
from lorewright.storage.enclosure import Enclosure, is_absence

ABOUT_FILE = "vectors.json"
# The file holds a handful of numbers.
_ABOUT_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class About:
    """The contents of `vectors.json`, the description of the vectors beside it."""

    fingerprint: str
    windows: int
    dimensions: int
    sha256: str


class DamagedVectors(Exception):
    """The vectors of a generation cannot be read; its keywords can."""


def write_vectors(folder: Path, vectors: Vectors, fingerprint: str) -> None:
    """Write the vectors, float32 (windows, dimensions), and their description; both are on disk when this returns."""
    enclosure = Enclosure(folder)
    with enclosure.writing(folder / VECTORS_FILE) as file:
        np.save(file, np.ascontiguousarray(vectors, dtype=np.dtype("<f4")), allow_pickle=False)
    about = {
        "fingerprint": fingerprint,
        "windows": len(vectors),
        "dimensions": int(vectors.shape[1]),
        "sha256": _sha256(folder / VECTORS_FILE),
    }
    enclosure.write(folder / ABOUT_FILE, json.dumps(about).encode())


def about_vectors(folder: Path) -> About:
    """Return the description of a generation's vectors.

    Raises:
        DamagedVectors: the description is missing or damaged.
        UnsafePath: the folder or the file is a link.
    """
    enclosure = Enclosure(folder)
    try:
        about = About(**json.loads(enclosure.read(folder / ABOUT_FILE, limit=_ABOUT_BYTES)))
        if not isinstance(about.windows, int) or not isinstance(about.dimensions, int):
            raise TypeError("a count in it is not a number")
    except (DamagedFile, OSError, ValueError, TypeError, RecursionError) as problem:
        raise DamagedVectors(f"{folder / ABOUT_FILE}: {problem}") from problem
    return about


def read_vectors(folder: Path) -> Vectors:
    """Return the vectors of a generation, memory-mapped, of the shape in their description.

    Raises:
        DamagedVectors: the file is missing, cut off or damaged.
    """
    about = about_vectors(folder)
    try:
        vectors = open_vectors(folder)
    except (OSError, ValueError, EOFError) as problem:
        raise DamagedVectors(f"{folder / VECTORS_FILE}: {problem}") from problem
    if vectors.shape != (about.windows, about.dimensions) or vectors.dtype != np.float32:
        raise DamagedVectors(f"{folder / VECTORS_FILE}: another shape than {ABOUT_FILE} says")
    return vectors


def has_sound_vectors(folder: Path, fingerprint: str) -> bool:
    """Return True if a generation's vectors are of this embedder and every byte is as it was written.

    Raises:
        OSError: a file exists and cannot be read now.
        UnsafePath: the folder or a file of it is a link.
    """
    try:
        about = about_vectors(folder)
        read_vectors(folder)
        return about.fingerprint == fingerprint and about.sha256 == _sha256(folder / VECTORS_FILE)
    except DamagedVectors as damage:
        problem = damage.__cause__
        if isinstance(problem, OSError) and not is_absence(problem):
            raise problem from None
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Nearest(Proposer, Protocol):
    """Proposes the nearest windows of one generation until it is closed."""

    def close(self) -> None:
        """Release the files. Closing twice is allowed."""
        ...


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """The vectors of one open generation, and a proposer of the nearest of them, if there is one."""

    vectors: Vectors
    nearest: Nearest | None = None

    def search(self, windows: WindowVectors) -> NearestSearch:
        """Return a search for the nearest chunks among these windows of the generation."""
        return windows if self.nearest is None else ChromaSearch(self.nearest, windows)

    def close(self) -> None:
        """Close the proposer."""
        if self.nearest is not None:
            self.nearest.close()
