"""The projected tables: their turn, their rows, and the statements that change them.

Rows are plain values, the key first, without `campaign_id`; other modules make them from a state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from lorewright.storage.database import Database
from lorewright.storage.heads import Statement

# Increased whenever the same state gives other rows, so that older projections are rebuilt.
PROJECTION_FORMAT = 2
# The packs' introduction of somebody stands for the profile that nobody wrote; it is part of the rules that a campaign
# began with, not of its state.
_INTRODUCE = """UPDATE characters SET base_profile = json_object('description', json_extract(
        (SELECT text_of(rules_json) FROM campaigns WHERE campaigns.id = characters.campaign_id),
        '$.introductions."' || characters.id || '".text'))
    WHERE campaign_id = ? AND base_profile = '{}' AND json_extract(
        (SELECT text_of(rules_json) FROM campaigns WHERE campaigns.id = characters.campaign_id),
        '$.introductions."' || characters.id || '".text') IS NOT NULL"""

# Table -> the columns that follow `campaign_id` in its key.
PROJECTED: Mapping[str, tuple[str, ...]] = {
    "entities": ("id",),
    "established_facts": ("id",),
    "scene": ("id",),
    "threads": ("id",),
    "clocks": ("id",),
    "inventory": ("owner_id", "item_id"),
    "scene_relations": ("id",),
    "relationships": ("a_id", "b_id", "rel_type"),
    "characters": ("id",),
    "observations": ("character_id", "id"),
    "pending_threats": ("id",),
    "active_situations": ("id",),
}
# The tables that can be rebuilt from the head's state, and are neither exported nor imported.
REBUILT_TABLES = (*PROJECTED, "projection")

Value = str | int | float | None
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row to write to a projected table, by its key; without `rest` the row is deleted."""

    table: str
    key: Key
    rest: tuple[Value, ...] | None


def projected_turn(database: Database) -> str | None:
    """Return the ID of the turn of which the tables are a projection; None if they were never filled, or in another
    format."""
    row = database.row("SELECT turn_id FROM projection WHERE format = ?", PROJECTION_FORMAT)
    return None if row is None else str(row["turn_id"])


def projected_rows(database: Database, table: str) -> list[tuple[object, ...]]:
    """Return all rows of a projected table, in no order.

    Raises:
        sqlite3.Error: they cannot be read.
    """
    return [tuple(row) for row in database.rows(f"SELECT * FROM {table}")]


def project(campaign_id: str, turn_id: str, changes: Iterable[RowChange], *, anew: bool) -> Iterator[Statement]:
    """Yield the statements that make the tables a projection of a turn: by changing the present rows or, with `anew`,
    after deleting them."""
    for table in REBUILT_TABLES if anew else ():
        # Rows of an unknown campaign are deleted too.
        yield (
            f"DELETE FROM {table} WHERE campaign_id = ? OR campaign_id NOT IN (SELECT id FROM campaigns)",
            (campaign_id,),
        )
    has_characters = anew
    for change in changes:
        has_characters = has_characters or change.table == "characters"
        yield _delete(campaign_id, change) if change.rest is None else _put(campaign_id, change.key, change)
    if has_characters:
        yield _INTRODUCE, (campaign_id,)
    yield "INSERT OR REPLACE INTO projection VALUES (?, ?, ?)", (campaign_id, turn_id, PROJECTION_FORMAT)


def _put(campaign_id: str, key: Key, change: RowChange) -> Statement:
    values = (campaign_id, *key, *(change.rest or ()))
    return f"INSERT OR REPLACE INTO {change.table} VALUES ({', '.join('?' * len(values))})", values


def _delete(campaign_id: str, change: RowChange) -> Statement:
    where = " AND ".join(f"{column} = ?" for column in ("campaign_id", *PROJECTED[change.table]))
    return f"DELETE FROM {change.table} WHERE {where}", (campaign_id, *change.key)
