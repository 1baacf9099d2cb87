"""A campaign's rows as they stand, for whoever judges what is in them: nothing is read as what it says it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lorewright.storage.database import Database

# Rows of the tables `upgrades` and `upgrade_pins`: what a campaign goes on with from a turn of the kind `upgrade`.

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


Row = sqlite3.Row
# Whatever SQLite refuses.
Refused = sqlite3.Error

# Table -> what its rows are called, and the columns of it that hold JSON which no model reads, each with what that must
# be.
_JSON_COLUMNS: Mapping[str, tuple[str, Mapping[str, tuple[type, ...]]]] = {
    "campaigns": ("id", {"scenario_json": (dict,), "calibration_json": (dict,), "agreed_keys_json": (list,)}),
    "actions": ("turn_id || ', action ' || action_index", {"metadata_json": (dict,)}),
    "messages": ("turn_id || ', message ' || seq", {"payload_json": (dict,), "audience_json": (list,)}),
    "stage_records": (
        "turn_id || ', stage ' || stage",
        {
            "input_json": (dict, list),
            "output_json": (dict, list),
            "attempts_json": (list,),
            "prompt_json": (dict,),
            "calls_json": (list,),
        },
    ),
    "attempts": ("attempt_no", {"records_json": (list,)}),
    "sessions": ("id", {"session_lore_json": (dict,), "world_events_pending": (list,)}),
    "scene_lore": ("scene_id", {"lore_json": (dict,)}),
    "model_calls": ("call_no", {"record_json": (dict,)}),
    "reviews": ("turn_id || ', review ' || review_no", {"ops_json": (list,)}),
    "story_summaries": ("turn_id", {"sentences_json": (list,)}),
}


def turn_count(database: Database) -> int:
    """How many turns there are, on all branches."""
    return int(database.rows("SELECT count(*) FROM turns")[0][0])


def campaign_row(database: Database) -> Row:
    """The campaign's own row."""
    return database.rows("SELECT * FROM campaigns")[0]


def json_texts(database: Database) -> Iterator[tuple[str, str, str, tuple[type, ...]]]:
    """(where it stands, column, text, what it must be) of all JSON that no model reads."""
    for table, (where, columns) in _JSON_COLUMNS.items():
        for row in database.each(f"SELECT {where} AS place, {', '.join(columns)} FROM {table}"):
            for column, kinds in columns.items():
                yield f"{table}, {row['place']}", column, row[column], kinds


def state_rows(database: Database) -> list[Row]:
    """Every turn with its ops, the hash of the state after it and, where one is kept, that state; parents first."""
    return database.rows(
        """SELECT t.turn_id, t.parent_id, t.turn_no, t.ops_json, t.state_hash, s.state_json FROM turns t
           LEFT JOIN world_states s USING (campaign_id, turn_id) ORDER BY t.turn_no, t.rowid"""
    )


def turns_with_messages(database: Database) -> Iterator[tuple[Row, list[Row]]]:
    """Every turn with its entries in the stream; parents first."""
    for turn in database.rows("SELECT * FROM turns ORDER BY turn_no, rowid"):
        sql = "SELECT * FROM messages WHERE campaign_id = ? AND turn_id = ?"
        yield turn, database.rows(sql, turn["campaign_id"], turn["turn_id"])


def edits_asked_for(database: Database) -> dict[str, str]:
    """What was asked for in every turn of the kind edit, by that turn's ID."""
    sql = """SELECT turn_id, input_json FROM stage_records r JOIN turns t USING (campaign_id, turn_id)
             WHERE t.kind = 'edit' AND r.stage = 'edit'"""
    return {row["turn_id"]: row["input_json"] for row in database.rows(sql)}


def pinned_texts(database: Database) -> list[tuple[str, str]]:
    """(pack, content hash) of every text that is pinned on any branch, by pack."""
    return list(dict.fromkeys((pack_id, text_hash) for pack_id, _, text_hash in all_pins(database)))
