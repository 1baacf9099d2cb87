"""Whole tables of a campaign's file as plain values, and back, under the same ID or another. What can be made anew from
the head's state is left out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from pathlib import Path

from lorewright.errors import DamagedFile, SettingsError
from lorewright.storage.database import Database, foreign_schema
from lorewright.storage.projection import MADE_ANEW

# Named migrations: each applied once, in order, in one transaction with its record. A released one is never edited.


@dataclass(frozen=True, slots=True)
class Migration:
    """A step of a schema: a name that stays for ever and the statements, one each."""

    name: str
    statements: tuple[str, ...]


# Name of a table, index or view -> the statement that made it, its blanks made one.
_Schema = dict[str, str]

_OWN_TABLE = "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)"
# What SQLite makes for itself: the indexes of keys have no statement.
_BY_SQLITE = ("sqlite_sequence", "sqlite_stat1", "sqlite_stat4")
_SCHEMA = f"""SELECT CAST(name AS TEXT), CAST(sql AS TEXT) FROM sqlite_master
    WHERE sql IS NOT NULL AND name NOT IN {_BY_SQLITE}"""


def open_migrated(path: Path, migrations: Sequence[Migration], *, rebuildable: bool = False) -> Database:
    """An open database whose tables are up to date; the caller closes it. For `rebuildable` see `migrate`.

    Raises:
        DamagedFile, FileUnavailable, UnsafePath: as `Database` raises them.
        SettingsError: a newer version wrote it.
    Whatever is raised, the file is closed.
    """
    database = Database(path)
    try:
        migrate(database, migrations, rebuildable=rebuildable)
    except BaseException:
        database.close()
        raise
    return database


def migrate(database: Database, migrations: Sequence[Migration], *, rebuildable: bool = False) -> list[str]:
    """Apply what is missing; the names of what was applied, in order. Of a file that is `rebuildable` a list of
    migrations that no version writes is damage: it has an unknown name and lacks a known one.

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
    """The names of those that were not applied yet, in order. Nothing is changed.

    Raises:
        SettingsError: the file holds a migration that this version does not know.
        DamagedFile: its tables, indexes and views are not those that its migrations make: whatever is asked of the file
            later, and names its tables and columns, is asked of tables of ours.
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
        raise foreign_schema(database.path, f"{other[0]!r} in it is not as we make it")
    return [migration.name for migration in migrations if migration.name not in done]


@lru_cache(maxsize=32)
def _made_by(migrations: tuple[Migration, ...]) -> _Schema:
    """The schema that migrations make, one after the other. Of some that do not follow each other it is what could be
    made, which no file of ours is like."""
    if not migrations:
        return {}
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        with suppress(sqlite3.Error):
            for statement in (_OWN_TABLE, *(each for migration in migrations for each in migration.statements)):
                connection.execute(statement)
        return _schema(connection.execute(_SCHEMA))


def _schema(rows: Iterable[sqlite3.Row]) -> _Schema:
    return {name: " ".join(sql.split()) for name, sql in rows}


def _done(database: Database) -> set[str]:
    table = database.row("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'")
    return {row["name"] for row in database.rows("SELECT name FROM migrations")} if table else set()


def _apply(database: Database, migration: Migration) -> bool:
    """Whether this call applied it: another process may have been first."""
    with database.transaction() as connection:
        connection.execute(_OWN_TABLE)
        if connection.execute("SELECT 1 FROM migrations WHERE name = ?", (migration.name,)).fetchone():
            return False
        for statement in migration.statements:
            connection.execute(statement)
        connection.execute("INSERT INTO migrations VALUES (?, datetime('now'))", (migration.name,))
    return True


# Fractions are how sure somebody is of something; all that is counted or paid is whole.
Value = str | int | float | None

# What is not of the campaign, but of the file, or follows from the rest.
_OF_THE_FILE = ("migrations", "sqlite_sequence", "sqlite_stat1", "sqlite_stat4", *MADE_ANEW)
# IDs that begin with that of their campaign, beside `campaign_id` itself.
_PREFIXED = {
    *{("sessions", "id"), ("turns", "session_id"), ("scene_lore", "id"), ("scene_lore", "session_id")},
    *{("attempts", "session_id"), ("model_calls", "session_id")},
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its columns, and its rows in the order in which they were written. Those of a stranger's file can
    be read once, and are known to be what was written at their end alone."""

    name: str
    columns: tuple[str, ...]
    rows: Iterable[tuple[Value, ...]]


def read_tables(database: Database) -> list[Table]:
    """All tables of a campaign by name, as they are at one moment."""
    with database.snapshot():
        return [_read(database, name) for name in _names(database)]


def write_tables(database: Database, tables: Sequence[Table], *, campaign_id: str, was: str) -> None:
    """Fill the tables of a file that is empty, in one transaction; what was of the campaign `was` is of `campaign_id`.

    Raises:
        DamagedFile: they are other tables than the file has, or hold other values than ours do; nothing was written.
        sqlite3.Error: their rows do not fit together; nothing was written.
    """
    wanted = {name: _columns(database, name) for name in _names(database)}
    given = {table.name: table.columns for table in tables}
    if given != wanted or len(tables) != len(given):
        different = sorted(set(wanted.items()) ^ set(given.items()))
        raise DamagedFile(f"its tables are not ours: {different[0][0]}", hint="have it exported and sent again")
    with database.transaction() as connection:
        # Turns and sittings point at each other.
        connection.execute("PRAGMA defer_foreign_keys = ON")
        for table in tables:
            marks = ", ".join("?" * len(table.columns))
            for row in table.rows:
                _check(table, row)
                values = [
                    _renamed(table.name, *cell, campaign_id, was) for cell in zip(table.columns, row, strict=True)
                ]
                connection.execute(f"INSERT INTO {table.name} VALUES ({marks})", values)


def _names(database: Database) -> list[str]:
    rows = database.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [row["name"] for row in rows if row["name"] not in _OF_THE_FILE]


def _columns(database: Database, table: str) -> tuple[str, ...]:
    return tuple(row["name"] for row in database.rows(f"PRAGMA table_info({table})"))


def _read(database: Database, name: str) -> Table:
    rows = database.rows(f"SELECT * FROM {name} ORDER BY rowid")
    return Table(name, _columns(database, name), tuple(tuple(row) for row in rows))


def _check(table: Table, row: Sequence[object]) -> None:
    """A stranger's values: text, finite numbers and nothing, as many as there are columns."""
    if len(row) != len(table.columns) or not all(map(_is_ours, row)):
        raise DamagedFile(f"a row of {table.name} is none of ours", hint="have it exported and sent again")


def _is_ours(value: object) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return type(value) in (str, int, type(None))


def _renamed(table: str, column: str, value: Value, campaign_id: str, was: str) -> Value:
    if column == "campaign_id" or (table, column) == ("campaigns", "id"):
        return campaign_id if value == was else value
    if (table, column) in _PREFIXED and isinstance(value, str) and value.startswith(f"{was}:"):
        return campaign_id + value[len(was) :]
    return value
