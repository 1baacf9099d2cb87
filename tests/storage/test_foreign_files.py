"""Databases and folders that a stranger made: nothing of theirs is deleted, run or followed when they are opened."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.authoring.pack_baseline import Baseline, write_baseline
from lorewright.contrib.import_v0.tables import read_v0
from lorewright.errors import DamagedFile, ImportRefused, UnsafePath
from lorewright.storage.database import Database, building_name, journal_of, opened
from lorewright.storage.enclosure import Enclosure
from lorewright.storage.tables import Migration, migrate, missing
from lorewright.world.schemas import KEYWORDS, misfits, pattern_problem, schema_problems

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
        "CREATE TABLE checked (a INT check(length(hex(zeroblob(4))) > a))",
        "CREATE TABLE checked (a INT, CONSTRAINT c/**/CHECK/**/(a > 1))",
        "CREATE TABLE filled (a INT DEFAULT (length(hex(zeroblob(4)))))",
        "CREATE TABLE filled (a INT DEFAULT/**/(random()))",
        "CREATE TABLE filled (a TEXT DEFAULT CURRENT_TIMESTAMP)",
        "CREATE INDEX i ON kept (id || hex(zeroblob(4)))",
        "CREATE INDEX i ON kept (id) WHERE length(hex(id)) > 0",
        "CREATE INDEX i ON kept (id GLOB id)",
    ],
)
def test_a_file_that_computes_what_it_holds_is_refused(tmp_path: Path, statement: str) -> None:
    with pytest.raises(DamagedFile, match="not made by lorewright"):
        Database(make(tmp_path / "d.db", statement))


def test_plain_tables_and_indexes_are_read(tmp_path: Path) -> None:
    path = make(
        tmp_path / "d.db",
        "CREATE TABLE checks (as_of TEXT NOT NULL DEFAULT 'x (1)', n INT DEFAULT -1, m INT DEFAULT NULL, is_checked INT)",
        "CREATE UNIQUE INDEX i ON checks (as_of, n)",
    )
    with opened(path) as database:
        assert [row["id"] for row in database.rows("SELECT id FROM kept")] == ["a"]


def test_a_schema_that_is_no_text_is_read_as_sqlite_reads_it(tmp_path: Path) -> None:
    path = make(tmp_path / "d.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = CAST('CREATE TABLE kept (id CHECK (id > 1))' AS BLOB)")
        connection.commit()
    with pytest.raises(DamagedFile, match="not made by lorewright"):
        Database(path)


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
def test_a_database_or_log_with_a_second_name_is_not_written(tmp_path: Path, end: str) -> None:
    victim = make(tmp_path / "wallet.db")
    path = tmp_path / "ours" / "d.db"
    path.parent.mkdir()
    if end:
        make(path)
    path.with_name(f"d.db{end}").hardlink_to(victim)
    before = victim.read_bytes()
    with pytest.raises(UnsafePath, match="second name") as caught:
        Database(path)
    assert "cp -p" in str(caught.value.hint)
    assert (victim.read_bytes(), sorted(one.name for one in tmp_path.iterdir())) == (before, ["ours", "wallet.db"])


def test_the_second_name_of_a_process_that_died_while_it_made_a_database_is_deleted(tmp_path: Path) -> None:
    path = make(tmp_path / "a [b].db")
    left, other = building_name(path, "99"), make(building_name(tmp_path / "c.db", "99"))
    left.hardlink_to(path)
    with opened(path) as database:
        assert [row["id"] for row in database.rows("SELECT id FROM kept")] == ["a"]
    assert (left.exists(), other.exists()) == (False, True)


# It takes gigabytes and minutes to compute.
HEAVY = "length(replace(replace(hex(zeroblob(16000000)), '0', '00'), '0', '11')) > 0"


@pytest.mark.parametrize("column", [f"g INT CHECK ({HEAVY})", f"g INT AS ({HEAVY})"], ids=["checked", "computed"])
def test_looking_for_damage_in_a_file_of_v0_runs_nothing_of_it(tmp_path: Path, column: str) -> None:
    path = make(tmp_path / "v0.db", "CREATE TABLE more (id TEXT, g INT)", "INSERT INTO more (id) VALUES ('a')")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = ? WHERE name = 'more'", (f"CREATE TABLE more (id TEXT, {column})",)
        )
        connection.commit()
    told = "no plain table" if "AS" in column else "no table entities"
    with pytest.raises(ImportRefused, match=told):
        read_v0(path)


FIRST = Migration("001_first", ("CREATE TABLE a (x TEXT)", "CREATE INDEX a_by_x ON a (x)"))
SECOND = Migration("002_second", ("ALTER TABLE a ADD COLUMN y TEXT",))


@pytest.mark.parametrize(
    "statement",
    [
        # Whoever asks for all rows of a table by its name would ask this.
        'CREATE TABLE "a b, a c, a d" (x TEXT)',
        "CREATE TABLE more (x TEXT)",
        "CREATE UNIQUE INDEX once ON a (x)",
        "DROP INDEX a_by_x",
        "ALTER TABLE a ADD COLUMN z TEXT",
        "ALTER TABLE a RENAME COLUMN x TO z",
        "DROP TABLE a",
    ],
)
@pytest.mark.parametrize("known", [(FIRST,), (FIRST, SECOND)], ids=["of this version", "of an earlier one"])
def test_tables_that_no_migration_makes_are_refused_and_left_as_they_are(
    tmp_path: Path, statement: str, known: tuple[Migration, ...]
) -> None:
    path = tmp_path / "d.db"
    with opened(path) as database:
        migrate(database, (FIRST,))
        with database.transaction() as connection:
            connection.execute(statement)
    with opened(path) as database:
        for judge in (migrate, missing):
            with pytest.raises(DamagedFile, match="not as lorewright makes it"):
                judge(database, known)
        assert [row["name"] for row in database.rows("SELECT name FROM migrations")] == ["001_first"]


def test_a_file_of_an_earlier_version_with_what_sqlite_counted_is_migrated(tmp_path: Path) -> None:
    with opened(tmp_path / "d.db") as database:
        migrate(database, (FIRST,))
        with database.transaction() as connection:
            connection.execute("INSERT INTO a VALUES ('b')")
            connection.execute("ANALYZE")
        with database.snapshot():
            assert missing(database, (FIRST, SECOND)) == ["002_second"]
        assert migrate(database, (FIRST, SECOND)) == ["002_second"]
        assert migrate(database, (FIRST, SECOND)) == []


def test_a_link_in_place_of_the_part_of_a_baseline_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "notes.txt"
    victim.write_text("precious")
    (tmp_path / ".baseline.json.new").symlink_to(victim)
    write_baseline(tmp_path / "baseline.json", Baseline(pack="p", embedder="", answers={}))
    assert victim.read_text() == "precious" and "answers" in (tmp_path / "baseline.json").read_text()


@pytest.mark.campaign
def test_folders_nested_without_end_are_refused_with_an_error_of_ours(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(1500):
        deep = deep / "d"
        deep.mkdir()
    home = Enclosure(tmp_path)
    for walk in (home.links, home.files):
        with pytest.raises(UnsafePath, match="nested"):
            list(walk())
    # What clears away old folders of tests would go too deep as well.
    while deep != tmp_path:
        deep.rmdir()
        deep = deep.parent


def test_a_schema_nested_too_deep_or_of_a_wrong_shape_is_no_crash() -> None:
    schema: dict[str, object] = {}
    for _ in range(200):
        schema = {"properties": {"a": schema}}
    assert "deep" in next(schema_problems(schema))[1]
    assert misfits({}, schema)
    assert misfits(["a"], {"items": [{"pattern": "a"}]}) == []


MALFORMED = [
    {"multipleOf": 0},
    {"multipleOf": -1},
    {"multipleOf": 10**400},
    {"multipleOf": float("nan")},
    {"type": [1]},
    {"type": ["string", ["integer"]]},
    {"type": "number or so"},
    {"type": []},
    {"required": [["a"]]},
    {"required": [1, {}]},
    {"minLength": -1},
    {"maxItems": 1.5},
    {"minimum": float("inf")},
    {"const": {1, 2}},
    {"enum": [object()]},
    {3: 4, "type": "object"},
    {"properties": {"a": {"items": {"multipleOf": 0}}}},
]


@pytest.mark.parametrize("schema", MALFORMED)
@pytest.mark.parametrize("value", [{"a": [4]}, [1], 4, 0.5, "text", None], ids=str)
def test_a_malformed_schema_that_nobody_checked_allows_nothing_and_says_so(
    schema: dict[str, object], value: object
) -> None:
    (told,) = misfits(value, schema)
    assert told.field == ()
    assert "the schema is n" in told.message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text("ab^", max_size=3),
    lambda within: (
        st.lists(within, max_size=3) | st.dictionaries(st.sampled_from(sorted(KEYWORDS)), within, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=40)
@given(schema=st.dictionaries(st.sampled_from(sorted(KEYWORDS)), JSON, max_size=4), value=JSON)
def test_whatever_a_schema_says_a_value_fits_or_is_told_why_not(schema: dict[str, object], value: object) -> None:
    assert all(told.message for told in misfits(value, schema))


@pytest.mark.parametrize("pattern", ["(a{ 900 }){ 900 }", "(a{900 , }){\t900}"])
def test_blanks_in_a_counted_repetition_hide_nothing_of_its_size(pattern: str) -> None:
    assert "repeats too much" in str(pattern_problem(pattern))
