"""A path -> a connection that cannot lose an acknowledged write, and the one way to write through it.

Measured: WAL with `synchronous=NORMAL` loses acknowledged commits in a power cut, `FULL` does not. A deferred BEGIN
meets "database is locked" under load, BEGIN IMMEDIATE does not. And SQLite before 3.51.3 can corrupt a WAL when two
processes checkpoint and commit at the same instant, so a lock file beside the database is held around writes and
around close (which checkpoints).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from lorewright.errors import DamagedFile
from lorewright.storage.enclosure import Enclosure
from lorewright.storage.trouble import telling_trouble

SQLITE_VERSION = sqlite3.sqlite_version
BUSY_TIMEOUT_MS = 10_000
LOCK_TIMEOUT_S = 60.0

# What a damaged database is called once it was set aside: `library.db.damaged`, then `library.db.damaged-2`.
DAMAGED = ".damaged"


def insert_row(table: str, values: Sequence[object]) -> tuple[str, tuple[object, ...]]:
    """The statement that adds a row to a table, with its values in the order of the columns."""
    return f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", tuple(values)


class Database:
    """One open SQLite file. Rows come as `sqlite3.Row`; nothing is written outside `transaction()`."""

    _kind: type[sqlite3.Connection] = sqlite3.Connection

    def __init__(self, path: Path) -> None:
        """Open the file, making it where it is missing.

        Raises:
            DamagedFile: the file is no database.
            FileUnavailable: it cannot be opened now: no room, no right, or another process holds it.
            UnsafePath: it, a file that SQLite keeps beside it, or its folder is a link.
        """
        self.path = path
        folder = Enclosure(path.parent)
        with telling_trouble(path):
            for file in (*files_of(path), path.with_name(f"{path.name}-journal")):
                folder.checked(file)
            folder.make_folder(path.parent)
            if not path.exists():
                folder.create(path)
            self._lock = folder.lock(path.with_name(f"{path.name}.lock"), timeout_s=LOCK_TIMEOUT_S)
            with self._lock:
                self._connection = sqlite3.connect(
                    path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000, factory=self._kind
                )
                try:
                    self._set_up()
                except BaseException:
                    self._connection.close()
                    raise

    def _set_up(self) -> None:
        self._connection.row_factory = sqlite3.Row
        pragmas = (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            f"busy_timeout = {BUSY_TIMEOUT_MS}",
        )
        for pragma in pragmas:
            self._connection.execute(f"PRAGMA {pragma}")

    def rows(self, sql: str, *parameters: object) -> list[sqlite3.Row]:
        """All rows of a query; the read ends here, so that no snapshot is held while someone thinks."""
        return self._connection.execute(sql, parameters).fetchall()

    def row(self, sql: str, *parameters: object) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        found = self.rows(sql, *parameters)
        return found[0] if found else None

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Whatever is read within is of one moment. Not for thinking in: it stops checkpoints."""
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A write transaction: committed when the block ends, rolled back when it raises.

        Raises:
            Busy: another process held the lock for too long; the block was not run.
        """
        with self._locked():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def watch(self, tell: Callable[[str], object] | None) -> None:
        """Have every statement told, as it is run; with None no more."""
        self._connection.set_trace_callback(tell)

    def close(self) -> None:
        """Close the file; the last one out checkpoints, hence the lock."""
        with self._locked():
            self._connection.close()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with telling_trouble(self.path):
            self._lock.acquire()
        try:
            yield
        finally:
            self._lock.release()


def files_of(path: Path) -> tuple[Path, ...]:
    """A database's file and those that SQLite keeps beside it, whether they are there or not."""
    return tuple(path.with_name(path.name + end) for end in ("", "-wal", "-shm"))


def delete_files_of(path: Path) -> None:
    """Delete a database that can be made again; the caller sees to it that nobody opens it meanwhile."""
    for file in files_of(path):
        Enclosure(path.parent).remove(file)


def set_aside(path: Path) -> Path:
    """Rename a damaged database to a name that is free, where it can be looked at, and return that; the caller sees to
    it that nobody opens it meanwhile."""
    folder = Enclosure(path.parent)
    aside = folder.path(f"{path.name}{DAMAGED}")
    for number in count(2):
        if not aside.exists():
            break
        aside = folder.path(f"{path.name}{DAMAGED}-{number}")
    for file, moved in zip(files_of(path), files_of(aside), strict=True):
        if file.exists():
            folder.move(file, moved)
    return aside


def is_sound(path: Path) -> bool:
    """Return whether a file, where there is one, is a database that SQLite finds whole.

    Raises:
        FileUnavailable: it cannot be looked at now, so that nothing is known of it.
        UnsafePath: it is a link.
    """
    if not Enclosure(path.parent).checked(path).exists():
        return True
    try:
        with opened(path) as database, telling_trouble(path):
            return bool(database.rows("PRAGMA quick_check")[0][0] == "ok")
    except DamagedFile:
        return False


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """A database that is closed when the block ends."""
    database = Database(path)
    try:
        yield database
    finally:
        database.close()
