"""A pack that is being written -> its index of the moment, in memory: the same answers as from an installed one.

From one text of the pack to the next only the chunks that differ are taken out and written, and only windows that were
never seen are embedded. Rows are numbered with gaps, because only their order counts: what is written between two
chunks takes numbers between theirs. Where a gap is used up, everything is written anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

from lorewright.errors import EmbedderError
from lorewright.index.building import (
    make_tables,
    names_of,
    take_out_chunk,
    windows_of,
    write_chunk,
    write_conditions,
    write_entities,
    write_meta,
)
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.embedding_cache import EmbeddingCache, hash_of
from lorewright.index.fulltext import fulltext_of
from lorewright.index.generation import Generation
from lorewright.index.vector_building import VectorBuilder
from lorewright.index.vectors.stored import StoredVectors
from lorewright.packs.loader import Progress, no_progress
from lorewright.packs.models import OPEN_ROLES, Chunk, Pack
from lorewright.tokens import count_tokens

# Generation -> the same without some of its chunks and items: as if they had never been written.
#
# A keyword score depends on every row of its table, so what may not count is taken out before anything is asked: a copy
# in memory, from which the rows are deleted. The copies of the last few sets are kept beside their generation.

# A conversation under changing conditions needs a few; each is as large as the pack's index.
_KEPT = 4


@dataclass(frozen=True, slots=True)
class Cut:
    """What is taken out: rows of whole chunks, IDs of items, and what is left of chunks that lose items: their words,
    and the text as their author wrote it."""

    rows: frozenset[int] = frozenset()
    items: frozenset[str] = frozenset()
    texts: Mapping[int, tuple[str, str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.rows or self.items)


def pruned(generation: Generation, cut: Cut) -> Generation:
    """The generation without what is cut; itself where nothing is. Closed with the generation that it comes from."""
    if not cut:
        return generation
    key = (cut.rows, cut.items)
    if key not in generation.copies:
        while len(generation.copies) >= _KEPT:
            generation.copies.pop(next(iter(generation.copies)))
        generation.copies[key] = Generation(
            generation.folder,
            connection=_copy(generation.connection, cut),
            vectors=generation.vectors,
            embedder=generation.embedder,
            reranker=generation.reranker,
            corpus=generation.corpus,
        )
    return generation.copies[key]


def _copy(source: sqlite3.Connection, cut: Cut) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:", isolation_level=None)
    source.backup(copy)
    copy.execute("BEGIN")
    for row in sorted(cut.rows | cut.texts.keys()):
        _take_out(copy, row)
        if row not in cut.rows:
            _put_back(copy, row, *cut.texts[row])
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


def _take_out(copy: sqlite3.Connection, row: int) -> None:
    found = copy.execute(f"SELECT role, {_FTS_COLUMNS} FROM pack_chunks WHERE rowid = ?", (row,)).fetchone()
    if found and found[4]:
        table = _table_of(found[0])
        fulltext_of(copy, table).take_out(copy, table, tuple(found)[1:])


def _put_back(copy: sqlite3.Connection, row: int, text: str, written: str) -> None:
    sql = """UPDATE pack_chunks SET chunk_text = ?, token_count = ?, written_text = ?, written_tokens = ?
        WHERE rowid = ?"""
    copy.execute(sql, (text, count_tokens(text), written, count_tokens(written), row))
    found = copy.execute(f"SELECT role, {_FTS_COLUMNS} FROM pack_chunks WHERE rowid = ?", (row,)).fetchone()
    if text:
        table = _table_of(found[0])
        fulltext_of(copy, table).insert(copy, table, [tuple(found)[1:]])


def _table_of(role: str) -> str:
    return "open_fts" if role in OPEN_ROLES else "hidden_fts"


def _count(copy: sqlite3.Connection) -> None:
    roles = copy.execute("SELECT role FROM pack_chunks WHERE chunk_text <> ''").fetchall()
    shown = sum(1 for (role,) in roles if role in OPEN_ROLES)
    for key, count in (("open_count", shown), ("hidden_count", len(roles) - shown)):
        copy.execute("UPDATE meta SET value = ? WHERE key = ?", (str(count), key))


# Room for fifteen chunks between two. Ranking by words has a place for every row number, so that a wide gap is paid for
# by every question.
_GAP = 16

_FIELDS = tuple(field.name for field in fields(Chunk) if field.name != "position")


@dataclass(frozen=True, slots=True)
class LiveRow:
    """A chunk that is in the index: under which row, and with which title."""

    number: int
    chunk: Chunk
    title: str

    def holds(self, chunk: Chunk, title: str) -> bool:
        """Whether a chunk is written already, wherever it stands among the others."""
        if self.title != title:
            return False
        return self.chunk is chunk or all(getattr(self.chunk, one) == getattr(chunk, one) for one in _FIELDS)


@dataclass(frozen=True, slots=True)
class Updated:
    """The index as it is now, until the next update. `changed` counts the chunks that were written and that are gone,
    `embedded` the windows that had to be embedded; `problem` is why there are no vectors, where there should be."""

    generation: Generation
    changed: int
    embedded: int
    problem: EmbedderError | None = None


@dataclass(frozen=True, slots=True)
class _Windows:
    """What of a chunk is embedded: the hash of each window's text, and the item that it belongs to."""

    chunk: Chunk
    hashes: tuple[bytes, ...]
    items: tuple[str | None, ...]
    texts: tuple[str, ...]


class LiveIndex:
    """The index of one pack, updated in place. For one thread; `close` it."""

    def __init__(self, vectors: VectorBuilder | None = None) -> None:
        """Without `vectors` the pack is found by words alone."""
        self._builder = vectors
        self._rows: list[LiveRow] = []
        self._pack: Pack | None = None
        self._connection: sqlite3.Connection | None = None
        self._generation: Generation | None = None
        self._windows: dict[str, _Windows] = {}
        self._vectors: dict[bytes, Vectors] = {}
        self._cache: EmbeddingCache | None = None

    def update(self, pack: Pack, *, progress: Progress = no_progress) -> Updated:
        """Have a text of the pack in the index; the generation of the text before must not be used any more.

        Where it is stopped half-way, the next update writes everything anew.
        """
        before, self._pack = self._pack, None
        changed = self._patched(before, pack) if before is not None and _is_alike(before, pack) else None
        if changed is None:
            changed = self._filled(pack)
        vectors, embedded, problem = self._embedded(pack, progress)
        self._pack = pack
        self._generation = Generation(
            Path(pack.root),
            connection=self._connection,
            vectors=None if vectors is None else StoredVectors(vectors),
            embedder=None if vectors is None or self._builder is None else self._builder.embedder,
        )
        return Updated(self._generation, changed, embedded, problem)

    def close(self) -> None:
        """Let go of the memory. Closing twice is well."""
        self._let_go_of_copies()
        if self._connection is not None:
            self._connection.close()
        self._connection, self._pack = None, None
        if self._cache is not None:
            self._cache.let_go()
        self._cache = None

    def _let_go_of_copies(self) -> None:
        for copy in self._generation.copies.values() if self._generation is not None else ():
            copy.connection.close()
        self._generation = None

    def _filled(self, pack: Pack) -> int:
        self.close()
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._connection.execute("BEGIN")
        make_tables(self._connection, pack)
        titles = names_of(pack)
        self._rows = [
            LiveRow(number * _GAP, chunk, titles[chunk.entity_id]) for number, chunk in enumerate(pack.chunks, start=1)
        ]
        for row in self._rows:
            write_chunk(self._connection, row.number, row.chunk, row.title)
        write_entities(self._connection, pack.entities)
        self._write_the_rest(self._connection, pack)
        return len(pack.chunks)

    def _patched(self, before: Pack, pack: Pack) -> int | None:
        """How many chunks were written or taken out; None where everything has to be written."""
        planned = self._plan(pack)
        if planned is None or self._connection is None:
            return None
        self._let_go_of_copies()
        connection = self._connection
        # A row that is kept is the very same; a new one may well have the number of one that goes.
        before_rows, after_rows = set(map(id, self._rows)), set(map(id, planned))
        gone = [row for row in self._rows if id(row) not in after_rows]
        new = [row for row in planned if id(row) not in before_rows]
        connection.execute("BEGIN")
        for row in gone:
            take_out_chunk(connection, row.number, row.chunk, row.title)
        for row in new:
            write_chunk(connection, row.number, row.chunk, row.title)
        if before.entities != pack.entities:
            for table in ("entities", "names", "overrides"):
                connection.execute(f"DELETE FROM {table}")
            write_entities(connection, pack.entities)
        self._rows = planned
        self._write_the_rest(connection, pack)
        return len(gone) + len(new)

    def _plan(self, pack: Pack) -> list[LiveRow] | None:
        """The rows that the index shall have, those of chunks that stay as they are; None where there is no room."""
        titles = names_of(pack)
        there = {row.chunk.id: row for row in self._rows}
        planned: list[LiveRow] = []
        waiting: list[Chunk] = []
        last = 0
        for chunk in pack.chunks:
            row = there.get(chunk.id)
            if row is None or row.number <= last or not row.holds(chunk, titles[chunk.entity_id]):
                waiting.append(chunk)
                continue
            between = _numbered(waiting, titles, last, row.number)
            if between is None:
                return None
            planned += [*between, row]
            waiting, last = [], row.number
        return [*planned, *(_numbered(waiting, titles, last, last + _GAP * (len(waiting) + 1)) or ())]

    def _write_the_rest(self, connection: sqlite3.Connection, pack: Pack) -> None:
        """What is numbered through the pack, or is about all of it; then commit."""
        for table in ("conditions", "windows", "meta"):
            connection.execute(f"DELETE FROM {table}")
        for row in self._rows:
            if row.chunk.conditions or row.chunk.items:
                write_conditions(connection, row.number, row.chunk)
        self._windows = {chunk.id: self._windows_of(chunk) for chunk in pack.chunks}
        owned = [(row.number, item) for row in self._rows for item in self._windows[row.chunk.id].items]
        rows = [(number, row, item) for number, (row, item) in enumerate(owned)]
        connection.executemany("INSERT INTO windows VALUES (?, ?, ?)", rows)
        write_meta(connection, pack)
        connection.execute("COMMIT")

    def _windows_of(self, chunk: Chunk) -> _Windows:
        known = self._windows.get(chunk.id)
        if known is not None and known.chunk.shown == chunk.shown and known.chunk.items == chunk.items:
            return known
        windows = windows_of(chunk.shown, chunk.items)
        texts = tuple(window.text for window in windows)
        return _Windows(chunk, tuple(map(hash_of, texts)), tuple(window.item_id for window in windows), texts)

    def _embedded(self, pack: Pack, progress: Progress) -> tuple[Vectors | None, int, EmbedderError | None]:
        if self._builder is None:
            return None, 0, None
        wanted = [self._windows[chunk.id] for chunk in pack.chunks]
        missing = {key: text for one in wanted for key, text in _pairs(one) if key not in self._vectors}
        try:
            if self._cache is None:
                self._cache = self._builder.cache.held()
            embedded = self._cache.embed(
                list(missing.values()), self._builder.embedder, progress=lambda *count: progress("embedding", *count)
            )
        except EmbedderError as problem:
            return None, 0, problem
        known = self._vectors | dict(zip(missing, embedded.vectors, strict=True))
        # What is not in the text any more is in the cache.
        self._vectors = {key: known[key] for one in wanted for key in one.hashes}
        if not self._vectors:
            return None, 0, None
        return np.stack([self._vectors[key] for one in wanted for key in one.hashes]), embedded.new, None


def _pairs(windows: _Windows) -> Iterator[tuple[bytes, str]]:
    return zip(windows.hashes, windows.texts, strict=True)


def _is_alike(before: Pack, pack: Pack) -> bool:
    """Whether the tables of the one can be those of the other: words of another language are looked up otherwise."""
    return (before.manifest.id, before.manifest.language) == (pack.manifest.id, pack.manifest.language)


def _numbered(chunks: Sequence[Chunk], titles: dict[str, str], after: int, before: int) -> list[LiveRow] | None:
    """Rows between two others, as far apart as can be; None where there is not room for all."""
    step = (before - after) // (len(chunks) + 1)
    if step < 1:
        return None
    return [LiveRow(after + step * place, one, titles[one.entity_id]) for place, one in enumerate(chunks, start=1)]
