"""Rows of pinned prompts, story summaries, lore entries, the lorebook and reviews, on the path to a turn."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lorewright.storage.database import Database, read_json
from lorewright.storage.packing import pack

# Rows of the table `prompt_pins`, with the texts of the prompts.


@dataclass(frozen=True, slots=True)
class PromptPin:
    """The version of a prompt that a campaign uses, with its whole text when it was pinned."""

    name: str
    version: str
    content_hash: str
    source: str


def prompt_pins(database: Database) -> tuple[PromptPin, ...]:
    """Return the pins of a campaign, by name."""
    rows = database.rows(
        """SELECT p.name, p.version, p.content_hash, text_of(t.source) AS source FROM prompt_pins p
           JOIN prompt_texts t ON t.campaign_id = p.campaign_id AND t.content_hash = p.content_hash ORDER BY p.name"""
    )
    return tuple(PromptPin(*row) for row in rows)


def stored_prompt(database: Database, content_hash: str) -> PromptPin | None:
    """Return a prompt that was used or pinned, by its hash; None if its text is not stored."""
    row = database.row(
        "SELECT name, version, content_hash, text_of(source) AS source FROM prompt_texts WHERE content_hash = ?",
        content_hash,
    )
    return None if row is None else PromptPin(*row)


def pin_prompts(database: Database, pins: Iterable[PromptPin]) -> None:
    """Pin versions of prompts, in place of their earlier pins, and store their texts."""
    with database.transaction() as connection:
        (campaign_id,) = connection.execute("SELECT id FROM campaigns").fetchone()
        for sql, parameters in pinning(campaign_id, pins):
            connection.execute(sql, parameters)


def pinning(campaign_id: str, pins: Iterable[PromptPin]) -> list[tuple[str, tuple[str | bytes, ...]]]:
    """Return the statements that pin versions of prompts."""
    statements: list[tuple[str, tuple[str | bytes, ...]]] = []
    for pin in pins:
        text = (campaign_id, pin.content_hash, pin.name, pin.version, pack(pin.source))
        statements.append(("INSERT OR IGNORE INTO prompt_texts VALUES (?, ?, ?, ?, ?)", text))
        sql = """INSERT INTO prompt_pins VALUES (?, ?, ?, ?) ON CONFLICT (campaign_id, name)
                 DO UPDATE SET version = excluded.version, content_hash = excluded.content_hash"""
        statements.append((sql, (campaign_id, pin.name, pin.version, pin.content_hash)))
    return statements


def unpin_prompt(database: Database, name: str) -> None:
    """Remove the pin of a prompt, so that its newest version is used; the text of the old version stays stored."""
    with database.transaction() as connection:
        connection.execute("DELETE FROM prompt_pins WHERE name = ?", (name,))


# Rows of the table `story_summaries`, and the narrations that no summary covers yet.

# The key of a turn begins with the campaign, of which a file has one; without it each step reads the whole table.
_CAMPAIGN = "campaign_id = (SELECT id FROM campaigns)"
_TOLD = f"EXISTS (SELECT 1 FROM story_summaries s WHERE s.{_CAMPAIGN} AND s.turn_id"


@dataclass(frozen=True, slots=True)
class StoryRow:
    """A summary: the first and last turn that it covers, and its sentences as they are stored."""

    turn_id: str
    from_turn_no: int
    to_turn_no: int
    sentences: list[dict[str, Any]]


def story_row(database: Database, turn_id: str) -> StoryRow | None:
    """Return the newest summary on the path from a turn to the root, that turn included; None if there is none."""
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
    """Return the narrations on the path from the root to a turn, of turns numbered above `after` and at most `until`,
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


# Rows of `stage_records` of the stage `entries`: which lore entries were found in which turn.

ENTRIES = "entries"

_KEPT = f"EXISTS (SELECT 1 FROM stage_records s WHERE s.{_CAMPAIGN} AND s.stage = '{ENTRIES}' AND s.turn_id"


def entries_json(database: Database, turn_id: str) -> str | None:
    """Return the record of entries of the nearest turn that has one, on the path from a turn to the root, that turn
    included; None if none has."""
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


# Rows of the lorebook and of reviews, on the path to a turn.

Row = sqlite3.Row

_PATH = """WITH RECURSIVE path(turn_id, turn_no) AS (
     SELECT t.turn_id, t.turn_no FROM turns t WHERE t.campaign_id = (SELECT id FROM campaigns) AND t.turn_id = ?
     UNION ALL
     SELECT p.turn_id, p.turn_no FROM path
     JOIN turns t ON t.campaign_id = (SELECT id FROM campaigns) AND t.turn_id = path.turn_id
     JOIN turns p ON p.campaign_id = t.campaign_id AND p.turn_id = t.parent_id
   )"""
_ENTRIES = "b.turn_id, b.entry_no, b.subject_id, b.predicate, b.detail, b.confidence, b.fact_id, b.flag, b.against"


def lorebook_rows(database: Database, turn_id: str) -> list[Row]:
    """Return the lorebook's entries up to a turn, each with its `turn_no`, oldest first; a flagged one that was decided
    on the same path has `decision` and `decided_in` (that turn's ID)."""
    return database.rows(
        f"""{_PATH}, decided AS (
              SELECT d.entry_turn_id, d.entry_no, d.decision, d.turn_id FROM path JOIN lorebook_decisions d
              ON d.campaign_id = (SELECT id FROM campaigns) AND d.turn_id = path.turn_id
            )
            SELECT path.turn_no, {_ENTRIES}, decided.decision, decided.turn_id AS decided_in FROM path
            JOIN lorebook b ON b.campaign_id = (SELECT id FROM campaigns) AND b.turn_id = path.turn_id
            LEFT JOIN decided ON decided.entry_turn_id = b.turn_id AND decided.entry_no = b.entry_no
            ORDER BY path.turn_no, b.entry_no""",
        turn_id,
    )


def entries_of(database: Database, turn_id: str) -> list[Row]:
    """Return the lorebook's entries of a single turn, in order."""
    return database.rows(
        f"""SELECT {_ENTRIES} FROM lorebook b
            WHERE b.campaign_id = (SELECT id FROM campaigns) AND b.turn_id = ? ORDER BY b.entry_no""",
        turn_id,
    )


def review_rows(database: Database, turn_id: str) -> list[Row]:
    """Return the reviews of the turns up to a turn, oldest first, each with its `turn_no` and, if it was decided on the
    same path, `decision` and `decided_in` (that turn's ID)."""
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


def review_count(database: Database, turn_id: str) -> int:
    """Return the number of reviews that a turn made."""
    rows = database.rows(
        "SELECT count(*) FROM reviews WHERE campaign_id = (SELECT id FROM campaigns) AND turn_id = ?", turn_id
    )
    return int(rows[0][0])


def decisions_in(database: Database, turn_id: str) -> list[tuple[str, str, int]]:
    """Return (reviews or lorebook, decision, how many) of a turn's decisions."""
    rows = database.rows(
        """SELECT 'reviews', decision, count(*) FROM review_decisions WHERE turn_id = ?1 GROUP BY decision UNION ALL
           SELECT 'lorebook', decision, count(*) FROM lorebook_decisions WHERE turn_id = ?1 GROUP BY decision""",
        turn_id,
    )
    return [(row[0], row[1], row[2]) for row in rows]


def result_of(database: Database, turn_id: str) -> str:
    """Return the stored result of a turn that is known to exist."""
    row = database.row(
        "SELECT result_json FROM turns WHERE campaign_id = (SELECT id FROM campaigns) AND turn_id = ?", turn_id
    )
    assert row is not None
    return str(row["result_json"])
