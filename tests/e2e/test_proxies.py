"""The proxies of deploy/ before several workers: each campaign goes to one, and goes on where one is gone."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import pytest_socket

from support.played_in_a_browser import free_port
from support.proxies import KINDS, Proxy, is_valid, proxying
from support.worker_doubles import WorkerDouble

pytestmark = pytest.mark.server
CAMPAIGNS = [f"table-{number}" for number in range(40)]


@dataclass
class Front:
    """A proxy with three workers behind it, and a client before it."""

    kind: str
    workers: dict[str, WorkerDouble]
    client: httpx.Client
    proxy: Proxy

    def worker_of(self, path: str) -> str:
        """Return the name of the worker that a path goes to."""
        return str(self.client.get(path).raise_for_status().json()["worker"])

    def settled(self, is_so: object) -> None:
        """Wait until the proxy has seen what changed."""
        assert callable(is_so)
        until = time.monotonic() + 15
        while not is_so():
            assert time.monotonic() < until
            time.sleep(0.1)


@pytest.fixture(params=KINDS)
def front(
    request: pytest.FixtureRequest, tmp_path: Path, socket_enabled: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Front]:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    workers = {double.name: double for double in (WorkerDouble(free_port()) for _ in range(3))}
    port = free_port()
    try:
        ports = [double.port for double in workers.values()]
        with (
            proxying(request.param, tmp_path / "proxy", port, ports) as proxy,
            httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as client,
        ):
            found = Front(request.param, workers, client, proxy)
            found.settled(lambda: client.get("/").status_code == 200)
            yield found
    finally:
        for double in workers.values():
            double.gate.set()
            with suppress(OSError):
                double.die()


def test_a_campaign_goes_to_one_worker_whatever_is_asked_of_it_and_all_workers_have_some(front: Front) -> None:
    found = {}
    for campaign in CAMPAIGNS:
        paths = (
            f"/v1/campaigns/{campaign}",
            f"/v1/campaigns/{campaign}/turns?last=3",
            f"/table/{campaign}",
            f"/table/{campaign}/codex",
        )
        workers = {front.worker_of(path) for path in paths}
        workers.add(front.client.post(f"/v1/campaigns/{campaign}/turns", json={"text": "look"}).json()["worker"])
        assert len(workers) == 1, campaign
        found[campaign] = workers.pop()
    counts = [list(found.values()).count(name) for name in front.workers]
    assert min(counts) >= 4, counts


def test_what_names_no_campaign_goes_to_the_workers_in_turn(front: Front) -> None:
    for path in ("/", "/v1/packs", "/v1/campaigns", "/account"):
        assert {front.worker_of(path) for _ in range(9)} == set(front.workers)


def test_a_program_with_a_token_stays_with_one_worker_in_chats_and_over_mcp(front: Front) -> None:
    for path in ("/mcp", "/v1/chat/completions"):
        found = set()
        for token in ("Bearer lw_a", "Bearer lw_b", "Bearer lw_c", "Bearer lw_d", "Bearer lw_e", "Bearer lw_f"):
            answers = [front.client.post(path, json={}, headers={"Authorization": token}).json() for _ in range(3)]
            assert len({answer["worker"] for answer in answers}) == 1
            found.add(answers[0]["worker"])
        assert len(found) > 1


def test_the_campaigns_of_a_dead_worker_go_to_others_at_once_and_back_when_it_is_there_again(front: Front) -> None:
    before = {campaign: front.worker_of(f"/v1/campaigns/{campaign}") for campaign in CAMPAIGNS}
    gone = front.workers[before[CAMPAIGNS[0]]]
    gone.die()
    after = {campaign: front.worker_of(f"/v1/campaigns/{campaign}") for campaign in CAMPAIGNS}
    assert gone.name not in after.values()
    assert {c: w for c, w in before.items() if w != gone.name} == {
        c: after[c] for c, w in before.items() if w != gone.name
    }
    gone.start()
    front.settled(lambda: front.worker_of(f"/v1/campaigns/{CAMPAIGNS[0]}") == gone.name)
    assert {campaign: front.worker_of(f"/v1/campaigns/{campaign}") for campaign in CAMPAIGNS} == before


def test_a_turn_with_a_key_that_a_leaving_worker_refuses_is_played_by_another(front: Front) -> None:
    path = f"/v1/campaigns/{CAMPAIGNS[0]}/turns"
    leaving = front.workers[front.worker_of(path)]
    leaving.is_leaving = True
    if front.kind == "haproxy":
        sent = front.client.post(path, json={"text": "look"}, headers={"Idempotency-Key": "k1"})
        assert sent.status_code == 200
        assert sent.json()["worker"] != leaving.name
        assert sent.json()["body"] == '{"text":"look"}'
        # A form of a page has its key in the body.
        said = front.client.post(f"/table/{CAMPAIGNS[0]}/say", data={"text": "look", "key": "k2"})
        assert said.json()["worker"] != leaving.name
    # Caddy asks another when the health check has failed; until then the refusal is passed on.
    front.settled(lambda: front.client.post(path, json={}, headers={"Idempotency-Key": "k3"}).status_code == 200)
    front.settled(lambda: front.worker_of(path) != leaving.name)


def test_a_turn_without_a_key_is_never_sent_twice(front: Front) -> None:
    path = f"/v1/campaigns/{CAMPAIGNS[0]}/turns"
    first = front.workers[front.worker_of(path)]
    before = sum(len(double.asked) for double in front.workers.values())
    first.gate.clear()
    answers: list[int] = []
    sender = threading.Thread(
        target=lambda: answers.append(
            httpx.post(f"http://127.0.0.1:{front.proxy.port}{path}", json={"text": "look"}, timeout=20).status_code
        )
    )
    sender.start()
    front.settled(lambda: sum(len(double.asked) for double in front.workers.values()) > before)
    first.die()
    first.gate.set()
    sender.join()
    assert sum(len(double.asked) for double in front.workers.values()) == before + 1


def test_a_stream_comes_piece_by_piece(front: Front) -> None:
    came, began = [], time.monotonic()
    with front.client.stream("GET", f"/v1/campaigns/{CAMPAIGNS[0]}/events") as answer:
        assert answer.headers["content-type"] == "text/event-stream"
        for line in answer.iter_lines():
            if line.startswith("id: "):
                came.append(time.monotonic() - began)
    assert len(came) == 5
    assert came[0] < came[-1] - 0.6


def test_the_address_of_the_client_is_passed_on_and_what_it_claims_is_not(front: Front) -> None:
    told = front.client.get("/account", headers={"X-Forwarded-For": "198.51.100.7"}).json()
    assert told["from"] == "127.0.0.1"
    assert told["host"] == f"127.0.0.1:{front.proxy.port}"


@pytest.mark.parametrize("kind", KINDS)
def test_the_configuration_that_is_shipped_is_valid_as_it_is_and_in_containers(kind: str) -> None:
    for more in ({}, {"LOREWRIGHT_WORKERS": "localhost:8000"}):
        valid, said = is_valid(kind, {"LOREWRIGHT_HOST": "lore.example.org", **more})
        assert valid, said
