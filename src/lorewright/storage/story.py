"""Rows of the table `story_summaries`, and the narrations that no summary tells of yet."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from lorewright.storage.database import Database, read_json

# The key of a turn begins with the campaign, of which a file has one: without it each step reads the whole table.
_CAMPAIGN = "campaign_id = (SELECT id FROM campaigns)"
_TOLD = f"EXISTS (SELECT 1 FROM story_summaries s WHERE s.{_CAMPAIGN} AND s.turn_id"


@dataclass(frozen=True, slots=True)
class StoryRow:
    """A summary: of which turns to which, and its sentences as they are stored."""

    turn_id: str
    from_turn_no: int
    to_turn_no: int
    sentences: list[dict[str, Any]]


def story_row(database: Database, turn_id: str) -> StoryRow | None:
    """The newest summary on the way from a turn to the root, the turn's own first; None where there is none."""
    if database.row("SELECT 1 FROM story_summaries LIMIT 1") is None:
        return None
    row = database.row(
        f"""WITH RECURSIVE path(turn_id, is_told) AS (
             SELECT ?1, {_TOLD} = ?1) UNION ALL
             SELECT t.parent_id, {_TOLD} = t.parent_id) FROM path
             JOIN turns t ON t.{_CAMPAIGN} AND t.turn_id = path.turn_id
             WHERE t.parent_id IS NOT NULL AND NOT path.is_told
           ) SELECT s.* FROM path JOIN story_summaries s ON s.{_CAMPAIGN} AND s.turn_id = path.turn_id
           WHERE path.is_told""",
        turn_id,
    )
    if row is None:
        return None
    return StoryRow(row["turn_id"], row["from_turn_no"], row["to_turn_no"], read_json(row["sentences_json"]))


def narration_rows(database: Database, turn_id: str, *, after: int, until: int) -> list[sqlite3.Row]:
    """The narrations on the way from the root to a turn, of the turns with a number above `after` and at most `until`,
    in order; each with its `turn_no`."""
    return database.rows(
        f"""WITH RECURSIVE path(turn_id, turn_no, parent_id) AS (
             SELECT turn_id, turn_no, parent_id FROM turns WHERE {_CAMPAIGN} AND turn_id = ?1 UNION ALL
             SELECT t.turn_id, t.turn_no, t.parent_id FROM path
             JOIN turns t ON t.{_CAMPAIGN} AND t.turn_id = path.parent_id
             WHERE t.turn_no > ?2
           ) SELECT m.*, path.turn_no FROM path JOIN messages m ON m.{_CAMPAIGN} AND m.turn_id = path.turn_id
           WHERE m.type = 'narration' AND path.turn_no > ?2 AND path.turn_no <= ?3 ORDER BY path.turn_no, m.seq""",
        turn_id,
        after,
        until,
    )
