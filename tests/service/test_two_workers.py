"""Two services at one workspace, their campaigns in one PostgreSQL: wherever a request goes, the story is one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.campaigns.copying import copy_campaign
from lorewright.service.web.access import browser_caller
from lorewright.service.web.stream import follow
from lorewright.storage.postgres.store import PostgresStore
from support import harbour as h
from support.postgres_server import new_database
from support.table_service import Browser, Hall, hall

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


def followed(worker: Hall, browser: Browser, act: Callable[[], object], until: str) -> str:
    """What a stream of a worker tells, from the beginning of the story, when something is done as soon as it has begun,
    up to words in it; long before it would look by itself."""
    service = worker.service
    session = service.accounts.session(browser.client.cookies["lorewright"])
    assert session is not None
    caller = browser_caller(session)

    async def read() -> str:
        found = ""
        async for text in follow(service, caller, caller.seat(service.accounts, "game"), after=0, keep_alive_s=60):
            if not found:
                doing.append(pool.submit(act))
            found += text
            if until in found:
                break
        return found

    doing: list[Future[object]] = []
    with ThreadPoolExecutor(1) as pool:
        assert browser.client.portal is not None
        try:
            found: str = browser.client.portal.call(lambda: asyncio.wait_for(read(), 30))
        finally:
            doing[0].result(30)
    return found


def test_a_stream_of_one_worker_tells_what_is_played_undone_and_edited_at_another(workers: tuple[Hall, Hall]) -> None:
    here, there = workers[0].owner(), workers[1].owner()
    told = followed(workers[1], there, lambda: here.say("game", "look", key="k1"), "event: committed")
    assert "id: 1.0" in told
    # Pieces of a narration that is not committed stay where it is made.
    assert "event: told" not in told
    told = followed(workers[1], there, lambda: here.post("/v1/campaigns/game/undo"), "event: moved")
    assert '"turn_no": 0' in told
    revision = here.get("/v1/campaigns/game").json()["revision"]
    ops = {"ops": [{"op": "advance_time", "minutes": 5}], "revision": revision}

    def edit() -> None:
        answer = here.post("/v1/campaigns/game/ops", ops)
        assert answer.status_code == 200, answer.text

    # An edit is a step of the story, too.
    assert '"turn_no": 1' in followed(workers[1], there, edit, "event: moved")


def test_a_session_that_ends_at_one_worker_ends_its_streams_at_another(workers: tuple[Hall, Hall]) -> None:
    accounts = workers[0].service.accounts
    ben = workers[0].guest("Ben", "game")
    # Signed in at one worker is signed in at the other.
    other = workers[1].stranger()
    other.client.cookies.set("lorewright", ben.client.cookies["lorewright"])
    assert other.get("/v1/campaigns/game").status_code == 200

    def sign_out() -> None:
        ben.submit("/sign-out")

    assert '"reason": "signed_out"' in followed(workers[1], other, sign_out, "event: closing")
    ann = workers[1].guest("Ann", "game")
    assert ann.account is not None
    account_id = ann.account.id

    def take_seat() -> None:
        accounts.remove_seat("game", account_id, "player")
        workers[0].service.hub.wake(account_id)

    assert '"reason": "no_seat"' in followed(workers[1], ann, take_seat, "event: closing")


def test_a_worker_that_lost_its_connection_hears_again_and_has_streams_read_anew(
    workers: tuple[Hall, Hall], postgres: str
) -> None:
    import psycopg

    here, there = workers[0].owner(), workers[1].owner()
    channel = workers[1].service.channel
    assert channel is not None
    assert workers[0].service.channel is not None
    assert {channel.me, workers[0].service.channel.me} <= channel.alive()

    def cut() -> None:
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE %s",
                (f"%{channel.me}",),
            )

    assert "event: moved" in followed(workers[1], there, cut, "event: moved")
    told = followed(workers[1], there, lambda: here.say("game", "look", key="k1"), "event: committed")
    assert "id: 1.0" in told


def test_what_a_stranger_writes_into_the_channel_harms_nothing(workers: tuple[Hall, Hall]) -> None:
    here, there = workers[0].owner(), workers[1].owner()
    rows = workers[0].service.accounts.kept
    for payload in ("", "[]", "{", "[" * 7_000, '{"worker": 1}', '{"kind": "told", "campaign": "game", "worker": "x"}'):
        rows.rows("SELECT pg_notify('lorewright_events', ?)", payload)
    told = followed(workers[1], there, lambda: here.say("game", "look", key="k1"), "event: committed")
    assert "id: 1.0" in told


def test_limits_and_accounts_are_those_of_all_workers(workers: tuple[Hall, Hall]) -> None:
    strangers = [worker.stranger() for worker in workers]
    workers[0].guest("Ben", "game")
    sent = {"name": "Ben", "password": "a word that is wrong"}
    codes = [strangers[number % 2].client.post("/v1/session", json=sent).status_code for number in range(14)]
    assert codes[0] == 401
    assert codes[-1] == 429
    assert codes.count(401) <= 11
    names = [{known.name for known in worker.service.accounts.all()} for worker in workers]
    assert names == [{"owner", "Ben"}] * 2


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


def test_a_job_is_told_as_failed_when_its_worker_is_gone_and_another_may_cancel_it(workers: tuple[Hall, Hall]) -> None:
    accounts, owner = workers[0].service.accounts, workers[1].owner()
    channel = workers[0].service.channel
    assert channel is not None

    def running(job_id: str, worker: str) -> str:
        values = (job_id, "install", "island", accounts.owner().id, "running", "", 0, 0, None, "", "now", worker)
        accounts.write(("INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values))
        return f"/v1/jobs/{job_id}"

    alive, gone = running("alive", channel.me), running("gone", "nobody")
    # It is looked every few seconds, and was when the service started.
    assert owner.get(gone).json()["state"] == "running"
    workers[1].service.jobs._looked_at -= 60
    assert owner.get(gone).json()["state"] == "failed"
    assert owner.get(alive).json()["state"] == "running"
    assert owner.delete(alive).json()["state"] == "cancelled"
    assert workers[0].service.jobs._is_cancelled("alive")
    # What its child says then changes nothing.
    workers[0].service.jobs._set("alive", "done")
    assert owner.get(alive).json()["state"] == "cancelled"
