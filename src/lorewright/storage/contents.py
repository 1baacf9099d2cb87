"""A campaign's rows as they stand, for whoever judges what is in them: nothing is read as what it says it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping

from lorewright.storage.database import Database
from lorewright.storage.upgrades import all_pins

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
