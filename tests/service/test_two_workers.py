"""Two services at one workspace, their campaigns in one PostgreSQL: wherever a request goes, the story is one."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.campaigns.copying import copy_campaign
from lorewright.storage.postgres.store import PostgresStore
from support import harbour as h
from support.postgres_server import new_database
from support.table_service import Hall, hall

pytestmark = pytest.mark.server


@pytest.fixture
def workers(tmp_path: Path, postgres: str) -> Iterator[tuple[Hall, Hall]]:
    app, address = h.harbour(tmp_path), new_database(postgres)
    root = app.workspace.root
    with closing(PostgresStore(address)) as one, closing(PostgresStore(address)) as two:
        first, second = open_app(root, elsewhere=one), open_app(root, elsewhere=two)
        copy_campaign(app.campaigns, first.campaigns, "game")
        app.campaigns.remove("game")
        with hall(first) as here, hall(second) as there:
            yield here, there


def test_turns_that_go_to_two_workers_in_turn_make_one_story(workers: tuple[Hall, Hall]) -> None:
    here, there = workers[0].owner(), workers[1].owner()
    for number, line in enumerate(("look", "take rope", "ask Osk about Lin", "wait"), start=1):
        told = (here, there)[number % 2].say("game", line, key=f"k{number}")
        assert told.status_code == 200, told.text
        assert told.json()["turn_no"] == number
        # Sent again, to the other one: the same bytes, and nothing is played.
        assert (there, here)[number % 2].say("game", line, key=f"k{number}").content == told.content
    for browser in (here, there):
        shown = browser.get("/v1/campaigns/game/turns").json()
        assert [turn["turn_no"] for turn in shown["turns"]][-4:] == [1, 2, 3, 4]
    assert here.post("/v1/campaigns/game/undo").json()["turn_no"] == 3
    assert there.get("/v1/campaigns/game").json()["turn_no"] == 3


def test_requests_that_two_workers_get_at_once_advance_the_story_once_each(workers: tuple[Hall, Hall]) -> None:
    browsers = [worker.owner() for worker in workers]
    # A program that is asked for the first time makes its own parts then, which two at once in one process may not.
    for number, browser in enumerate(browsers):
        assert browser.say("game", "wait", key=f"first{number}").status_code == 200

    def send(number: int) -> tuple[int, bytes]:
        answer = browsers[number % 2].say("game", "wait", key=f"k{number // 2}")
        return answer.status_code, answer.content

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(send, range(12)))
    assert {status for status, _ in answers} <= {200, 409}
    for number in range(6):
        again = browsers[0].say("game", "wait", key=f"k{number}")
        assert again.status_code == 200
        assert {content for status, content in answers[2 * number : 2 * number + 2] if status == 200} <= {again.content}
    assert browsers[1].get("/v1/campaigns/game").json()["turn_no"] == 8
