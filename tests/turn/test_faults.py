"""A write that fails at any statement, or that the disk refuses at any page, leaves the file as it was; the next one
works."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.branches import branch, rollback, switch
from lorewright.campaigns.checks import check
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import active_or_new_session, begin, end
from lorewright.errors import LorewrightError, ProviderError
from lorewright.llm.doubles import ScriptedModel
from lorewright.storage.faults import INJECTED, FailingDatabase
from lorewright.turn.store.turn_store import redo, undo
from support import harbour as h

Write = Callable[[OpenCampaign], object]


def dump(path: Path) -> str:
    with sqlite3.connect(path) as connection:
        found = "\n".join(connection.iterdump())
    connection.close()
    return found


@contextmanager
def failing(app: App) -> Iterator[tuple[OpenCampaign, FailingDatabase]]:
    """The campaign, open on a file that fails where it is told to."""
    with app.campaigns.open("game") as campaign:
        campaign.store.database.close()
        database = FailingDatabase(app.campaigns.path("game"))
        campaign.store.database = database
        yield campaign, database


def submit(line: str) -> Write:
    return lambda campaign: asyncio.run(campaign.submit(line))


WRITES: dict[str, Write] = {
    "a turn": submit("ask Osk about Lin"),
    "a turn that opens a scene": submit("go door"),
    "a question back": submit("frobnicate quietly"),
    "redo": lambda campaign: redo(campaign.store),
    "undo": lambda campaign: undo(campaign.store, turns=2),
    "rollback": lambda campaign: rollback(campaign.store, turns=2),
    "branch": lambda campaign: branch(campaign.store, turn="1", name="new"),
    "switch": lambda campaign: switch(campaign.store, "side"),
    "the beginning of a sitting": begin,
}

# Those that think a turn for every statement that fails.
TURNS = {"a turn", "a turn that opens a scene", "a question back"}

# What finds room in the pages that there are, as long as the game is short.
SMALL = {"redo", "undo", "rollback", "branch", "switch", "the beginning of a sitting"}


def played(tmp_path: Path) -> App:
    """A campaign at turn 3, with a turn that can be done again and a branch to switch to."""
    app = h.harbour(tmp_path, played=("look", "take rope", "wait", "look"))
    with app.campaigns.reading("game") as store:
        branch(store, turn="1", name="side")
        undo(store)
    return app


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.campaign] if name in TURNS else []) for name in WRITES]
)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_an_exception_at_any_statement_leaves_the_file_as_it_was_and_the_next_turn_works(
    tmp_path: Path, name: str, after: bool
) -> None:
    app, write = played(tmp_path), WRITES[name]
    path = app.campaigns.path("game")
    before, statement = dump(path), 0
    with failing(app) as (campaign, database):
        while True:
            statement += 1
            database.fail_at(statement, after=after)
            try:
                write(campaign)
                break
            except sqlite3.OperationalError as problem:
                assert str(problem) == INJECTED
                if dump(path) != before:
                    # COMMIT took effect before it failed. What is not a turn cannot tell, and says that it failed.
                    assert after
                    assert database.counted == statement
                    break
        # The write has so many statements: all of them were tried, BEGIN and COMMIT among them.
        assert statement > 3
        assert dump(path) != before
        database.fail_at(None)
        turn_no = campaign.store.head().turn_no
        assert json.loads(asyncio.run(campaign.submit("look")))["turn_no"] == turn_no + 1
    assert check(path).findings == ()


def test_a_turn_whose_commit_took_effect_although_it_raised_is_told_as_it_was_committed(tmp_path: Path) -> None:
    app = played(tmp_path)
    with failing(app) as (campaign, database):
        database.fail_at(None)
        asyncio.run(campaign.submit("wait"))
        commit = database.counted
        database.fail_at(commit, after=True)
        told = json.loads(asyncio.run(campaign.submit("wait", action_id="a1")))
        assert told["turn_no"] == 5
        database.fail_at(None)
        assert json.loads(asyncio.run(campaign.submit("wait", action_id="a1"))) == told
        assert campaign.store.head().turn_no == 5


def test_a_redo_and_the_end_of_a_sitting_fail_as_whole_as_they_succeed(tmp_path: Path) -> None:
    app = played(tmp_path)
    with app.campaigns.open("game") as campaign:
        session = active_or_new_session(campaign)
        h.say(app, "look")
        undo(campaign.store)
    path = app.campaigns.path("game")
    writes: tuple[Write, ...] = (lambda campaign: redo(campaign.store), lambda campaign: end(campaign, session))
    for write in writes:
        before = dump(path)
        with failing(app) as (campaign, database):
            for statement in (1, 2, 3):
                database.fail_at(statement)
                with pytest.raises(sqlite3.OperationalError):
                    write(campaign)
                assert dump(path) == before
            database.fail_at(None)
            write(campaign)
        assert dump(path) != before
    assert check(path).findings == ()


def test_an_attempt_that_cannot_be_kept_harms_nothing(tmp_path: Path) -> None:
    app = played(tmp_path)
    broken = h.with_models(app, {"narrator": ScriptedModel([ProviderError("gone")] * 9)})
    path = app.campaigns.path("game")
    before = dump(path)
    with failing(broken) as (campaign, database):
        for statement in (1, 2, 3):
            database.fail_at(statement)
            with pytest.raises(sqlite3.OperationalError):
                asyncio.run(campaign.submit("wait"))
            assert dump(path) == before
    assert h.say(app, "wait")[0]["turn_no"] == 4


@pytest.mark.parametrize("name", WRITES)
def test_a_disk_that_is_full_at_any_page_of_the_write_leaves_the_file_as_it_was(tmp_path: Path, name: str) -> None:
    app = played(tmp_path)
    path = app.campaigns.path("game")
    before = dump(path)
    with app.campaigns.open("game") as campaign:
        database = campaign.store.database
        pages = database.rows("PRAGMA page_count")[0][0]
        refused = 0
        # Pages are small; every sixteenth is enough.
        for room in range(0, 1600, 16):
            database.rows(f"PRAGMA max_page_count = {pages + room}")
            try:
                WRITES[name](campaign)
                break
            except sqlite3.OperationalError as problem:
                assert "full" in str(problem)
                assert dump(path) == before
                refused += 1
        assert refused > 0 or name in SMALL
        assert dump(path) != before
        database.rows("PRAGMA max_page_count = 1000000")
        turn_no = campaign.store.head().turn_no
        assert json.loads(asyncio.run(campaign.submit("look")))["turn_no"] == turn_no + 1
    assert check(path).findings == ()


def bounded(app: App, write: Write, limit: int) -> bool:
    """Return whether a write succeeds in a process that may write no file beyond so many bytes."""
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        code = 2
        try:
            with app.campaigns.open("game") as campaign:
                write(campaign)
                code = 0
        except (LorewrightError, sqlite3.Error, OSError):
            code = code and 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@pytest.mark.campaign
@pytest.mark.parametrize("name", WRITES)
def test_a_disk_that_refuses_to_write_at_any_length_of_the_log_loses_nothing(tmp_path: Path, name: str) -> None:
    app = played(tmp_path)
    path = app.campaigns.path("game")
    before = dump(path)
    refused = 0
    while not bounded(app, WRITES[name], refused * 4096):
        assert dump(path) == before
        refused += 1
        assert refused < 99
    assert refused > 3
    assert dump(path) != before
    assert check(path).findings == ()
    with app.campaigns.reading("game") as store:
        turn_no = store.head().turn_no
    assert h.say(app, "look")[0]["turn_no"] == turn_no + 1
