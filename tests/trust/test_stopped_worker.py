"""Two real services at one PostgreSQL: one is told to stop while somebody follows a table, who goes on at the other."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_socket

from lorewright.bootstrap import open_app
from lorewright.campaigns.copying import copy_campaign
from lorewright.storage.postgres.store import PostgresStore
from support import harbour as h
from support.played_in_a_browser import free_port
from support.postgres_server import new_database
from support.served import serving

pytestmark = [pytest.mark.campaign, pytest.mark.trust]

EVENTS = "/v1/campaigns/game/events"


@pytest.fixture
def on_loopback(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


class Stream:
    """A table's events, read by a thread; `last_id` is what a browser would send as Last-Event-ID."""

    def __init__(self, client: httpx.Client, last_id: str | None) -> None:
        self.events: list[tuple[str, Any]] = []
        self.last_id, self._heard = last_id, threading.Condition()
        self._client, self._thread = client, threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        # The client is closed while streams are read, at the end.
        with suppress(httpx.TransportError):
            self._read()

    def _read(self) -> None:
        headers = {} if self.last_id is None else {"Last-Event-ID": self.last_id}
        kind = ""
        with self._client.stream("GET", EVENTS, headers=headers) as answer:
            for line in answer.iter_lines():
                name, _, value = line.partition(": ")
                if name == "id":
                    self.last_id = value
                elif name == "event":
                    kind = value
                with self._heard:
                    if name == "data":
                        self.events.append((kind, json.loads(value)))
                    # The first line is there before anything has happened.
                    elif name == "retry":
                        self.events.append((name, value))
                    self._heard.notify_all()

    def wait_for(self, kind: str, times: int = 1) -> list[Any]:
        """The data of the events of a kind, when there are so many."""
        with self._heard:
            assert self._heard.wait_for(lambda: len(self.of(kind)) >= times, 60), self.events
        return self.of(kind)

    def of(self, kind: str) -> list[Any]:
        return [data for name, data in self.events if name == kind]

    def ends(self) -> None:
        self._thread.join(60)
        assert not self._thread.is_alive()


@contextmanager
def client_of(port: int, cookie: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", cookies={"lorewright": cookie}, timeout=60) as client:
        client.headers["X-CSRF-Token"] = client.get("/v1/session").json()["csrf_token"]
        yield client


def say(client: httpx.Client, line: str, key: str) -> httpx.Response:
    return client.post("/v1/campaigns/game/turns", json={"text": line}, headers={"Idempotency-Key": key})


def test_who_followed_a_worker_that_stops_goes_on_at_the_other_and_misses_nothing(
    on_loopback: None, tmp_path: Path, postgres: str
) -> None:
    app, address, ports = h.harbour(tmp_path), new_database(postgres), (free_port(), free_port())
    with closing(PostgresStore(address)) as store:
        copy_campaign(app.campaigns, open_app(app.workspace.root, elsewhere=store).campaigns, "game")
    with (
        serving(app, ports[0], "--database", address) as (first, secret),
        serving(app, ports[1], "--database", address),
    ):
        # One entry is an entry at both.
        cookie = httpx.post(f"http://127.0.0.1:{ports[0]}/enter/{secret}").cookies["lorewright"]
        with client_of(ports[0], cookie) as here, client_of(ports[1], cookie) as there:
            stream, other = Stream(here, None), Stream(there, None)
            for followed in (stream, other):
                followed.wait_for("retry")
            time.sleep(0.5)
            assert say(there, "look", "k1").status_code == 200
            assert say(here, "take rope", "k2").status_code == 200
            for followed in (stream, other):
                assert [turn["turn_no"] for turn in followed.wait_for("committed", 2)] == [1, 2]
            first.send_signal(signal.SIGTERM)
            # While nobody is there for the first stream, the story goes on.
            assert say(there, "wait", "k3").status_code == 200
            stream.ends()
            assert stream.of("closing")
            assert say(there, "ask Osk about Lin", "k4").status_code == 200
            # What was answered by the one is answered in the same bytes by the other.
            assert say(there, "take rope", "k2").json()["turn_no"] == 2
            told = [turn["turn_no"] for turn in stream.of("committed")]
            resumed = Stream(there, stream.last_id)
            told += [turn["turn_no"] for turn in resumed.wait_for("committed", 4 - len(told))]
            assert told == [1, 2, 3, 4]
            assert [turn["turn_no"] for turn in other.wait_for("committed", 4)] == [1, 2, 3, 4]
            assert first.wait(60) in (0, -signal.SIGTERM)
