"""Where a service keeps accounts and the like: a small protocol, and its implementation by the file service.db."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from threading import RLock, get_ident
from typing import Protocol

from lorewright.storage.database import Database
from lorewright.storage.integrity import Row
from lorewright.storage.service_tables import SERVICE_MIGRATIONS
from lorewright.storage.tables import open_migrated


class DuplicateRow(Exception):
    """A row of the same key is there already; nothing of the transaction was written."""


class Ran(Protocol):
    """A statement that was run: how many rows it changed, or the rows that it returned."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def fetchone(self) -> Row | None:
        """Return the next row, None where there is none."""


class Writing(Protocol):
    """An open transaction."""

    def execute(self, sql: str, values: tuple[object, ...] = ()) -> Ran:
        """Run a statement."""


class ServiceRows(Protocol):
    """The tables of `service_tables.py`. Their SQL is what SQLite and PostgreSQL have in common: marks are `?` or `?1`,
    texts are compared by their bytes, and a list is given as JSON to `SELECT value FROM json_each(?)`. To be used from
    any thread.
    """

    @property
    def is_away(self) -> bool:
        """True while it is known not to answer; `wait` for it in a thread that may wait."""

    def rows(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a query."""

    def transaction(self) -> AbstractContextManager[Writing]:
        """Run the block in a transaction: committed when it ends, rolled back when it raises.

        Raises:
            DuplicateRow: a row breaks a key.
        """

    def wait(self) -> None:
        """Return when it answers.

        Raises:
            DatabaseUnavailable: it does not within the time.
        """

    def hurry(self) -> None:
        """Wait for a blink at most, from now on, in the thread that calls this: it holds up others meanwhile."""

    def leave(self) -> None:
        """Close what the thread that asks has open."""

    def close(self) -> None:
        """Close all of it."""


class FileRows:
    """service.db, opened in the thread that asks; one transaction or query after the other."""

    is_away = False

    def __init__(self, path: Path) -> None:
        """Open the file, or make it.

        Raises:
        DamagedFile, FileUnavailable, UnsafePath, SettingsError: as `open_migrated` raises them.
        """
        self.path = path
        self._lock = RLock()
        with closing(open_migrated(path, SERVICE_MIGRATIONS)):
            pass
        self._databases: dict[int, Database] = {}

    def rows(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a query."""
        with self._lock:
            return self._open().rows(sql, *values)

    @contextmanager
    def transaction(self) -> Iterator[Writing]:
        """Run the block in a transaction: committed when it ends, rolled back when it raises.

        Raises:
            DuplicateRow: a row breaks a key.
        """
        try:
            with self._lock, self._open().transaction() as connection:
                yield connection
        except sqlite3.IntegrityError:
            raise DuplicateRow from None

    def wait(self) -> None:
        """Return: a file is there."""

    def hurry(self) -> None:
        """Do nothing: what is waited for is another writer of the file."""

    def leave(self) -> None:
        """Close the file in this thread."""
        with self._lock:
            if (found := self._databases.pop(get_ident(), None)) is not None:
                found.close()

    def close(self) -> None:
        """Close the file in this thread; other threads close it with themselves."""
        self.leave()

    def _open(self) -> Database:
        if (found := self._databases.get(get_ident())) is None:
            found = self._databases[get_ident()] = Database(self.path)
        return found
