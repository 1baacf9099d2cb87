"""Rows of `stage_records` of the stage `entries`: what a turn left of which entries were found when."""

from __future__ import annotations

from lorewright.storage.database import Database

ENTRIES = "entries"

# The key of a turn begins with the campaign, of which a file has one: without it each step reads the whole table.
_CAMPAIGN = "campaign_id = (SELECT id FROM campaigns)"
_KEPT = f"EXISTS (SELECT 1 FROM stage_records s WHERE s.{_CAMPAIGN} AND s.stage = '{ENTRIES}' AND s.turn_id"


def entries_json(database: Database, turn_id: str) -> str | None:
    """What the nearest turn that kept any has kept, on the way from a turn to the root, the turn's own first; None
    where none has."""
    row = database.row(
        f"""WITH RECURSIVE path(turn_id, is_kept) AS (
             SELECT ?1, {_KEPT} = ?1) UNION ALL
             SELECT t.parent_id, {_KEPT} = t.parent_id) FROM path
             JOIN turns t ON t.{_CAMPAIGN} AND t.turn_id = path.turn_id
             WHERE t.parent_id IS NOT NULL AND NOT path.is_kept
           ) SELECT s.output_json FROM path JOIN stage_records s ON s.{_CAMPAIGN} AND s.turn_id = path.turn_id
           WHERE path.is_kept AND s.stage = '{ENTRIES}' ORDER BY s.seq DESC LIMIT 1""",
        turn_id,
    )
    return None if row is None else str(row["output_json"])
