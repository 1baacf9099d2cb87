"""Rows of the tables `upgrades` and `upgrade_pins`: what a campaign goes on with from a turn of the kind `upgrade`."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from lorewright.storage.database import Database

# (table, its rows' values in the order of its columns)
_TABLES = ("pack_pins", "upgrade_pins")


@dataclass(frozen=True, slots=True)
class UpgradeRow:
    """From its turn on: the rules as JSON, the ruleset's ID and hash, the pins (pack, version, content hash) by pack,
    and the prompts as JSON."""

    turn_id: str
    rules_json: str
    ruleset_id: str
    ruleset_hash: str
    prompts_json: str
    pins: tuple[tuple[str, str, str], ...]


def upgrade_of(database: Database, turn_id: str) -> str | None:
    """The nearest turn of the kind `upgrade` on the way from a turn to the root, that turn included; None where the
    campaign goes by what it was begun with."""
    if database.row("SELECT 1 FROM upgrades") is None:
        return None
    found = database.row(
        """WITH RECURSIVE path(turn_id) AS (
             SELECT ?1 UNION ALL
             SELECT t.parent_id FROM path JOIN turns t
             ON t.campaign_id = (SELECT id FROM campaigns) AND t.turn_id = path.turn_id WHERE t.parent_id IS NOT NULL
           ) SELECT path.turn_id FROM path WHERE path.turn_id IN (SELECT turn_id FROM upgrades) LIMIT 1""",
        turn_id,
    )
    return None if found is None else str(found["turn_id"])


def upgrade_row(database: Database, turn_id: str) -> UpgradeRow | None:
    """What the upgrade of a turn says, or None where there is none."""
    row = database.row("SELECT * FROM upgrades WHERE turn_id = ?", turn_id)
    if row is None:
        return None
    pins = database.rows(
        "SELECT pack_id, version, content_hash FROM upgrade_pins WHERE turn_id = ? ORDER BY pack_id", turn_id
    )
    return UpgradeRow(
        turn_id, row["rules_json"], row["ruleset_id"], row["ruleset_hash"], row["prompts_json"], tuple(map(tuple, pins))
    )


def all_pins(database: Database) -> list[tuple[str, str, str]]:
    """(pack, version, content hash) of every text that is pinned on any branch, each once, by pack; in a file of
    whatever version."""
    there = {row["name"] for row in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    found: set[tuple[str, str, str]] = set()
    for table in (one for one in _TABLES if one in there or one == "pack_pins"):
        found |= {tuple(row) for row in database.rows(f"SELECT pack_id, version, content_hash FROM {table}")}
    return sorted(found)


def rules_of_upgrades(database: Database) -> list[sqlite3.Row]:
    """(turn_id, rules_json) of every upgrade."""
    return database.rows("SELECT turn_id, rules_json FROM upgrades ORDER BY turn_id")
