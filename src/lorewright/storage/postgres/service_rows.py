"""The tables of a service in PostgreSQL, in a schema of their own beside that of campaigns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from threading import get_ident
from typing import TYPE_CHECKING, Any, TypeVar, cast

from lorewright.errors import DatabaseUnavailable, SettingsError
from lorewright.storage.database import with_single_blanks
from lorewright.storage.integrity import Row
from lorewright.storage.postgres.statements import name_marks, with_types
from lorewright.storage.postgres.store import PostgresStore, kind_of, read_text, write_text
from lorewright.storage.service_rows import DuplicateRow, Writing
from lorewright.storage.service_tables import postgres_statements

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")

SERVICE_SCHEMA = "lorewright_service"
_CONNECTIONS = 8
_WAIT_S = 15.0
# Where others are held up meanwhile: a blink, then it is said that nobody answers.
_WAIT_IN_HURRY_S = 1.0
_MIGRATING = 7_305_918
_LISTED = re.compile(r"SELECT value FROM json_each\(\?\)")
# Tables that PostgreSQL alone has. Unlogged: they are empty after a crash, as a limit in memory is after a start.
_OWN = {
    "postgres_001_limits": (
        """CREATE UNLOGGED TABLE limits (
            kind TEXT COLLATE "C" NOT NULL, key TEXT COLLATE "C" NOT NULL, until DOUBLE PRECISION NOT NULL,
            PRIMARY KEY (kind, key)
        ) WITH (fillfactor = 50)""",
    ),
}


@lru_cache(maxsize=256)
def _translate(sql: str) -> tuple[str, tuple[int, ...]]:
    """Return a statement in PostgreSQL's words, and the place of the value that each of its marks stands for."""
    text = _LISTED.sub('SELECT json_array_elements_text(?::json) COLLATE "C"', with_single_blanks(sql))
    return name_marks(text.replace("%", "%%"))


class PostgresRows:
    """The tables of a service in a PostgreSQL database, as `ServiceRows`: each query and each transaction with a
    connection of a pool, so that threads and workers do not wait for each other."""

    def __init__(self, store: PostgresStore) -> None:
        """Connect to the database of a store of campaigns, and make or change the tables where that was not done yet.

        Raises:
            SettingsError: a newer version made the tables.
            DatabaseUnavailable: nobody answers there, or the role may not make tables.
        """
        import psycopg
        import psycopg_pool

        self._store = store
        self._broken = (psycopg.Error, psycopg.OperationalError, psycopg_pool.PoolTimeout)
        self._duplicate = psycopg.IntegrityError
        self.is_away = False
        self._hurried: int | None = None
        self._pool: psycopg_pool.ConnectionPool[Any] = psycopg_pool.ConnectionPool(
            store.address,
            min_size=1,
            max_size=_CONNECTIONS,
            timeout=_WAIT_S,
            kwargs={
                "autocommit": True,
                "options": f"-c search_path={SERVICE_SCHEMA}",
                "application_name": "lorewright accounts",
            },
            open=False,
        )
        try:
            with store.faults():
                self._pool.open(wait=True, timeout=_WAIT_S)
                with self._pool.connection() as connection, connection.transaction():
                    self._migrate(connection)
        except BaseException:
            self.close()
            raise

    def _migrate(self, connection: psycopg.Connection[Any]) -> None:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SERVICE_SCHEMA}")
        connection.execute(
            """CREATE TABLE IF NOT EXISTS migrations
               (name TEXT PRIMARY KEY, applied_at TIMESTAMPTZ NOT NULL DEFAULT now())"""
        )
        done = {name for (name,) in connection.execute("SELECT name FROM migrations").fetchall()}
        known = {**postgres_statements(), **_OWN}
        if unknown := sorted(done - known.keys()):
            raise SettingsError(
                f"the accounts in {self._store.name} were written by a newer version (migration {unknown[0]})",
                hint="upgrade lorewright",
            )
        for name, statements in known.items():
            if name not in done:
                for statement in statements:
                    connection.execute(cast(Any, statement))
                connection.execute("INSERT INTO migrations (name) VALUES (%s)", (name,))

    def rows(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a query; it is asked again where a connection was lost."""
        with self._store.faults():
            connection, cursor = self._try(lambda answering: _ask(answering, sql, values))
            try:
                return _rows_of(cursor, cursor.fetchall())
            finally:
                self._pool.putconn(connection)

    @contextmanager
    def transaction(self) -> Iterator[Writing]:
        """Run the block in a transaction: committed when it ends, rolled back when it raises.

        Raises:
            DuplicateRow: a row breaks a key.
        """
        with self._store.faults():
            connection, _ = self._try(lambda answering: answering.execute("BEGIN"))
            try:
                yield cast(Writing, _Writing(connection))
                connection.execute("COMMIT")
            except BaseException as problem:
                with suppress(*self._broken):
                    connection.execute("ROLLBACK")
                if isinstance(problem, self._duplicate):
                    raise DuplicateRow from None
                raise
            finally:
                self._pool.putconn(connection)

    def snapshot(self, queries: Mapping[str, str]) -> dict[str, list[Row]]:
        """Return the rows of several queries by name, of one moment."""
        with self._store.faults():
            connection, _ = self._try(lambda found: found.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
            try:
                cursors = {name: _ask(connection, sql, ()) for name, sql in queries.items()}
                return {name: _rows_of(cursor, cursor.fetchall()) for name, cursor in cursors.items()}
            finally:
                with suppress(*self._broken):
                    connection.execute("ROLLBACK")
                self._pool.putconn(connection)

    def wait(self) -> None:
        """Return when PostgreSQL answers.

        Raises:
            DatabaseUnavailable: it does not within the time.
        """
        self.rows("SELECT 1 AS answer")

    def hurry(self) -> None:
        """Wait for a blink at most, from now on, in the thread that calls this; while it is away, not at all."""
        self._hurried = get_ident()

    def leave(self) -> None:
        """Do nothing: connections belong to no thread."""

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    def _try(self, work: Callable[[psycopg.Connection[Any]], T]) -> tuple[psycopg.Connection[Any], T]:
        """Return a connection and what work makes of it, of another where it was lost: after PostgreSQL was restarted
        all that are kept are. The caller puts it back."""
        wait_s = _WAIT_S
        if get_ident() == self._hurried:
            wait_s = _WAIT_IN_HURRY_S
            if self.is_away:
                raise DatabaseUnavailable(f"{self._store.name} does not answer", hint="try again in a moment")
        for tries_left in range(_CONNECTIONS, -1, -1):
            connection = None
            try:
                connection = self._pool.getconn(wait_s)
                done = work(connection)
            except BaseException as problem:
                if connection is not None:
                    self._pool.putconn(connection)
                self.is_away = self.is_away or isinstance(problem, self._broken[1:])
                if connection is None or not tries_left or not isinstance(problem, self._store.lost):
                    raise
            else:
                self.is_away = False
                return connection, done
        raise AssertionError("the last try returns or raises")


class _Writing:
    """What a transaction of `PostgresRows` is written through."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, sql: str, values: tuple[object, ...] = ()) -> _Ran:
        return _Ran(_ask(self._connection, sql, values))


class _Ran:
    """A statement that was run."""

    def __init__(self, cursor: psycopg.Cursor[Any]) -> None:
        self._cursor = cursor
        self.rowcount = cursor.rowcount

    def fetchone(self) -> Row | None:
        found = self._cursor.fetchone()
        return None if found is None else _rows_of(self._cursor, [found])[0]


def _ask(connection: psycopg.Connection[Any], sql: str, values: tuple[object, ...]) -> psycopg.Cursor[Any]:
    text, places = _translate(sql)
    given = {f"p{place}": write_text(values[place]) for place in places}
    names = tuple(name for name, value in given.items() if value is None or isinstance(value, str))
    return connection.execute(cast(Any, with_types(text, names, kind="text")), given)


def _rows_of(cursor: psycopg.Cursor[Any], found: list[Any]) -> list[Row]:
    kind, kept = kind_of(tuple(column.name for column in cursor.description or ()))
    return cast(list[Row], [kind(read_text(row[place]) for place in kept) for row in found])
