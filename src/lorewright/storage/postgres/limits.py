"""Limits that several services share: so many takes of a key within a time, counted in PostgreSQL.

Each take is one upsert of one row. Counters that are kept in memory and written once a second would cost less, but then
each of N workers grants a whole second's burst before it hears of the others', and a limit on passwords is to be exact.
The table is unlogged, so that a take waits for no disk, and by the server's clock, which is the same for all.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import count

from lorewright.storage.service_rows import ServiceRows

_NOW = "extract(epoch FROM statement_timestamp())::float8"
# A bucket that drips: `until` is when it will be empty. A take adds `step` seconds to it, where no more than `most` of
# them are in it then. No row is an empty bucket.
_TAKE = f"""INSERT INTO limits AS held VALUES (?1, ?2, {_NOW} + ?3) ON CONFLICT (kind, key) DO UPDATE
    SET until = greatest(held.until, {_NOW}) + ?3
    WHERE greatest(held.until, {_NOW}) + ?3 <= {_NOW} + ?4 + 0.000001
    RETURNING until"""
_WAIT = f"SELECT until + ?3 - ?4 - {_NOW} AS left_s FROM limits WHERE kind = ?1 AND key = ?2"
_KEEP = f"""INSERT INTO limits VALUES (?1, ?2, {_NOW} + ?3)
    ON CONFLICT (kind, key) DO UPDATE SET until = excluded.until"""
_KEPT = f"SELECT 1 AS found FROM limits WHERE kind = ?1 AND key = ?2 AND until > {_NOW}"
_FORGET = f"DELETE FROM limits WHERE until < {_NOW}"
_FORGET_EVERY = 1_000
# Shorter would be refused forever by a row that another worker has just taken away.
_SHORTEST_WAIT_S = 0.001


class SharedLimits:
    """The table of limits. A key is kept as its hash: it may be an address, or what somebody typed."""

    def __init__(self, rows: ServiceRows) -> None:
        self._rows = rows
        self._takes = count(1)

    def take(self, kind: str, key: str, *, step_s: float, at_once: float) -> float:
        """Count a take of a key, of which one is allowed each `step_s` seconds, and so many at once; return 0, or the
        seconds until one is allowed where it was not counted."""
        values = (kind, _hashed(key), float(step_s), float(step_s * at_once))
        if next(self._takes) % _FORGET_EVERY == 0:
            with self._rows.transaction() as writing:
                writing.execute(_FORGET)
        if self._rows.rows(_TAKE, *values):
            return 0.0
        waits = self._rows.rows(_WAIT, *values)
        return max(_SHORTEST_WAIT_S, waits[0]["left_s"] if waits else 0.0)

    def keep(self, kind: str, key: str, *, for_s: float) -> None:
        """Remember a key for so many seconds."""
        with self._rows.transaction() as writing:
            writing.execute(_KEEP, (kind, _hashed(key), float(for_s)))

    def keeps(self, kind: str, key: str) -> bool:
        """Return whether a key is remembered."""
        return bool(self._rows.rows(_KEPT, kind, _hashed(key)))


def _hashed(key: str) -> str:
    return sha256(key.encode("utf-8", "replace")).hexdigest()[:32]
