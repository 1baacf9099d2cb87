"""Rows of the tables `lorebook`, `reviews` and `review_decisions`, of the turns on the way to a turn."""

from __future__ import annotations

import sqlite3

from lorewright.storage.database import Database

Row = sqlite3.Row

# The key of a turn begins with the campaign, of which a file has one.
_PATH = """WITH RECURSIVE path(turn_id, turn_no) AS (
     SELECT t.turn_id, t.turn_no FROM turns t WHERE t.campaign_id = (SELECT id FROM campaigns) AND t.turn_id = ?
     UNION ALL
     SELECT p.turn_id, p.turn_no FROM path
     JOIN turns t ON t.campaign_id = (SELECT id FROM campaigns) AND t.turn_id = path.turn_id
     JOIN turns p ON p.campaign_id = t.campaign_id AND p.turn_id = t.parent_id
   )"""
_ENTRIES = "b.turn_id, b.entry_no, b.subject_id, b.predicate, b.detail, b.confidence, b.fact_id, b.flag, b.against"


def lorebook_rows(database: Database, turn_id: str) -> list[Row]:
    """The lorebook's entries up to a turn, each with its `turn_no`, the oldest first."""
    return database.rows(
        f"""{_PATH} SELECT path.turn_no, {_ENTRIES} FROM path
            JOIN lorebook b ON b.campaign_id = (SELECT id FROM campaigns) AND b.turn_id = path.turn_id
            ORDER BY path.turn_no, b.entry_no""",
        turn_id,
    )


def entries_of(database: Database, turn_id: str) -> list[Row]:
    """The lorebook's entries of one turn, in order."""
    return database.rows(
        f"""SELECT {_ENTRIES} FROM lorebook b
            WHERE b.campaign_id = (SELECT id FROM campaigns) AND b.turn_id = ? ORDER BY b.entry_no""",
        turn_id,
    )


def review_rows(database: Database, turn_id: str) -> list[Row]:
    """The reviews of the turns up to a turn, the oldest first, each with its `turn_no` and, where it was decided on the
    same way, `decision` and `decided_in` (that turn's ID)."""
    return database.rows(
        f"""{_PATH}, decided AS (
              SELECT d.review_turn_id, d.review_no, d.decision, d.turn_id FROM path
              JOIN review_decisions d ON d.campaign_id = (SELECT id FROM campaigns) AND d.turn_id = path.turn_id
            )
            SELECT path.turn_no, r.*, decided.decision, decided.turn_id AS decided_in FROM path
            JOIN reviews r ON r.campaign_id = (SELECT id FROM campaigns) AND r.turn_id = path.turn_id
            LEFT JOIN decided ON decided.review_turn_id = r.turn_id AND decided.review_no = r.review_no
            ORDER BY path.turn_no, r.review_no""",
        turn_id,
    )


def result_of(database: Database, turn_id: str) -> str:
    """The stored result of a turn that is known to be there."""
    row = database.row(
        "SELECT result_json FROM turns WHERE campaign_id = (SELECT id FROM campaigns) AND turn_id = ?", turn_id
    )
    assert row is not None
    return str(row["result_json"])
