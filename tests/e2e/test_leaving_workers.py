"""A worker that is told to stop leaves in order: what is asked of it goes to the others, and nobody notices."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import pytest_socket

from support.postgres_server import new_database
from support.proxies import KINDS, find_proxy
from support.scale import scaled
from support.worker_company import Company, company, restart

pytestmark = [pytest.mark.server, pytest.mark.campaign]


@pytest.fixture
def on_loopback(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


# All proxies at CAMPAIGN_SCALE=2 and more; `test_proxies.py` asks each of them for the rest.
@pytest.fixture(params=KINDS if scaled(1) > 1 else ["haproxy"])
def here(request: pytest.FixtureRequest, on_loopback: None, tmp_path: Path, postgres: str) -> Iterator[Company]:
    if find_proxy(request.param) is None:
        pytest.skip(f"{request.param} is not installed: make extras")
    with company(
        tmp_path, new_database(postgres), tables=4, workers=2, proxy=request.param, options=("--drain", "4")
    ) as found:
        yield found


def test_workers_that_are_replaced_one_by_one_are_not_noticed_by_who_plays(here: Company) -> None:
    players = here.play(pause_s=0.8)
    for worker in here.workers:
        time.sleep(1)
        restart(worker, here.host, with_signal=signal.SIGTERM)
        # Before the next one leaves, the proxy has seen that this one is back.
        time.sleep(2.5)
    assert here.finish() == []
    assert here.turns > 20
    assert here.proxy is not None
    again = {status for player in players for status in player.recovery.statuses} - {"429"}
    # HAProxy asks the other one by itself; Caddy passes a refusal on until its next health check. A busy machine is slow.
    allowed = {"503"} if here.proxy.kind == "caddy" else set[str]()
    assert again <= allowed | ({"ReadTimeout"} if "CI" in os.environ else set()), again


@pytest.mark.parametrize("here", ["haproxy"], indirect=True)
def test_a_stream_of_a_leaving_worker_is_told_and_goes_on_at_another(here: Company) -> None:
    path, headers = f"{here.urls[0]}/v1/campaigns/game/events", here.accounts["game"].headers(here.host)
    player = here.play(pause_s=0.8)[0]
    told: list[str] = []
    began, done = threading.Event(), threading.Event()

    def follow() -> None:
        last = ""
        while not done.is_set():
            more = {"Last-Event-ID": last} if last else {}
            try:
                with httpx.stream("GET", path, headers={**headers, **more}, timeout=30) as stream:
                    for line in stream.iter_lines() if stream.status_code == 200 else ():
                        told.append(line)
                        last = line.removeprefix("id: ") if line.startswith("id: ") else last
                        began.set()
                        if done.is_set():
                            break
            except httpx.TransportError:
                pass
            time.sleep(0.2)

    follower = threading.Thread(target=follow, daemon=True)
    follower.start()
    assert began.wait(20)
    time.sleep(1)
    for worker in here.workers:
        restart(worker, here.host, with_signal=signal.SIGTERM)
        time.sleep(2.5)
    assert here.finish() == []
    done.set()
    follower.join(30)
    assert "event: closing" in told
    # Every committed turn came, in order; the first ones were there before. One that is committed while a stream begins
    # may come twice: its ID says so.
    numbers = [int(line.removeprefix("id: ").partition(".")[0]) for line in told if line.startswith("id: ")]
    assert numbers == sorted(numbers)
    assert [*dict.fromkeys(numbers)] == list(range(numbers[0], numbers[-1] + 1))
    assert numbers[-1] >= len(player.acknowledged) - 1


def test_a_worker_that_leaves_says_so_at_once_and_begins_no_turn(
    on_loopback: None, tmp_path: Path, postgres: str
) -> None:
    with company(tmp_path, new_database(postgres), tables=1, workers=1, proxy=None, options=("--drain", "5")) as alone:
        worker, headers = alone.workers[0], alone.accounts["game"].headers(alone.host)
        url = alone.urls[0]
        worker.signal(signal.SIGTERM)
        time.sleep(0.3)
        assert worker.ready(alone.host) == 503
        refused = httpx.post(f"{url}/v1/campaigns/game/turns", json={"text": "wait"}, headers=headers, timeout=10)
        assert refused.status_code == 503
        assert refused.json()["code"] == "busy"
        assert refused.headers["Retry-After"] == "1"
        page = httpx.post(f"{url}/table/game/say", data={"text": "wait"}, headers=headers, timeout=10)
        assert (page.status_code, page.headers["Retry-After"]) == (503, "1")
        assert httpx.get(f"{url}/v1/campaigns/game/events", headers=headers, timeout=10).status_code == 503
        # What reads is answered until it is gone.
        assert httpx.get(f"{url}/v1/campaigns/game", headers=headers, timeout=10).status_code == 200
        assert httpx.get(f"{url}/healthz", headers=headers, timeout=10).json()["status"] == "stopping"
        assert worker.process is not None
        assert worker.process.wait(30) in (0, -signal.SIGTERM)
