"""Rows of the tables `sessions` and `scene_lore` <-> plain values."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace
from typing import Any

from lorewright.storage.database import Database, read_json


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as it is stored, the seed's columns first. It is active while `ended_at` is None.

    `summary` is None until it is ended. `turn_range_start` is the number of the first turn that could be played in it.
    The model keys are None if the session uses the campaign's.
    """

    id: str
    campaign_id: str
    started_at: str
    ended_at: str | None
    turn_range_start: int
    turn_range_end: int | None
    session_lore: dict[str, Any]
    summary: str | None
    world_events_pending: tuple[Any, ...]
    start_turn_id: str
    end_turn_id: str | None
    small_model_key: str | None = None
    large_model_key: str | None = None


@dataclass(frozen=True, slots=True)
class SceneLoreRow:
    """The stored lore of a scene; `retrieved_at` is when it was stored, None for what is still to be."""

    scene_id: str
    session_id: str | None
    lore_json: str
    retrieved_at: str | None = None


def session_rows(database: Database) -> list[SessionRow]:
    """Return the sessions, oldest first."""
    return [_session(row) for row in database.rows("SELECT * FROM sessions ORDER BY rowid")]


def latest_time_of(database: Database, session_id: str) -> str | None:
    """Return the time at which a session began, or at which the head was written if that is one of its turns and later;
    None if there is no such session."""
    row = database.row(
        """SELECT s.started_at, coalesce((SELECT t.created_at FROM campaigns c JOIN turns t
           ON t.campaign_id = c.id AND t.turn_id = c.head_turn_id WHERE t.session_id = s.id), '') AS latest
           FROM sessions s WHERE s.id = ?""",
        session_id,
    )
    return None if row is None else max(str(row["started_at"]), str(row["latest"]))


def active_session_row(database: Database) -> SessionRow | None:
    """Return the session that has not ended, or None."""
    row = database.row("SELECT * FROM sessions WHERE ended_at IS NULL ORDER BY rowid DESC")
    return None if row is None else _session(row)


def begin_session(database: Database, row: SessionRow) -> SessionRow:
    """Write a new session with the next number of its campaign in its ID, and return it. If another is active by now,
    return that; nothing is written."""
    with database.transaction() as connection:
        active = connection.execute("SELECT * FROM sessions WHERE ended_at IS NULL").fetchone()
        if active is not None:
            return _session(active)
        number = connection.execute("SELECT count(*) FROM sessions").fetchone()[0] + 1
        row = replace(row, id=f"{row.campaign_id}:session_{number}")
        connection.execute(
            f"INSERT INTO sessions VALUES ({', '.join('?' * 13)})",
            (
                row.id,
                row.campaign_id,
                row.started_at,
                row.ended_at,
                row.turn_range_start,
                row.turn_range_end,
                json.dumps(row.session_lore, ensure_ascii=False, sort_keys=True),
                row.summary,
                json.dumps(list(row.world_events_pending), ensure_ascii=False),
                row.start_turn_id,
                row.end_turn_id,
                row.small_model_key,
                row.large_model_key,
            ),
        )
    return row


def finish_session(
    database: Database,
    session_id: str,
    *,
    ended_at: str,
    first_turn_no: int,
    last_turn_no: int | None,
    last_turn_id: str | None,
    summary: str,
) -> None:
    """Write the end of a session; nothing changes if it has ended before. Without a last turn nothing was played in
    it."""
    with database.transaction() as connection:
        connection.execute(
            """UPDATE sessions
               SET ended_at = ?, turn_range_start = ?, turn_range_end = ?, end_turn_id = ?, summary = ?
               WHERE id = ? AND ended_at IS NULL""",
            (ended_at, first_turn_no, last_turn_no, last_turn_id, summary, session_id),
        )


def set_model_keys(database: Database, session_id: str, *, small: str | None, large: str | None) -> None:
    """Set the models that a session uses in place of the campaign's; None for the campaign's own."""
    sql = "UPDATE sessions SET small_model_key = ?, large_model_key = ? WHERE id = ?"
    with database.transaction() as connection:
        connection.execute(sql, (small, large, session_id))


def session_summaries(database: Database) -> tuple[tuple[str, str], ...]:
    """Return (last turn, summary) of every session that has ended with a summary, oldest first."""
    sql = (
        "SELECT end_turn_id, summary FROM sessions WHERE summary IS NOT NULL AND end_turn_id IS NOT NULL ORDER BY rowid"
    )
    return tuple((row["end_turn_id"], row["summary"]) for row in database.rows(sql))


def scene_lore_row(database: Database, scene_id: str) -> SceneLoreRow | None:
    """Return the stored lore of a scene, or None."""
    row = database.row("SELECT * FROM scene_lore WHERE scene_id = ?", scene_id)
    return (
        None
        if row is None
        else SceneLoreRow(*(row[name] for name in ("scene_id", "session_id", "lore_json", "retrieved_at")))
    )


def keep_scene_lore(campaign_id: str, row: SceneLoreRow, time: str) -> tuple[str, tuple[str | None, ...]]:
    """Return the statement that stores a scene's lore in place of any earlier lore of that scene ID."""
    return (
        "INSERT OR REPLACE INTO scene_lore VALUES (?, ?, ?, ?, ?, ?)",
        (f"{campaign_id}:{row.scene_id}", campaign_id, row.scene_id, row.session_id, row.lore_json, time),
    )


def _session(row: sqlite3.Row) -> SessionRow:
    return SessionRow(
        id=row["id"],
        campaign_id=row["campaign_id"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        turn_range_start=row["turn_range_start"],
        turn_range_end=row["turn_range_end"],
        session_lore=read_json(row["session_lore_json"]),
        summary=row["summary"],
        world_events_pending=tuple(read_json(row["world_events_pending"])),
        start_turn_id=row["start_turn_id"],
        end_turn_id=row["end_turn_id"],
        small_model_key=row["small_model_key"],
        large_model_key=row["large_model_key"],
    )
