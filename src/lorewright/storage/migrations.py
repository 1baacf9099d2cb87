"""Named migrations: each applied once, in order, in one transaction with its record. A released one is never edited."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lorewright.errors import DamagedFile, SettingsError
from lorewright.storage.database import Database, foreign_schema


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
