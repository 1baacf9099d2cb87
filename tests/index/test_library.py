"""The library: a pack is installed whole or not at all, and its ID belongs to one folder."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lorewright.errors import DamagedFile, NotFound, PackError, StaleIndexError
from lorewright.index.generation import GenerationKey
from lorewright.index.library import Library
from lorewright.index.lore_indexer import LoreIndexer
from support.pack_builder import TOWN, write_pack

BROKEN = {**TOWN, "npcs/broken.md": "---\nid: x: y\n---\n# Broken\n"}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "indexes")


def built(library: Library) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in library.generations.rglob("chunks.db")}


def test_an_empty_library_has_no_packs_and_makes_no_files(tmp_path: Path, library: Library) -> None:
    assert library.packs() == []
    with pytest.raises(NotFound) as caught:
        library.get("town")
    assert "none" in str(caught.value)
    assert not (tmp_path / "indexes").exists()


def test_an_installed_pack_is_listed_and_can_be_opened(tmp_path: Path, library: Library) -> None:
    folder = write_pack(tmp_path, TOWN)
    installed = LoreIndexer(library).index_pack(folder)
    assert installed.built
    assert library.packs() == [installed.pack] == [library.get("town")]
    assert (installed.pack.path, installed.pack.files) == (str(folder), len(TOWN))
    generation = library.open(installed.pack.key)
    assert sum(chunk.written_tokens for chunk in generation.chunks(range(1, 99)).values()) == installed.pack.tokens
    generation.close()


def test_installing_the_same_text_again_builds_nothing(tmp_path: Path, library: Library) -> None:
    folder = write_pack(tmp_path, TOWN)
    LoreIndexer(library).index_pack(folder)
    before = built(library)
    again = LoreIndexer(library).index_pack(folder)
    assert not again.built
    assert built(library) == before


def test_an_edit_is_another_generation_and_the_old_one_stays(tmp_path: Path, library: Library) -> None:
    folder = write_pack(tmp_path, TOWN)
    old = LoreIndexer(library).index_pack(folder).pack
    (folder / "items" / "hand.md").write_text("# Hand\n\nNew.\n")
    new = LoreIndexer(library).index_pack(folder)
    assert new.built
    assert library.packs() == [new.pack]
    assert library.has(old.key)
    assert library.has(new.pack.key)


def test_a_pack_with_errors_is_not_installed(tmp_path: Path, library: Library) -> None:
    LoreIndexer(library).index_pack(write_pack(tmp_path, TOWN))
    before = library.packs()
    write_pack(tmp_path, BROKEN)
    with pytest.raises(PackError) as caught:
        LoreIndexer(library).index_pack(tmp_path / "town")
    assert "npcs/broken.md:2" in str(caught.value)
    assert library.packs() == before
    assert len(built(library)) == 1


def test_a_lenient_install_leaves_out_what_has_errors_and_says_so(tmp_path: Path, library: Library) -> None:
    installed = LoreIndexer(library).index_pack(write_pack(tmp_path, BROKEN), lenient=True)
    assert installed.pack.files == len(TOWN)
    assert [finding.file for finding in installed.findings if finding.severity == "error"] == ["npcs/broken.md"]


def test_a_pack_whose_manifest_has_errors_is_not_installed_even_leniently(tmp_path: Path, library: Library) -> None:
    folder = write_pack(tmp_path, TOWN, manifest="name: Town\n")
    with pytest.raises(PackError):
        LoreIndexer(library).index_pack(folder, lenient=True)
    assert library.packs() == []


def test_an_id_that_belongs_to_another_folder_is_refused(tmp_path: Path, library: Library) -> None:
    first = LoreIndexer(library).index_pack(write_pack(tmp_path / "one", TOWN)).pack
    with pytest.raises(PackError) as caught:
        LoreIndexer(library).index_pack(write_pack(tmp_path / "two", {"a.md": "# A\n"}))
    assert first.path in str(caught.value)
    assert library.packs() == [first]
    assert len(built(library)) == 1


def test_a_pack_that_moved_keeps_its_id(tmp_path: Path, library: Library) -> None:
    first = LoreIndexer(library).index_pack(write_pack(tmp_path / "one", TOWN)).pack
    shutil.move(tmp_path / "one", tmp_path / "two")
    moved = LoreIndexer(library).index_pack(tmp_path / "two" / "town")
    assert (moved.pack.content_hash, moved.built) == (first.content_hash, False)
    assert library.get("town").path == str(tmp_path / "two" / "town")


def test_packs_are_listed_by_id(tmp_path: Path, library: Library) -> None:
    for pack_id in ("b", "c", "a"):
        LoreIndexer(library).index_pack(write_pack(tmp_path, {"a.md": "# A\n"}, pack_id=pack_id))
    assert [pack.id for pack in library.packs()] == ["a", "b", "c"]


def test_everything_can_be_rebuilt_from_the_folders(tmp_path: Path, library: Library) -> None:
    folder = write_pack(tmp_path, TOWN)
    first = LoreIndexer(library).index_pack(folder).pack
    shutil.rmtree(tmp_path / "indexes")
    again = LoreIndexer(library).index_pack(folder)
    assert again.built
    assert again.pack.key == first.key


def test_a_kept_text_is_rebuilt_without_being_installed(tmp_path: Path, library: Library) -> None:
    folder = write_pack(tmp_path, TOWN)
    key = LoreIndexer(library).index_pack(folder).pack.key
    shutil.rmtree(library.generations)
    assert not library.has(key)
    assert LoreIndexer(library).rebuild(folder, content_hash=key.content_hash) == key
    assert library.has(key)


def test_a_kept_text_that_is_another_is_refused(tmp_path: Path, library: Library) -> None:
    with pytest.raises(PackError):
        LoreIndexer(library).rebuild(write_pack(tmp_path, TOWN), content_hash="0" * 64)
    assert built(library) == {}


def test_a_generation_that_is_gone_is_an_error_that_says_what_to_do(library: Library) -> None:
    with pytest.raises(StaleIndexError):
        library.open(GenerationKey("town", "0" * 64))


def test_a_copied_workspace_uses_its_own_folders(tmp_path: Path) -> None:
    home = tmp_path / "home"
    folder = write_pack(home, {"a.md": "# A\n\nText.\n"})
    LoreIndexer(Library(home / "indexes")).index_pack(folder)
    shutil.copytree(home, tmp_path / "copy")
    copied = Library(tmp_path / "copy" / "indexes")
    assert [pack.path for pack in copied.packs()] == [str(tmp_path / "copy" / folder.name)]
    (tmp_path / "copy" / folder.name / "b.md").write_text("# B\n\nMore.\n", encoding="utf-8")
    LoreIndexer(copied).reindex("town")
    assert (copied.get("town").files, Library(home / "indexes").get("town").files) == (2, 1)


def test_a_workspace_of_an_earlier_version_that_was_moved_finds_its_folders(tmp_path: Path) -> None:
    home = tmp_path / "home"
    folder = write_pack(home, {"a.md": "# A\n\nText.\n"})
    LoreIndexer(Library(home / "indexes")).index_pack(folder)
    with closing(sqlite3.connect(home / "indexes" / "library.db")) as connection, connection:
        connection.execute("UPDATE content_packs SET path = ?", (str(folder),))
    home.rename(tmp_path / "moved")
    moved = Library(tmp_path / "moved" / "indexes")
    assert [pack.path for pack in moved.packs()] == [str(tmp_path / "moved" / folder.name)]


def test_a_list_that_leads_out_of_its_workspace_is_damaged(tmp_path: Path) -> None:
    home = tmp_path / "home"
    folder = write_pack(home, {"a.md": "# A\n\nText.\n"})
    LoreIndexer(Library(home / "indexes")).index_pack(folder)
    with closing(sqlite3.connect(home / "indexes" / "library.db")) as connection, connection:
        connection.execute("UPDATE content_packs SET path = '../elsewhere'")
    with pytest.raises(DamagedFile):
        Library(home / "indexes").packs()
