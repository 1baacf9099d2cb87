"""Named migrations: each applied once, in order, in one transaction with its record. A released one is never edited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lorewright.errors import DamagedFile, SettingsError
from lorewright.storage.database import Database


@dataclass(frozen=True, slots=True)
class Migration:
    """A step of a schema: a name that stays for ever and the statements, one each."""

    name: str
    statements: tuple[str, ...]


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
        DamagedFile: a rebuildable file's list of migrations is damaged; nothing was changed.
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
    """
    known, done = [migration.name for migration in migrations], _done(database)
    unknown = sorted(done - set(known))
    if unknown:
        raise SettingsError(
            f"{database.path.name} was written by a newer version (migration {unknown[0]})",
            hint="upgrade lorewright",
        )
    return [name for name in known if name not in done]


def _done(database: Database) -> set[str]:
    table = database.row("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'")
    return {row["name"] for row in database.rows("SELECT name FROM migrations")} if table else set()


def _apply(database: Database, migration: Migration) -> bool:
    """Whether this call applied it: another process may have been first."""
    with database.transaction() as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)")
        if connection.execute("SELECT 1 FROM migrations WHERE name = ?", (migration.name,)).fetchone():
            return False
        for statement in migration.statements:
            connection.execute(statement)
        connection.execute("INSERT INTO migrations VALUES (?, datetime('now'))", (migration.name,))
    return True
