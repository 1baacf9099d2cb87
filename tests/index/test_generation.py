"""A generation is built once, is whole or not there, and is never written again."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from lorewright.errors import StaleIndexError
from lorewright.index.building import build_generation, has_sound_chunks
from lorewright.index.generation import CHUNKS_FILE, Generation, GenerationKey
from lorewright.packs.models import OPEN_ROLES, Pack
from support.pack_builder import TOWN, loaded, loaded_text, opened_packs


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    return loaded(tmp_path / "packs", TOWN)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generation]:
    with opened_packs(tmp_path_factory.mktemp("town"), {"town": TOWN}) as (generation,):
        yield generation


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_a_generation_is_named_by_pack_and_text(tmp_path: Path, pack: Pack) -> None:
    key = build_generation(pack, tmp_path / "generations")
    assert key == GenerationKey("town", pack.content_hash)
    assert (tmp_path / "generations" / key.folder / "chunks.db").is_file()
    assert key.folder.startswith(f"town/{pack.content_hash[:16]}-")


def test_building_again_writes_nothing(tmp_path: Path, pack: Pack) -> None:
    generations = tmp_path / "generations"
    key = build_generation(pack, generations)
    before = snapshot(generations / "town")
    assert build_generation(pack, generations) == key
    assert snapshot(generations / "town") == before


def test_reading_writes_nothing(tmp_path: Path, pack: Pack) -> None:
    folder = tmp_path / "generations" / build_generation(pack, tmp_path / "generations").folder
    before = snapshot(folder)
    with closing(Generation(folder)) as generation:
        assert generation.open_count_of("bar")
        with pytest.raises(sqlite3.OperationalError):
            generation.connection.execute("DELETE FROM pack_chunks")
    assert snapshot(folder) == before


def test_another_text_of_the_pack_is_another_generation_beside_it(tmp_path: Path, pack: Pack) -> None:
    generations = tmp_path / "generations"
    first = build_generation(pack, generations)
    before = snapshot(generations / first.folder)
    second = build_generation(loaded(tmp_path / "packs", {"items/hand.md": "# Hand\n\nChanged.\n"}), generations)
    assert second.folder != first.folder
    assert snapshot(generations / first.folder) == before


def test_what_a_crash_left_behind_is_removed_and_never_seen(tmp_path: Path, pack: Pack) -> None:
    generations = tmp_path / "generations"
    left_over = generations / ".building-12345"
    left_over.mkdir(parents=True)
    (left_over / "chunks.db").write_bytes(b"half of it")
    build_generation(pack, generations)
    assert sorted(path.name for path in generations.iterdir()) == [".build.lock", "town"]


def test_a_build_that_fails_leaves_no_generation(tmp_path: Path, pack: Pack) -> None:
    generations = tmp_path / "generations"
    twice = replace(pack, chunks=(*pack.chunks, pack.chunks[0]))
    with pytest.raises(sqlite3.IntegrityError):
        build_generation(twice, generations)
    assert not (generations / "town").exists()
    key = build_generation(pack, generations)
    assert sorted(path.name for path in generations.iterdir()) == [".build.lock", "town"]
    with closing(Generation(generations / key.folder)) as generation:
        assert generation.pack_id == "town"


def test_a_generation_that_is_not_there_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StaleIndexError) as caught:
        Generation(tmp_path / "none")
    assert "pack install" in str(caught.value.hint)


def test_a_generation_of_another_format_is_refused(tmp_path: Path, pack: Pack) -> None:
    folder = tmp_path / "generations" / build_generation(pack, tmp_path / "generations").folder
    with closing(sqlite3.connect(folder / "chunks.db")) as connection, connection:
        connection.execute("UPDATE meta SET value = '0' WHERE key = 'format'")
    with pytest.raises(StaleIndexError):
        Generation(folder)


def test_what_was_read_from_the_pack_is_what_stands_in_the_generation(tmp_path: Path, town: Generation) -> None:
    pack = loaded(tmp_path, TOWN)
    assert town.manifest == pack.manifest
    assert list(town.entities().values()) == list(pack.entities)
    for chunk in pack.chunks:
        stored = town.chunk(chunk.id)
        assert stored is not None
        assert stored.written == chunk.text
        assert (stored.text, stored.role, stored.line, stored.metadata) == (
            chunk.shown,
            chunk.role,
            chunk.line,
            chunk.metadata,
        )
        assert town.items_of(stored.row) == list(chunk.items)
        assert town.links_of(stored.row) == [(link.kind, link.value) for link in chunk.links]
        assert town.chunks([stored.row]) == {stored.row: stored}


def test_rows_follow_files_and_positions(town: Generation) -> None:
    rows = town.chunks(range(1, 100))
    assert list(rows) == list(range(1, len(rows) + 1))
    assert [chunk.file_path for chunk in rows.values()] == sorted(chunk.file_path for chunk in rows.values())


def test_what_is_not_there_is_none_or_empty(town: Generation) -> None:
    assert (town.chunk("town:x:y"), town.entity("town:x"), town.item("x")) == (None, None, None)
    assert town.chunks_of("town:x") == []
    assert town.chunks([]) == {}
    assert town.linked("entity", []) == set()
    assert town.entities_named(["x"]) == {}


def test_hidden_chunks_are_all_that_are_not_open(town: Generation) -> None:
    chunks = town.chunks(range(1, 100)).values()
    assert town.hidden_chunks() == [chunk for chunk in chunks if chunk.role not in OPEN_ROLES and chunk.text]
    assert town.counts["hidden_fts"] == len(town.hidden_chunks())
    assert town.counts["open_fts"] == len([chunk for chunk in chunks if chunk.role in OPEN_ROLES and chunk.text])


def test_an_entity_with_no_open_section_is_known_as_such(town: Generation) -> None:
    assert town.entities_without_open_lore() == ["town:cult"]


def test_names_and_aliases_are_found_in_lower_case_words(town: Generation) -> None:
    assert town.entities_named(["viktor", "the barman", "the dragon", "Viktor"]) == {
        "viktor": {"town:viktor"},
        "the barman": {"town:viktor"},
        "the dragon": {"town:bar"},
    }


def test_linked_chunks_are_found_by_kind_and_value(town: Generation) -> None:
    def ids(kind: str, value: str) -> set[str]:
        return {chunk.entity_id for chunk in town.chunks(town.linked(kind, [value])).values()}

    assert ids("location", "town:bar") == {"town:bar", "town:viktor", "town:mara"}
    assert ids("tag", "harbour") == {"town:pier"}
    assert ids("thread", "main_case") == {"town:bar"}
    assert ids("tag", "main_case") == set()


@pytest.mark.parametrize(
    "frontmatter",
    [
        "x: 1e999",
        'x: "\\ud800"',
        'title: "\\ud800\\0\\e"',
        "x: [[[1, {a: ~}]]]",
        "x: " + "9" * 400,
        "aliases: ['', ' ', '…']",
    ],
)
def test_any_frontmatter_can_be_stored(tmp_path: Path, frontmatter: str) -> None:
    pack = loaded_text(tmp_path, f"---\nid: a\ntype: npc\n{frontmatter}\n---\n# A\n\ntext\n")
    key = build_generation(pack, tmp_path / "generations")
    with closing(Generation(tmp_path / "generations" / key.folder)) as generation:
        assert generation.entities() == {"town:a": pack.entities[0]}


def test_a_journal_and_a_log_beside_a_generation_are_neither_played_back_nor_followed(
    tmp_path: Path, pack: Pack
) -> None:
    folder = tmp_path / "generations" / build_generation(pack, tmp_path / "generations").folder
    chunks, victim = folder / CHUNKS_FILE, tmp_path / "notes.txt"
    victim.write_text("precious")
    page_bytes = int.from_bytes(chunks.read_bytes()[16:18], "big")
    magic, name = bytes.fromhex("d9d505f920a163d7"), str(victim).encode()
    # A journal that empties the file and then deletes the one that it names.
    header = (magic + struct.pack(">IIIII", 0, 0, 1, 512, page_bytes)).ljust(512, b"\0")
    end = struct.pack(">I", 0x40000000 // page_bytes + 1) + name + struct.pack(">II", len(name), sum(name)) + magic
    (folder / f"{CHUNKS_FILE}-journal").write_bytes(header + end)
    (folder / f"{CHUNKS_FILE}-wal").symlink_to(victim)
    (folder / f"{CHUNKS_FILE}-shm").symlink_to(tmp_path / "made")
    before = snapshot(tmp_path)
    with closing(Generation(folder)) as generation:
        assert generation.open_count_of("bar")
        assert has_sound_chunks(folder)
    assert snapshot(tmp_path) == before
    # Without the promise that nothing changes them SQLite would obey both.
    (folder / f"{CHUNKS_FILE}-wal").unlink()
    (folder / f"{CHUNKS_FILE}-shm").unlink()
    with closing(sqlite3.connect(chunks)) as connection, suppress(sqlite3.DatabaseError):
        connection.execute("SELECT * FROM sqlite_master").fetchall()
    assert not victim.exists()
