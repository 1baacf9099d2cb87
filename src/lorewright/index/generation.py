"""Pack -> one immutable folder that can be searched, and the reader of such a folder.

A generation is built under a temporary name, checked, synced and renamed. After that nothing in it is written; a crash
leaves a temporary folder, which the next build removes.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from lorewright.errors import StaleIndexError
from lorewright.ids import canonical_json
from lorewright.index.keywords import KeywordTable, count_matching
from lorewright.index.schema import GENERATION_FORMAT, STATEMENTS, keyword_statements
from lorewright.index.words import is_english, words_of
from lorewright.packs.conditions import of_item, to_json
from lorewright.packs.models import OPEN_ROLES, Chunk, Entity, Item, Manifest, Pack
from lorewright.storage.steps import step

# Nothing is embedded yet; the name keeps the place of the embedder's fingerprint.
FINGERPRINT = f"keywords-f{GENERATION_FORMAT}"
_TEMPORARY = ".building-"


@dataclass(frozen=True, slots=True)
class GenerationKey:
    """Which text of which pack: names the folder below `indexes/generations/`."""

    pack_id: str
    content_hash: str

    @property
    def folder(self) -> str:
        """`neo_seattle/0123456789abcdef-keywords-f2`."""
        return f"{self.pack_id}/{self.content_hash[:16]}-{FINGERPRINT}"


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as it stands in a generation; `row` orders the chunks of a pack as its files do."""

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
    metadata: dict[str, Any]

    @property
    def section_id(self) -> str:
        """The ID without its part number: what a limit counts."""
        return self.id.partition("~")[0]


def build_generation(pack: Pack, generations: Path) -> GenerationKey:
    """Write the pack's generation unless it is there already. Takes the builders' lock.

    Before the rename nothing of it can be seen; after it the folder is whole and on disk.
    """
    key = GenerationKey(pack.manifest.id, pack.content_hash)
    final = generations / key.folder
    generations.mkdir(parents=True, exist_ok=True)
    with FileLock(generations / ".build.lock"):
        for left_over in generations.glob(f"{_TEMPORARY}*"):
            shutil.rmtree(left_over)
        if _is_sound(final):
            return key
        if final.exists():
            shutil.rmtree(final)
        building = generations / f"{_TEMPORARY}{os.getpid()}"
        building.mkdir()
        step("install:building")
        _write(pack, building / "chunks.db")
        step("install:written")
        _sync(building / "chunks.db", building)
        step("install:synced")
        final.parent.mkdir(exist_ok=True)
        building.rename(final)
        _sync(final.parent)
        step("install:renamed")
    return key


def _is_sound(folder: Path) -> bool:
    """Whether a generation is there and can be read; a damaged one is built again."""
    try:
        with closing(sqlite3.connect(f"{(folder / 'chunks.db').as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            return bool(connection.execute("PRAGMA quick_check").fetchone()[0] == "ok")
    except (sqlite3.Error, ValueError):
        return False


def _write(pack: Pack, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # Nothing reads it before it was synced and renamed, so a journal would protect nobody.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for statement in (*STATEMENTS, *keyword_statements(english=is_english(pack.manifest.language))):
            connection.execute(statement)
        _write_meta(connection, pack)
        _write_entities(connection, pack.entities)
        _write_chunks(connection, pack.chunks, {entity.id: entity.name for entity in pack.entities})
        connection.execute("COMMIT")
        for table in ("open_fts", "hidden_fts"):
            connection.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")
        checked = connection.execute("PRAGMA integrity_check").fetchone()[0]
        if checked != "ok":
            raise sqlite3.DatabaseError(f"the new index is damaged: {checked}")


def _write_meta(connection: sqlite3.Connection, pack: Pack) -> None:
    hidden = sum(1 for chunk in pack.chunks if chunk.role not in OPEN_ROLES and chunk.text)
    meta = {
        "manifest": pack.manifest.model_dump_json(),
        "content_hash": pack.content_hash,
        "format": str(GENERATION_FORMAT),
        "open_count": str(sum(1 for chunk in pack.chunks if chunk.text) - hidden),
        "hidden_count": str(hidden),
        "token_count": str(sum(chunk.token_count for chunk in pack.chunks)),
    }
    connection.executemany("INSERT INTO meta VALUES (?, ?)", sorted(meta.items()))


def _write_entities(connection: sqlite3.Connection, entities: Iterable[Entity]) -> None:
    for entity in entities:
        connection.execute(
            "INSERT INTO entities VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                entity.id,
                entity.type,
                entity.name,
                entity.file_path,
                canonical_json(list(entity.aliases)),
                canonical_json(list(entity.tags)),
                canonical_json(entity.attrs),
            ),
        )
        names = {" ".join(words_of(name)) for name in (entity.name, *entity.aliases)}
        rows = [(name, entity.id) for name in sorted(names) if name]
        connection.executemany("INSERT INTO names VALUES (?, ?)", rows)
        if entity.overrides is not None:
            connection.execute("INSERT INTO overrides VALUES (?, ?)", (entity.id, entity.overrides.target))


def _write_chunks(connection: sqlite3.Connection, chunks: Sequence[Chunk], titles: dict[str, str]) -> None:
    for row, chunk in enumerate(chunks, start=1):
        title = titles[chunk.entity_id]
        connection.execute(
            f"INSERT INTO pack_chunks VALUES ({', '.join('?' * 15)})",
            (
                row,
                chunk.id,
                chunk.pack_id,
                chunk.entity_id,
                chunk.file_path,
                chunk.section_path,
                title,
                chunk.section,
                chunk.text,
                chunk.role,
                chunk.line,
                chunk.part,
                chunk.token_count,
                canonical_json(chunk.metadata),
                None,
            ),
        )
        if chunk.text:
            table = "open_fts" if chunk.role in OPEN_ROLES else "hidden_fts"
            connection.execute(
                f"INSERT INTO {table}(rowid, title, section, chunk_text) VALUES (?, ?, ?, ?)",
                (row, title, chunk.section, chunk.text),
            )
        links = [(link.kind, link.value, row) for link in chunk.links]
        connection.executemany("INSERT INTO links VALUES (?, ?, ?)", links)
        connection.executemany("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?)", _item_rows(row, chunk.items))
        connection.executemany("INSERT INTO conditions VALUES (?, ?, ?, ?)", _condition_rows(row, chunk))


def _item_rows(row: int, items: Iterable[Item]) -> list[tuple[object, ...]]:
    return [(item.id, row, item.name, item.text, item.line, item.trigger, item.hint, item.condition) for item in items]


def _condition_rows(row: int, chunk: Chunk) -> list[tuple[object, ...]]:
    whole = [(row, None, to_json(when), when.line) for when in chunk.conditions]
    parts = [(item, when) for item in chunk.items if (when := of_item(item)) is not None]
    return [*whole, *((row, item.id, to_json(when), item.line) for item, when in parts)]


def _sync(*paths: Path) -> None:
    for path in paths:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Generation:
    """A reader of one generation. Cheap to open; holds one read-only connection.

    `copies` are the same generation without some of its chunks, as `pruning` makes them.
    """

    def __init__(self, folder: Path, *, connection: sqlite3.Connection | None = None) -> None:
        """Open a generation, or with `connection` a copy of one.

        Raises:
            StaleIndexError: there is no such generation, or another version of the program built it.
        """
        path = folder.absolute() / "chunks.db"
        if not path.is_file():
            raise StaleIndexError(f"there is no index at {folder}", hint="run: lorewright pack install FOLDER")
        self.folder = folder
        self.copies: dict[object, Generation] = {}
        if connection is None:
            uri = f"{path.as_uri()}?mode=ro&immutable=1"
            connection = sqlite3.connect(uri, uri=True, isolation_level=None)
        self.connection = connection
        self.connection.row_factory = sqlite3.Row
        meta = dict(map(tuple, self.connection.execute("SELECT key, value FROM meta")))
        if meta.get("format") != str(GENERATION_FORMAT):
            self.connection.close()
            raise StaleIndexError("the index was built by another version", hint="install the pack again")
        self.manifest = Manifest.model_validate_json(meta["manifest"])
        self.pack_id = self.manifest.id
        self.english = is_english(self.manifest.language)
        self.counts = {"open_fts": int(meta["open_count"]), "hidden_fts": int(meta["hidden_count"])}

    def close(self) -> None:
        """Close the connection, and those of the copies."""
        for copy in self.copies.values():
            copy.close()
        self.connection.close()

    def chunks(self, rows: Iterable[int]) -> dict[int, StoredChunk]:
        """Chunks by row."""
        wanted = json.dumps(sorted(set(rows)))
        sql = "SELECT * FROM pack_chunks WHERE rowid IN (SELECT value FROM json_each(?)) ORDER BY rowid"
        return {row["rowid"]: _stored(row) for row in self.connection.execute(sql, (wanted,))}

    def chunk(self, chunk_id: str) -> StoredChunk | None:
        """A chunk by its ID, or None."""
        row = self.connection.execute("SELECT * FROM pack_chunks WHERE id = ?", (chunk_id,)).fetchone()
        return _stored(row) if row else None

    def chunks_of(self, entity_id: str) -> list[StoredChunk]:
        """An entity's chunks in source order; empty for an unknown entity."""
        sql = "SELECT * FROM pack_chunks WHERE entity_id = ? ORDER BY rowid"
        return [_stored(row) for row in self.connection.execute(sql, (entity_id,))]

    def hidden_chunks(self) -> list[StoredChunk]:
        """Every chunk that is not open to all, in source order."""
        roles = ", ".join(f"'{role}'" for role in sorted(OPEN_ROLES))
        sql = f"SELECT * FROM pack_chunks WHERE role NOT IN ({roles}) AND chunk_text <> '' ORDER BY rowid"
        return [_stored(row) for row in self.connection.execute(sql)]

    def entities_without_open_lore(self) -> list[str]:
        """IDs of the entities of whose files no section is open to all."""
        roles = ", ".join(f"'{role}'" for role in sorted(OPEN_ROLES))
        sql = f"""SELECT id FROM entities WHERE NOT EXISTS
            (SELECT 1 FROM pack_chunks WHERE entity_id = entities.id AND role IN ({roles})) ORDER BY id"""
        return [row[0] for row in self.connection.execute(sql)]

    def linked(self, kind: str, values: Iterable[str]) -> set[int]:
        """Rows of the chunks that are tied to any of the values."""
        wanted = json.dumps(sorted(set(values)))
        sql = "SELECT DISTINCT chunk FROM links WHERE kind = ? AND value IN (SELECT value FROM json_each(?))"
        return {row[0] for row in self.connection.execute(sql, (kind, wanted))}

    def links_of(self, row: int) -> list[tuple[str, str]]:
        """(kind, value) of everything a chunk is tied to."""
        sql = "SELECT kind, value FROM links WHERE chunk = ? ORDER BY rowid"
        return [(found[0], found[1]) for found in self.connection.execute(sql, (row,))]

    def entities(self) -> dict[str, Entity]:
        """Every entity by its qualified ID, by file path."""
        found = self.connection.execute("SELECT * FROM entities ORDER BY file_path")
        return {row["id"]: _entity(row) for row in found}

    def entity(self, entity_id: str) -> Entity | None:
        """An entity by its qualified ID, or None."""
        row = self.connection.execute("SELECT * FROM entities WHERE id = ?", (entity_id,)).fetchone()
        return _entity(row) if row else None

    def entities_named(self, names: Iterable[str]) -> dict[str, set[str]]:
        """For each of the names (lower-case words) that is a name or alias here: the IDs of its entities."""
        wanted = json.dumps(sorted(set(names)))
        sql = "SELECT name, entity_id FROM names WHERE name IN (SELECT value FROM json_each(?))"
        found: dict[str, set[str]] = {}
        for name, entity_id in self.connection.execute(sql, (wanted,)):
            found.setdefault(name, set()).add(entity_id)
        return found

    def open_count_of(self, word: str) -> int:
        """In how many open chunks a word stands."""
        return count_matching(KeywordTable(self.connection, "open_fts", self.counts["open_fts"]), word)

    def overrides(self) -> dict[str, str]:
        """Entity ID -> what its file says that it overrides, as it is written."""
        found = self.connection.execute("SELECT entity_id, target_id FROM overrides ORDER BY entity_id")
        return dict(map(tuple, found))

    def items_of(self, row: int) -> list[Item]:
        """The items of a chunk in source order."""
        found = self.connection.execute("SELECT * FROM items WHERE chunk = ? ORDER BY line, rowid", (row,))
        return [_item(one) for one in found]

    def role_counts(self) -> dict[str, int]:
        """How many chunks there are of each role, by role."""
        found = self.connection.execute("SELECT role, count(*) FROM pack_chunks GROUP BY role ORDER BY role")
        return dict(map(tuple, found))

    def item(self, item_id: str) -> Item | None:
        """An item by its ID, or None."""
        row = self.connection.execute("SELECT * FROM items WHERE id = ?", (item_id,)).fetchone()
        return _item(row) if row else None


def _stored(row: sqlite3.Row) -> StoredChunk:
    return StoredChunk(
        row=row["rowid"],
        id=row["id"],
        pack_id=row["pack_id"],
        entity_id=row["entity_id"],
        file_path=row["file_path"],
        section_path=row["section_path"],
        title=row["title"],
        section=row["section"],
        text=row["chunk_text"],
        role=row["role"],
        line=row["line"],
        part=row["part"],
        token_count=row["token_count"],
        metadata=json.loads(row["metadata_json"]),
    )


def _entity(row: sqlite3.Row) -> Entity:
    return Entity(
        id=row["id"],
        type=row["type"],
        name=row["name"],
        file_path=row["file_path"],
        aliases=tuple(json.loads(row["aliases_json"])),
        tags=tuple(json.loads(row["tags_json"])),
        attrs=json.loads(row["attrs_json"]),
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
    )
