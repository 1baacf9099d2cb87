"""Campaigns in PostgreSQL: a store of many, and each as a `Database` that answers the queries of a campaign's file.

A query is narrowed to its campaign (`statements.py`); row-level security says the same a second time, so that a query
that was not narrowed finds nothing of another campaign.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from lorewright.errors import DatabaseUnavailable, NotFound, SettingsError
from lorewright.extras import require_extra
from lorewright.storage.database import Database
from lorewright.storage.packed_texts import KEYS, PACKED, read_packed
from lorewright.storage.packing import key_of
from lorewright.storage.postgres.schema import ALL, EXPANDS, SCHEMA, SETTING, migrations, table_shapes
from lorewright.storage.postgres.statements import translate, with_types

if TYPE_CHECKING:
    import psycopg
    import psycopg_pool

_CONNECTIONS = 8
_WAIT_S = 15.0
# A name that is slow to resolve, or a host that swallows packets.
_FIRST_WAIT_S = 5
# A process that stands still within a transaction, or is cut off, holds up the others of its campaign so long.
_IDLE_S, _LOCKED_S, _MIGRATED_S = 10, 8, 60
# A server that does not answer is given up after so long, unless the address says otherwise; then another is tried.
_NETWORK = {
    "connect_timeout": 3,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
# Waits between tries to connect grow; a request begins them anew after so long.
_RECONNECT_S = 2.0
# The first byte of a text in a column that may hold packed ones; those begin with another.
_TEXT = b"\x00"
# PostgreSQL has no text with a NUL: it is written as this character of private use and a digit, and so is that.
_ESCAPE = "\uf8ff"
_OPTIONS = f"-c search_path={SCHEMA} -c lock_timeout={_LOCKED_S}s -c idle_in_transaction_session_timeout={_IDLE_S}s"
# What a check of a campaign's file has beyond that of its rows, and no check of ours looks at in PostgreSQL.
LEFT_TO_POSTGRES = (
    "that pages and indexes are whole (data checksums, pg_amcheck)",
    "that nothing acknowledged is lost (its log)",
)
# Any number; it names the lock under which tables are made.
_MIGRATING = 7_305_917


class Row(tuple[Any, ...]):
    """A row that is read by place and by name, as `sqlite3.Row` is."""

    names: Mapping[str, int]

    def keys(self) -> list[str]:
        """Return the names of the columns, in order."""
        return list(self.names)

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self.names[key] if isinstance(key, str) else key)


@lru_cache(maxsize=256)
def kind_of(columns: tuple[str, ...]) -> tuple[type[Row], tuple[int, ...]]:
    """Return the class of rows with these columns, and the places of those that a file has, too."""
    kept = tuple(place for place, name in enumerate(columns) if name != "rowid")
    return type("Row", (Row,), {"names": {columns[place]: number for number, place in enumerate(kept)}}), kept


@contextmanager
def faults_of(name: str, errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """Raise errors of PostgreSQL as ours, about what is called by that name."""
    try:
        yield
    except errors as problem:
        first = str(problem).strip().splitlines()[:1]
        raise DatabaseUnavailable(f"{name}: {''.join(first)}", hint="try again; see that PostgreSQL runs") from problem


class PostgresStore:
    """The campaigns of a PostgreSQL database."""

    def __init__(self, address: str, *, is_patient: bool = True) -> None:
        """Connect, and make or change the tables where that was not done yet. A server that does not answer is waited
        for; not so where `is_patient` is False.

        Raises:
            ExtraMissing: psycopg is not installed.
            SettingsError: row-level security does not hold for the role, the encoding is not UTF-8, or a newer version
                made the tables.
            DatabaseUnavailable: nobody answers there, or the role may not make tables.
        """
        require_extra("postgres", needed_by="a PostgreSQL database")
        import psycopg
        import psycopg_pool

        self._errors = (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed)
        self.lost = psycopg.OperationalError
        self.address = address
        self.name = _name_of(address)
        # A connection -> the campaign that it sees.
        self._of: WeakKeyDictionary[psycopg.Connection[Any], str] = WeakKeyDictionary()
        self._pool: psycopg_pool.ConnectionPool[Any] = psycopg_pool.ConnectionPool(
            address,
            min_size=1,
            max_size=_CONNECTIONS,
            timeout=_WAIT_S,
            reconnect_timeout=_RECONNECT_S,
            kwargs={**_network_of(address), "autocommit": True, "options": _OPTIONS, "application_name": "lorewright"},
            open=False,
        )
        try:
            with self.faults():
                if not is_patient:
                    psycopg.connect(address, connect_timeout=_FIRST_WAIT_S).close()
                self._pool.open(wait=True, timeout=_WAIT_S)
                with self._pool.connection() as connection:
                    self._check_role(connection)
                    self._migrate(connection)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    def _check_role(self, connection: psycopg.Connection[Any]) -> None:
        sql = """SELECT rolsuper OR rolbypassrls, current_setting('server_encoding')
                 FROM pg_roles WHERE rolname = current_user"""
        found = connection.execute(sql).fetchone()
        if found is None or found[0]:
            raise SettingsError(
                f"the role of {self.name} may read the rows of every campaign",
                hint="connect as a role without SUPERUSER and BYPASSRLS that owns the database",
            )
        if found[1] != "UTF8":
            raise SettingsError(f"{self.name} is not encoded in UTF-8", hint="create the database with ENCODING 'UTF8'")

    def _migrate(self, connection: psycopg.Connection[Any]) -> None:
        with connection.transaction():
            connection.execute(f"SET LOCAL lock_timeout = '{_MIGRATED_S}s'")
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            connection.execute(
                """CREATE TABLE IF NOT EXISTS migrations
                   (name TEXT PRIMARY KEY, applied_at TIMESTAMPTZ NOT NULL DEFAULT now())"""
            )
            done = {name for (name,) in connection.execute("SELECT name FROM migrations").fetchall()}
            known = migrations()
            # Two versions serve at once while workers are replaced one by one: see `EXPANDS`.
            if unknown := sorted(name for name in done - known.keys() if not name.endswith(EXPANDS)):
                raise SettingsError(
                    f"{self.name} was written by a newer version (migration {unknown[0]})", hint="upgrade lorewright"
                )
            for name, statements in known.items():
                if name not in done:
                    for statement in statements:
                        connection.execute(statement)
                    connection.execute("INSERT INTO migrations (name) VALUES (%s)", (name,))

    @contextmanager
    def connection(self, campaign_id: str, *, probed: bool = False) -> Iterator[psycopg.Connection[Any]]:
        """Yield a connection that sees the rows of one campaign; with `probed`, one that answers just now."""
        connection = self._connected(campaign_id, probed)
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    def _connected(self, campaign_id: str, probed: bool) -> psycopg.Connection[Any]:
        # After PostgreSQL was restarted all that are kept are lost; each is found so once.
        for tries_left in range(_CONNECTIONS, -1, -1):
            connection = self._pool.getconn()
            if self._of.get(connection) == campaign_id and not probed:
                break
            try:
                connection.execute("SELECT set_config(%s, %s, false)", (SETTING, campaign_id))
            except BaseException as problem:
                self._pool.putconn(connection)
                if not tries_left or not isinstance(problem, self.lost):
                    raise
            else:
                self._of[connection] = campaign_id
                break
        return connection

    def faults(self) -> AbstractContextManager[None]:
        """Raise errors of PostgreSQL as ours."""
        return faults_of(self.name, self._errors)

    def ids(self) -> list[str]:
        """Return the IDs of all campaigns, sorted."""
        with self.faults(), self.connection(ALL) as connection:
            return [row[0] for row in connection.execute('SELECT id FROM campaigns ORDER BY id COLLATE "C"').fetchall()]

    def holds(self, campaign_id: str) -> bool:
        """Return True if there is a campaign of that ID."""
        return self.database(campaign_id).row("SELECT id FROM campaigns") is not None

    def database(self, campaign_id: str) -> PostgresDatabase:
        """Return a campaign's tables, whether it exists or not."""
        return PostgresDatabase(self, campaign_id)

    def remove(self, campaign_id: str) -> None:
        """Delete a campaign with all that is stored of it.

        Raises:
            NotFound: there is none of that ID.
        """
        database = self.database(campaign_id)
        with database.transaction() as connection:
            if connection.execute("SELECT id FROM campaigns").fetchone() is None:
                raise NotFound(f"there is no campaign {campaign_id}", hint="see: lorewright campaign list")
            database.defer_foreign_keys(connection)
            for name in table_shapes():
                connection.execute(f"DELETE FROM {name}")


def _network_of(address: str) -> Mapping[str, int]:
    """Return how long the network is waited for, but for what an address says of that itself."""
    from psycopg.conninfo import conninfo_to_dict

    return {name: value for name, value in _NETWORK.items() if name not in conninfo_to_dict(address)}


def _name_of(address: str) -> str:
    """Return an address without its user, password and query, for people."""
    from psycopg import Error
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(address)
    except Error:
        raise SettingsError(
            "the database's address cannot be read", hint="write postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
        ) from None
    return f"PostgreSQL {parts.get('dbname', '')} at {parts.get('host', 'localhost')}"


class PostgresDatabase(Database):
    """A campaign in PostgreSQL, read and written as a campaign's file is. `path` is a name: there is no file."""

    has_projection = False

    def __init__(self, store: PostgresStore, campaign_id: str) -> None:
        self._store = store
        self.campaign_id = campaign_id
        self.path = Path("/postgresql", store.name.replace("/", "_"), f"{campaign_id}.db")
        self.is_read_only = False
        self._held: psycopg.Connection[Any] | None = None
        self._watch: Callable[[str], object] | None = None

    def rows(self, sql: str, *parameters: object) -> list[sqlite3.Row]:
        """Return all rows of a query. Outside of a snapshot it is asked again where the connection was lost."""
        with self._store.faults():
            if self._held is not None:
                return self._ask(self._held, sql, parameters).fetchall()
            try:
                with self._store.connection(self.campaign_id) as connection:
                    return self._ask(connection, sql, parameters).fetchall()
            except self._store.lost:
                with self._store.connection(self.campaign_id, probed=True) as connection:
                    return self._ask(connection, sql, parameters).fetchall()

    def each(self, sql: str, *parameters: object) -> Iterator[sqlite3.Row]:
        """Yield the rows of a query."""
        yield from self.rows(sql, *parameters)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read from one snapshot within the block; blocks may be nested."""
        if self._held is not None:
            yield
            return
        with (
            self._store.faults(),
            self._store.connection(self.campaign_id, probed=True) as connection,
            connection.transaction(),
        ):
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            self._held = connection
            try:
                yield
            finally:
                self._held = None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the block in a transaction that waits for others of the same campaign: committed when it ends, rolled
        back when it raises. Statements are sent without waiting for their answers."""
        with (
            self._store.faults(),
            self._store.connection(self.campaign_id, probed=True) as connection,
            connection.pipeline(),
            connection.transaction(),
        ):
            connection.execute("SELECT 1 FROM campaigns WHERE id = %s FOR UPDATE", (self.campaign_id,))
            yield cast(sqlite3.Connection, _Writing(self, connection))

    def keep_count(self, created_at: str, revision: int) -> None:
        """Do nothing: PostgreSQL refuses to start on a damaged log."""

    def count_lost(self, created_at: str, revision: int) -> int:
        """Return 0: see `keep_count`."""
        return 0

    def defer_foreign_keys(self, connection: sqlite3.Connection) -> None:
        """Check the keys of a transaction at its end."""
        cast(_Writing, connection).plain("SET CONSTRAINTS ALL DEFERRED")

    def watch(self, tell: Callable[[str], object] | None) -> None:
        """Call `tell` with every statement that is run; with None, stop that."""
        self._watch = tell

    def close(self) -> None:
        """Do nothing: the connections are the store's."""

    def table_names(self) -> list[str]:
        """Return the names of the tables, sorted."""
        return sorted(table_shapes())

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the columns of a table, in order."""
        return tuple(table_shapes()[table].columns) if table in table_shapes() else ()

    def _ask(self, connection: psycopg.Connection[Any], sql: str, parameters: Sequence[object]) -> _Answer:
        text, places, table, columns = translate(sql)
        if self._watch is not None:
            self._watch(text)
        given: dict[str, object] = {f"p{place}": write_text(parameters[place]) for place in places}
        given["c"] = self.campaign_id
        packed = PACKED.get(table, ())
        if packed:
            for place, column in zip(places, columns, strict=False):
                if column in packed and isinstance(value := parameters[place], str):
                    given[f"p{place}"] = _TEXT + value.encode()
        if not table:
            text = with_types(text, tuple(name for name, value in given.items() if isinstance(value, str)))
        return _Answer(self, connection.execute(text, given))

    def read(self, packed: bytes) -> str:
        """Return the text of a column that may be packed; empty where its bytes were altered."""
        if packed[:1] == _TEXT:
            return packed[1:].decode()
        with suppress(ValueError, TypeError):
            if not (number := key_of(packed)):
                return read_packed(packed, 0, b"")
            found = self.row(f"SELECT text_of(input) FROM {KEYS} WHERE key_no = ?", number)
            return read_packed(packed, number, "" if found is None else found[0])
        return ""


def write_text(value: object) -> object:
    """Return a value as it is stored: a text without NUL."""
    if isinstance(value, str) and ("\0" in value or _ESCAPE in value):
        return value.replace(_ESCAPE, f"{_ESCAPE}1").replace("\0", f"{_ESCAPE}0")
    return value


def read_text(value: Any) -> Any:
    """Return a value as it was before `write_text`."""
    if isinstance(value, str) and _ESCAPE in value:
        return value.replace(f"{_ESCAPE}0", "\0").replace(f"{_ESCAPE}1", _ESCAPE)
    return value


class _Writing:
    """What a transaction of `PostgresDatabase` is written through."""

    def __init__(self, database: PostgresDatabase, connection: psycopg.Connection[Any]) -> None:
        self._database = database
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> _Answer:
        return self._database._ask(self._connection, sql, parameters)

    def plain(self, sql: str) -> None:
        self._connection.execute(sql)


class _Answer:
    """The rows of a query, with the texts of packed columns."""

    def __init__(self, database: PostgresDatabase, cursor: psycopg.Cursor[Any]) -> None:
        self._database = database
        self._cursor = cursor

    def fetchone(self) -> sqlite3.Row | None:
        return next(iter(self.fetchall()), None)

    def fetchall(self) -> list[sqlite3.Row]:
        found = self._cursor.fetchall()
        kind, kept = kind_of(tuple(column.name for column in self._cursor.description or ()))
        return cast(list[sqlite3.Row], [kind(self._read(row[place]) for place in kept) for row in found])

    def _read(self, value: Any) -> Any:
        if isinstance(value, bytes | memoryview):
            return self._database.read(bytes(value))
        return read_text(value)
