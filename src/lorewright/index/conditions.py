"""The conditions in a generation: written once when it is built, read whenever it is asked."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from lorewright.index.generation import Generation
from lorewright.packs.conditions import from_json
from lorewright.packs.models import When


@dataclass(frozen=True, slots=True)
class StoredCondition:
    """What stands under a condition: a chunk (its row), or with `item_id` one item of it."""

    row: int
    item_id: str | None
    entity_id: str
    file_path: str
    when: When


def conditions_of(generation: Generation) -> Sequence[StoredCondition]:
    """Every condition of a generation, in source order; parsed once, for a generation never changes."""
    if "conditions" not in generation.parsed:
        generation.parsed["conditions"] = _read(generation)
    found: Sequence[StoredCondition] = generation.parsed["conditions"]
    return found


def _read(generation: Generation) -> Sequence[StoredCondition]:
    sql = """SELECT chunk, item_id, entity_id, file_path, condition, conditions.line
        FROM conditions JOIN pack_chunks ON pack_chunks.rowid = chunk ORDER BY conditions.rowid"""
    return list(map(_stored, generation.connection.execute(sql)))


def _stored(row: sqlite3.Row) -> StoredCondition:
    chunk, item_id, entity_id, file_path, condition, line = row
    return StoredCondition(chunk, item_id, entity_id, file_path, from_json(condition, line=line))
