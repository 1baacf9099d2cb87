"""A long story of a shipped scenario is the same bytes in files and in PostgreSQL; and of two processes that play one
campaign at once, each submission advances it once."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Sequence
from contextlib import ExitStack, closing
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.copying import check_copy, copy_campaign
from lorewright.campaigns.exchange import export
from lorewright.errors import CampaignError, HeadMoved
from lorewright.lore_bootstrap import make_workspace
from lorewright.service.web.access import RateLimit
from lorewright.storage.postgres.store import PostgresStore
from lorewright.turn.store.turn_store import undo_played
from support import harbour as h
from support.postgres_server import new_database
from support.scale import scaled
from support.table_service import Browser, hall

pytestmark = [pytest.mark.server, pytest.mark.campaign]

LINES = (
    *("look around", "ask Viktor about Jin", "search behind the bar", "go to the street", "look around", "wait"),
    *("go to the neon dragon", "ask Viktor about Pier 9", "ask Captain Bao about Jin", "what do I carry"),
)
ASKED = ("Jin", "who runs the docks", "the Neon Dragon", "Pier 9 crate", "Viktor debt", "rain in the street")
PLAYED, SERVED, STREAMED, QUERIES = 60, 40, 40, 300
# Of a story that has ended so many turns are taken back.
BACK = 8
# 1,000 at CAMPAIGN_SCALE=10.
SUBMISSIONS = scaled(100)


def play(app: App) -> list[str]:
    told = []
    with app.campaigns.open("game") as campaign:
        for number, line in enumerate(itertools.islice(itertools.cycle(LINES), PLAYED)):
            try:
                told.append(asyncio.run(campaign.submit(line, action_id=f"a{number}")))
            except CampaignError as ended:
                told.append(ended.message)
                undo_played(campaign.store, turns=BACK)
    return told


def serve(app: App, *, workers: int = 1) -> list[Any]:
    """Play on, stream what was played, and ask, each request at the next of some services: what they answered, and what
    they show at the end."""
    with ExitStack() as stack:
        settings = {"is_counted": True, "turns": RateLimit(60_000, at_once=1_000)}
        halls = [stack.enter_context(hall(app, **settings)) for _ in range(workers)]
        browser, told = itertools.cycle([each.owner() for each in halls]), list[Any]()
        path = "/v1/campaigns/game"
        for number, line in enumerate(itertools.islice(itertools.cycle(LINES[::-1]), SERVED)):
            answer = next(browser).say("game", line, key=f"s{number}")
            told.append(answer.content)
            if answer.status_code == 409:
                next(browser).post(f"{path}/undo", {"turns": BACK})
        last = next(browser).get(path).json()["turn_no"]
        told += stream(next(browser), f"{path}/events?after={last - STREAMED}", STREAMED)
        for number in range(QUERIES):
            viewer = ("gm", "player")[number % 2]
            asked = {"text": ASKED[number % len(ASKED)], "limit": 1 + number % 7, "campaign_id": "game", "as": viewer}
            answer = next(browser).post("/v1/lore/query", asked)
            assert answer.status_code == 200
            told.append(answer.content)
        return [*told, next(browser).get(f"{path}/turns").content, next(browser).get(path).content]


def stream(browser: Browser, path: str, turns: int) -> list[str]:
    """Return the lines of a stream of events, up to the last of so many committed turns."""
    found: list[str] = []
    with browser.client.stream("GET", path) as answer:
        assert answer.status_code == 200, answer.read()
        for line in answer.iter_lines():
            found.append(line)
            turns -= found[-2:-1] == ["event: committed"]
            if turns == 0:
                break
    return found


def differing(some: Sequence[Any], others: Sequence[Any]) -> list[int]:
    """The places at which two lists of answers differ; a diff of all of them would take minutes."""
    return [number for number, (one, other) in enumerate(zip(some, others, strict=True)) if one != other]


def test_a_shipped_scenario_is_the_same_bytes_in_files_and_in_postgres_with_one_worker_and_with_four(
    tmp_path: Path, postgres: str
) -> None:
    make_workspace(tmp_path / "workspace")
    here = open_app(tmp_path / "workspace")
    with (
        closing(PostgresStore(new_database(postgres))) as store,
        closing(PostgresStore(new_database(postgres))) as another,
    ):
        there, of_four = (open_app(tmp_path / "workspace", elsewhere=each) for each in (store, another))
        for app in (here, there):
            app.campaigns.clock = lambda: "2031-05-01T20:00:00+00:00"
        here.campaigns.new("dead_drop", campaign_id="game", seed=7)
        copy_campaign(here.campaigns, there.campaigns, "game")
        assert differing(play(here), play(there)) == []
        exports = []
        for number, app in enumerate((here, there)):
            export(app.campaigns, "game", tmp_path / f"{number}.lorewright")
            exports.append((tmp_path / f"{number}.lorewright").read_bytes())
        assert differing(exports[:1], exports[1:]) == []
        copy_campaign(there.campaigns, of_four.campaigns, "game")
        served = serve(here)
        assert differing(served, serve(there)) == []
        assert differing(served, serve(of_four, workers=4)) == []
        for app in (there, of_four):
            assert app.elsewhere is not None
            assert check_copy(app.elsewhere.database("game"), "game", app.campaigns.kept).clean


def submit_all(root: str, address: str, count: int) -> list[str]:
    """Send each submission until it is answered; the answers. Runs in a process of its own."""
    told = []
    with closing(PostgresStore(address)) as store:
        app = open_app(root, elsewhere=store)
        with app.campaigns.open("game") as campaign:
            for number in range(count):
                while len(told) == number:
                    try:
                        told.append(asyncio.run(campaign.submit("look", action_id=f"k{number}")))
                    except HeadMoved:
                        continue
    return told


def test_of_two_processes_that_play_one_campaign_at_once_each_submission_advances_it_once(
    tmp_path: Path, postgres: str
) -> None:
    root, address = h.harbour(tmp_path).workspace.root, new_database(postgres)
    with closing(PostgresStore(address)) as store:
        copy_campaign(open_app(root).campaigns, open_app(root, elsewhere=store).campaigns, "game")
        with get_context("spawn").Pool(2) as workers:
            first, second = workers.starmap(submit_all, [(str(root), address, SUBMISSIONS)] * 2, chunksize=1)
        assert first == second
        with open_app(root, elsewhere=store).campaigns.reading("game") as campaign_store:
            turns = campaign_store.turns()
        assert [turn["turn_no"] for turn in turns] == list(range(SUBMISSIONS + 1))
        assert sorted(turn["turn_id"] for turn in turns[1:]) == sorted(json.loads(told)["turn_id"] for told in first)
        assert len(store.database("game").rows("SELECT turn_id FROM turns")) == SUBMISSIONS + 1
        checked = check_copy(store.database("game"), "game")
        assert checked.clean, checked.findings
