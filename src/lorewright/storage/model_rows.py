"""The models that a campaign uses, and their cost, in the campaign's file.

The column `agreed_keys_json` is obsolete: which paid models may be used is stored with the user, as a file cannot be
trusted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

from lorewright.storage.database import Database


def model_keys(database: Database) -> tuple[str, str]:
    """Return the keys of the small and the large model: the active session's own if it has any, else the campaign's."""
    row = database.row(
        """SELECT coalesce(s.small_model_key, c.small_model_key) AS small,
           coalesce(s.large_model_key, c.large_model_key) AS large
           FROM campaigns c LEFT JOIN sessions s ON s.rowid =
           (SELECT max(rowid) FROM sessions WHERE ended_at IS NULL)"""
    )
    assert row is not None
    return str(row["small"]), str(row["large"])


def own_model_keys(database: Database) -> tuple[str, str]:
    """Return the campaign's own keys of the small and the large model, without those of the active session."""
    row = database.rows("SELECT small_model_key, large_model_key FROM campaigns")[0]
    return str(row[0]), str(row[1])


def set_model_keys(database: Database, *, small: str | None = None, large: str | None = None) -> None:
    """Set the models that a campaign uses; None leaves a key unchanged."""
    sql = """UPDATE campaigns SET small_model_key = coalesce(?, small_model_key),
             large_model_key = coalesce(?, large_model_key)"""
    with database.transaction() as connection:
        connection.execute(sql, (small, large))


def created_at(database: Database) -> str:
    """Return the time at which the campaign was created, as it is stored."""
    return str(database.rows("SELECT created_at FROM campaigns")[0][0])


def spent_in(database: Database, session_id: str | None) -> tuple[int, int]:
    """Return the cost of a session so far, in tokens and in millionths of a dollar: its turns, including undone turns,
    its failed attempts, and calls outside of turns. None counts the whole campaign."""
    where = "" if session_id is None else " WHERE session_id = ?1"
    given = () if session_id is None else (session_id,)
    turns = database.row(
        f"""SELECT coalesce(sum(r.input_tokens + r.output_tokens), 0) AS tokens,
            coalesce(sum(r.cost_microusd), 0) AS microusd FROM turns t JOIN stage_records r
            USING (campaign_id, turn_id){where}""",
        *given,
    )
    calls = database.row(
        f"""SELECT coalesce(sum(json_extract(call.value, '$.input_tokens')
            + json_extract(call.value, '$.output_tokens')), 0) AS tokens,
            coalesce(sum(json_extract(call.value, '$.cost_microusd')), 0) AS microusd FROM (
            SELECT session_id, record.value AS record FROM attempts, json_each(records_json) record
            UNION ALL SELECT session_id, record_json FROM model_calls), json_each(record, '$.calls') call{where}""",
        *given,
    )
    assert turns is not None
    assert calls is not None
    return turns["tokens"] + calls["tokens"], turns["microusd"] + calls["microusd"]


@dataclass(frozen=True, slots=True)
class Usage:
    """The sums over calls to models: their number, tokens read and written, how many of the read tokens came from and
    went into a provider's prompt cache, millionths of a dollar, and total duration."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_microusd: int = 0
    milliseconds: int = 0

    @property
    def cached_share(self) -> float | None:
        """The share of the read tokens that came from a cache; None if nothing was read."""
        return self.cache_read_tokens / self.input_tokens if self.input_tokens else None

    @property
    def usd(self) -> float:
        """The cost in dollars."""
        return self.cost_microusd / 1_000_000


def usage(database: Database) -> Usage:
    """Return the usage of a campaign: of its turns, including undone turns, of failed attempts, and outside of
    turns."""
    sql = f"""SELECT {_SUMS} FROM (
        SELECT calls_json AS calls FROM stage_records
        UNION ALL SELECT json_extract(record.value, '$.calls') FROM attempts, json_each(records_json) record
        UNION ALL SELECT json_extract(record_json, '$.calls') FROM model_calls), json_each(calls) call"""
    return _usage(database.row(sql))


def usage_of_turn(database: Database, turn_id: str) -> Usage:
    """Return the usage of a turn."""
    sql = f"SELECT {_SUMS} FROM stage_records, json_each(calls_json) call WHERE turn_id = ?"
    return _usage(database.row(sql, turn_id))


def usage_since(database: Database, attempt_no: int) -> Usage:
    """Return the usage of the failed attempts with a number above `attempt_no`."""
    sql = f"""SELECT {_SUMS} FROM (SELECT json_extract(record.value, '$.calls') AS calls
        FROM attempts, json_each(records_json) record WHERE attempt_no > ?), json_each(calls) call"""
    return _usage(database.row(sql, attempt_no))


def last_attempt(database: Database) -> int:
    """Return the number of the last failed attempt, 0 if there is none."""
    return int(database.rows("SELECT coalesce(max(attempt_no), 0) FROM attempts")[0][0])


_COUNTED = (*(field.name for field in fields(Usage) if field.name != "calls"),)
_SUMS = ", ".join(["count(*)", *(f"coalesce(sum(json_extract(call.value, '$.{name}')), 0)" for name in _COUNTED)])


def _usage(row: Any) -> Usage:
    return Usage(*map(int, row))


def keep_model_call(database: Database, *, stage: str, session_id: str, record: dict[str, Any], time: str) -> None:
    """Store a model call outside of turns; `record` has its calls under `calls`."""
    with database.transaction() as connection:
        (campaign_id,) = connection.execute("SELECT id FROM campaigns").fetchone()
        number = connection.execute("SELECT count(*) FROM model_calls").fetchone()[0] + 1
        text = json.dumps(record, ensure_ascii=False, sort_keys=True)
        row = (campaign_id, number, session_id, stage, text, time)
        connection.execute("INSERT INTO model_calls VALUES (?, ?, ?, ?, ?, ?)", row)
