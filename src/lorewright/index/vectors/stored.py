"""`vectors.npy` and its description: which embedder made it, how many windows, and the hash of its bytes.

A question is answered by sound vectors or by none: when they are opened, all of them are compared with a checksum that
takes no longer than one exact search. `doctor` compares the hash of the file.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import zlib
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, Protocol

import numpy as np

from lorewright.errors import DamagedFile
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.vectors.exact import VECTORS_FILE, WindowVectors, open_vectors
from lorewright.index.vectors.search import ChromaSearch, NearestSearch, Proposer
from lorewright.storage.enclosure import Enclosure, is_absence

ABOUT_FILE = "vectors.json"
# The file holds a handful of numbers.
_ABOUT_BYTES = 1 << 16

# So many strips of so many words of eight bytes (16 KiB) are added up, and CRC-32, which takes several times as long as
# adding, reads the sums.
_STRIPS = 32
_STRIP_WORDS = 2048

_VECTOR = np.dtype("<f4")


@dataclass(frozen=True, slots=True)
class About:
    """The contents of `vectors.json`, the description of the vectors beside it: `sha256` is of the file, `checksum` of
    the vectors in it. Earlier versions wrote no checksum."""

    fingerprint: str
    windows: int
    dimensions: int
    sha256: str
    checksum: int | None = None


class DamagedVectors(Exception):
    """The vectors of a generation cannot be read; its keywords can."""


def write_vectors(folder: Path, vectors: Vectors, fingerprint: str) -> None:
    """Write the vectors, float32 (windows, dimensions), and their description; both are on disk when this returns."""
    enclosure = Enclosure(folder)
    written = np.ascontiguousarray(vectors, dtype=_VECTOR)
    with enclosure.writing(folder / VECTORS_FILE) as file:
        np.save(file, written, allow_pickle=False)
    about = {
        "fingerprint": fingerprint,
        "windows": len(vectors),
        "dimensions": int(vectors.shape[1]),
        "sha256": _sha256(folder / VECTORS_FILE),
        "checksum": checksum_of(written),
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


class VectorFiles:
    """Opens the vectors of generations for questions, and compares the bytes of a file with its checksum the first time
    and whenever the file has changed since. Threads may share it."""

    def __init__(self) -> None:
        self._sound: dict[Path, _Stamp] = {}

    def open(self, folder: Path) -> Vectors:
        """Return the vectors of a generation, memory-mapped, each as it was written.

        Raises:
            DamagedVectors: the file is missing, cut off or damaged.
            UnsafePath: the folder or the file is a link.
        """
        try:
            stamp = _stamp_of(folder / VECTORS_FILE)
            about, vectors = _read(folder)
            if self._sound.get(folder) != stamp:
                _compare(folder, about, vectors)
                self._sound[folder] = stamp
        except OSError as problem:
            raise DamagedVectors(f"{folder / VECTORS_FILE}: {problem}") from problem
        return vectors


# What changes when a file is written or replaced: device, number, size and times.
_Stamp = tuple[int, int, int, int, int]


def _stamp_of(path: Path) -> _Stamp:
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _read(folder: Path) -> tuple[About, Vectors]:
    """Return the description of a generation's vectors, and the vectors, memory-mapped, of the shape in it.

    Raises:
        DamagedVectors: a file is missing, cut off or no array of that shape.
    """
    about = about_vectors(folder)
    try:
        vectors = open_vectors(folder)
    except (OSError, ValueError, EOFError) as problem:
        raise DamagedVectors(f"{folder / VECTORS_FILE}: {problem}") from problem
    is_table = vectors.dtype == np.float32 and vectors.flags.c_contiguous
    if not is_table or vectors.shape != (about.windows, about.dimensions):
        raise DamagedVectors(f"{folder / VECTORS_FILE}: another shape than {ABOUT_FILE} says")
    return about, vectors


def _compare(folder: Path, about: About, vectors: Vectors) -> None:
    """Raise DamagedVectors unless the vectors are those that were written."""
    if about.checksum is None:
        is_sound = about.sha256 == _sha256(folder / VECTORS_FILE)
    else:
        is_sound = about.checksum == checksum_of(vectors)
    if not is_sound:
        raise DamagedVectors(f"{folder / VECTORS_FILE}: other bytes than were written")


def checksum_of(vectors: Vectors) -> int:
    """Return a checksum of vectors, float32 and C-contiguous.

    Damage in one place, of one bit or of 16 KiB, changes it but for one chance in 2^32: words so near each other are
    not added up, so that nothing there cancels out.
    """
    data = vectors.reshape(-1).view(np.uint8)
    whole = data.nbytes - data.nbytes % (_STRIPS * _STRIP_WORDS * 8)
    strips = data[:whole].view(np.uint64).reshape(-1, _STRIPS, _STRIP_WORDS)
    return zlib.crc32(data[whole:].tobytes(), zlib.crc32(np.add.reduce(strips, axis=1).tobytes()))


def has_sound_vectors(folder: Path, fingerprint: str) -> bool:
    """Return True if a generation's vectors are of this embedder, every byte is as it was written, and so is what is
    said of them.

    Raises:
        OSError: a file exists and cannot be read now.
        UnsafePath: the folder or a file of it is a link.
    """
    try:
        about, vectors = _read(folder)
        if about.fingerprint != fingerprint or about.sha256 != _sha256(folder / VECTORS_FILE):
            return False
        return about.checksum is None or about.checksum == checksum_of(vectors)
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


class GrowingVectors:
    """Vectors in a temporary file without a name, to which more are added. They are mapped into memory anew each time
    that they are read: in between they take none."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._shape = (0, 0)

    def __len__(self) -> int:
        return self._shape[0]

    @property
    def vectors(self) -> Vectors:
        """The vectors, float32 (windows, dimensions), each as it was added. They may not be read after `close`."""
        if self._file is None:
            return np.zeros(self._shape, _VECTOR)
        mapped = mmap(self._file.fileno(), self._shape[0] * self._shape[1] * _VECTOR.itemsize, access=ACCESS_READ)
        return np.frombuffer(mapped, _VECTOR).reshape(self._shape)

    def append(self, vectors: Vectors) -> None:
        """Add vectors, some at least, behind those that were added so far.

        Raises:
            OSError: there is no room for temporary files; nothing must be added afterwards.
        """
        if self._file is None:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - `close` closes it
        left = np.ascontiguousarray(vectors, dtype=_VECTOR).data.cast("B")
        while left:
            left = left[self._file.write(left) :]
        self._shape = (self._shape[0] + len(vectors), int(vectors.shape[1]))

    def search(self, windows: WindowVectors) -> NearestSearch:
        """Return a search for the nearest chunks among these windows."""
        return windows

    def close(self) -> None:
        """Give up the file. Closing twice is allowed."""
        if self._file is not None:
            self._file.close()
