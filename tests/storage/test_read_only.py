"""Databases on a disk that cannot be written to."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lorewright.errors import ReadOnly
from lorewright.storage.database import Database, files_of
from support.small_disk import mounted, read_only


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk"):
        yield tmp_path / "disk"


def written(path: Path) -> None:
    """Write a row and close."""
    with closing(Database(path)) as database, database.transaction() as connection:
        connection.execute("CREATE TABLE kept (id TEXT)")
        connection.execute("INSERT INTO kept VALUES ('a')")


def ids(path: Path) -> list[str]:
    with closing(Database(path)) as database:
        return [row["id"] for row in database.rows("SELECT id FROM kept")]


def test_it_is_read_and_nothing_is_made_beside_it(disk: Path) -> None:
    path = disk / "a.db"
    written(path)
    before = sorted(entry.name for entry in disk.iterdir())
    with read_only(disk):
        assert ids(path) == ["a"]
        assert sorted(entry.name for entry in disk.iterdir()) == before


@pytest.mark.parametrize("ends", [("", "-wal"), ("", "-wal", "-shm")], ids=["log", "log and its index"])
def test_what_a_killed_writer_left_in_the_log_is_read(tmp_path: Path, disk: Path, ends: tuple[str, ...]) -> None:
    source = tmp_path / "source.db"
    written(source)
    writer = Database(source)
    with writer.transaction() as connection:
        connection.execute("INSERT INTO kept VALUES ('b')")
    for file, end in zip(files_of(source), ("", "-wal", "-shm"), strict=True):
        if end in ends:
            shutil.copyfile(file, disk / f"a.db{end}")
    writer.close()
    with read_only(disk):
        assert ids(disk / "a.db") == ["a", "b"]


def test_writing_is_refused_with_what_to_do(disk: Path) -> None:
    path = disk / "a.db"
    written(path)
    with read_only(disk), closing(Database(path)) as database:
        with pytest.raises(ReadOnly) as refused, database.transaction():
            pytest.fail("the block was run")
        assert "allow writing" in str(refused.value.hint)
        with pytest.raises(sqlite3.OperationalError):
            database.rows("DELETE FROM kept")
    assert ids(path) == ["a"]


def test_a_file_that_is_not_there_is_not_made(disk: Path) -> None:
    with read_only(disk), pytest.raises(ReadOnly):
        Database(disk / "a.db")
