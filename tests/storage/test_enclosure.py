"""Paths in a folder of ours: no name and no link leads out, and what is done to them stays inside."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import Busy, UnsafePath
from lorewright.storage import enclosure
from lorewright.storage.database import Database, delete_files_of, opened, set_aside
from lorewright.storage.enclosure import Enclosure, is_plain_name, plain_parts


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "notes.txt").write_text("precious")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Enclosure:
    (tmp_path / "home" / "sub").mkdir(parents=True)
    return Enclosure(tmp_path / "home")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


NAMES = ["", ".", "..", "a/b", "/etc/passwd", "a\\b", "..\\x", "C:", "c:x", "nul\0", "../x", "\0"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_could_lead_out_is_refused(home: Enclosure, name: str) -> None:
    with pytest.raises(UnsafePath):
        home.path(name)
    with pytest.raises(UnsafePath):
        home.path("sub", name)


@given(st.text(min_size=1))
def test_a_plain_name_names_one_file_in_its_folder(name: str) -> None:
    if is_plain_name(name):
        assert (Path("/home/here") / name).parent == Path("/home/here")
        assert plain_parts(name) == (name,)


@pytest.mark.parametrize("path", ["/etc/passwd", "../victim", "sub/../../victim", ".."])
def test_a_path_that_does_not_lie_in_the_folder_is_refused(home: Enclosure, path: str) -> None:
    with pytest.raises(UnsafePath):
        home.checked(home.root / path)


@pytest.mark.parametrize("relative", ["a//b", "/a", "a/../b", "a/", "./a", ""])
def test_a_relative_path_is_made_of_plain_names(relative: str) -> None:
    with pytest.raises(UnsafePath):
        plain_parts(relative)


OPERATIONS: dict[str, Callable[[Enclosure, Path], object]] = {
    "remove": lambda home, path: home.remove(path),
    "write": lambda home, path: home.write(path, b"new"),
    "write_new": lambda home, path: home.write_new(path, b"new"),
    "create": lambda home, path: home.create(path),
    "read": lambda home, path: home.read(path),
    "entries": lambda home, path: home.entries(path),
    "make_folder": lambda home, path: home.make_folder(path),
    "move from": lambda home, path: home.move(path, home.root / "other"),
    "move to": lambda home, path: home.move(home.root / "plain", path),
    "share": lambda home, path: home.share(path, home.root / "other"),
    "name_new": lambda home, path: home.name_new(path, home.root / "other"),
    "copy_in": lambda home, path: home.copy_in(home.root / "plain", path),
    "sync": lambda home, path: home.sync(path),
    "open_to_all": lambda home, path: home.open_to_all(path),
    "remove_if_empty": lambda home, path: home.remove_if_empty(path),
    "lock": lambda home, path: home.lock(path),
    "a database": lambda home, path: Database(path),
}


@pytest.mark.parametrize("what", OPERATIONS)
@pytest.mark.parametrize("where", ["a linked folder", "a linked file", "a link to nowhere", "below a linked folder"])
def test_no_operation_follows_or_changes_a_link(home: Enclosure, victim: Path, what: str, where: str) -> None:
    (home.root / "plain").write_bytes(b"plain")
    link = home.root / "sub" / "link"
    target = {"a linked file": victim / "notes.txt", "a link to nowhere": victim / "nothing"}.get(where, victim)
    link.symlink_to(target)
    path = link / "notes.txt" if where == "below a linked folder" else link
    with pytest.raises(UnsafePath):
        OPERATIONS[what](home, path)
    assert (victim / "notes.txt").read_text() == "precious"
    assert names(victim) == ["notes.txt"]
    assert link.is_symlink() and (home.root / "plain").read_bytes() == b"plain"
    assert names(home.root) == ["plain", "sub"]


def test_the_folder_itself_may_be_no_link_and_lie_below_one(tmp_path: Path, home: Enclosure) -> None:
    (tmp_path / "elsewhere").symlink_to(tmp_path)
    assert Enclosure(tmp_path / "elsewhere" / "home").path("sub").is_dir()
    (tmp_path / "link").symlink_to(home.root)
    with pytest.raises(UnsafePath, match="is a link"):
        Enclosure(tmp_path / "link").path("sub")


def test_a_folder_with_a_link_in_it_is_not_deleted_in_part(home: Enclosure, victim: Path) -> None:
    (home.root / "sub" / "kept").write_text("kept")
    (home.root / "sub" / "deep").mkdir()
    (home.root / "sub" / "deep" / "link").symlink_to(victim)
    with pytest.raises(UnsafePath, match="link"):
        home.remove(home.root / "sub")
    assert (home.root / "sub" / "kept").read_text() == "kept"
    assert (victim / "notes.txt").exists()


def test_listing_passes_over_links_and_links_are_listed_apart(home: Enclosure, victim: Path) -> None:
    (home.root / "file").write_text("")
    (home.root / "link").symlink_to(victim)
    assert [path.name for path in home.entries()] == ["file", "sub"]
    assert [path.name for path in home.files()] == ["file"]
    assert [path.name for path in home.links()] == ["link"]


def test_writing_gives_a_new_file_so_that_another_name_keeps_its_bytes(home: Enclosure, victim: Path) -> None:
    os.link(victim / "notes.txt", home.root / "shared")
    home.write(home.root / "shared", b"new")
    assert (home.root / "shared").read_bytes() == b"new"
    assert (victim / "notes.txt").read_text() == "precious"


def test_a_lock_is_never_a_file_that_has_another_name_and_holds_something(home: Enclosure, victim: Path) -> None:
    os.link(victim / "notes.txt", home.root / ".lock")
    with pytest.raises(UnsafePath, match="no lock"):
        home.lock(home.root / ".lock")


def test_a_lock_that_another_holds_is_busy_after_the_time_given(home: Enclosure) -> None:
    with home.locked(home.root / ".lock"), pytest.raises(Busy), home.locked(home.root / ".lock", timeout_s=0):
        raise AssertionError("two hold it")


def test_what_is_written_is_its_owners_alone(home: Enclosure) -> None:
    home.write(home.root / "file", b"")
    with opened(home.root / "some.db"):
        assert {oct(path.stat().st_mode & 0o777) for path in home.files() if path.suffix != ".lock"} == {"0o600"}


@pytest.mark.parametrize("beside", ["", "-wal", "-shm", "-journal", ".lock"])
def test_a_database_is_not_opened_where_it_or_what_is_beside_it_is_a_link(
    home: Enclosure, victim: Path, beside: str
) -> None:
    (home.root / f"some.db{beside}").symlink_to(victim / "notes.txt")
    with pytest.raises(UnsafePath):
        Database(home.root / "some.db")
    assert (victim / "notes.txt").read_text() == "precious"


def test_a_database_is_neither_deleted_nor_set_aside_through_a_link(home: Enclosure, victim: Path) -> None:
    (home.root / "some.db").symlink_to(victim / "notes.txt")
    for act in (delete_files_of, set_aside):
        with pytest.raises(UnsafePath):
            act(home.root / "some.db")
    assert (victim / "notes.txt").exists()


def test_what_is_set_aside_replaces_nothing(home: Enclosure) -> None:
    for text in ("first", "second"):
        (home.root / "some.db").write_text(text)
        set_aside(home.root / "some.db")
    kept = {path.name: path.read_text() for path in home.files()}
    assert kept == {"some.db.damaged": "first", "some.db.damaged-2": "second"}


class _NoSecondNames:
    """The system as it is on a disk that knows no hard links."""

    def __getattr__(self, name: str) -> object:
        if name == "link":
            return self._refuse
        return getattr(os, name)

    def _refuse(self, *_: object) -> None:
        raise PermissionError(1, "Operation not permitted")


def test_a_disk_without_second_names_gets_copies_and_renames(home: Enclosure, monkeypatch: pytest.MonkeyPatch) -> None:
    (home.root / "plain").write_bytes(b"plain")
    monkeypatch.setattr(enclosure, "os", _NoSecondNames())
    home.share(home.root / "plain", home.root / "copy")
    assert (home.root / "copy").read_bytes() == b"plain"
    with pytest.raises(FileExistsError):
        home.name_new(home.root / "plain", home.root / "copy")
    home.name_new(home.root / "plain", home.root / "new")
    assert (home.root / "new").read_bytes() == b"plain"


def test_a_rename_that_fails_on_such_a_disk_leaves_no_empty_file(
    home: Enclosure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enclosure, "os", _NoSecondNames())
    with pytest.raises(FileNotFoundError):
        home.name_new(home.root / "gone", home.root / "new")
    assert not (home.root / "new").exists()


def test_a_file_that_is_deleted_while_the_files_are_walked_is_left_out(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).touch()
    walked = Enclosure(tmp_path).files()
    assert next(walked).name == "a"
    (tmp_path / "b").unlink()
    assert [path.name for path in walked] == ["c"]
