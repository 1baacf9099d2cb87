"""Pack -> an immutable folder that can be searched by words: `chunks.db`, a generation's first half.

A generation is built under a temporary name, checked, synced and renamed. After that nothing in it is written; a crash
leaves a temporary folder, which the next build removes.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from lorewright.errors import DamagedFile, UnsafePath
from lorewright.ids import canonical_json
from lorewright.index.entry_rules import rules_to_store
from lorewright.index.fulltext import fulltext_here
from lorewright.index.generation import CHUNKS_FILE, GenerationKey
from lorewright.index.keywords import (
    GENERATION_FORMAT,
    STATEMENTS,
    indexed_row,
    is_english,
    keyword_statements,
    name_key,
)
from lorewright.packs.conditions import of_item, to_json
from lorewright.packs.items import without_items
from lorewright.packs.models import OPEN_ROLES, Chunk, Item, Pack, PackEntity
from lorewright.storage.enclosure import Enclosure, is_absence
from lorewright.storage.faults import step
from lorewright.tokens import count_tokens

# A chunk's text -> the windows in which it is embedded.
#
# A sentence embedder reads a few dozen words well and a page badly: on real questions windows of 60 words find half as
# many again as whole sections do; titles before them, overlaps or plain text do not find more
# (`make bench`). A window never spans two items, so that a viewer who has learned one item never finds it by
# the words of another.

WINDOW_WORDS = 60


@dataclass(frozen=True, slots=True)
class Window:
    """A piece of a chunk's text; with `item_id` a piece of that item."""

    text: str
    item_id: str | None = None


def windows_of(text: str, items: Sequence[Item]) -> list[Window]:
    """Return the windows of a chunk: first of the text beside its items, then item by item; none of an empty text."""
    if not items:
        return [Window(piece) for piece in pieces_of(text)]
    beside = without_items(text, {item.name for item in items})
    return [
        *(Window(piece) for piece in pieces_of(beside)),
        *(Window(piece, item.id) for item in items for piece in pieces_of(item.text)),
    ]


def pieces_of(text: str) -> list[str]:
    """Return a text in pieces of at most WINDOW_WORDS words, as even as possible, each word in one piece."""
    words = text.split()
    if not words:
        return []
    count = -(-len(words) // WINDOW_WORDS)
    ends = [len(words) * n // count for n in range(count + 1)]
    return [" ".join(words[start:end]) for start, end in pairwise(ends)]


TEMPORARY = ".building-"

# The hash of the bytes of `chunks.db`: SQLite does not notice when a text in it is damaged.
DIGEST_FILE = "chunks.sha256"
_DIGEST_BYTES = 1 << 10


def build_generation(pack: Pack, generations: Path) -> GenerationKey:
    """Write the pack's generation unless it is there already, under the builders' lock; return its key.

    Before the rename nothing of it is visible; after it the folder is complete and on disk.

    Raises:
        UnsafePath: a link stands where the generation belongs.
    """
    key = GenerationKey(pack.manifest.id, pack.content_hash)
    home = Enclosure(generations)
    final = generations / key.folder
    with home.locked(generations / ".build.lock"):
        remove_left_over(home, TEMPORARY)
        if has_sound_chunks(home.checked(final)):
            return key
        home.remove(final)
        building = home.temporary_folder(TEMPORARY)
        step("install:building")
        _write(pack, building / CHUNKS_FILE)
        step("install:written")
        home.write(building / DIGEST_FILE, _digest(building / CHUNKS_FILE).encode("ascii"))
        home.sync(building / CHUNKS_FILE, building)
        step("install:synced")
        home.make_folder(final.parent)
        home.move(building, final)
        home.sync(final.parent)
        step("install:renamed")
    return key


def remove_left_over(home: Enclosure, prefix: str) -> None:
    """Delete the temporary folders of processes that died, except a folder with a link in it."""
    for path in home.entries():
        if path.name.startswith(prefix):
            with suppress(UnsafePath):
                home.remove(path)


def has_sound_chunks(folder: Path) -> bool:
    """Return whether a generation is there and every byte is as it was written; a damaged one is built again.

    Raises:
        OSError: a file exists and cannot be read now.
        UnsafePath: the folder or a file of it is a link.
    """
    enclosure = Enclosure(folder)
    try:
        digest = enclosure.read(folder / DIGEST_FILE, limit=_DIGEST_BYTES)
        return digest == _digest(enclosure.checked(folder / CHUNKS_FILE)).encode()
    except DamagedFile:
        return False
    except OSError as problem:
        if not is_absence(problem):
            raise
        return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(pack: Pack, path: Path) -> None:
    Enclosure(path.parent).create(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # Nothing reads the file before it was synced and renamed, so a journal is not needed.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        fill(connection, pack)
        connection.execute("COMMIT")
        for table in ("open_fts", "hidden_fts"):
            connection.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")
        checked = connection.execute("PRAGMA integrity_check").fetchone()[0]
        if checked != "ok":
            raise sqlite3.DatabaseError(f"the new index is damaged: {checked}")


def fill(connection: sqlite3.Connection, pack: Pack) -> None:
    """Make a generation's tables in an empty database and write a pack into them. The caller commits."""
    make_tables(connection, pack)
    write_meta(connection, pack)
    write_entities(connection, pack.entities, reading=pack.reading)
    _write_chunks(connection, pack.chunks, names_of(pack), pack.reading)


def make_tables(connection: sqlite3.Connection, pack: Pack) -> None:
    """Make the tables of a generation of a pack in an empty database."""
    for statement in (*STATEMENTS, *keyword_statements(english=is_english(pack.manifest.language))):
        connection.execute(statement)


def names_of(pack: Pack) -> dict[str, str]:
    """Return the names of a pack's entities by ID: the titles of their chunks."""
    return {entity.id: entity.name for entity in pack.entities}


def append(
    connection: sqlite3.Connection, entities: Sequence[PackEntity], chunks: Sequence[Chunk], *, reading: int
) -> None:
    """Add entities and their chunks behind those in a generation's tables, with the same result as if all had been
    written together. The caller commits."""
    write_entities(connection, entities, reading=reading)
    _write_chunks(connection, chunks, {entity.id: entity.name for entity in entities}, reading)
    for key, count in _counts(chunks).items():
        connection.execute("UPDATE meta SET value = CAST(value + ? AS TEXT) WHERE key = ?", (count, key))


def write_meta(connection: sqlite3.Connection, pack: Pack) -> None:
    """Write the facts about a generation into the empty table."""
    meta = {
        "manifest": pack.manifest.model_dump_json(),
        "content_hash": pack.content_hash,
        "format": str(GENERATION_FORMAT),
        "reading": str(pack.reading),
        **{key: str(count) for key, count in _counts(pack.chunks).items()},
        **rules_to_store(pack.chunks),
    }
    connection.executemany("INSERT INTO meta VALUES (?, ?)", sorted(meta.items()))


def _counts(chunks: Sequence[Chunk]) -> dict[str, int]:
    hidden = sum(1 for chunk in chunks if chunk.role not in OPEN_ROLES and chunk.shown)
    return {
        "open_count": sum(1 for chunk in chunks if chunk.shown) - hidden,
        "hidden_count": hidden,
        "token_count": sum(chunk.token_count for chunk in chunks),
    }


def write_entities(connection: sqlite3.Connection, entities: Iterable[PackEntity], *, reading: int) -> None:
    """Add entities with their names and overrides."""
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
        names = {name_key(name, reading=reading) for name in (entity.name, *entity.aliases)}
        rows = [(name, entity.id) for name in sorted(names) if name]
        connection.executemany("INSERT INTO names VALUES (?, ?)", rows)
        if entity.overrides is not None:
            connection.execute("INSERT INTO overrides VALUES (?, ?)", (entity.id, entity.overrides.target))


def _write_chunks(
    connection: sqlite3.Connection, chunks: Sequence[Chunk], titles: dict[str, str], reading: int
) -> None:
    last_row = connection.execute("SELECT coalesce(max(rowid), 0) FROM pack_chunks").fetchone()[0]
    window = connection.execute("SELECT coalesce(max(id) + 1, 0) FROM windows").fetchone()[0]
    for row, chunk in enumerate(chunks, start=last_row + 1):
        write_chunk(connection, row, chunk, titles[chunk.entity_id], reading=reading)
        write_conditions(connection, row, chunk)
        windows = [(window + n, row, part.item_id) for n, part in enumerate(windows_of(chunk.shown, chunk.items))]
        connection.executemany("INSERT INTO windows VALUES (?, ?, ?)", windows)
        window += len(windows)


def write_chunk(connection: sqlite3.Connection, row: int, chunk: Chunk, title: str, *, reading: int) -> None:
    """Write a chunk under a row, except its conditions and windows, which are numbered through a pack; `title` is its
    entity's name."""
    is_same = chunk.shown == chunk.text
    connection.execute(
        f"INSERT INTO pack_chunks VALUES ({', '.join('?' * 17)})",
        (
            row,
            chunk.id,
            chunk.pack_id,
            chunk.entity_id,
            chunk.file_path,
            chunk.section_path,
            title,
            chunk.section,
            chunk.shown,
            chunk.role,
            chunk.line,
            chunk.part,
            chunk.token_count if is_same else count_tokens(chunk.shown, reading=reading),
            canonical_json(chunk.metadata),
            # Its windows are stored in Chroma under its own ID; see `vectors.chroma_child`.
            chunk.id if chunk.shown.strip() else None,
            None if is_same else chunk.text,
            chunk.token_count,
        ),
    )
    if chunk.shown:
        words = indexed_row((row, title, chunk.section, chunk.shown), reading=reading)
        fulltext_here().insert(connection, table_of(chunk.role), [words])
    links = [(link.kind, link.value, row) for link in chunk.links]
    connection.executemany("INSERT INTO links VALUES (?, ?, ?)", links)
    connection.executemany("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _item_rows(row, chunk.items))


def write_conditions(connection: sqlite3.Connection, row: int, chunk: Chunk) -> None:
    """Write the conditions of the chunk of a row, after those of the chunks before it."""
    connection.executemany("INSERT INTO conditions VALUES (?, ?, ?, ?)", _condition_rows(row, chunk))


def take_out_chunk(connection: sqlite3.Connection, row: int, chunk: Chunk, title: str, *, reading: int) -> None:
    """Remove what `write_chunk` wrote."""
    if chunk.shown:
        words = indexed_row((row, title, chunk.section, chunk.shown), reading=reading)
        fulltext_here().take_out(connection, table_of(chunk.role), words)
    for table in ("links", "items"):
        connection.execute(f"DELETE FROM {table} WHERE chunk = ?", (row,))
    connection.execute("DELETE FROM pack_chunks WHERE rowid = ?", (row,))


def table_of(role: str) -> str:
    """Return the keyword table of a chunk with text."""
    return "open_fts" if role in OPEN_ROLES else "hidden_fts"


def _item_rows(row: int, items: Iterable[Item]) -> list[tuple[object, ...]]:
    return [
        (item.id, row, item.name, item.text, item.line, item.trigger, item.hint, item.condition, item.opened_by)
        for item in items
    ]


def _condition_rows(row: int, chunk: Chunk) -> list[tuple[object, ...]]:
    whole = [(row, None, to_json(when), when.line) for when in chunk.conditions]
    parts = [(item, when) for item in chunk.items if (when := of_item(item)) is not None]
    return [*whole, *((row, item.id, to_json(when), item.line) for item, when in parts)]
