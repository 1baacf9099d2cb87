"""A campaign's file while it is open: it remembers the last state, and never reads a table from end to end."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from lorewright.turn.store.turn_store import redo, undo_played
from support import harbour as h

LINES = ("look", "ask Osk about Lin", "xyzzy plugh", "take rope", "go door", "ask Bea about the cellar", "go tavern")


def test_a_head_that_is_remembered_is_the_head_that_another_process_reads(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as opened:
        for line in (*LINES, "undo", "undo", "redo", "take rope"):
            if line == "undo":
                undo_played(opened.store)
            elif line == "redo":
                redo(opened.store)
            else:
                asyncio.run(opened.submit(line))
            head = opened.store.head()
            with app.campaigns.reading("game") as other:
                read = other.head()
            assert head == read
            # The order of its maps is a part of a state: what is told may follow it.
            assert head.state.model_dump_json() == read.state.model_dump_json()


def test_what_a_turn_asks_the_file_does_not_take_longer_the_more_turns_there_are(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, *LINES)
    asked: list[str] = []
    with app.campaigns.open("game") as opened:
        asyncio.run(opened.submit("look"))
        opened.store.database.watch(asked.append)
        asyncio.run(opened.submit("go door"))
        opened.store.database.watch(None)
        plans = [
            row["detail"]
            for sql in asked
            if re.match(r"\s*(WITH|SELECT|DELETE|UPDATE)", sql)
            for row in opened.store.database.rows(f"EXPLAIN QUERY PLAN {sql}")
        ]
    assert plans
    assert [one for one in plans if re.match(r"SCAN (t|turns|messages|stage_records|world_states)\b", one)] == []
