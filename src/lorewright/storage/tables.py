"""Migrations of a file, and whole tables of a campaign's file <-> plain values, under the same ID or another. Tables
that can be rebuilt from the head's state are left out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from pathlib import Path

from lorewright.errors import DamagedFile, SettingsError
from lorewright.storage.database import Database, add_functions, foreign_schema, read_json, with_single_blanks
from lorewright.storage.packed_texts import KEYS, PACKED, STAGE_RECORDS, StageInputs, selected
from lorewright.storage.packing import pack
from lorewright.storage.projection import REBUILT_TABLES

# Migrations: each is applied once, in order, in one transaction with its record. A released migration is never edited.


@dataclass(frozen=True, slots=True)
class Migration:
    """A step of a schema: a permanent name, and single SQL statements; `postgres` are those of the same step there,
    where services of two versions meet: read `storage.postgres.schema.EXPANDS` before you name one."""

    name: str
    statements: tuple[str, ...]
    postgres: tuple[str, ...] = ()


# Name of a table, index or view -> the statement that made it, with single blanks.
_Schema = dict[str, str]

_OWN_TABLE = "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)"
# Tables that SQLite makes; its indexes of keys have no statement.
_BY_SQLITE = ("sqlite_sequence", "sqlite_stat1", "sqlite_stat4")
_SCHEMA = f"""SELECT CAST(name AS TEXT), CAST(sql AS TEXT) FROM sqlite_master
    WHERE sql IS NOT NULL AND name NOT IN {_BY_SQLITE}"""


def open_migrated(path: Path, migrations: Sequence[Migration], *, rebuildable: bool = False) -> Database:
    """Return an open database whose tables are up to date; the caller closes it. For `rebuildable` see `migrate`.

    Raises:
        DamagedFile, FileUnavailable, UnsafePath: as `Database` raises them.
        SettingsError: a newer version wrote it.
    In each case the file is closed.
    """
    database = Database(path)
    try:
        migrate(database, migrations, rebuildable=rebuildable)
    except BaseException:
        database.close()
        raise
    return database


def migrate(database: Database, migrations: Sequence[Migration], *, rebuildable: bool = False) -> list[str]:
    """Apply the missing migrations and return their names, in order. In a `rebuildable` file a list of migrations with
    an unknown name and without a known one is damage, as no version writes it.

    Raises:
        SettingsError: the file holds a migration that this version does not know; nothing was changed.
        DamagedFile: its tables are not as its migrations make them, or a rebuildable file's list of migrations is
            damaged; nothing was changed.
    """
    if rebuildable:
        known, done = {migration.name for migration in migrations}, _done(database)
        if done - known and known - done:
            raise DamagedFile(f"{database.path}: its list of migrations is damaged", hint="run: lorewright doctor")
    if not missing(database, migrations):
        return []
    return [migration.name for migration in migrations if _apply(database, migration)]


def missing(database: Database, migrations: Sequence[Migration]) -> list[str]:
    """Return the names of the migrations that were not applied yet, in order. Nothing is changed.

    Raises:
        SettingsError: the file holds a migration that this version does not know.
        DamagedFile: its tables, indexes and views are not those that its migrations make; every later query relies on
            them.
    """
    with database.snapshot():
        done, found = _done(database), _schema(database.rows(_SCHEMA))
    unknown = sorted(done - {migration.name for migration in migrations})
    if unknown:
        raise SettingsError(
            f"{database.path.name} was written by a newer version (migration {unknown[0]})",
            hint="upgrade lorewright",
        )
    made = _made_by(tuple(migration for migration in migrations if migration.name in done))
    other = sorted(name for name in made.keys() | found.keys() if made.get(name) != found.get(name))
    if other:
        raise foreign_schema(database.path, f"{other[0]!r} in it is not as lorewright makes it")
    return [migration.name for migration in migrations if migration.name not in done]


@lru_cache(maxsize=32)
def _made_by(migrations: tuple[Migration, ...]) -> _Schema:
    """Return the schema that migrations make, in order. If one of them fails, it is the schema made until then, which
    no file of ours has."""
    if not migrations:
        return {}
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        add_functions(connection)
        connection.execute("BEGIN")
        with suppress(sqlite3.Error):
            for sql in (_OWN_TABLE, *(statement for migration in migrations for statement in migration.statements)):
                connection.execute(sql)
        return _schema(connection.execute(_SCHEMA))


def _schema(rows: Iterable[sqlite3.Row]) -> _Schema:
    return {name: with_single_blanks(sql) for name, sql in rows}


def _done(database: Database) -> set[str]:
    table = database.row("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'")
    return {row["name"] for row in database.rows("SELECT name FROM migrations")} if table else set()


def _apply(database: Database, migration: Migration) -> bool:
    """Apply a migration; return False if another process had applied it before."""
    with database.transaction() as connection:
        connection.execute(_OWN_TABLE)
        if connection.execute("SELECT 1 FROM migrations WHERE name = ?", (migration.name,)).fetchone():
            return False
        for statement in migration.statements:
            connection.execute(with_single_blanks(statement))
        connection.execute("INSERT INTO migrations VALUES (?, datetime('now'))", (migration.name,))
    return True


# Whole tables <-> plain values, under the same ID or another.

# Only confidences are fractions; counts and prices are whole numbers.
Value = str | int | float | None

# Tables that belong to the file, not to the campaign, or that follow from the others. Files of versions before 009 have
# the established facts in a table `facts`, which is a view now.
_OF_THE_FILE = (
    *("migrations", "sqlite_sequence", "sqlite_stat1", "sqlite_stat4", *REBUILT_TABLES, "facts"),
    *(KEYS, "first_reveals"),
)
# Columns, other than `campaign_id`, with IDs that begin with the campaign's ID.
_PREFIXED = {
    *{("sessions", "id"), ("turns", "session_id"), ("scene_lore", "id"), ("scene_lore", "session_id")},
    *{("attempts", "session_id"), ("model_calls", "session_id")},
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its columns, and its rows in the order in which they were written. The rows of an
    imported file can be iterated once, and are verified only at their end."""

    name: str
    columns: tuple[str, ...]
    rows: Iterable[tuple[Value, ...]]


def read_tables(database: Database) -> list[Table]:
    """Return all tables of a campaign, by name, in one snapshot."""
    with database.snapshot():
        return [_read(database, name) for name in _names(database)]


def write_tables(database: Database, tables: Sequence[Table], *, campaign_id: str, was: str) -> None:
    """Fill the tables of an empty file, in one transaction; the campaign ID `was` is replaced by `campaign_id`.

    Raises:
        DamagedFile: the tables are not those of the file, or hold values of other types; nothing was written.
        sqlite3.Error: the rows break a constraint; nothing was written.
    """
    wanted = {name: database.columns(name) for name in _names(database)}
    given = {table.name: table.columns for table in tables}
    if given != wanted or len(tables) != len(given):
        different = sorted(set(wanted.items()) ^ set(given.items()))
        raise DamagedFile(f"its tables are not ours: {different[0][0]}", hint="have it exported and sent again")
    # A file of a version before there were packed texts is filled as it was then.
    inputs = StageInputs(database.rows, campaign_id) if database.columns(KEYS) else None
    # Tables come by name: turns before states.
    root_id: Value = None
    root: str | None = None
    with database.transaction() as connection:
        # Turns and sittings point at each other.
        database.defer_foreign_keys(connection)
        for table in tables:
            marks = ", ".join("?" * len(table.columns))
            for row in table.rows:
                _check(table, row)
                values = {
                    name: _renamed(table.name, name, value, campaign_id, was)
                    for name, value in zip(table.columns, row, strict=True)
                }
                if table.name == "turns" and values["parent_id"] is None:
                    root_id = values["turn_id"]
                elif table.name == "world_states" and values["turn_id"] == root_id:
                    root = str(values["state_json"])
                stored = _packed(table.name, values, inputs)
                connection.execute(f"INSERT INTO {table.name} VALUES ({marks})", stored)
        if inputs is not None:
            for statement in inputs.keys:
                connection.execute(*statement)
            for statement in first_reveals(campaign_id, root or ""):
                connection.execute(*statement)


def first_reveals(campaign_id: str, state_json: str) -> Iterator[tuple[str, tuple[str | None, ...]]]:
    """Yield the statements that store what was known when a campaign began, from its first state."""
    with suppress(ValueError, AttributeError):
        for who, items in read_json(state_json).get("reveals", {}).items():
            for item_id, learned in items.items():
                yield "INSERT INTO first_reveals VALUES (?, ?, ?, ?)", (campaign_id, who, item_id, learned.get("how"))


def _names(database: Database) -> list[str]:
    return [name for name in database.table_names() if name not in _OF_THE_FILE]


def _read(database: Database, name: str) -> Table:
    columns = database.columns(name)
    rows = database.rows(f"SELECT {selected(name, *columns)} FROM {name} ORDER BY rowid")
    return Table(name, columns, tuple(tuple(row) for row in rows))


def _packed(table: str, values: dict[str, Value], inputs: StageInputs | None) -> list[Value | bytes]:
    """Return the values of a row as they are to be stored."""
    stored: dict[str, Value | bytes] = dict(values)
    if inputs is not None:
        for column in PACKED.get(table, ()):
            if isinstance(text := values[column], str):
                stored[column] = inputs.pack(str(values["stage"]), text) if table == STAGE_RECORDS else pack(text)
    return list(stored.values())


def _check(table: Table, row: Sequence[object]) -> None:
    """Check that a row has a text, finite number or None for each column.

    Raises:
        DamagedFile: it does not.
    """
    if len(row) != len(table.columns) or not all(map(_is_storable, row)):
        raise DamagedFile(f"a row of {table.name} does not fit its columns", hint="have it exported and sent again")


def _is_storable(value: object) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return type(value) in (str, int, type(None))


def _renamed(table: str, column: str, value: Value, campaign_id: str, was: str) -> Value:
    if column == "campaign_id" or (table, column) == ("campaigns", "id"):
        return campaign_id if value == was else value
    if (table, column) in _PREFIXED and isinstance(value, str) and value.startswith(f"{was}:"):
        return campaign_id + value[len(was) :]
    return value
