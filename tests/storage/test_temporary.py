"""Files that are still being made, and those that nobody makes any more."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lorewright.storage.containers import write_container
from lorewright.storage.enclosure import Enclosure
from lorewright.storage.temporary import abandoned_in, maker, sweep, temporary_path


def ended() -> int:
    """The ID of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


MACHINE = maker().partition("-")[0]
A_DAY_AND_MORE_S = 90_000


@pytest.fixture
def dead() -> int:
    return ended()


def test_what_a_dead_process_was_making_is_abandoned(tmp_path: Path, dead: int) -> None:
    names = (f".game.{dead}.building", f".game.{dead}.building-wal", f".a.zip.{MACHINE}-{dead}.part")
    for name in names:
        (tmp_path / name).touch()
    assert sorted(path.name for path in abandoned_in(tmp_path)) == sorted(names)
    assert sorted(path.name for path in sweep(tmp_path)) == sorted(names)
    assert list(tmp_path.iterdir()) == []


def test_what_a_living_process_is_making_stays(tmp_path: Path) -> None:
    for name in (f".game.{os.getpid()}.building", f".game.{maker()}.building", temporary_path(tmp_path / "a.zip").name):
        (tmp_path / name).touch()
    assert sweep(tmp_path) == ()


def test_files_of_others_stay(tmp_path: Path, dead: int) -> None:
    for name in (".hidden", ".a.part", f"a.{dead}.part", f".a.{dead}.partial", ".zshrc", f".swp.{dead}"):
        (tmp_path / name).touch()
    assert sweep(tmp_path) == ()


def test_what_another_machine_was_making_is_abandoned_after_a_day(tmp_path: Path, dead: int) -> None:
    path = tmp_path / f".game.ffffffff-{dead}.building"
    path.touch()
    assert sweep(tmp_path) == ()
    os.utime(path, times=(time.time() - A_DAY_AND_MORE_S,) * 2)
    assert sweep(tmp_path) == (path,)


def test_a_name_that_says_nobody_is_abandoned_after_a_day(tmp_path: Path) -> None:
    path = tmp_path / ".exporting-h9srxu7d"
    path.touch()
    assert sweep(tmp_path) == ()
    os.utime(path, times=(time.time() - A_DAY_AND_MORE_S,) * 2)
    assert sweep(tmp_path) == (path,)


def test_a_link_of_such_a_name_is_neither_followed_nor_deleted(tmp_path: Path, dead: int) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "letter").touch()
    link = tmp_path / f".a.{dead}.part"
    link.symlink_to(victim)
    assert sweep(tmp_path) == ()
    assert link.is_symlink()
    assert (victim / "letter").exists()


def test_whoever_makes_the_same_file_deletes_what_was_left_of_it(tmp_path: Path, dead: int) -> None:
    same, other = (tmp_path / f".{name}.{MACHINE}-{dead}-0a1b2c3d.part" for name in ("a.lorewright", "b.lorewright"))
    same.touch()
    other.touch()
    write_container(tmp_path / "a.lorewright", {}, [("x", b"1")])
    Enclosure(tmp_path).write(tmp_path / "a.lorewright.sum", b"2")
    assert sorted(path.name for path in tmp_path.iterdir()) == [other.name, "a.lorewright", "a.lorewright.sum"]
