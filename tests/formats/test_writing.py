"""What is written is there whole or not at all, and what stood there goes only when asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.errors import PackError
from lorewright.formats.exporting import write_file, write_folder

VAULT = {"pack.yaml": "mark: 1\n", "npcs/a.md": "# A\n"}


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_file_is_written_over_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.json"
    write_file(path, "one", force=False)
    with pytest.raises(PackError, match="there already"):
        write_file(path, "two", force=False)
    assert path.read_text() == "one"
    write_file(path, "two", force=True)
    assert path.read_text() == "two"
    assert names(tmp_path) == {"new/a.json"}


def test_a_folder_is_never_written_over_as_a_file(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="there already"):
        write_file(tmp_path, "one", force=True)


def test_a_folder_that_is_no_export_is_kept_even_with_force(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letters.md").write_text("dear")
    with pytest.raises(PackError, match="not empty"):
        write_folder(tmp_path / "home", VAULT, force=True, mark="mark:")
    assert names(tmp_path) == {"home/letters.md"}


def test_an_export_is_replaced_when_asked_and_keeps_its_settings(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    write_folder(vault, {**VAULT, "npcs/old.md": "# Old\n"}, force=False, mark="mark:")
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian" / "app.json").write_text("{}")
    with pytest.raises(PackError, match="not empty"):
        write_folder(vault, VAULT, force=False, mark="mark:")
    write_folder(vault, VAULT, force=True, mark="mark:")
    assert names(tmp_path) == {"vault/pack.yaml", "vault/npcs/a.md", "vault/.obsidian/app.json"}


def test_what_cannot_be_written_leaves_everything_as_it_was(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    write_folder(vault, VAULT, force=False, mark="mark:")
    with pytest.raises(PackError, match="cannot be written"):
        write_folder(vault, {**VAULT, "a" * 300 + ".md": ""}, force=True, mark="mark:")
    assert names(tmp_path) == {"vault/pack.yaml", "vault/npcs/a.md"}
