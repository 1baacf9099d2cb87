"""A view -> what there is to search for whoever looks: the open tables, and a small table of their own for each pack.

What a viewer may not see is in none of it: it changes no score.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from typing import TypeVar

import numpy as np

from lorewright.index.fulltext import fulltext_here
from lorewright.index.generation import Generation, StoredChunk
from lorewright.index.keywords import KeywordTable
from lorewright.index.vectors.exact import WindowVectors
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.filters import Key
from lorewright.retrieval.view import LoreView, may_see, visible_text

T = TypeVar("T")


class Visible:
    """What a viewer can search and read. `close` it: it holds tables of the moment."""

    def __init__(self, view: LoreView) -> None:
        self.view = view
        self.generations = view.generations
        self._private: dict[Key, str] = {}
        self._stack = ExitStack()
        if view.viewer != "gm":
            for index, generation in enumerate(view.generations):
                self._add_private(index, generation)
        self.tables = list(self._tables())

    def close(self) -> None:
        """Let go of the tables."""
        self._stack.close()

    def _add_private(self, index: int, generation: Generation) -> None:
        for chunk in generation.hidden_chunks():
            text = visible_text(self.view, generation, chunk)
            if text is not None:
                self._private[(index, chunk.row)] = text

    def whole(self, key: Key, chunk: StoredChunk) -> bool:
        """Whether the viewer sees all of the chunk."""
        return self.view.viewer == "gm" or self.text(key, chunk) == chunk.text

    def text(self, key: Key, chunk: StoredChunk) -> str | None:
        """What the viewer may read of the chunk, or None."""
        if self.view.viewer == "gm":
            return chunk.written or None
        if chunk.role in OPEN_ROLES:
            return chunk.text or None
        return self._private.get(key)

    def chunks(self, keys: Iterable[Key]) -> dict[Key, StoredChunk]:
        """The chunks of the keys."""
        rows: dict[int, set[int]] = {}
        for index, row in keys:
            rows.setdefault(index, set()).add(row)
        return {
            (index, row): chunk
            for index in sorted(rows)
            for row, chunk in self.generations[index].chunks(rows[index]).items()
        }

    def windows(self, index: int) -> WindowVectors | None:
        """What was embedded of a pack and may be seen; None where nothing was embedded."""
        generation = self.generations[index]
        if generation.vectors is None:
            return None
        table = generation.window_table(len(generation.vectors.vectors))
        shown = table.present
        if self.view.viewer != "gm":
            shown = shown & table.opens
            learned = np.isin(table.rows, [row for owner, row in self._private if owner == index])
            for window in np.flatnonzero(table.present & ~table.opens & learned).tolist():
                shown[window] = self._shows(index, int(table.rows[window]), table.items.get(window))
        return WindowVectors(generation.vectors.vectors, table.rows, None if shown.all() else shown)

    def _shows(self, index: int, row: int, item_id: str | None) -> bool:
        """Of a section that is not open, and of which the viewer sees something: whether all of it, or this item."""
        chunk = self.generations[index].chunks([row])[row]
        return may_see(self.view, role=chunk.role, owner_id=chunk.entity_id, item_id=item_id)

    def _tables(self) -> Iterator[tuple[int, KeywordTable]]:
        """Every keyword table with the index of its generation; those of the moment are closed at the end."""
        names = ("open_fts", "hidden_fts") if self.view.viewer == "gm" else ("open_fts",)
        for index, generation in enumerate(self.generations):
            for name in names:
                yield index, generation.keyword_table(name)
            texts = {row: text for (owner, row), text in self._private.items() if owner == index}
            if texts:
                private = self._stack.enter_context(closing(_private_connection(texts, generation)))
                yield index, KeywordTable(private, "own_fts", len(texts), generation.english)


def by_key(owners: Sequence[int], found: Sequence[dict[int, T]]) -> dict[Key, T]:
    """What was found by row in each table -> by key."""
    return {(index, row): one for index, of in zip(owners, found, strict=True) for row, one in of.items()}


def _private_connection(texts: dict[int, str], generation: Generation) -> sqlite3.Connection:
    """What a viewer may see of a pack beyond open lore (row -> text), as a keyword table of its own: no secret has a
    part in its statistics."""
    connection = sqlite3.connect(":memory:")
    made_with = fulltext_here()
    connection.execute(made_with.create("own_fts", english=generation.english))
    rows = [(row, chunk.title, chunk.section, texts[row]) for row, chunk in generation.chunks(texts).items()]
    made_with.insert(connection, "own_fts", rows)
    return connection
