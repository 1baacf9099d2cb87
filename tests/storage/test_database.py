"""The database: written in transactions that are whole or not at all, with the settings that lose nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lorewright.errors import DamagedFile
from lorewright.storage.database import CACHE_KB, Database, connect_spilling, opened, read_json


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with opened(tmp_path / "sub" / "test.db") as one:
        with one.transaction() as connection:
            connection.execute("CREATE TABLE numbers (n INTEGER PRIMARY KEY)")
            connection.execute("CREATE TABLE parts (n INTEGER REFERENCES numbers (n))")
        yield one


def numbers(database: Database) -> list[int]:
    return [row["n"] for row in database.rows("SELECT n FROM numbers ORDER BY n")]


@pytest.mark.parametrize(("pragma", "value"), [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1)])
def test_its_settings_lose_no_acknowledged_write(database: Database, pragma: str, value: object) -> None:
    row = database.row(f"PRAGMA {pragma}")
    assert row is not None
    assert row[0] == value


def test_a_connection_keeps_little_of_its_file_and_its_transactions_may_be_larger(database: Database) -> None:
    row = database.row("PRAGMA cache_size")
    assert row is not None
    assert row[0] == -CACHE_KB
    with database.transaction() as connection:
        connection.execute("CREATE TABLE texts (text TEXT)")
    large = [("x" * 100_000,)] * (2 * CACHE_KB // 100)
    with pytest.raises(ValueError, match="stop"), database.transaction() as connection:
        connection.executemany("INSERT INTO texts VALUES (?)", large)
        raise ValueError("stop")
    assert database.rows("SELECT 1 FROM texts") == []
    with database.transaction() as connection:
        connection.executemany("INSERT INTO texts VALUES (?)", large)
    assert [row["text"] for row in database.rows("SELECT text FROM texts")] == [text for (text,) in large]


def test_a_connection_can_keep_less_and_its_transactions_may_be_larger_still(database: Database) -> None:
    database.keep_in_memory(64)
    with database.transaction() as connection:
        connection.execute("CREATE TABLE texts (text TEXT)")
        connection.executemany("INSERT INTO texts VALUES (?)", [("x" * 10_000,)] * 50)
    row = database.row("PRAGMA cache_size")
    assert row is not None
    assert row[0] == -64
    assert len(database.rows("SELECT text FROM texts")) == 50


def test_a_database_that_spills_holds_more_than_it_keeps_in_memory() -> None:
    texts = [(str(number) * 4_000,) for number in range(200)]
    with closing(connect_spilling(cache_kb=64)) as connection:
        assert connection.execute("PRAGMA cache_size").fetchone()[0] == -64
        connection.execute("CREATE TABLE texts (text TEXT)")
        for part in (texts[:100], texts[100:]):
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO texts VALUES (?)", part)
            connection.execute("COMMIT")
        assert connection.execute("SELECT text FROM texts ORDER BY rowid").fetchall() == texts


def test_a_transaction_is_kept_and_seen_by_others(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute("INSERT INTO numbers VALUES (1)")
    with opened(database.path) as other:
        assert numbers(other) == [1]


def test_a_transaction_that_raises_leaves_nothing(database: Database) -> None:
    with pytest.raises(ValueError, match="stop"), database.transaction() as connection:
        connection.execute("INSERT INTO numbers VALUES (1)")
        connection.execute("CREATE TABLE more (n)")
        raise ValueError("stop")
    assert numbers(database) == []
    assert database.row("SELECT 1 FROM sqlite_master WHERE name = 'more'") is None
    with database.transaction() as connection:
        connection.execute("INSERT INTO numbers VALUES (2)")
    assert numbers(database) == [2]


def test_an_interrupted_transaction_leaves_nothing(database: Database) -> None:
    with pytest.raises(KeyboardInterrupt), database.transaction() as connection:
        connection.execute("INSERT INTO numbers VALUES (1)")
        raise KeyboardInterrupt
    assert numbers(database) == []


def test_others_do_not_see_what_is_not_committed(database: Database) -> None:
    with opened(database.path) as other, database.transaction() as connection:
        connection.execute("INSERT INTO numbers VALUES (1)")
        assert numbers(other) == []


def test_a_reference_to_nothing_is_refused(database: Database) -> None:
    with pytest.raises(sqlite3.IntegrityError), database.transaction() as connection:
        connection.execute("INSERT INTO parts VALUES (1)")
    assert database.rows("SELECT * FROM parts") == []


def test_rows_have_names_and_no_row_is_none(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute("INSERT INTO numbers VALUES (7)")
    row = database.row("SELECT n FROM numbers WHERE n = ?", 7)
    assert row is not None
    assert row["n"] == 7
    assert database.row("SELECT n FROM numbers WHERE n = ?", 8) is None


def test_a_file_that_is_no_database_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"not a database, and long enough to be looked at" * 40)
    with pytest.raises(DamagedFile):
        Database(tmp_path / "x.db")


def test_json_that_is_nested_deeper_than_it_can_be_read_is_no_json() -> None:
    assert read_json('{"a": [1]}') == {"a": [1]}
    for text in ("[" * 100_000, "{", ""):
        with pytest.raises(ValueError, match=r"nested too deep|Expecting"):
            read_json(text)
