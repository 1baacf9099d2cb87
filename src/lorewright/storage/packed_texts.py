"""The packed texts of a campaign's file: which columns may hold them, the SQL functions that read and write them, and
the keys that the inputs of stages are packed by.

A column of `PACKED` holds a text or, where that is shorter, a BLOB of `packing.pack`; a text is always read as it is.
`text_of(column)` is the text of either; of bytes that were altered it is empty, which no text of those columns is, so
that they are found and reported where a damaged text is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from lorewright.storage.packing import PackingKey, key_of, pack, unpack

CAMPAIGNS = "campaigns"
STAGE_RECORDS = "stage_records"
KEYS = "stage_keys"

PACKED: Mapping[str, tuple[str, ...]] = {
    CAMPAIGNS: ("scenario_json", "rules_json"),
    "upgrades": ("rules_json",),
    "prompt_texts": ("source",),
    "world_states": ("state_json",),
    STAGE_RECORDS: ("input_json",),
    KEYS: ("input",),
}

# Shorter inputs are packed without a key.
_WORTH_A_KEY = 1024
# A key is replaced when an input takes more than this share of what it would take without one.
_STALE = 0.5

_KEY = f"SELECT input FROM {KEYS} WHERE key_no = ?"

_Value = str | bytes | int | float | None
Statement = tuple[str, tuple[str | int | bytes | None, ...]]


def add_text_functions(connection: sqlite3.Connection) -> None:
    """Give a connection `text_of` and `packed_text`."""

    def text_of(value: _Value) -> _Value:
        if not isinstance(value, bytes):
            return value
        try:
            number = key_of(value)
            if not number:
                return read_packed(value, 0, b"")
            row = connection.execute(_KEY, (number,)).fetchone()
            return read_packed(value, number, row[0])
        except (ValueError, TypeError, sqlite3.Error):
            return ""

    connection.create_function("text_of", 1, text_of, deterministic=True)
    connection.create_function("packed_text", 1, _packed_text, deterministic=True)


def _packed_text(value: _Value) -> _Value:
    return pack(value) if isinstance(value, str) else value


# A campaign's rules are read several times in a turn, a key with every record.
@lru_cache(maxsize=16)
def read_packed(packed: bytes, number: int, key: str | bytes) -> str:
    """Return the text of packed bytes, given the number of their key and the key as it is stored; 0 for none.

    Raises:
        ValueError: they are not what was packed.
    """
    return unpack(packed, PackingKey(number, _key_text(key)) if number else None)


def _key_text(stored: str | bytes) -> str:
    return stored if isinstance(stored, str) else read_packed(stored, 0, b"")


def selected(table: str, *columns: str) -> str:
    """Return the columns of a table for a SELECT, with the texts of those that may be packed."""
    may_be_packed = PACKED.get(table, ())
    return ", ".join(f"text_of({name}) AS {name}" if name in may_be_packed else name for name in columns)


def packed_row(campaign: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a campaign, column -> value, as it is to be stored."""
    return {name: pack(value) if name in PACKED[CAMPAIGNS] else value for name, value in campaign.items()}


class StageInputs:
    """The inputs of stages, packed by the newest key of each stage. A key is made where there is none, and where the
    newest has become unlike what the stage is given."""

    def __init__(self, rows: Callable[..., Sequence[sqlite3.Row]], campaign_id: str) -> None:
        """`rows` runs a query of the campaign's file."""
        self._rows = rows
        self._campaign_id = campaign_id
        self._newest: dict[str, tuple[PackingKey, int] | None] = {}
        self._last: int | None = None
        self.keys: list[Statement] = []

    def pack(self, stage: str, text: str) -> str | bytes:
        """Return an input as it is to be stored. The keys that it needs are added to `keys`, as statements that are to
        be run in the same transaction."""
        if len(text) < _WORTH_A_KEY:
            return pack(text)
        if stage not in self._newest:
            self._newest[stage] = self._newest_key(stage)
        if (newest := self._newest[stage]) is not None:
            key, length = newest
            packed = pack(text, key)
            if len(packed) <= length * _STALE:
                return packed
        alone = pack(text)
        if self._last is None:
            self._last = int(self._rows(f"SELECT coalesce(max(key_no), 0) FROM {KEYS}")[0][0])
        self._last += 1
        made = PackingKey(self._last, text)
        self._newest[stage] = (made, len(alone))
        self.keys.append((f"INSERT INTO {KEYS} VALUES (?, ?, ?, ?)", (made.number, self._campaign_id, stage, alone)))
        return pack(text, made)

    def _newest_key(self, stage: str) -> tuple[PackingKey, int] | None:
        sql = f"SELECT key_no, length(input) AS length, text_of(input) FROM {KEYS} WHERE stage = ?"
        found = self._rows(f"{sql} ORDER BY key_no DESC LIMIT 1", stage)
        # By a key that cannot be read nothing more is packed.
        return (PackingKey(found[0][0], found[0][2]), found[0][1]) if found and found[0][2] else None
