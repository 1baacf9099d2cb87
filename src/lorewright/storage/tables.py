"""Whole tables of a campaign's file as plain values, and back, under the same ID or another. What can be made anew from
the head's state is left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite

from lorewright.errors import DamagedFile
from lorewright.storage.database import Database
from lorewright.storage.projection import MADE_ANEW

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
