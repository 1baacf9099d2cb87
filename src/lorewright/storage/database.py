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
from pathlib import Path

from filelock import FileLock

from lorewright.errors import DamagedFile

SQLITE_VERSION = sqlite3.sqlite_version
BUSY_TIMEOUT_MS = 10_000
LOCK_TIMEOUT_S = 60.0


_NO_DAMAGE = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
)


def insert_row(table: str, values: Sequence[object]) -> tuple[str, tuple[object, ...]]:
    """The statement that adds a row to a table, with its values in the order of the columns."""
    return f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", tuple(values)


class Database:
    """One open SQLite file. Rows come as `sqlite3.Row`; nothing is written outside `transaction()`."""

    _kind: type[sqlite3.Connection] = sqlite3.Connection

    def __init__(self, path: Path) -> None:
        """Open the file, making it where it is missing.

        Raises:
            DamagedFile: the file is no database, or the disk refuses.
        """
        self.path = path
        self._lock = FileLock(f"{path}.lock", timeout=LOCK_TIMEOUT_S)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._lock:
                self._connection = sqlite3.connect(
                    path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000, factory=self._kind
                )
                self._connection.row_factory = sqlite3.Row
                self._connection.execute("PRAGMA journal_mode = WAL")
            for pragma in ("synchronous = FULL", "foreign_keys = ON", f"busy_timeout = {BUSY_TIMEOUT_MS}"):
                self._connection.execute(f"PRAGMA {pragma}")
        # SQLite quotes a torn schema in its message, which may be no text any more.
        except (sqlite3.Error, OSError, UnicodeDecodeError) as problem:
            raise DamagedFile(f"{path}: {problem}", hint="look at the disk, or restore the file from a copy") from None

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
        """A write transaction: committed when the block ends, rolled back when it raises."""
        with self._lock:
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
        with self._lock:
            self._connection.close()


def files_of(path: Path) -> tuple[Path, ...]:
    """A database's file and those that SQLite keeps beside it, whether they are there or not."""
    return tuple(path.with_name(path.name + end) for end in ("", "-wal", "-shm"))


def delete_files_of(path: Path) -> None:
    """Delete a database that can be made again; the caller sees to it that nobody opens it meanwhile."""
    for file in files_of(path):
        file.unlink(missing_ok=True)


def is_damage(problem: sqlite3.Error) -> bool:
    """Whether a file is not what was written; else it may be as good as ever: another process writes, the disk is full.

    A text that is no UTF-8 any more has no code at all, and is damage.
    """
    return getattr(problem, "sqlite_errorcode", 0) & 0xFF not in _NO_DAMAGE


def is_sound(path: Path) -> bool:
    """Whether a file, where there is one, is a database that SQLite finds whole."""
    if not path.exists():
        return True
    try:
        with opened(path) as database:
            return bool(database.rows("PRAGMA quick_check")[0][0] == "ok")
    except (DamagedFile, sqlite3.DatabaseError):
        return False


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """A database that is closed when the block ends."""
    database = Database(path)
    try:
        yield database
    finally:
        database.close()
