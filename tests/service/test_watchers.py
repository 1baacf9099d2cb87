"""Somebody who watches a table sees what every persona could see in the open: no whisper, no thought, nothing that is
somebody's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lorewright.campaigns.watching import told_in_the_open
from lorewright.errors import SettingsError
from lorewright.turn.checks.tools import viewer_id
from lorewright.values.records import Message
from lorewright.visibility import Viewer
from support import harbour as h
from support import harbour_crew as c
from support import two_at_a_table as t
from support.table_doors import EVENTS, EXPORT, GAME, PAGE, events_of
from support.table_service import Browser, Hall, hall

pytestmark = pytest.mark.trust


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Hall]:
    with hall(h.harbour(tmp_path)) as opened:
        yield opened


def said(player: Browser, text: str, **more: str) -> None:
    answer = player.post(f"{GAME}/turns", {"text": text, **more})
    assert answer.status_code == 200, answer.text


def everything(watcher: Browser, last: int) -> str:
    paths = ["", "/turns?last=50", "/state", "/scene", "/codex", "/recap", "/entities", "/entities/osk"]
    answers = [watcher.get(f"{GAME}{path}").text for path in paths]
    answers += [watcher.get(f"{PAGE}{path}").text for path in ("", "/codex", "/story", "/story?q=ask")]
    sent = {"text": "Osk", "campaign_id": "game", "corpus": "all", "limit": 50}
    answers += [watcher.post(f"/v1/lore/{door}", sent).text for door in ("query", "explain", "context")]
    return "\n".join([*answers, events_of(watcher, last=last)[1]])


def test_what_is_told_aloud_is_watched_and_what_is_whispered_is_not(room: Hall) -> None:
    player, watcher = room.guest("Ann", "game"), room.guest("Wat", "game", "watcher")
    said(player, "ask about the boat", whisper_to="Osk", thought="An aardvark.")
    assert h.KNOWS in player.get(f"{GAME}/codex").text
    assert h.KNOWS in player.get(f"{GAME}/turns").text
    seen = everything(watcher, 1)
    assert h.KNOWS not in seen
    assert "aardvark" not in seen
    said(player, "ask Osk about the weather")
    assert "midnight" in watcher.get(f"{GAME}/turns").text
    codex = watcher.get(f"{GAME}/codex").json()
    assert [item["item"] for entry in codex["entries"] for item in entry["items"]] == ["osk/knows#weather"]
    assert "midnight" in watcher.post("/v1/lore/query", {"text": "midnight", "campaign_id": "game"}).text
    assert h.KNOWS not in everything(watcher, 2)


def test_what_a_persona_carries_remembers_and_has_on_its_sheet_is_not_watched(room: Hall) -> None:
    player, watcher = room.guest("Ann", "game"), room.guest("Wat", "game", "watcher")
    said(player, "look around", thought="A capybara?")
    shown, own = watcher.get(GAME).json(), player.get(GAME).json()
    assert own["sheet"] is not None
    assert (shown["sheet"], shown["goal"], shown["persona"], shown["suggested_actions"]) == (None, "", None, [])
    assert shown["place"] == own["place"]
    assert {"Ada", "Osk"} == {thing["name"] for thing in shown["present"]}
    state: dict[str, Any] = watcher.get(f"{GAME}/state").json()
    assert state["viewer"] == "watcher"
    assert [state[part] for part in ("carried", "remembered", "facts", "world", "ways")] == [[], [], [], None, []]
    turn = watcher.get(f"{GAME}/turns/1").json()
    assert (turn["said"], turn["citations"], turn["rolls"], turn["is_own"]) == ("", [], [], False)
    assert turn["told"] == player.get(f"{GAME}/turns/1").json()["told"]


def test_what_is_a_players_own_is_refused_to_who_watches(room: Hall) -> None:
    player, watcher = room.guest("Ann", "game"), room.guest("Wat", "game", "watcher")
    said(player, "look around")
    for path in ("/hint", "/turns/1/why", "/export"):
        refused = watcher.get(f"{GAME}{path}")
        assert (refused.status_code, refused.json()["code"]) == (403, "access_refused"), path
    assert watcher.get(f"{GAME}/recap").json() == {"text": ""}
    assert watcher.post(f"{GAME}/turns", {"text": "wait"}).status_code == 403
    for page in ("", "/codex", "/story"):
        assert watcher.get(f"{PAGE}{page}").status_code == 200
    assert EXPORT not in watcher.get(f"{PAGE}/story").text


def test_where_the_personas_are_apart_only_the_tables_own_is_watched(tmp_path: Path) -> None:
    with hall(t.begun(tmp_path)) as room:
        watcher, gm = room.guest("Wat", "game", "watcher"), room.guest("Gwen", "game", "gm")
        ada, bo = (room.guest(name, "game", f"pc:{who}") for name, who in (("Ann", c.ADA), ("Ben", c.BO)))
        said(ada, "ask Osk about the boat")
        assert (watcher.get(GAME).json()["place"], watcher.get(GAME).json()["present"]) == ("", [])
        assert watcher.get(f"{GAME}/scene").status_code == 404
        assert h.KNOWS not in everything(watcher, 1)
        said(bo, "go to the tavern")
        said(ada, "ask Osk about the weather")
        assert watcher.get(GAME).json()["place"] == "The Tavern"
        assert "marten" in watcher.get(f"{GAME}/turns").text
        assert "atmosphere" in watcher.get(f"{GAME}/scene").text
        assert h.KNOWS not in everything(watcher, 3)
        # A game master may look with those eyes.
        assert gm.get(f"{GAME}/turns?as=watcher").content == watcher.get(f"{GAME}/turns").content
        # Both know it then, and nobody has said it in the open.
        said(bo, "ask about the boat", whisper_to="Osk")
        assert h.KNOWS in bo.get(f"{GAME}/codex").text
        assert h.KNOWS not in everything(watcher, 4)


def test_a_token_of_a_watchers_seat_sees_no_more_by_mcp(room: Hall) -> None:
    player, watcher = room.guest("Ann", "game"), room.guest("Wat", "game", "watcher")
    said(player, "ask about the boat", whisper_to="Osk")
    sent = {"name": "bot", "scopes": ["read", "lore", "play"], "campaign_id": "game", "role": "watcher"}
    bot = room.stranger()
    bot.client.headers["Authorization"] = f"Bearer {watcher.post('/v1/tokens', sent).json()['secret']}"
    bot.client.headers["Accept"] = "application/json, text/event-stream"
    for name, given in (
        ("get_state", {}),
        ("get_scene", {}),
        ("get_transcript", {}),
        ("query_lore", {"text": "boat", "corpus": "all"}),
    ):
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": given}}
        answer = bot.client.post("/mcp", json=call)
        assert answer.status_code == 200, (name, answer.text)
        assert '"isError":true' not in answer.text, (name, answer.text)
        assert h.KNOWS not in answer.text
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    assert "take_turn" not in bot.client.post("/mcp", json=call).text
    assert bot.client.get(f"{EVENTS}x").status_code == 404


def test_a_whisper_between_all_personas_is_in_no_open_narration() -> None:
    def message(kind: Any, **more: Any) -> Message:
        return Message(**{"owner": "narrator", "type": kind, "turn_id": "t", "seq": 0, "content": "x", **more})

    asked = message("intention", owner="ada", subtype="whisper", payload={"to": "bo"})
    answered, aloud = message("narration", audience=("ada", "bo")), message("narration", audience=("ada", "bo", "osk"))
    told = told_in_the_open([(1, found) for found in (asked, answered, aloud)], ("ada", "bo"))
    assert told == [(1, aloud)]


def test_a_watcher_is_nobody_in_the_story(tmp_path: Path) -> None:
    assert (Viewer("watcher").is_player, Viewer("watcher").column) == (False, "player")
    with h.harbour(tmp_path).campaigns.reading("game") as store, pytest.raises(SettingsError):
        viewer_id(store.head().state, "watcher")
