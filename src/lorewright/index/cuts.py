"""Generation -> the same without some of its chunks and items: as if they had never been written.

A keyword score depends on every row of its table, so rows that may not count are removed before the search: from a copy
in memory. The copies of the last few sets are cached with their generation.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

from lorewright.index.building import table_of
from lorewright.index.fulltext import fulltext_of
from lorewright.index.generation import Generation
from lorewright.index.keywords import indexed_row
from lorewright.packs.models import OPEN_ROLES
from lorewright.tokens import count_tokens

# How many copies are cached: a conversation under changing conditions needs a few, each as large as the pack's index.
_KEPT = 4


@dataclass(frozen=True, slots=True)
class Cut:
    """The parts to remove: rows of whole chunks, IDs of items, and for chunks that lose items their new words, and the
    new text as their author wrote it."""

    rows: frozenset[int] = frozenset()
    items: frozenset[str] = frozenset()
    texts: Mapping[int, tuple[str, str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.rows or self.items)


def pruned(generation: Generation, cut: Cut) -> Generation:
    """Return the generation without what is cut; itself where nothing is. It is closed with the original generation."""
    if not cut:
        return generation
    key = (cut.rows, cut.items)
    if key not in generation.copies:
        while len(generation.copies) >= _KEPT:
            generation.copies.pop(next(iter(generation.copies)))
        generation.copies[key] = Generation(
            generation.folder,
            connection=_copy(generation.connection, cut, generation.reading),
            vectors=generation.vectors,
            embedder=generation.embedder,
            reranker=generation.reranker,
            corpus=generation.corpus,
        )
    return generation.copies[key]


def _copy(source: sqlite3.Connection, cut: Cut, reading: int) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:", isolation_level=None)
    source.backup(copy)
    copy.execute("BEGIN")
    for row in sorted(cut.rows | cut.texts.keys()):
        _take_out(copy, row, reading)
        if row not in cut.rows:
            _put_back(copy, row, *cut.texts[row], reading)
    for row in sorted(cut.rows):
        for table, column in (
            ("pack_chunks", "rowid"),
            ("links", "chunk"),
            ("items", "chunk"),
            ("conditions", "chunk"),
            ("windows", "chunk"),
        ):
            copy.execute(f"DELETE FROM {table} WHERE {column} = ?", (row,))
    for item_id in sorted(cut.items):
        copy.execute("DELETE FROM items WHERE id = ?", (item_id,))
        copy.execute("DELETE FROM conditions WHERE item_id = ?", (item_id,))
        copy.execute("DELETE FROM windows WHERE item_id = ?", (item_id,))
    _count(copy)
    copy.execute("COMMIT")
    return copy


_FTS_COLUMNS = "rowid, title, section, chunk_text"


def _take_out(copy: sqlite3.Connection, row: int, reading: int) -> None:
    found = copy.execute(f"SELECT role, {_FTS_COLUMNS} FROM pack_chunks WHERE rowid = ?", (row,)).fetchone()
    if found and found[4]:
        table = table_of(found[0])
        fulltext_of(copy, table).take_out(copy, table, indexed_row(tuple(found)[1:], reading=reading))


def _put_back(copy: sqlite3.Connection, row: int, text: str, written: str, reading: int) -> None:
    sql = """UPDATE pack_chunks SET chunk_text = ?, token_count = ?, written_text = ?, written_tokens = ?
        WHERE rowid = ?"""
    tokens = [count_tokens(both, reading=reading) for both in (text, written)]
    copy.execute(sql, (text, tokens[0], written, tokens[1], row))
    found = copy.execute(f"SELECT role, {_FTS_COLUMNS} FROM pack_chunks WHERE rowid = ?", (row,)).fetchone()
    if text:
        table = table_of(found[0])
        fulltext_of(copy, table).insert(copy, table, [indexed_row(tuple(found)[1:], reading=reading)])


def _count(copy: sqlite3.Connection) -> None:
    roles = copy.execute("SELECT role FROM pack_chunks WHERE chunk_text <> ''").fetchall()
    shown = sum(1 for (role,) in roles if role in OPEN_ROLES)
    for key, count in (("open_count", shown), ("hidden_count", len(roles) - shown)):
        copy.execute("UPDATE meta SET value = ? WHERE key = ?", (str(count), key))
