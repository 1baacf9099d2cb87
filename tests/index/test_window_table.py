"""What each vector stands for is read as arrays, as if it had been read row by row."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from lorewright.index.cuts import Cut, pruned
from lorewright.index.generation import Generation, read_window_table
from lorewright.packs.models import OPEN_ROLES
from support.pack_builder import TOWN, opened_packs


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generation]:
    with opened_packs(tmp_path_factory.mktemp("town"), {"town": TOWN}) as (generation,):
        yield generation


def by_hand(connection: sqlite3.Connection) -> dict[int, tuple[int, bool, str | None]]:
    """Window -> its chunk's row, whether that is open, and its item."""
    sql = """SELECT windows.id, chunk, role, item_id FROM windows
        JOIN pack_chunks ON pack_chunks.rowid = chunk ORDER BY windows.id"""
    return {row[0]: (row[1], row[2] in OPEN_ROLES, row[3]) for row in connection.execute(sql)}


def assert_read_alike(generation: Generation, count: int) -> None:
    table = read_window_table(generation.connection, count)
    expected = {window: one for window, one in by_hand(generation.connection).items() if window < count}
    found = {
        window: (int(table.rows[window]), bool(table.opens[window]), table.items.get(window))
        for window in range(count)
        if table.present[window]
    }
    assert found == expected
    assert len(table.rows) == count
    assert (table.rows[1:] >= table.rows[:-1]).all()
    assert not table.opens[~table.present].any()


def test_every_window_is_told_of(town: Generation) -> None:
    known = by_hand(town.connection)
    assert {True, False} == {opens for _, opens, _ in known.values()}
    assert any(item for _, _, item in known.values())
    for count in (0, 1, len(known) - 2, len(known), len(known) + 3):
        assert_read_alike(town, count)


def test_what_was_cut_is_not_there_and_the_rest_stays_in_order(town: Generation) -> None:
    known = by_hand(town.connection)
    rows = sorted({row for row, _, _ in known.values()})
    item = next(item for _, _, item in known.values() if item)
    cut = pruned(town, Cut(frozenset(rows[::3]), frozenset({item})))
    assert len(by_hand(cut.connection)) < len(known)
    assert_read_alike(cut, len(known))
