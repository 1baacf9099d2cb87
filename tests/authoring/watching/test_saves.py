"""What is told of a folder in which files are saved, as editors save them. The operating system is really asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest

from lorewright.authoring.saves import FileSaves, concerns, is_beside
from support.pack_builder import TOWN, write_pack

# The longest that a machine with other things to do may take to tell of a save.
LONG_S = 20.0


@pytest.fixture(params=[False, True], ids=["told by the system", "polled"])
def saves(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FileSaves]:
    write_pack(tmp_path, TOWN)
    yield FileSaves(tmp_path / "town", poll=request.param)


def test_a_save_by_rename_is_told_under_the_name_that_it_gets(saves: FileSaves, tmp_path: Path) -> None:
    temporary = tmp_path / "town/npcs/.mara.md.swp"
    temporary.write_text("# Mara\n\nnew\n")
    temporary.replace(tmp_path / "town/npcs/mara.md")
    assert "npcs/mara.md" in saves.wait(LONG_S)


def test_where_nothing_is_saved_the_wait_ends_by_itself(saves: FileSaves) -> None:
    assert saves.wait(0.0) == set()


def test_a_folder_that_is_taken_away_and_put_back_is_watched_again(saves: FileSaves, tmp_path: Path) -> None:
    (tmp_path / "town").rename(tmp_path / "aside")
    assert saves.wait(LONG_S)
    (tmp_path / "aside").rename(tmp_path / "town")
    assert saves.wait(LONG_S)
    (tmp_path / "town/z.md").write_text("# Z\n")
    told = saves.wait(LONG_S)
    while "z.md" not in told:
        told = saves.wait(LONG_S)
        assert told


def test_what_is_no_file_of_a_pack_is_not_told(saves: FileSaves, tmp_path: Path) -> None:
    for name in (".hidden.md", "notes.txt", "npcs/mara.md~"):
        (tmp_path / "town" / name).write_text("x")
    (tmp_path / "town/z.md").write_text("# Z\n")
    assert saves.wait(LONG_S) == {"z.md"}


@pytest.mark.parametrize(
    "path", ["npcs/a.md", "pack.yaml", "tests/golden.yml", "A.MARKDOWN", "npcs", "new folder", "p.png"]
)
def test_files_and_folders_of_a_pack_concern_it(path: str) -> None:
    assert concerns(PurePath(path))


@pytest.mark.parametrize(
    "path", [".git/index", "npcs/.a.md.swp", "a.md~", "a.txt", "a.swp", ".obsidian/x.md", ".p.png"]
)
def test_what_is_hidden_a_backup_or_something_else_does_not(path: str) -> None:
    assert not concerns(PurePath(path))


@pytest.mark.parametrize("poll", [False, True], ids=["told by the system", "polled"])
def test_saves_in_folders_beside_it_are_told_with_the_name_of_the_folder(poll: bool, tmp_path: Path) -> None:
    folder, core = write_pack(tmp_path, TOWN), write_pack(tmp_path / "elsewhere", {"a.md": "# A\n"}, pack_id="core")
    saves = FileSaves(folder, beside=[core], poll=poll)
    (core / "a.md").write_text("# A\n\nIt is new.\n")
    assert saves.wait(LONG_S) == {"../core/a.md"}
    (folder / "z.md").write_text("# Z\n")
    assert saves.wait(LONG_S) == {"z.md"}
    (core / "a.md").unlink()
    core.rmdir() if not any(core.iterdir()) else core.rename(tmp_path / "gone")
    assert all(map(is_beside, saves.wait(LONG_S)))
    (folder / "z.md").write_text("# Z\n\nMore.\n")
    told = saves.wait(LONG_S)
    while "z.md" not in told:
        told = saves.wait(LONG_S)
        assert told
