"""The folder of a generation -> its contents: chunks, entities, items, links, keywords and vectors."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from lorewright.errors import StaleIndexError, UnsafePath
from lorewright.ids import is_hash, is_id
from lorewright.index.embedders.embedder import Embedder
from lorewright.index.fulltext import can_read, fulltext_of, fulltext_suffix, parse_numbers
from lorewright.index.keywords import GENERATION_FORMAT, KEYWORD_TABLES, KeywordTable, is_english
from lorewright.index.reranker import Reranker
from lorewright.index.vectors.exact import starts_of
from lorewright.index.vectors.stored import GrowingVectors, StoredVectors
from lorewright.packs.conditions import from_json
from lorewright.packs.models import OPEN_ROLES, Item, Manifest, PackEntity, When
from lorewright.scripts import is_unspaced
from lorewright.storage.database import read_json, refuse_foreign_schema
from lorewright.storage.enclosure import Enclosure
from lorewright.tokens import BY_SCRIPT

# A generation's tables -> the chunk of each of its vectors, as arrays.


@dataclass(frozen=True, slots=True)
class WindowTable:
    """The embedded windows, one entry for each vector: the chunk's row, ascending, whether the window is (still) there,
    and whether it is open to all; and the ID of its item, if it has one."""

    rows: npt.NDArray[np.int64]
    present: npt.NDArray[np.bool_]
    opens: npt.NDArray[np.bool_]
    items: dict[int, str]
    # The first window of each chunk.
    starts: npt.NDArray[np.int64]


def read_window_table(connection: sqlite3.Connection, count: int) -> WindowTable:
    """Return the windows of `count` vectors; windows that are not in the tables are not present. The columns are read
    as two long texts: row by row, 200,000 windows take half a second."""
    ids, chunks = connection.execute(
        "SELECT group_concat(id), group_concat(chunk) FROM (SELECT id, chunk FROM windows WHERE id < ? ORDER BY id)",
        (count,),
    ).fetchone()
    windows = parse_numbers(ids)
    rows = np.zeros(count, np.int64)
    rows[windows] = parse_numbers(chunks)
    np.maximum.accumulate(rows, out=rows)
    present = np.zeros(count, np.bool_)
    present[windows] = True
    items = connection.execute("SELECT id, item_id FROM windows WHERE item_id IS NOT NULL AND id < ?", (count,))
    roles = ", ".join(f"'{role}'" for role in sorted(OPEN_ROLES))
    hidden = connection.execute(f"SELECT group_concat(rowid) FROM pack_chunks WHERE role NOT IN ({roles})")
    opens = present & ~np.isin(rows, parse_numbers(hidden.fetchone()[0]))
    return WindowTable(rows, present, opens, dict(map(tuple, items)), starts_of(rows))


CHUNKS_FILE = "chunks.db"

# Lore that authors wrote, or the history of a campaign.
Corpus = Literal["authored", "history"]

# The key in `meta` of the entry rules, where any entry has some.
ENTRY_RULES = "entry_rules"

# The name, in place of an embedder's fingerprint, of a generation without vectors.
KEYWORDS = "keywords"


@dataclass(frozen=True, slots=True)
class GenerationKey:
    """The pack and the hash of its text: names the folders below `indexes/generations/`, one for each vector space."""

    pack_id: str
    content_hash: str

    @property
    def is_plain(self) -> bool:
        """True if ID and hash are valid, so that they can name folders."""
        return is_id(self.pack_id) and is_hash(self.content_hash)

    @property
    def folder(self) -> str:
        """The folder without vectors: `neo_seattle/0123456789abcdef-keywords-f7`."""
        return self.folder_in(KEYWORDS)

    def folder_in(self, space: str) -> str:
        """Return the folder with the vectors of an embedder, named by its fingerprint.

        Raises:
            UnsafePath: ID or hash is invalid; they may come from a file, and could lead out of `generations`.
        """
        if not self.is_plain:
            what = f"{self.pack_id!r} with the hash {self.content_hash[:16]!r} is no pack"
            raise UnsafePath(what, hint="do not use the file that names it")
        return f"{self.pack_id}/{self.content_hash[:16]}-{space}-f{GENERATION_FORMAT}{fulltext_suffix()}"

    def space_of(self, folder_name: str) -> str | None:
        """Return the vector space of a folder of this text and format; None for another's."""
        start, end = f"{self.content_hash[:16]}-", f"-f{GENERATION_FORMAT}{fulltext_suffix()}"
        if not (folder_name.startswith(start) and folder_name.endswith(end)):
            return None
        return folder_name[len(start) : -len(end)] or None


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk of a generation; `row` orders the chunks of a pack as its files do.

    `text` is the text for readers, of `token_count` tokens: it is searched, and others than the game master may read no
    more than it. `written_text` is the text as its author wrote it, where that differs; of `written_tokens`.
    """

    row: int
    id: str
    pack_id: str
    entity_id: str
    file_path: str
    section_path: str
    title: str
    section: str
    text: str
    role: str
    line: int
    part: int
    token_count: int
    metadata_json: str
    written_text: str | None
    written_tokens: int
    # The version of the rules by which its pack was read.
    reading: int = 1

    @property
    def written(self) -> str:
        """The text as its author wrote it: for the game master."""
        return self.text if self.written_text is None else self.written_text

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata by the pack's author and the loader, in the seed's shape; a new dict each time."""
        found: dict[str, Any] = read_json(self.metadata_json)
        return found

    @property
    def section_id(self) -> str:
        """The ID without its part number: a query's `limit` counts sections."""
        return self.id.partition("~")[0]


# The columns of a StoredChunk, in its order, without the version of the rules, which is the generation's.
_CHUNK = """rowid, id, pack_id, entity_id, file_path, section_path, title, section, chunk_text, role, line, part,
    token_count, metadata_json, written_text, written_tokens"""


_LINKED = "SELECT DISTINCT chunk FROM links WHERE kind = ? AND value IN (SELECT value FROM json_each(?))"


class FolderHold(Protocol):
    """Keeps a folder from being removed."""

    def release(self) -> None:
        """Let it be removed. Releasing twice is allowed."""
        ...


class Generation:
    """A reader of one generation. It is cheap to open and holds one read-only connection.

    `copies` are the same generation without some of its chunks, as `cuts.pruned` makes them.
    """

    def __init__(
        self,
        folder: Path,
        *,
        connection: sqlite3.Connection | None = None,
        vectors: StoredVectors | GrowingVectors | None = None,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        corpus: Corpus = "authored",
        without_vectors: str | None = None,
    ) -> None:
        """Open a generation, or with `connection` a copy of one or a substitute. With `vectors` it is searched by
        meaning too, for questions that the `embedder` embeds; with a `reranker` the best hits are reranked.
        `without_vectors` says why there are none where there should be.

        Raises:
            StaleIndexError: there is no such generation, or another version of the program built it.
            UnsafePath: the folder or the file in it is a link.
            DamagedFile: it holds tables that no build makes.
        """
        path = Enclosure(folder.absolute()).path(CHUNKS_FILE) if connection is None else folder
        if connection is None and not path.is_file():
            raise StaleIndexError(f"there is no index at {folder}", hint="run: lorewright pack install FOLDER")
        self.folder = folder
        self.corpus: Corpus = corpus
        self.vectors = vectors
        self.without_vectors = without_vectors
        self.embedder = embedder
        self.reranker = reranker
        self.copies: dict[object, Generation] = {}
        # True while others use it too, so that its reader must not close it; so many have it open.
        self.is_shared = False
        self.readers = 0
        # What keeps the folder from being removed while it is read, where others may remove it.
        self.hold: FolderHold | None = None
        self._tables: dict[str, KeywordTable] = {}
        self._windows: WindowTable | None = None
        self._read: dict[int, StoredChunk] = {}
        # How many chunks are cached, some 2 kB each: a generation never changes.
        self.kept_chunks = 4000
        self._entities: dict[str, PackEntity] | None = None
        # Caches; they hold as much as a story asks for.
        self._entity: dict[str, PackEntity | None] = {}
        self._rows_of: dict[str, tuple[int, ...]] = {}
        self._items: dict[int, tuple[Item, ...]] = {}
        self._hidden_rows: list[int] | None = None
        self._conditions: tuple[StoredCondition, ...] | None = None
        self._without_open_lore: list[str] | None = None
        self._names: dict[str, tuple[str, ...]] | None = None
        self._unspaced_names: dict[str, tuple[str, ...]] | None = None
        self._name_lengths: dict[str, int] | None = None
        self._overrides: dict[str, str] | None = None
        if connection is None:
            uri = f"{path.as_uri()}?mode=ro&immutable=1"
            # Immutable: SQLite looks for no journal and no log.
            connection = sqlite3.connect(uri, uri=True, isolation_level=None)
            try:
                refuse_foreign_schema(connection, path, keyword_tables=KEYWORD_TABLES)
            except BaseException:
                connection.close()
                raise
        self.connection = connection
        self.connection.row_factory = sqlite3.Row
        meta = dict(map(tuple, self.connection.execute("SELECT key, value FROM meta")))
        if meta.get("format") != str(GENERATION_FORMAT):
            self.connection.close()
            raise StaleIndexError("the index was built by another version", hint="run: lorewright pack reindex")
        if not can_read(fulltext_of(self.connection, "open_fts")):
            self.connection.close()
            raise StaleIndexError("this SQLite has no FTS5, which built the index", hint="run: lorewright pack reindex")
        self.manifest = Manifest.model_validate_json(meta["manifest"])
        self.pack_id = self.manifest.id
        self.english = is_english(self.manifest.language)
        # An index that was built before the rules had versions names none: it is of the first.
        self.reading = int(meta.get("reading", "1"))
        self._columns = f"{_CHUNK}, {self.reading}"
        # The entry rules as they are stored; None where no entry has any.
        self.entry_rules_json = meta.get(ENTRY_RULES)
        self.counts = {"open_fts": int(meta["open_count"]), "hidden_fts": int(meta["hidden_count"])}

    def close(self) -> None:
        """Close the connection, those of the copies, and the search of vectors; do nothing while it is shared."""
        if self.is_shared:
            self.readers -= 1
            return
        for copy in self.copies.values():
            copy.connection.close()
        if self.vectors is not None:
            self.vectors.close()
        self.connection.close()
        if self.hold is not None:
            self.hold.release()

    def remember(self, earlier: Generation) -> None:
        """Take over the chunks that a generation has read to which this one only adds some."""
        self._read = dict(earlier._read)

    def chunks(self, rows: Iterable[int]) -> dict[int, StoredChunk]:
        """Return chunks by row."""
        wanted = sorted(set(rows))
        if missing := [row for row in wanted if row not in self._read]:
            sql = f"SELECT {self._columns} FROM pack_chunks WHERE rowid IN (SELECT value FROM json_each(?))"
            read = {row[0]: StoredChunk(*row) for row in self.connection.execute(sql, (json.dumps(missing),))}
            found = {row: chunk for row in wanted if (chunk := read.get(row) or self._read.get(row)) is not None}
            # Of too many the last of those that were asked for are kept: of a history the newest.
            is_full = len(self._read) + len(read) > self.kept_chunks
            self._read = dict(list(found.items())[-self.kept_chunks :]) if is_full else self._read | read
            return found
        return {row: self._read[row] for row in wanted if row in self._read}

    def chunk(self, chunk_id: str) -> StoredChunk | None:
        """Return a chunk by its ID, or None."""
        row = self.connection.execute(f"SELECT {self._columns} FROM pack_chunks WHERE id = ?", (chunk_id,)).fetchone()
        return StoredChunk(*row) if row else None

    def chunks_of(self, entity_id: str) -> list[StoredChunk]:
        """Return an entity's chunks in source order; empty for an unknown entity."""
        if entity_id not in self._rows_of:
            found = self.connection.execute("SELECT rowid FROM pack_chunks WHERE entity_id = ?", (entity_id,))
            self._rows_of[entity_id] = tuple(row[0] for row in found)
        return list(self.chunks(self._rows_of[entity_id]).values())

    def all_chunks(self) -> list[StoredChunk]:
        """Return every chunk in source order."""
        sql = f"SELECT {self._columns} FROM pack_chunks ORDER BY rowid"
        return [StoredChunk(*row) for row in self.connection.execute(sql)]

    def hidden_chunks(self) -> list[StoredChunk]:
        """Return every chunk that is not open to all, in source order."""
        if self._hidden_rows is None:
            roles = ", ".join(f"'{role}'" for role in sorted(OPEN_ROLES))
            hidden = f"SELECT rowid FROM pack_chunks WHERE role NOT IN ({roles})"
            sql = f"SELECT rowid FROM pack_chunks WHERE rowid IN ({hidden}) AND chunk_text <> ''"
            self._hidden_rows = [row[0] for row in self.connection.execute(sql)]
        return list(self.chunks(self._hidden_rows).values())

    def entities_without_open_lore(self) -> Sequence[str]:
        """Return the IDs of the entities without any open section, by ID."""
        if self._without_open_lore is None:
            roles = ", ".join(f"'{role}'" for role in sorted(OPEN_ROLES))
            sql = f"""SELECT id FROM entities WHERE NOT EXISTS
                (SELECT 1 FROM pack_chunks WHERE entity_id = entities.id AND role IN ({roles})) ORDER BY id"""
            self._without_open_lore = [row[0] for row in self.connection.execute(sql)]
        return self._without_open_lore

    def linked(self, kind: str, values: Iterable[str]) -> set[int]:
        """Return the rows of the chunks that are linked to any of the values."""
        return {row[0] for row in self.connection.execute(_LINKED, (kind, json.dumps(sorted(set(values)))))}

    def linked_lately(self, kind: str, values: Iterable[str], *, count: int, among: Iterable[int]) -> set[int]:
        """Return the last so many rows of the chunks that are linked to any of the values, and those `among` the given
        rows that are."""
        wanted = json.dumps(sorted(set(values)))
        last = self.connection.execute(f"{_LINKED} ORDER BY chunk DESC LIMIT ?", (kind, wanted, count))
        rows = {row[0] for row in last}
        given = json.dumps(sorted(among))
        sql = f"{_LINKED} AND chunk IN (SELECT value FROM json_each(?))"
        return rows | {row[0] for row in self.connection.execute(sql, (kind, wanted, given))}

    def link_values(self, kind: str) -> list[str]:
        """Return all values of a kind that any chunk is linked to, sorted."""
        found = self.connection.execute("SELECT DISTINCT value FROM links WHERE kind = ? ORDER BY value", (kind,))
        return [row[0] for row in found]

    def links_of(self, row: int) -> list[tuple[str, str]]:
        """Return the (kind, value) of all links of a chunk."""
        sql = "SELECT kind, value FROM links WHERE chunk = ? ORDER BY rowid"
        return [(found[0], found[1]) for found in self.connection.execute(sql, (row,))]

    def all_links(self) -> list[tuple[int, str, str]]:
        """Return the (row, kind, value) of all links of all chunks, in source order."""
        sql = "SELECT chunk, kind, value FROM links ORDER BY rowid"
        return [(found[0], found[1], found[2]) for found in self.connection.execute(sql)]

    def entities(self) -> Mapping[str, PackEntity]:
        """Return every entity by its qualified ID, ordered by file path."""
        if self._entities is None:
            found = self.connection.execute("SELECT * FROM entities ORDER BY file_path")
            self._entities = {row["id"]: _entity(row) for row in found}
        return self._entities

    def entity(self, entity_id: str) -> PackEntity | None:
        """Return an entity by its qualified ID, or None."""
        if entity_id not in self._entity:
            row = self.connection.execute("SELECT * FROM entities WHERE id = ?", (entity_id,)).fetchone()
            self._entity[entity_id] = _entity(row) if row else None
        return self._entity[entity_id]

    def entities_named(self, names: Iterable[str]) -> dict[str, set[str]]:
        """Return the IDs of the entities of each of the names (lower-case words) that is a name or alias here."""
        return {name: set(self.names()[name]) for name in names if name in self.names()}

    def names(self) -> Mapping[str, tuple[str, ...]]:
        """Return every name and alias (in lower-case words) with the IDs of its entities."""
        if self._names is None:
            found: dict[str, list[str]] = {}
            for name, entity_id in self.connection.execute("SELECT name, entity_id FROM names"):
                found.setdefault(name, []).append(entity_id)
            self._names = {name: tuple(entities) for name, entities in found.items()}
        return self._names

    def name_lengths(self) -> Mapping[str, int]:
        """Return the first word of each name and alias, with the most words that one of those names has."""
        if self._name_lengths is None:
            found: dict[str, int] = {}
            for name in self.names():
                first, _, rest = name.partition(" ")
                found[first] = max(found.get(first, 0), rest.count(" ") + 2 if rest else 1)
            self._name_lengths = found
        return self._name_lengths

    def unspaced_names(self) -> Mapping[str, tuple[str, ...]]:
        """Return the names and aliases in scripts without spaces between words, folded, each with the IDs of its
        entities; none where the pack is read by rules that do not know such scripts."""
        if self._unspaced_names is None:
            names = self.names().items() if self.reading >= BY_SCRIPT else ()
            self._unspaced_names = {name: entities for name, entities in names if is_unspaced(name)}
        return self._unspaced_names

    def open_count_of(self, word: str) -> int:
        """Return the number of open chunks with a word."""
        return self.keyword_table("open_fts").count_of(word)

    def keyword_table(self, name: str) -> KeywordTable:
        """Return the table `open_fts` or `hidden_fts`; the same object each time, which caches its counts."""
        if name not in self._tables:
            self._tables[name] = KeywordTable(self.connection, name, self.counts[name], self.english, self.reading)
        return self._tables[name]

    def conditions(self) -> Sequence[StoredCondition]:
        """Return every condition, in source order; parsed once."""
        if self._conditions is None:
            sql = """SELECT chunk, item_id, entity_id, file_path, condition, conditions.line
                FROM conditions JOIN pack_chunks ON pack_chunks.rowid = chunk ORDER BY conditions.rowid"""
            self._conditions = tuple(map(_stored, self.connection.execute(sql)))
        return self._conditions

    def overrides(self) -> Mapping[str, str]:
        """Return entity ID -> what its file says that it overrides, as written."""
        if self._overrides is None:
            found = self.connection.execute("SELECT entity_id, target_id FROM overrides ORDER BY entity_id")
            self._overrides = dict(map(tuple, found))
        return self._overrides

    def items_of(self, row: int) -> list[Item]:
        """Return the items of a chunk in source order."""
        if row not in self._items:
            found = self.connection.execute("SELECT * FROM items WHERE chunk = ? ORDER BY line, rowid", (row,))
            self._items[row] = tuple(map(_item, found))
        return list(self._items[row])

    def opened_items(self) -> list[tuple[str, Item]]:
        """Return the items whose authors noted what opens them, each with its entity's ID, in source order."""
        sql = """SELECT entity_id, items.* FROM items JOIN pack_chunks ON pack_chunks.rowid = chunk
            WHERE opened_by IS NOT NULL ORDER BY chunk, items.line, items.rowid"""
        return [(row["entity_id"], _item(row)) for row in self.connection.execute(sql)]

    def window_table(self, count: int) -> WindowTable:
        """Return the windows of the `count` vectors."""
        if self._windows is None:
            self._windows = read_window_table(self.connection, count)
        return self._windows

    def role_counts(self) -> dict[str, int]:
        """Return the number of chunks of each role, by role."""
        found = self.connection.execute("SELECT role, count(*) FROM pack_chunks GROUP BY role ORDER BY role")
        return dict(map(tuple, found))

    def item(self, item_id: str) -> Item | None:
        """Return an item by its ID, or None."""
        row = self.connection.execute("SELECT * FROM items WHERE id = ?", (item_id,)).fetchone()
        return _item(row) if row else None


def oldest_reading(generations: Iterable[Generation]) -> int:
    """Return the oldest version of the rules by which any of the packs is read; the first where there are none."""
    return min((generation.reading for generation in generations), default=1)


def _entity(row: sqlite3.Row) -> PackEntity:
    return PackEntity(
        id=row["id"],
        type=row["type"],
        name=row["name"],
        file_path=row["file_path"],
        aliases=tuple(read_json(row["aliases_json"])),
        tags=tuple(read_json(row["tags_json"])),
        attrs=read_json(row["attrs_json"]),
    )


def _item(row: sqlite3.Row) -> Item:
    return Item(
        id=row["id"],
        name=row["name"],
        text=row["text"],
        line=row["line"],
        trigger=row["trigger"],
        hint=row["hint"],
        condition=row["condition"],
        opened_by=row["opened_by"],
    )


# The conditions of a generation: written once when it is built, parsed when they are read.


@dataclass(frozen=True, slots=True)
class StoredCondition:
    """A condition with what stands under it: a chunk (its row), or with `item_id` one item of it."""

    row: int
    item_id: str | None
    entity_id: str
    file_path: str
    when: When


def _stored(row: sqlite3.Row) -> StoredCondition:
    chunk, item_id, entity_id, file_path, condition, line = row
    return StoredCondition(chunk, item_id, entity_id, file_path, from_json(condition, line=line))
