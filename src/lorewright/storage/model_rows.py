"""The models that a campaign uses, and their cost, in the campaign's file.

The column `agreed_keys_json` is obsolete: which paid models may be used is stored with the user, as a file cannot be
trusted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from lorewright.storage.database import Database, read_json


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
    assert turns is not None
    calls = _sum(_calls_of_attempts(database, where, *given), _calls_outside(database, where, *given))
    tokens = int(turns["tokens"]) + calls.input_tokens + calls.output_tokens
    return tokens, int(turns["microusd"]) + calls.cost_microusd


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
    records = (read_json(row[0]) for row in database.each("SELECT calls_json FROM stage_records"))
    return _sum(records, _calls_of_attempts(database), _calls_outside(database))


def usage_of_turn(database: Database, turn_id: str) -> Usage:
    """Return the usage of a turn."""
    rows = database.rows("SELECT calls_json FROM stage_records WHERE turn_id = ?", turn_id)
    return _sum(read_json(row[0]) for row in rows)


def usage_since(database: Database, attempt_no: int) -> Usage:
    """Return the usage of the failed attempts with a number above `attempt_no`."""
    return _sum(_calls_of_attempts(database, " WHERE attempt_no > ?", attempt_no))


def _calls_of_attempts(database: Database, where: str = "", *given: object) -> Iterator[list[dict[str, Any]]]:
    for row in database.rows(f"SELECT records_json FROM attempts{where}", *given):
        yield from (record.get("calls") or [] for record in read_json(row[0]))


def _calls_outside(database: Database, where: str = "", *given: object) -> Iterator[list[dict[str, Any]]]:
    for row in database.rows(f"SELECT record_json FROM model_calls{where}", *given):
        yield read_json(row[0]).get("calls") or []


def last_attempt(database: Database) -> int:
    """Return the number of the last failed attempt, 0 if there is none."""
    return int(database.rows("SELECT coalesce(max(attempt_no), 0) FROM attempts")[0][0])


_COUNTED = tuple(field.name for field in fields(Usage) if field.name != "calls")


def _sum(*records: Iterable[list[dict[str, Any]]]) -> Usage:
    """Return the sums over lists of calls."""
    calls = [call for found in records for listed in found for call in listed]
    return Usage(len(calls), *(sum(int(call.get(name) or 0) for call in calls) for name in _COUNTED))


def keep_model_call(database: Database, *, stage: str, session_id: str, record: dict[str, Any], time: str) -> None:
    """Store a model call outside of turns; `record` has its calls under `calls`."""
    with database.transaction() as connection:
        (campaign_id,) = connection.execute("SELECT id FROM campaigns").fetchone()
        number = connection.execute("SELECT count(*) FROM model_calls").fetchone()[0] + 1
        text = json.dumps(record, ensure_ascii=False, sort_keys=True)
        row = (campaign_id, number, session_id, stage, text, time)
        connection.execute("INSERT INTO model_calls VALUES (?, ?, ?, ?, ?, ?)", row)
