"""What SQLite or the system says of a file -> the error that tells damage from a full disk, a missing right, a lock.

Only damage is mended by making a file anew. A file that merely cannot be had now must never be taken for damaged: on a
full disk every write fails, and whoever mends then destroys what is sound.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import Timeout

from lorewright.errors import Busy, DamagedFile, DiskFull, FileUnavailable, LorewrightError, ReadOnly

# What goes wrong with a file at hand: what `trouble_of` makes an error of. A text that is no UTF-8 is a ValueError.
Trouble = (sqlite3.Error, OSError, UnicodeDecodeError)

_RESTORE = "run: lorewright doctor, where it is an index; restore a campaign's file from a copy"
_NO_DAMAGE = (
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOLFS,
    sqlite3.SQLITE_AUTH,
)
# I/O errors that say that the file is not what it was: cut off, or another checksum.
_DAMAGED_DISK = (sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_DATA, sqlite3.SQLITE_IOERR_CORRUPTFS)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EROFS, errno.EACCES, errno.EPERM)
_TOO_MANY = (errno.EMFILE, errno.ENFILE)
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR)

# SQLite calls a full disk an I/O error where it is a log that cannot grow. Its smallest log takes this much.
_ROOM_BYTES = 64 << 10

# https://www.sqlite.org/fileformat.html#file_format_version_numbers
_VERSION_BYTE = 18
_WAL_VERSION = 2


def is_absence(problem: OSError) -> bool:
    """Return whether there is no such file, rather than one that cannot be read now."""
    return problem.errno in _ABSENT


def trouble_of(problem: Exception, path: Path | None) -> LorewrightError:
    """Return the error to raise for what went wrong with a file (None where nobody knows any more which); an error of
    ours is returned as it is."""
    if isinstance(problem, LorewrightError):
        return problem
    if isinstance(problem, Timeout):
        what = f"{path or problem.lock_file} is held by another process"
        return Busy(what, hint="wait until it is done, or end it, then try again")
    if isinstance(problem, OSError):
        return _of_system(problem, path)
    if isinstance(problem, sqlite3.Error) and not _is_damage(problem, path):
        return _of_sqlite(problem, path)
    return DamagedFile(_of(path, problem), hint=_RESTORE)


@contextmanager
def telling_trouble(path: Path) -> Iterator[None]:
    """Raise what goes wrong with a file in the block as an error of ours.

    Raises:
        DamagedFile: it holds other bytes than were written.
        FileUnavailable: it cannot be read or written now; its subclasses say why.
    """
    try:
        yield
    except Trouble as problem:
        raise trouble_of(problem, path) from problem


def _of(path: Path | None, problem: object) -> str:
    return str(problem) if path is None else f"{path}: {problem}"


def _is_damage(problem: sqlite3.Error, path: Path | None) -> bool:
    """A text that is no UTF-8 any more has no code at all, and is damage."""
    code = getattr(problem, "sqlite_errorcode", 0)
    if code & 0xFF == sqlite3.SQLITE_READONLY:
        return path is not None and _says_that_it_is_newer(path)
    return code in _DAMAGED_DISK or code & 0xFF not in _NO_DAMAGE


def _says_that_it_is_newer(path: Path) -> bool:
    """Whether SQLite only reads a file because its header asks for a version that no SQLite has."""
    try:
        with path.open("rb") as file:
            header = file.read(_VERSION_BYTE + 1)
    except OSError:
        return False
    return len(header) > _VERSION_BYTE and header[_VERSION_BYTE] > _WAL_VERSION


def _of_system(problem: OSError, path: Path | None) -> FileUnavailable:
    named = problem.filename if isinstance(problem.filename, (str, bytes)) else None
    what = _of(Path(os.fsdecode(named)) if named else path, problem.strerror or problem)
    if problem.errno in _FULL:
        return _full(what)
    if problem.errno in _FORBIDDEN:
        return _forbidden(what)
    if problem.errno in _TOO_MANY:
        return FileUnavailable(what, hint="this process may open too few files: raise the limit (ulimit -n)")
    return FileUnavailable(what, hint="look at the disk, then try again")


def _of_sqlite(problem: sqlite3.Error, path: Path | None) -> FileUnavailable:
    code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
    what = _of(path, problem)
    if code in _BUSY:
        return Busy(what, hint="wait until the other process is done, or end it, then try again")
    if code == sqlite3.SQLITE_FULL or (path and _room_bytes(path.parent) < _ROOM_BYTES):
        return _full(what)
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM) or (path and not _is_writable(path)):
        return _forbidden(what)
    return FileUnavailable(what, hint="look at the disk and the limits of this process, then try again")


def _full(what: str) -> DiskFull:
    return DiskFull(what, hint="make room on the disk, then try again; nothing is damaged")


def _forbidden(what: str) -> ReadOnly:
    return ReadOnly(what, hint="allow writing there (the mount, or the rights of the file and its folder)")


def _room_bytes(folder: Path) -> int:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return _ROOM_BYTES


def _is_writable(path: Path) -> bool:
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
