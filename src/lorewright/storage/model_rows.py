"""What a campaign's file knows of models: which are asked, which may be paid for, what they have cost."""

from __future__ import annotations

import json

from lorewright.storage.database import Database


def model_keys(database: Database) -> tuple[str, str]:
    """The keys of the small and the large model: the sitting's that is active, where it has its own, else the
    campaign's."""
    row = database.row(
        """SELECT coalesce(s.small_model_key, c.small_model_key) AS small,
           coalesce(s.large_model_key, c.large_model_key) AS large
           FROM campaigns c LEFT JOIN sessions s ON s.rowid =
           (SELECT max(rowid) FROM sessions WHERE ended_at IS NULL)"""
    )
    assert row is not None
    return str(row["small"]), str(row["large"])


def set_model_keys(database: Database, *, small: str | None = None, large: str | None = None) -> None:
    """Which models a campaign asks; None leaves the key as it is."""
    sql = """UPDATE campaigns SET small_model_key = coalesce(?, small_model_key),
             large_model_key = coalesce(?, large_model_key)"""
    with database.transaction() as connection:
        connection.execute(sql, (small, large))


def agreed_keys(database: Database) -> tuple[str, ...]:
    """The keys of paid models that may be asked without asking the player."""
    return tuple(json.loads(database.rows("SELECT agreed_keys_json FROM campaigns")[0][0]))


def agree(database: Database, keys: tuple[str, ...]) -> None:
    """From now on these may be paid for."""
    with database.transaction() as connection:
        known = json.loads(connection.execute("SELECT agreed_keys_json FROM campaigns").fetchone()[0])
        agreed = json.dumps(sorted({*known, *keys}))
        connection.execute("UPDATE campaigns SET agreed_keys_json = ?", (agreed,))


def spent_in(database: Database, session_id: str | None) -> tuple[int, int]:
    """What a sitting has cost so far, in tokens and in millionths of a dollar: its turns, also those that were taken
    back, its failed attempts, its asides. None counts the whole campaign."""
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
