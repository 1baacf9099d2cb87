"""A campaign's file of an earlier version: what it lacks is added, and what was played in it is played on."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import harbour as h
from lorewright.campaigns.branches import rollback, tree
from lorewright.campaigns.checks import check
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.database import opened
from lorewright.storage.migrations import migrate
from lorewright.turn.rewinding import redo, undo

FIXTURES = Path(__file__).parents[1] / "fixtures"
FIRST_TABLES = (
    "campaigns",
    "pack_pins",
    "turns",
    "world_states",
    "actions",
    "validation_results",
    "messages",
    "stage_records",
    "attempts",
)


def as_it_was_in_the_first_version(path: Path) -> None:
    """Write a campaign's file again with the tables of its first version alone, and the same rows."""
    old = path.with_suffix(".old")
    with opened(old) as database:
        migrate(database, CAMPAIGN_MIGRATIONS[:1])
        columns = {
            table: [row["name"] for row in database.rows(f"PRAGMA table_info({table})")] for table in FIRST_TABLES
        }
        with sqlite3.connect(path) as connection, database.transaction() as target:
            for table, names in columns.items():
                for row in connection.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall():
                    target.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", row)
        connection.close()
    for end in ("", "-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    old.rename(path)


def test_a_campaign_of_the_first_version_is_taken_on(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look", "ask Osk about Lin", "go door")
    with app.campaigns.reading("game") as store:
        before = [{**turn, "lore_cached": None} for turn in store.turns()]
    as_it_was_in_the_first_version(app.workspace.campaigns / "game.db")
    with app.campaigns.open("game") as campaign:
        assert campaign.store.turns() == before
        undo(campaign.store)
        redo(campaign.store)
        told = json.loads(asyncio.run(campaign.submit("look")))
        assert told["turn_no"] == 4
        assert campaign.store.turns()[-1]["lore_cached"] is False
    assert app.sessions.start_session("game").turn_range_start == 5


def test_a_campaign_of_the_second_version_is_taken_on_with_its_sitting_and_what_was_undone(tmp_path: Path) -> None:
    """`campaign_002.sql` is the dump of a file that the program of that version wrote."""
    app = h.harbour(tmp_path)
    path = app.workspace.campaigns / "game.db"
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((FIXTURES / "campaign_002.sql").read_text(encoding="utf-8"))
    assert [one.code for one in check(path).findings] == ["older-version"]
    with app.campaigns.open("game") as campaign:
        store = campaign.store
        assert check(path).findings == ()
        assert [turn["player_text"] for turn in store.turns()] == ["", "look", "ask Osk about Lin"]
        (end,) = tree(store).loose_ends[:1]
        assert (end.turn_no, end.can_be_redone) == (2, False)
        redo(store)
        assert rollback(store).kept_as == "main-turn3"
        assert json.loads(asyncio.run(campaign.submit("take rope")))["turn_no"] == 3
    assert [one.id for one in app.sessions.session_history("game")] == ["game:session_1"]
    assert check(path).findings == ()
