"""A service's accounts, in a file or in PostgreSQL <-> the bytes of a file service.db: for copies and backups."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import closing
from math import isfinite
from pathlib import Path
from typing import Protocol

from lorewright.campaigns.copying import CampaignCopy
from lorewright.errors import DamagedFile
from lorewright.ids import canonical_json, content_hash
from lorewright.settings import ACCOUNTS_FILE
from lorewright.storage.database import Database
from lorewright.storage.enclosure import Enclosure
from lorewright.storage.postgres.service_rows import PostgresRows
from lorewright.storage.postgres.store import PostgresStore
from lorewright.storage.service_rows import DuplicateRow, Writing
from lorewright.storage.service_tables import SERVICE_MIGRATIONS, SERVICE_TABLES
from lorewright.storage.tables import migrate

# The accounts among the IDs of campaigns.
ACCOUNTS = "(accounts)"

Rows = Mapping[str, list[tuple[object, ...]]]
_ALLOWED = {"TEXT": (str,), "INTEGER": (int,), "REAL": (float, int)}


class AccountsPlace(Protocol):
    """Where a service's accounts are, if there are any."""

    def read(self) -> bytes | None:
        """Return the bytes of a file service.db with them, None where there are none."""

    def fill(self, data: bytes) -> bool:
        """Write accounts from the bytes of a file service.db, all or none; False where there are some already, which
        stay as they are.

        Raises:
            DamagedFile, SettingsError: it is no file of ours, or a newer version's; nothing was written.
        """


class FileAccounts:
    """The accounts of a workspace's file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> bytes | None:
        """Return the bytes of a file service.db with them, None where there are none."""
        if not self._path.is_file():
            return None
        with closing(Database(self._path)) as database:
            return database.copied()

    def fill(self, data: bytes) -> bool:
        """Write accounts from the bytes of a file service.db, all or none; False where there are some already."""
        if self._path.exists():
            return False
        Enclosure(self._path.parent).write(self._path, data)
        return True


class PostgresAccounts:
    """The accounts in PostgreSQL. They are connected to when they are asked for."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store

    def read(self) -> bytes | None:
        """Return the bytes of a file service.db with them, None where there are none."""
        with closing(PostgresRows(self._store)) as kept:
            found = kept.snapshot({table: f"SELECT * FROM {table} ORDER BY 1, 2" for table in SERVICE_TABLES})
        if not found["accounts"]:
            return None
        with tempfile.TemporaryDirectory() as folder, closing(Database(Path(folder) / ACCOUNTS_FILE)) as database:
            migrate(database, SERVICE_MIGRATIONS)
            with database.transaction() as connection:
                fill_rows(connection, {table: [tuple(row) for row in rows] for table, rows in found.items()})
            return database.copied()

    def fill(self, data: bytes) -> bool:
        """Write accounts from the bytes of a file service.db, all or none; False where there are some already, which
        stay as they are.

        Raises:
            DamagedFile, SettingsError: it is no file of ours, or a newer version's; nothing was written.
        """
        rows = rows_of(data)
        with closing(PostgresRows(self._store)) as kept:
            try:
                with kept.transaction() as writing:
                    # Nobody else writes meanwhile.
                    writing.execute("LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE")
                    if writing.execute("SELECT 1 AS found FROM accounts LIMIT 1").fetchone() is not None:
                        return False
                    fill_rows(writing, rows)
                    # The next entry of the log is numbered after the last.
                    writing.execute(
                        "SELECT setval(pg_get_serial_sequence('audit', 'id'), (SELECT coalesce(max(id), 1) FROM audit))"
                    )
            except DuplicateRow:
                raise DamagedFile(f"{ACCOUNTS_FILE}: two of its rows have one key") from None
        return True


def fill_rows(writing: Writing, rows: Rows) -> None:
    """Write rows into empty tables."""
    for table, found in rows.items():
        for row in found:
            writing.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def rows_of(data: bytes) -> Rows:
    """Return the rows of a file service.db, with the columns that this version knows. As any file of a stranger's it is
    looked at before it is used.

    Raises:
        DamagedFile, SettingsError: it is no file of ours, or a newer version's.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ACCOUNTS_FILE
        Enclosure(path.parent).write(path, data)
        with closing(Database(path)) as database:
            migrate(database, SERVICE_MIGRATIONS)
            found: dict[str, list[tuple[object, ...]]] = {}
            for table in SERVICE_TABLES:
                kinds = [row["type"] for row in database.rows(f"PRAGMA table_info({table})")]
                found[table] = [tuple(row) for row in database.rows(f"SELECT * FROM {table} ORDER BY rowid")]
                for row in found[table]:
                    if not all(map(_fits, row, kinds)):
                        raise DamagedFile(f"{path.name}: a row of {table} has values of other types")
    return found


def copy_accounts(source: AccountsPlace, target: AccountsPlace) -> CampaignCopy | None:
    """Copy accounts whole and compare the two; None where the source has none. Those that are in the target stay as
    they are.

    Raises:
        DamagedFile, FileUnavailable: one of the two cannot be read or written; nothing was copied.
    """
    if (data := source.read()) is None:
        return None
    rows = rows_of(data)
    is_new = target.fill(data)
    other = target.read()
    hash_of_copy = "" if other is None else _hash_of(rows_of(other))
    return CampaignCopy(ACCOUNTS, 0, sum(map(len, rows.values())), _hash_of(rows), hash_of_copy, is_new)


def _hash_of(rows: Rows) -> str:
    """Return what rows have in common in whatever order they were written."""
    return content_hash(canonical_json({table: sorted(map(list, found), key=repr) for table, found in rows.items()}))


def _fits(value: object, kind: str) -> bool:
    if isinstance(value, float) and not isfinite(value):
        return False
    return value is None or type(value) in _ALLOWED[kind]
