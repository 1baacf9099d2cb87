"""Migrations: each applied once, in order, whole or not at all; what a newer version wrote is left alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.errors import SettingsError
from lorewright.storage.database import Database, opened
from lorewright.storage.tables import Migration, migrate

FIRST = Migration("001_first", ("CREATE TABLE a (x)", "INSERT INTO a VALUES (1)"))
SECOND = Migration("002_second", ("ALTER TABLE a ADD COLUMN y", "INSERT INTO a VALUES (2, 2)"))
FAILING = Migration("003_failing", ("CREATE TABLE b (x)", "INSERT INTO nowhere VALUES (1)"))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with opened(tmp_path / "test.db") as one:
        yield one


def schema(database: Database) -> list[tuple[object, ...]]:
    return [tuple(row) for row in database.rows("SELECT name, sql FROM sqlite_master ORDER BY name")]


def test_what_is_missing_is_applied_in_order(database: Database) -> None:
    assert migrate(database, [FIRST, SECOND]) == ["001_first", "002_second"]
    assert [tuple(row) for row in database.rows("SELECT x, y FROM a ORDER BY x")] == [(1, None), (2, 2)]


def test_each_is_applied_once(database: Database) -> None:
    migrate(database, [FIRST])
    assert migrate(database, [FIRST]) == []
    assert migrate(database, [FIRST, SECOND]) == ["002_second"]
    assert len(database.rows("SELECT * FROM a")) == 2
    assert [row["name"] for row in database.rows("SELECT name FROM migrations ORDER BY name")] == [
        "001_first",
        "002_second",
    ]


def test_two_that_open_the_same_file_apply_each_once(database: Database) -> None:
    with opened(database.path) as other:
        assert migrate(database, [FIRST]) == ["001_first"]
        assert migrate(other, [FIRST, SECOND]) == ["002_second"]
        assert migrate(database, [FIRST, SECOND]) == []


def test_a_newer_database_is_refused_and_not_touched(database: Database) -> None:
    migrate(database, [FIRST, SECOND])
    before = schema(database)
    with pytest.raises(SettingsError) as caught:
        migrate(database, [FIRST, Migration("002_other", ("DROP TABLE a",))])
    assert "002_second" in str(caught.value)
    assert "upgrade" in str(caught.value.hint)
    assert schema(database) == before


def test_a_failing_migration_leaves_nothing_of_itself(database: Database) -> None:
    migrate(database, [FIRST])
    before = schema(database)
    with pytest.raises(sqlite3.OperationalError):
        migrate(database, [FIRST, FAILING])
    assert schema(database) == before
    mended = Migration("003_failing", ("CREATE TABLE b (x)",))
    assert migrate(database, [FIRST, mended]) == ["003_failing"]


def test_what_came_before_a_failing_one_stays(database: Database) -> None:
    with pytest.raises(sqlite3.OperationalError):
        migrate(database, [FIRST, FAILING])
    assert migrate(database, [FIRST]) == []
