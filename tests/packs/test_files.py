"""Which files of a folder are read: markdown, not hidden, and nothing that lies outside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lorewright.errors import PackError
from lorewright.packs import files as limits
from lorewright.packs.content_hash import READING, content_hash_of, source_paths
from lorewright.packs.files import list_files
from lorewright.packs.loader import load_pack
from support.pack_builder import codes, loaded, write_pack

SECRET = "THIS-MUST-NEVER-BE-READ"


def folder_with(tmp_path: Path, *paths: str) -> Path:
    return write_pack(tmp_path, {path: f"# {path}\n\ntext\n" for path in paths}, manifest=None)


def test_markdown_is_read_in_the_order_of_paths_and_nothing_else(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "b.md", "a/z.MD", "a.markdown", "c.txt", "d.md~", "e.md.bak", "sub.md/f.md")
    assert list_files(folder, reading=READING).paths == ("a.markdown", "a/z.MD", "b.md", "sub.md/f.md")


@pytest.mark.parametrize("path", [".hidden.md", ".git/a.md", "sub/.obsidian/a.md", ".trash/deep/a.md"])
def test_hidden_files_and_folders_are_not_read(tmp_path: Path, path: str) -> None:
    assert list_files(folder_with(tmp_path, "a.md", path), reading=READING).paths == ("a.md",)


@pytest.mark.parametrize("name", ["README.md", "license.md", "Changelog.markdown", "CREDITS.md"])
def test_what_is_about_the_pack_is_left_out_at_its_root_only(tmp_path: Path, name: str) -> None:
    listing = list_files(folder_with(tmp_path, "a.md", name, f"sub/{name}"), reading=READING)
    assert listing.paths == ("a.md", f"sub/{name}")
    assert codes(listing.findings) == {"not-content"}


def test_no_link_out_of_the_folder_is_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "folder").mkdir(parents=True)
    (outside / "secret.md").write_text(f"# {SECRET}\n\n{SECRET}\n")
    (outside / "folder" / "b.md").write_text(SECRET)
    folder = folder_with(tmp_path, "a.md", "sub/b.md")
    (folder / "secret.md").symlink_to(outside / "secret.md")
    (folder / "sub" / "relative.md").symlink_to("../../outside/secret.md")
    (folder / "folder").symlink_to(outside / "folder")
    pack = load_pack(folder)
    escaped = [finding.file for finding in pack.errors if finding.code == "symlink-escape"]
    assert escaped == ["folder", "secret.md", "sub/relative.md"]
    assert SECRET not in repr(pack)
    assert source_paths(folder) == ["a.md", "sub/b.md"]


@pytest.mark.parametrize(
    ("target", "code"), [("a.md", "symlink-duplicate"), ("gone.md", "dangling-symlink"), ("link.md", "symlink-escape")]
)
def test_links_within_the_folder_are_refused_too(tmp_path: Path, target: str, code: str) -> None:
    folder = folder_with(tmp_path, "a.md")
    (folder / "link.md").symlink_to(target)
    listing = list_files(folder, reading=READING)
    assert listing.paths == ("a.md",)
    assert codes(listing.findings) <= {code, "dangling-symlink"}
    assert listing.findings


def test_a_loop_of_folders_ends(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "a.md", "sub/b.md")
    (folder / "sub" / "again").symlink_to("..")
    listing = list_files(folder, reading=READING)
    assert listing.paths == ("a.md", "sub/b.md")
    assert codes(listing.findings) == {"symlink-loop"}


def test_a_pack_may_be_reached_by_a_link(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "a.md")
    (tmp_path / "link").symlink_to(folder)
    assert list_files(tmp_path / "link", reading=READING).paths == ("a.md",)


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "a.md")
    os.mkfifo(folder / "pipe.md")
    listing = list_files(folder, reading=READING)
    assert listing.paths == ("a.md",)
    assert codes(listing.findings) == {"not-a-file"}


@pytest.mark.parametrize("name", [b"b\xff.md", b"b\x1b[31m.md", b"b\n.md"])
def test_a_name_that_cannot_be_shown_is_refused_and_shown_without_harm(tmp_path: Path, name: bytes) -> None:
    folder = folder_with(tmp_path, "a.md")
    (folder / os.fsdecode(name)).write_text("# B\n")
    listing = list_files(folder, reading=READING)
    assert listing.paths == ("a.md",)
    (finding,) = listing.findings
    assert finding.code == "bad-file-name"
    assert str(finding).encode().decode().isprintable()


@pytest.mark.parametrize(
    "name", [" spaced name .md", "Fintolín Vík.md", "-rf.md", "日本.md", "🔥.md", "a\u00a0b.md", "'; DROP.md"]
)
def test_any_other_name_is_a_name(tmp_path: Path, name: str) -> None:
    assert load_pack(folder_with(tmp_path, name)).errors == ()


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "a.md")
    with (folder / "big.md").open("wb") as big:
        big.truncate(limits.MAX_FILE_BYTES + 1)
    listing = list_files(folder, reading=READING)
    assert listing.paths == ("a.md",)
    assert codes(listing.findings) == {"file-too-large"}


def test_a_folder_without_markdown_is_no_pack(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", tmp_path / "gone", folder_with(tmp_path, "a.txt")):
        with pytest.raises(PackError) as caught:
            load_pack(folder)
        assert caught.value.hint


def test_a_deep_folder_is_told(tmp_path: Path) -> None:
    pack = load_pack(folder_with(tmp_path, "d/" * (limits.MAX_PATH_DEPTH + 1) + "a.md"))
    assert "path-too-deep" in codes(pack.findings)
    assert len(pack.entities) == 1


def test_the_content_hash_changes_with_every_byte_that_is_read(tmp_path: Path) -> None:
    original = loaded(tmp_path / "0", {"a.md": "# A\n", "b/c.md": "# C\n"})
    changes: list[dict[str, str | bytes]] = [
        {"a.md": "# A", "b/c.md": "# C\n"},
        {"a.md": "# A\r\n", "b/c.md": "# C\n"},
        {"a.md": "# a\n", "b/c.md": "# C\n"},
        {"a.md": "# A\n# C\n", "b/c.md": ""},
        {"a.md": "# C\n", "b/c.md": "# A\n"},
        {"a.md": "# A\n", "b/d.md": "# C\n"},
        {"a.md": "# A\n", "b/c.md": "# C\n", "d.md": ""},
    ]
    hashes = {loaded(tmp_path / str(n), texts).content_hash for n, texts in enumerate(changes, start=1)}
    assert len(hashes | {original.content_hash}) == len(changes) + 1


def test_the_manifest_is_part_of_the_hash_and_other_files_are_not(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, {"a.md": "# A\n"})
    before = load_pack(folder).content_hash
    (folder / "notes.txt").write_text("new")
    (folder / ".hidden.md").write_text("new")
    assert load_pack(folder).content_hash == content_hash_of(folder) == before
    (folder / "pack.yaml").write_text((folder / "pack.yaml").read_text() + "\n")
    assert load_pack(folder).content_hash != before


def test_the_hash_does_not_depend_on_where_the_pack_lies(tmp_path: Path) -> None:
    texts: dict[str, str | bytes] = {"a.md": "# A\n", "z/b.md": "# B\n"}
    assert loaded(tmp_path / "x", texts).content_hash == loaded(tmp_path / "y", texts).content_hash


def test_the_folder_tests_is_no_content_and_no_finding_whatever_lies_there(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "a.md", "npcs/tests/b.md")
    before = load_pack(folder)
    (folder / "tests" / "deep").mkdir(parents=True)
    (folder / "tests" / "golden.yaml").write_text("nonsense: [")
    (folder / "tests" / "notes.md").write_text("no frontmatter, no title, [[no target]]")
    (folder / "tests" / "deep" / "c.md").write_text("# C\n")
    (folder / "tests" / "outside.md").symlink_to("/etc/passwd")
    assert list_files(folder, reading=READING).paths == ("a.md", "npcs/tests/b.md")
    after = load_pack(folder)
    assert (after.chunks, after.findings) == (before.chunks, before.findings)
    assert content_hash_of(folder) == before.content_hash


def test_a_folder_tests_that_is_a_link_is_told_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    folder = folder_with(tmp_path, "a.md")
    (folder / "tests").symlink_to(tmp_path / "outside")
    assert codes(list_files(folder, reading=READING).findings) == {"symlink-escape"}


COPIES = (
    "Anna Loaf (Ben's conflicted copy 2024-01-02).md",
    "Anna Loaf (conflicted copy 2024-01-02 120000).md",
    "Anna Loaf (Conflicted copy iPhone 202401021200).md",
    "Anna Loaf (In Konflikt stehende Kopie von Ben 2024-01-02).md",
    "Anna Loaf (Case Conflict).md",
    "Anna Loaf.sync-conflict-20240102-120000-ABCDEFG.md",
    "Anna Loaf_conflict-20240102-120000.md",
    "Anna Loaf.Conflict.md",
)


def test_copies_that_a_sync_made_are_no_lore_and_are_named(tmp_path: Path) -> None:
    note = "---\nid: anna\n---\n# Anna Loaf\n\nShe bakes.\n"
    pack = load_pack(write_pack(tmp_path, {"Anna Loaf.md": note, **dict.fromkeys(COPIES, f"{note}\nStale.\n")}))
    assert pack.errors == ()
    assert [entity.file_path for entity in pack.entities] == ["Anna Loaf.md"]
    assert "Stale." not in "".join(chunk.text for chunk in pack.chunks)
    assert {finding.file for finding in pack.findings if finding.code == "conflict-copy"} == set(COPIES)


def test_a_note_that_is_only_called_like_such_a_copy_is_read(tmp_path: Path) -> None:
    notes = {
        "Peace (conflicted copy 2024-01-02).md": "# Peace\n\nOnce.\n",
        "The Conflict.md": "# The Conflict\n\nWar.\n",
    }
    pack = load_pack(write_pack(tmp_path, notes))
    assert {entity.file_path for entity in pack.entities} == set(notes)
