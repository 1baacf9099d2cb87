"""The real SillyTavern in Chromium at a table: a chat is played, swiped and edited; books and cards of ours are imported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import pytest_socket

from lorewright.bootstrap import App
from lorewright.service.web.client import LorewrightClient
from support import harbour as h
from support.played_in_a_browser import chromium, listening
from support.sillytavern import WHAT_IS_MISSING, Tavern, running_sillytavern

pytestmark = [
    pytest.mark.server,
    pytest.mark.campaign,
    pytest.mark.skipif(bool(WHAT_IS_MISSING), reason=WHAT_IS_MISSING or "nothing is missing"),
]
WORDS = ("look around", "ask Osk about the boat", "wait", "go to the quay", "look around")


@pytest.fixture
def on_loopback(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path / "table")


@contextmanager
def played_in(app: App, browser: Any, folder: Path) -> Iterator[tuple[Tavern, LorewrightClient]]:
    """Yield SillyTavern, connected to the seat of a table's player, and a client of the same seat."""
    with listening(app) as service, running_sillytavern(folder) as url:
        key, _ = service.accounts.new_token(service.accounts.owner(), name="tavern", scopes=("read", "play"))
        tavern = Tavern(browser, url, persona="Ada")
        tavern.connect(f"{service.address.url}/v1", key=key, model="game/player")
        tavern.leave_connections()
        with LorewrightClient(service.address.url, key) as client:
            yield tavern, client


def played(client: LorewrightClient) -> list[tuple[str, str]]:
    """Return what was said and told in the turns of the story as it stands, without its opening."""
    return [(turn.said, turn.told) for turn in client.turns("game").turns if turn.turn_no]


def shown(tavern: Tavern) -> list[tuple[str, str]]:
    """Return what the chat shows as said and told."""
    chat = tavern.chat()
    assert [role for role, _ in chat] == ["user", "assistant"] * (len(chat) // 2)
    return [(said, told) for (_, said), (_, told) in pairwise(chat)][::2]


def test_five_turns_are_played(on_loopback: None, browser: Any, app: App, tmp_path: Path) -> None:
    with played_in(app, browser, tmp_path) as (tavern, client):
        for words in WORDS:
            tavern.say(words)
        assert [said for said, _ in played(client)] == list(WORDS)
        assert shown(tavern) == played(client)
        assert h.KNOWS in shown(tavern)[1][1]
