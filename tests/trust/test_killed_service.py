"""The service is killed at random moments while people play: no turn that was answered is lost, none is played twice, and
the same key gives the same bytes after the restart."""

from __future__ import annotations

import random
import signal
import threading
import time
from pathlib import Path

import httpx
import pytest
import pytest_socket

from lorewright.campaigns.checks import check
from support import harbour as h
from support.played_in_a_browser import free_port
from support.scale import scaled
from support.served import serving
from support.tally import counted

pytestmark = [pytest.mark.campaign, pytest.mark.trust]

TABLES = 3
LINES = (
    "look around",
    "ask Osk about the boat",
    "go to the quay",
    "go to the tavern",
    "wait",
    "ask Osk about the weather",
)


@pytest.fixture
def on_loopback(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


class Player(threading.Thread):
    """Plays one table, each turn with a key of its own, until the connection breaks."""

    def __init__(self, url: str, cookie: str, campaign: str, acknowledged: dict[str, tuple[str, bytes]]) -> None:
        super().__init__(daemon=True)
        self.client = httpx.Client(base_url=url, cookies={"lorewright": cookie}, timeout=60)
        self.client.headers["X-CSRF-Token"] = self.client.get("/v1/session").json()["csrf_token"]
        self.campaign, self.acknowledged = campaign, acknowledged
        self.refused: list[bytes] = []

    def send(self, key: str, line: str) -> httpx.Response:
        path = f"/v1/campaigns/{self.campaign}/turns"
        return self.client.post(path, json={"text": line}, headers={"Idempotency-Key": key})

    def run(self) -> None:
        for number in range(10_000):
            key, line = f"{len(self.acknowledged)}-{number}-{self.campaign}", LINES[number % len(LINES)]
            try:
                answer = self.send(key, line)
            except httpx.TransportError:
                return
            if answer.status_code == 200:
                self.acknowledged[key] = (line, answer.content)
            elif answer.status_code != 429:
                self.refused.append(answer.content)
            else:
                time.sleep(0.2)


def test_no_answered_turn_is_lost_and_the_same_key_gives_the_same_bytes(on_loopback: None, tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    campaigns = ["game", *(f"game{number}" for number in range(1, TABLES))]
    for number, campaign in enumerate(campaigns[1:]):
        app.campaigns.new("night_boat", campaign_id=campaign, seed=number)
    random_moment, port = random.Random(7), free_port()
    url = f"http://127.0.0.1:{port}"
    acknowledged: dict[str, dict[str, tuple[str, bytes]]] = {campaign: {} for campaign in campaigns}
    kills = scaled(10)
    for _ in range(kills):
        with serving(app, port) as (process, secret):
            entered = httpx.post(f"{url}/enter/{secret}")
            cookie = entered.cookies["lorewright"]
            players = [Player(url, cookie, campaign, acknowledged[campaign]) for campaign in campaigns]
            # What was answered before the last kill is answered in the same bytes.
            for player in players:
                for key, (line, content) in list(player.acknowledged.items())[-3:]:
                    assert player.send(key, line).content == content
            for player in players:
                player.start()
            time.sleep(random_moment.uniform(0.5, 5.0))
            process.send_signal(signal.SIGKILL)
            for player in players:
                player.join(60)
                assert player.refused == []
    assert sum(map(len, acknowledged.values())) > kills
    for campaign in campaigns:
        with app.campaigns.reading(campaign) as store:
            rows = store.database.rows("SELECT user_action_id, count(*) AS times FROM turns GROUP BY user_action_id")
            assert max(row["times"] for row in rows) == 1
            # Each turn stands on the path of the story; at most one a kill was committed and not answered.
            played = len(store.path()) - 1
        assert len(acknowledged[campaign]) <= played <= len(acknowledged[campaign]) + kills
        assert check(app.campaigns.path(campaign), app.campaigns.kept).clean
    counted("kills", "lorewright serve, while people play", kills, answered_turns=sum(map(len, acknowledged.values())))


def test_a_service_that_is_told_to_stop_ends_running_turns_and_leaves(on_loopback: None, tmp_path: Path) -> None:
    app, port = h.harbour(tmp_path), free_port()
    with serving(app, port) as (process, secret):
        url = f"http://127.0.0.1:{port}"
        cookie = httpx.post(f"{url}/enter/{secret}").cookies["lorewright"]
        acknowledged: dict[str, tuple[str, bytes]] = {}
        player = Player(url, cookie, "game", acknowledged)
        with httpx.stream(
            "GET", f"{url}/v1/campaigns/game/events", cookies={"lorewright": cookie}, timeout=30
        ) as stream:
            player.start()
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            told = stream.read().decode()
        assert "event: closing" in told
        assert process.wait(30) in (0, -signal.SIGTERM)
        player.join(30)
        with app.campaigns.reading("game") as store:
            assert len(store.path()) - 1 >= len(acknowledged)
