"""A generation's tables -> what each of its vectors stands for, as arrays."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lorewright.index.fulltext import numbers
from lorewright.packs.models import OPEN_ROLES


@dataclass(frozen=True, slots=True)
class WindowTable:
    """What was embedded, one entry for each vector: the chunk's row, ascending, whether it is (still) there, and
    whether it is open to all; and the item to which it belongs, where it does."""

    rows: npt.NDArray[np.int64]
    present: npt.NDArray[np.bool_]
    opens: npt.NDArray[np.bool_]
    items: dict[int, str]


def read_window_table(connection: sqlite3.Connection, count: int) -> WindowTable:
    """What each of `count` vectors stands for; windows that the tables do not tell of are not there. Read as two long
    texts: row by row, 200,000 windows take half a second."""
    ids, chunks = connection.execute(
        "SELECT group_concat(id), group_concat(chunk) FROM (SELECT id, chunk FROM windows WHERE id < ? ORDER BY id)",
        (count,),
    ).fetchone()
    windows = numbers(ids)
    rows = np.zeros(count, np.int64)
    rows[windows] = numbers(chunks)
    np.maximum.accumulate(rows, out=rows)
    present = np.zeros(count, np.bool_)
    present[windows] = True
    items = connection.execute("SELECT id, item_id FROM windows WHERE item_id IS NOT NULL AND id < ?", (count,))
    roles = ", ".join(f"'{role}'" for role in sorted(OPEN_ROLES))
    hidden = connection.execute(f"SELECT group_concat(rowid) FROM pack_chunks WHERE role NOT IN ({roles})")
    opens = present & ~np.isin(rows, numbers(hidden.fetchone()[0]))
    return WindowTable(rows, present, opens, dict(map(tuple, items)))
