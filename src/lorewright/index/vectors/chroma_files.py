"""Chroma's files in a generation: what was built is sealed and never opened; searches open a copy of it.

Opening a folder writes to it (Chroma notes every opening in its SQLite), and opening a torn one can kill the process.
So the bytes that were built and probed are sealed with their digests, and a copy is made only of bytes that still are
those. In a generation's folder stand

    chroma/           what was built: Chroma's files, `ids.json`, `twins.npy`, `strays.npy` and the seal
    chroma.building/  what a build that did not end left
    chroma.open/      the copy of the process that searches; of one that died, where nobody holds the lock
    chroma.broken/    what was sealed and is not as it was any more
    chroma.lock       one process searches with Chroma at a time; the others search exactly

Only `vectors.npy` is content: all of this can be deleted at any time but while it is open.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock, Timeout

from lorewright.errors import DamagedFile, UnsafePath
from lorewright.storage.enclosure import Enclosure, plain_parts

CHROMA = "chroma"
BUILDING = "chroma.building"
OPEN = "chroma.open"
BROKEN = "chroma.broken"
LOCK = "chroma.lock"
TWINS_FILE = "twins.npy"  # for each window the first with the same vector, which stands for all of them
STRAYS_FILE = "strays.npy"  # of these, the ones that no path leads to
IDS_FILE = "ids.json"  # the ID of each window's record, in the order of the vectors

# Raised whenever what is built is another: collections, IDs, files.
LAYOUT = 2

_SEAL_FILE = "seal"
_SEAL_BYTES = 1 << 16  # it names some ten files
_BLOCK_BYTES = 1 << 20
# What SQLite plays back into a database when it opens it: Chroma leaves none of these behind.
_LOGS = ("-journal", "-wal", "-shm")


class BrokenSeal(Exception):
    """A folder is not what was built."""


@dataclass(frozen=True, slots=True)
class Seal:
    """What was built: by which version of Chroma, of which vectors, in which layout, and each file's size and digest by
    its path."""

    version: str
    windows: int
    dimensions: int
    files: dict[str, tuple[int, str]]
    layout: int = 1


def read_ids(folder: Path, *, count: int) -> list[str]:
    """Return the IDs of the records in a copy of a sealed folder, in the order of the vectors.

    Raises:
        BrokenSeal: they are not as many as there are vectors, or not each another.
        OSError: the disk refuses.
    """
    try:
        ids = json.loads(Enclosure(folder).read(folder / IDS_FILE))
    except (ValueError, RecursionError, DamagedFile) as problem:
        raise BrokenSeal(f"{folder / IDS_FILE}: {type(problem).__name__}") from None
    if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids) or len(set(ids)) != count:
        raise BrokenSeal(f"{folder / IDS_FILE}: other IDs than there are vectors")
    return ids


def chroma_version() -> str:
    """The version of Chroma that is installed, without importing it."""
    return version("chromadb")


def seal(folder: Path, *, windows: int, dimensions: int) -> None:
    """Seal a folder as it is: nothing may be written in it any more.

    Raises:
        BrokenSeal: a log of SQLite's is in it: the folder was not closed.
    """
    here = Enclosure(folder)
    files = {path.relative_to(folder).as_posix(): (path.stat().st_size, _digest(path)) for path in here.files()}
    _refuse_logs(folder, files)
    body = json.dumps(asdict(Seal(chroma_version(), windows, dimensions, files, LAYOUT)))
    here.write(folder / _SEAL_FILE, f"{_hash(body.encode()).hexdigest()}\n{body}".encode())


def copy_sealed(folder: Path, target: Path) -> Seal:
    """Copy a sealed folder to a new one, which then holds what was built, byte for byte.

    Raises:
        BrokenSeal: it is not what was built; a part of it may have been copied.
        OSError: the disk refuses.
    """
    try:
        found = read_seal(folder)
        there, copies = Enclosure(folder), Enclosure(target)
        if {path.relative_to(folder).as_posix() for path in there.files()} != {_SEAL_FILE, *found.files}:
            raise BrokenSeal(f"{folder}: other files than were sealed")
        _refuse_logs(folder, found.files)
        for name, (size, digest) in found.files.items():
            source, copy = there.path(*plain_parts(name)), copies.path(*plain_parts(name))
            # A torn file can claim terabytes, and a pipe never ends: neither is read.
            if not source.is_file() or source.stat().st_size != size:
                raise BrokenSeal(f"{source}: missing, or of another size")
            copies.copy_in(source, copy)
            if _digest(copy) != digest:
                raise BrokenSeal(f"{source}: other bytes than were built")
    except (UnsafePath, DamagedFile) as problem:
        raise BrokenSeal(problem.message) from None
    return found


def _refuse_logs(folder: Path, names: Iterable[str]) -> None:
    """A seal is no proof of who made it, and a journal can name any file, which SQLite then deletes."""
    for name in names:
        if name.casefold().endswith(_LOGS):
            raise BrokenSeal(f"{folder}: {name} is a log of SQLite's, and none is sealed")


def read_seal(folder: Path) -> Seal:
    """Return the seal of a folder, which is no proof of who wrote it: its digest tells damage, and its names are yet to
    be checked.

    Raises:
        BrokenSeal: there is none that can be read.
        OSError: the disk refuses.
    """
    path = folder / _SEAL_FILE
    if not path.is_file():
        raise BrokenSeal(f"{path}: missing")
    digest, _, body = Enclosure(folder).read(path, limit=_SEAL_BYTES).partition(b"\n")
    if digest.decode("ascii", "replace") != _hash(body).hexdigest():
        raise BrokenSeal(f"{path}: other bytes than were written")
    try:
        found = Seal(**json.loads(body))
        files = {str(name): (int(size), str(digest)) for name, (size, digest) in found.files.items()}
        return Seal(str(found.version), int(found.windows), int(found.dimensions), files, int(found.layout))
    except (ValueError, TypeError, AttributeError, RecursionError) as problem:
        raise BrokenSeal(f"{path}: no seal of ours ({type(problem).__name__})") from None


def _hash(data: bytes = b"") -> hashlib.blake2b:
    return hashlib.blake2b(data, digest_size=32)


def _digest(path: Path) -> str:
    digest = _hash()
    with path.open("rb") as source:
        while block := source.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def remove(path: Path) -> None:
    """Delete whatever stands there in a generation's folder, if anything does.

    Raises:
        OSError: the disk refuses.
        UnsafePath: it is a link, or holds one.
    """
    Enclosure(path.parent).remove(path)


def move_aside(folder: Path) -> None:
    """Put what was built where nobody opens it, so that nobody tries again and the damage can still be told.

    Raises:
        OSError: the disk refuses.
        UnsafePath: it is a link, or stands beside one.
    """
    remove(folder / BROKEN)
    Enclosure(folder).move(folder / CHROMA, folder / BROKEN)


def lock(folder: Path) -> FileLock | None:
    """The lock of a generation's Chroma, taken; None at once where another holds it or the folder is read-only, or a
    link stands there."""
    try:
        # The thread that closes may be another than the one that opened.
        held = Enclosure(folder).lock(folder / LOCK, timeout_s=0, thread_local=False)
        held.acquire()
    except (Timeout, OSError, UnsafePath):
        return None
    return held
