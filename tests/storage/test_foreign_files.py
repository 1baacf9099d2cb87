"""Databases and folders that a stranger made: nothing of theirs is deleted, run or followed when they are opened."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest

from lorewright.authoring.pack_tests.baseline import Baseline, write_baseline
from lorewright.contrib.import_v0.tables import read_v0
from lorewright.errors import DamagedFile, UnsafePath
from lorewright.storage.database import Database, journal_of, opened
from lorewright.storage.enclosure import Enclosure
from lorewright.world.schemas import misfits, pattern_problem, schema_problems

MAGIC = bytes.fromhex("d9d505f920a163d7")
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n"


def make(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for statement in ("CREATE TABLE kept (id TEXT)", "INSERT INTO kept VALUES ('a')", *statements):
            connection.execute(statement)
        connection.commit()
    return path


def lay_journal(database: Path, *, naming: Path | None) -> None:
    """A hot journal without a page to play back, which may name a file as its super-journal."""
    data = database.read_bytes()
    page_bytes = struct.unpack(">H", data[16:18])[0]
    header = MAGIC + struct.pack(">IIIII", 0, 0, len(data) // page_bytes, 512, page_bytes)
    end = b""
    if naming is not None:
        name = str(naming).encode()
        page = struct.pack(">I", 0x40000000 // page_bytes + 1)
        end = page + name + struct.pack(">II", len(name), sum(name) & 0xFFFFFFFF) + MAGIC
    journal_of(database).write_bytes(header.ljust(512, b"\0") + end)


def test_a_journal_that_names_a_file_is_refused_and_deletes_nothing(tmp_path: Path) -> None:
    victim = tmp_path / "notes.txt"
    victim.write_text("precious")
    path = make(tmp_path / "d.db")
    lay_journal(path, naming=victim)
    for open_it in (Database, read_v0):
        with pytest.raises(UnsafePath, match="names a file"):
            open_it(path)
    assert victim.read_text() == "precious" and journal_of(path).exists()


def test_a_journal_that_names_no_file_is_played_back(tmp_path: Path) -> None:
    path = make(tmp_path / "d.db")
    lay_journal(path, naming=None)
    with opened(path) as database:
        assert [row["id"] for row in database.rows("SELECT id FROM kept")] == ["a"]
    assert not journal_of(path).exists()


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE VIEW content_packs AS {ENDLESS}",
        "CREATE TRIGGER t AFTER INSERT ON kept BEGIN DELETE FROM kept; END",
        "CREATE VIRTUAL TABLE words USING fts5(text)",
        "CREATE TABLE computed (a INT, b INT as (a + 1))",
    ],
)
def test_a_file_that_computes_what_it_holds_is_refused(tmp_path: Path, statement: str) -> None:
    with pytest.raises(DamagedFile, match="none of ours"):
        Database(make(tmp_path / "d.db", statement))


def test_a_link_in_place_of_the_part_of_a_baseline_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "notes.txt"
    victim.write_text("precious")
    (tmp_path / ".baseline.json.new").symlink_to(victim)
    write_baseline(tmp_path / "baseline.json", Baseline(pack="p", embedder="", answers={}))
    assert victim.read_text() == "precious" and "answers" in (tmp_path / "baseline.json").read_text()


def test_folders_nested_without_end_are_refused_with_an_error_of_ours(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(1500):
        deep = deep / "d"
        deep.mkdir()
    home = Enclosure(tmp_path)
    for walk in (home.links, home.files):
        with pytest.raises(UnsafePath, match="nested"):
            list(walk())


def test_a_schema_nested_too_deep_or_of_a_wrong_shape_is_no_crash() -> None:
    schema: dict[str, object] = {}
    for _ in range(200):
        schema = {"properties": {"a": schema}}
    assert "deep" in next(schema_problems(schema))[1]
    assert misfits({}, schema)
    assert misfits(["a"], {"items": [{"pattern": "a"}]}) == []


@pytest.mark.parametrize("pattern", ["(a{ 900 }){ 900 }", "(a{900 , }){\t900}"])
def test_blanks_in_a_counted_repetition_hide_nothing_of_its_size(pattern: str) -> None:
    assert "repeats too much" in str(pattern_problem(pattern))
