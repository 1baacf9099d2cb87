"""A folder of ours -> paths in it that no link and no name leads out of, and the file operations on such paths.

Files below `indexes/` and `campaigns/` may come from a repository or an archive of somebody else: with a link in place
of a folder of ours, or a name like `../../notes` in a database. All code that deletes, renames, writes or reads below
these folders uses this module. The folder itself must not be a link either; its parents are the user's own matter.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import IO

from filelock import FileLock, Timeout

from lorewright.errors import Busy, DamagedFile, DiskFull, FileUnavailable, LorewrightError, ReadOnly, UnsafePath
from lorewright.storage.temporary import temporary_path

# Errors of SQLite and of the system -> our errors, which distinguish damage from a full disk, missing rights and a
# lock.
# Only a damaged file is repaired by making it anew. A file that is merely unavailable must never count as damaged: on a
# full disk every write fails, and a repair would destroy an intact file.

# The exceptions that `trouble_of` converts.
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
# I/O errors of a changed file: truncated, or with another checksum.
_DAMAGED_DISK = (sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_DATA, sqlite3.SQLITE_IOERR_CORRUPTFS)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EROFS, errno.EACCES, errno.EPERM)
_TOO_MANY = (errno.EMFILE, errno.ENFILE)
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR)

# When its log cannot grow on a full disk, SQLite reports an I/O error. Its smallest log takes this much.
_ROOM_BYTES = 64 << 10

# https://www.sqlite.org/fileformat.html#file_format_version_numbers
_VERSION_BYTE = 18
_WAL_VERSION = 2


def is_absence(problem: OSError) -> bool:
    """Return True if there is no such file, False if it cannot be read now."""
    return problem.errno in _ABSENT


def error_for(problem: Exception, path: Path | None) -> LorewrightError:
    """Return the error to raise for an exception on a file (None if the file is unknown); an error of ours is returned
    as it is."""
    if isinstance(problem, LorewrightError):
        return problem
    if isinstance(problem, Timeout):
        what = f"{path or problem.lock_file} is held by another process"
        return Busy(what, hint="wait until it is done, or end it, then try again")
    if isinstance(problem, OSError):
        return _of_system(problem, path)
    if isinstance(problem, sqlite3.Error) and not _is_damage(problem, path):
        return _of_sqlite(problem, path)
    return DamagedFile(_with_path(path, problem), hint=_RESTORE)


@contextmanager
def raising_our_errors(path: Path) -> Iterator[None]:
    """Raise exceptions on a file in the block as errors of ours.

    Raises:
        DamagedFile: it holds other bytes than were written.
        FileUnavailable: it cannot be read or written now; its subclasses say why.
    """
    try:
        yield
    except Trouble as problem:
        raise error_for(problem, path) from problem


def _with_path(path: Path | None, problem: object) -> str:
    return str(problem) if path is None else f"{path}: {problem}"


def _is_damage(problem: sqlite3.Error, path: Path | None) -> bool:
    """Tell whether an error of SQLite is damage; an error without a code (text that is not UTF-8) is."""
    code = getattr(problem, "sqlite_errorcode", 0)
    if code & 0xFF == sqlite3.SQLITE_READONLY:
        return path is not None and _has_unknown_version(path)
    return code in _DAMAGED_DISK or code & 0xFF not in _NO_DAMAGE


def _has_unknown_version(path: Path) -> bool:
    """Tell whether a file is read-only for SQLite because its header requires a version that no SQLite has."""
    try:
        with path.open("rb") as file:
            header = file.read(_VERSION_BYTE + 1)
    except OSError:
        return False
    return len(header) > _VERSION_BYTE and header[_VERSION_BYTE] > _WAL_VERSION


def _of_system(problem: OSError, path: Path | None) -> FileUnavailable:
    named = problem.filename if isinstance(problem.filename, (str, bytes)) else None
    what = _with_path(Path(os.fsdecode(named)) if named else path, problem.strerror or problem)
    if problem.errno in _FULL:
        return _full(what)
    if problem.errno in _FORBIDDEN:
        return _forbidden(what)
    if problem.errno in _TOO_MANY:
        return FileUnavailable(what, hint="this process may open too few files: raise the limit (ulimit -n)")
    return FileUnavailable(what, hint="look at the disk, then try again")


def _of_sqlite(problem: sqlite3.Error, path: Path | None) -> FileUnavailable:
    code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
    what = _with_path(path, problem)
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


# The enclosure: paths in a folder that no link and no name leads out of, and operations on them.

# The reparse tag of a junction, which is Windows' link to a folder and no symbolic link to Python.
_JUNCTION = 0xA0000003
_DRIVE = re.compile(r"[A-Za-z]:")
PRIVATE = 0o600
# For files at a path that the user named: the umask decides who may read them.
FOR_ALL = 0o666
# Ours have five levels. Deeper folders are meant to break code that walks them.
_DEEPEST = 64
LINK_HINT = (
    "delete the link; to keep the data elsewhere, mount it here (mount --bind),"
    " or move the whole workspace there and let LOREWRIGHT_WORKSPACE name it"
)


def is_plain_name(name: str) -> bool:
    """Return True if a text can be the name of a file: no separator, no `..`, no drive, no NUL, not empty."""
    return name not in ("", ".", "..") and not any(sign in name for sign in "/\\\0") and not _DRIVE.match(name)


def plain_parts(relative: str) -> tuple[str, ...]:
    """Return the names in a relative path that is written with `/`.

    Raises:
        UnsafePath: it is absolute, or one of its parts is no plain name.
    """
    parts = tuple(relative.split("/"))
    if not all(map(is_plain_name, parts)):
        raise UnsafePath(f"{relative!r} is not the name of a file of ours", hint="do not use what brought it")
    return parts


def is_link(path: Path) -> bool:
    """Return True if a path is a link, wherever it leads."""
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) == _JUNCTION


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A folder of ours. Every method with a path checks the folder and every part of the path below it.

    Every method raises:
        UnsafePath: the folder or a part of the path is a link, or the path does not lie in the folder.
        OSError: the operation failed.
    """

    root: Path

    def path(self, *names: str) -> Path:
        """Return the path of a file or folder with these plain names; it need not exist."""
        for name in names:
            if not is_plain_name(name):
                raise UnsafePath(f"{name!r} is no name of a file in {self.root}", hint="do not use what brought it")
        return self.checked(self.root.joinpath(*names))

    def checked(self, path: Path) -> Path:
        """Return the path after checking that no part of it, from the folder on, is a link."""
        try:
            names = path.relative_to(self.root).parts
        except ValueError:
            names = ("..",)
        if not all(map(is_plain_name, names)):
            raise UnsafePath(f"{path} does not lie in {self.root}", hint="do not use what brought it")
        part = self.root
        for name in ("", *names):
            part = part / name
            if is_link(part):
                raise UnsafePath(f"{part} is a link, and links are not followed here", hint=LINK_HINT)
        return path

    def make_folder(self, path: Path) -> Path:
        """Make a folder and its missing parents, and return it."""
        self.checked(path).mkdir(parents=True, exist_ok=True)
        return path

    def entries(self, path: Path | None = None) -> list[Path]:
        """Return the entries of a folder, by name, without links; none if there is no folder."""
        folder = self.checked(path or self.root)
        if not folder.is_dir():
            return []
        return sorted(entry for entry in folder.iterdir() if not is_link(entry))

    def files(self, path: Path | None = None) -> Iterator[Path]:
        """Yield every plain file below a folder, at any depth; links are skipped, and what another process deletes
        meanwhile.

        Raises:
            UnsafePath: folders are nested too deeply.
        """
        waiting = self.entries(path)[::-1]
        while waiting:
            entry = waiting.pop()
            try:
                mode = entry.lstat().st_mode
            except FileNotFoundError:
                continue
            if stat.S_ISDIR(mode):
                self._refuse_depth(entry)
                waiting += self.entries(entry)[::-1]
            elif stat.S_ISREG(mode):
                yield entry

    def links(self, path: Path | None = None) -> Iterator[Path]:
        """Yield every link below the folder, and the folder itself if it is a link. None is followed.

        Raises:
            UnsafePath: folders are nested too deeply.
        """
        waiting = [path or self.root]
        while waiting:
            entry = waiting.pop()
            if is_link(entry):
                yield entry
            elif entry.is_dir():
                self._refuse_depth(entry)
                waiting += sorted(entry.iterdir(), reverse=True)

    def _refuse_depth(self, folder: Path) -> None:
        names = folder.relative_to(self.root).parts
        if len(names) > _DEEPEST:
            top = self.root.joinpath(*names[:2])
            raise UnsafePath(
                f"{top} holds folders nested over {_DEEPEST} deep", hint=f"delete {top}: lorewright did not make it"
            )

    def refuse_links(self, path: Path) -> None:
        """Raise UnsafePath if a part of a path, or anything below it, is a link."""
        link = next(self.links(self.checked(path)), None)
        if link is not None:
            raise UnsafePath(f"{link} is a link, and its folder is left as it is", hint=LINK_HINT)

    def read(self, path: Path, *, limit: int | None = None) -> bytes:
        """Return a plain file's bytes.

        Raises:
            DamagedFile: it is no plain file, or larger than the limit.
        """
        found = self.checked(path).stat()
        if not stat.S_ISREG(found.st_mode) or (limit is not None and found.st_size > limit):
            raise DamagedFile(f"{path} is no plain file, or is too large", hint="run: lorewright doctor")
        return path.read_bytes()

    @contextmanager
    def writing(self, path: Path, *, mode: int = PRIVATE, synced: bool = True) -> Iterator[IO[bytes]]:
        """Open a file to write completely or not at all, in place of an existing one; it is on disk when the block
        ends, unless `synced` is False: then a power cut may leave it old, or empty.

        A new file is renamed over the old one, so that another name of that (a hard link) keeps its bytes.
        """
        part = temporary_path(self.checked(path))
        self.remove(part)
        try:
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                if synced:
                    os.fsync(file.fileno())
            part.replace(path)
        finally:
            with suppress(OSError):
                self.remove(part)

    def write(self, path: Path, data: bytes, *, mode: int = PRIVATE) -> None:
        """Write a file completely or not at all, in place of an existing one; `mode`, less the umask, decides who may
        read it."""
        with self.writing(path, mode=mode) as file:
            file.write(data)

    def write_new(self, path: Path, data: bytes) -> None:
        """Write a new file without syncing it, for a folder that is renamed or deleted as a whole. Missing parents are
        made."""
        self.make_folder(path.parent)
        with self.checked(path).open("xb") as file:
            file.write(data)

    def create(self, path: Path) -> None:
        """Make an empty file that only its owner can read, unless it exists: a database, to be opened by SQLite."""
        with suppress(FileExistsError):
            os.close(os.open(self.checked(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))

    def copy_in(self, source: Path, path: Path) -> None:
        """Copy a file to a new one; missing parents are made."""
        self.make_folder(path.parent)
        with source.open("rb") as read, self.checked(path).open("xb") as written:
            shutil.copyfileobj(read, written)

    def share(self, source: Path, path: Path) -> None:
        """Give a file that is never written again a second name (a hard link), or copy it if the disk has none."""
        try:
            os.link(self.checked(source), self.checked(path))
        except FileExistsError:
            raise
        except OSError:
            self.copy_in(source, path)

    def name_new(self, source: Path, path: Path) -> None:
        """Give a new file in the same folder a name that is free. The old name stays, unless the disk has no hard
        links: then the file is renamed, and a crash at that moment leaves an empty file.

        Raises:
            FileExistsError: the name is taken.
        """
        try:
            os.link(self.checked(source), self.checked(path))
        except FileExistsError:
            raise
        except OSError:
            # Without hard links, systems raise different errors (EPERM, EACCES, EINVAL, ENOTSUP, EXDEV); if there is
            # another cause, making a file fails too.
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))
            try:
                source.replace(path)
            except OSError:
                path.unlink()
                raise

    def move(self, source: Path, target: Path) -> None:
        """Rename a file or folder; a file at the target is replaced."""
        self.checked(source).replace(self.checked(target))

    def remove(self, path: Path) -> None:
        """Delete a file, or a folder with its contents, if it exists; nothing is deleted if it contains a link."""
        try:
            is_folder = stat.S_ISDIR(self.checked(path).lstat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return
        if is_folder:
            self.refuse_links(path)
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def remove_if_empty(self, path: Path) -> None:
        """Delete a folder if it is empty."""
        with suppress(FileNotFoundError):
            if not any(self.checked(path).iterdir()):
                path.rmdir()

    def temporary_folder(self, prefix: str) -> Path:
        """Make a folder with a unique name, and return it."""
        return Path(mkdtemp(prefix=prefix, dir=self.make_folder(self.root)))

    def open_to_all(self, path: Path) -> None:
        """Let others read a temporary folder."""
        self.checked(path).chmod(0o755)

    def sync(self, *paths: Path) -> None:
        """Sync files and folders to disk."""
        for path in paths:
            handle = os.open(self.checked(path), os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def lock(self, path: Path, *, timeout_s: float = -1, thread_local: bool = True) -> FileLock:
        """Return the lock of a path, not acquired yet; its folder must exist.

        Raises:
            UnsafePath: the path is no lock: it is no plain file, or a file with bytes and a second name (hard link).
        """
        with suppress(FileNotFoundError, NotADirectoryError):
            found = self.checked(path).lstat()
            # Older versions of filelock truncate the file.
            if not stat.S_ISREG(found.st_mode) or (found.st_nlink > 1 and found.st_size):
                raise UnsafePath(f"{path} is no lock file", hint="delete it; no other program may use that name")
        return FileLock(path, timeout=timeout_s, thread_local=thread_local)

    @contextmanager
    def locked(self, path: Path, *, timeout_s: float = -1) -> Iterator[None]:
        """Hold a lock while the block runs; its folder is made if it is missing.

        Raises:
            Busy: another process held it for longer than `timeout_s`.
            FileUnavailable: the lock cannot be made there.
        """
        with raising_our_errors(path):
            self.make_folder(path.parent)
            lock = self.lock(path, timeout_s=timeout_s)
            lock.acquire()
        try:
            yield
        finally:
            lock.release()
