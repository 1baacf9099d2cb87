"""A pack that is being written -> its temporary index, in memory: the same answers as from an installed one.

From one text of the pack to the next only the chunks that differ are removed and written, and only new windows are
embedded. Rows are numbered with gaps, because only their order counts: a chunk that is written between two others takes
a number between theirs. Where a gap is used up, everything is written anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from lorewright.errors import EmbedderError, PackError
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
from lorewright.index.generation import Generation, GenerationKey
from lorewright.index.installed_packs import InstalledPack
from lorewright.index.library import Library
from lorewright.index.vector_building import VectorBuilder
from lorewright.index.vectors.stored import StoredVectors
from lorewright.packs.files import Progress, no_progress
from lorewright.packs.models import Chunk, Pack
from lorewright.packs.pack_loader import PackLoader, ParseCaches

# Room for fifteen chunks between two. Keyword ranking has a place for every row number, so a wider gap would make every
# question slower.
_GAP = 16

_FIELDS = tuple(field.name for field in fields(Chunk) if field.name != "position")


@dataclass(frozen=True, slots=True)
class LiveRow:
    """A chunk in the index: its row and its title."""

    number: int
    chunk: Chunk
    title: str

    def holds(self, chunk: Chunk, title: str) -> bool:
        """Return True if this row holds the chunk as it is now, wherever it stands among the others."""
        if self.title != title:
            return False
        return self.chunk is chunk or all(getattr(self.chunk, name) == getattr(chunk, name) for name in _FIELDS)


@dataclass(frozen=True, slots=True)
class Updated:
    """The index after an update, until the next one. `changed` counts the chunks that were written and removed,
    `embedded` the windows that had to be embedded; `problem` is why there are no vectors, where there should be."""

    generation: Generation
    changed: int
    embedded: int
    problem: EmbedderError | None = None


@dataclass(frozen=True, slots=True)
class _Windows:
    """The embedded windows of a chunk: the hash of each window's text, and the item that it belongs to."""

    chunk: Chunk
    hashes: tuple[bytes, ...]
    items: tuple[str | None, ...]
    texts: tuple[str, ...]


class LiveIndex:
    """The index of one pack, updated in place. It is for one thread, and must be closed with `close`."""

    def __init__(self, vectors: VectorBuilder | None = None) -> None:
        """Without `vectors` the pack is searched by words alone."""
        self._builder = vectors
        self._rows: list[LiveRow] = []
        self._pack: Pack | None = None
        self._connection: sqlite3.Connection | None = None
        self._generation: Generation | None = None
        self._windows: dict[str, _Windows] = {}
        self._vectors: dict[bytes, Vectors] = {}
        self._cache: EmbeddingCache | None = None

    def update(self, pack: Pack, *, progress: Progress = no_progress) -> Updated:
        """Index a text of the pack; the generation of the text before must not be used any more.

        If it is interrupted, the next update writes everything anew.
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
        """Free the memory. Closing twice is allowed."""
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
            write_chunk(self._connection, row.number, row.chunk, row.title, reading=pack.reading)
        write_entities(self._connection, pack.entities, reading=pack.reading)
        self._write_the_rest(self._connection, pack)
        return len(pack.chunks)

    def _patched(self, before: Pack, pack: Pack) -> int | None:
        """Return how many chunks were written or removed; None where everything has to be written."""
        planned = self._plan(pack)
        if planned is None or self._connection is None:
            return None
        self._let_go_of_copies()
        connection = self._connection
        # An unchanged row is the same object; a new one may well have the number of a removed one.
        before_rows, after_rows = set(map(id, self._rows)), set(map(id, planned))
        removed = [row for row in self._rows if id(row) not in after_rows]
        new = [row for row in planned if id(row) not in before_rows]
        connection.execute("BEGIN")
        for row in removed:
            take_out_chunk(connection, row.number, row.chunk, row.title, reading=pack.reading)
        for row in new:
            write_chunk(connection, row.number, row.chunk, row.title, reading=pack.reading)
        if before.entities != pack.entities:
            for table in ("entities", "names", "overrides"):
                connection.execute(f"DELETE FROM {table}")
            write_entities(connection, pack.entities, reading=pack.reading)
        self._rows = planned
        self._write_the_rest(connection, pack)
        return len(removed) + len(new)

    def _plan(self, pack: Pack) -> list[LiveRow] | None:
        """Return the rows for a text, unchanged ones reused; None where there is no room between them."""
        titles = names_of(pack)
        existing = {row.chunk.id: row for row in self._rows}
        planned: list[LiveRow] = []
        waiting: list[Chunk] = []
        last = 0
        for chunk in pack.chunks:
            row = existing.get(chunk.id)
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
        """Write what is numbered through the pack, or is about all of it; then commit."""
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
        missing = {key: text for windows in wanted for key, text in _pairs(windows) if key not in self._vectors}
        try:
            if self._cache is None:
                self._cache = self._builder.cache.held()
            embedded = self._cache.embed(
                list(missing.values()), self._builder.embedder, progress=lambda *count: progress("embedding", *count)
            )
        except EmbedderError as problem:
            return None, 0, problem
        known = self._vectors | dict(zip(missing, embedded.vectors, strict=True))
        # Vectors of windows that are not in the text any more are in the cache.
        self._vectors = {key: known[key] for windows in wanted for key in windows.hashes}
        if not self._vectors:
            return None, 0, None
        return np.stack([self._vectors[key] for windows in wanted for key in windows.hashes]), embedded.new, None


def _pairs(windows: _Windows) -> Iterator[tuple[bytes, str]]:
    return zip(windows.hashes, windows.texts, strict=True)


def _is_alike(before: Pack, pack: Pack) -> bool:
    """Tell whether two texts can share tables: another language needs another tokenizer, other rules other words."""
    return before.reading == pack.reading and (
        (before.manifest.id, before.manifest.language) == (pack.manifest.id, pack.manifest.language)
    )


def _numbered(chunks: Sequence[Chunk], titles: dict[str, str], after: int, before: int) -> list[LiveRow] | None:
    """Return rows between two others, as far apart as possible; None where there is not room for all."""
    step = (before - after) // (len(chunks) + 1)
    if step < 1:
        return None
    return [
        LiveRow(after + step * place, chunk, titles[chunk.entity_id]) for place, chunk in enumerate(chunks, start=1)
    ]


# The packs that a pack which is being written depends on.


class NeededPacks:
    """The generations of the installed packs that a pack depends on, each open while it is the current one; and those
    of their texts as they are written now, where these were read and are others."""

    def __init__(self, library: Library, memories: ParseCaches) -> None:
        self._library = library
        self._memories = memories
        self._open: dict[GenerationKey, Generation] = {}
        self._said: dict[GenerationKey, dict[str, str]] = {}
        self._edited: dict[str, Pack] = {}
        self._live: dict[str, LiveIndex] = {}
        # Why one of them is asked as it is installed, although its folder holds another text.
        self.problem: str | None = None

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """Return the texts that are asked in place of the installed ones, by pack, and the problem if there is any."""
        return (*((pack.manifest.id, pack.content_hash) for pack in self._edited.values()), ("", self.problem or ""))

    def read(self, pack: Pack) -> None:
        """Read the folders of the packs that a pack depends on. One with errors stays as it was asked last."""
        self.problem = None
        for installed in self._wanted(pack):
            folder = Path(installed.path)
            try:
                loader = PackLoader(folder.parent, self._library.neighbours(), memories=self._memories)
                now = loader.check_pack(folder)
            except (PackError, OSError) as problem:
                told = problem.message if isinstance(problem, PackError) else str(problem)
                self.problem = f"{installed.id} is asked as it was: {told}"
                continue
            if now.content_hash == installed.content_hash:
                self._edited.pop(installed.id, None)
            elif now.errors:
                self.problem = f"{installed.id} is asked as it was: {now.errors[0]}"
            else:
                self._edited[installed.id] = now

    def _wanted(self, pack: Pack) -> list[InstalledPack]:
        wanted = {dependency.id for dependency in pack.manifest.depends_on} - {pack.manifest.id}
        return [installed for installed in self._library.packs() if installed.id in wanted] if wanted else []

    @property
    def said(self) -> dict[str, str]:
        """Return the text of all their chunks, by ID."""
        said = {chunk_id: text for said in self._said.values() for chunk_id, text in said.items()}
        return said | {chunk.id: chunk.text for pack in self._edited.values() for chunk in pack.chunks}

    def beside(self, pack: Pack, own: Generation) -> tuple[Generation, ...]:
        """Return the generations to ask: the pack and those that it depends on, in the order of their IDs."""
        installed = {needed.id: needed.key for needed in self._wanted(pack)}
        for pack_id in [own_id for own_id in self._edited if own_id not in installed]:
            del self._edited[pack_id]
        keys = [key for pack_id, key in installed.items() if pack_id not in self._edited]
        for key in [key for key in self._open if key not in keys]:
            self._open.pop(key).close()
            del self._said[key]
        for key in keys:
            if key not in self._open:
                self._open[key] = self._library.open(key)
                self._said[key] = {chunk.id: chunk.written for chunk in self._open[key].all_chunks()}
        live = [
            self._live.setdefault(pack_id, LiveIndex(self._library.vectors)).update(edited).generation
            for pack_id, edited in self._edited.items()
        ]
        return tuple(sorted([own, *self._open.values(), *live], key=lambda generation: generation.pack_id))

    def close(self) -> None:
        """Let go of everything that is open."""
        with ExitStack() as stack:
            for index in self._live.values():
                stack.callback(index.close)
            for generation in self._open.values():
                stack.callback(generation.close)
        self._open, self._said = {}, {}
