"""MCP at a service: a token's seat decides what a client sees and does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import harbour as h
from support import harbour_crew as c
from support import two_at_a_table as t
from support.table_service import Browser, Hall, hall


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Hall]:
    with hall(t.begun(tmp_path)) as opened:
        yield opened


def client_of(room: Hall, owner: Browser, **token: Any) -> Browser:
    """A client with a token of an account's."""
    made = owner.post("/v1/tokens", token)
    assert made.status_code == 201, made.text
    bot = room.stranger()
    bot.client.headers["Authorization"] = f"Bearer {made.json()['secret']}"
    return bot


def rpc(bot: Browser, method: str, **params: Any) -> Any:
    """The result of one request, as the protocol has it."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = bot.client.post("/mcp", json=body, headers={"Accept": "application/json, text/event-stream"})
    assert answer.status_code == 200, answer.text
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    return json.loads(lines[-1] if lines else answer.text)["result"]


def test_a_clients_tools_are_those_of_its_seat(room: Hall) -> None:
    owner = room.owner()
    gm = client_of(room, owner, scopes=["read", "play", "gm"], campaign_id="game", role="gm")
    ann = room.guest("Ann", "game", f"pc:{c.ADA}")
    player = client_of(room, ann, scopes=["read", "play"], campaign_id="game", role=f"pc:{c.ADA}")
    reader = client_of(room, ann, scopes=["read"], campaign_id="game", role=f"pc:{c.ADA}")
    tools = {
        name: {tool["name"] for tool in rpc(bot, "tools/list")["tools"]}
        for name, bot in (("gm", gm), ("player", player), ("reader", reader))
    }
    assert {"apply_ops", "take_turn", "query_lore"} <= tools["gm"]
    assert "take_turn" in tools["player"]
    assert "apply_ops" not in tools["player"]
    assert "take_turn" not in tools["reader"]


def test_a_clients_turn_is_seen_at_the_table_and_answers_hold_what_its_persona_knows(room: Hall) -> None:
    ann, ben = room.guest("Ann", "game", f"pc:{c.ADA}"), room.guest("Ben", "game", f"pc:{c.BO}")
    first = client_of(room, ann, scopes=["read", "play"], campaign_id="game", role=f"pc:{c.ADA}")
    other = client_of(room, ben, scopes=["read", "play"], campaign_id="game", role=f"pc:{c.BO}")
    told = json.dumps(rpc(first, "tools/call", name="take_turn", arguments={"text": "ask Osk about the boat"}))
    assert h.KNOWS in told
    assert ann.get("/v1/campaigns/game").json()["turn_no"] == 1
    asked = {"name": "query_lore", "arguments": {"text": "what does Osk know of the boat", "corpus": "all"}}
    assert h.KNOWS in json.dumps(rpc(first, "tools/call", **asked))
    assert h.KNOWS not in json.dumps(rpc(other, "tools/call", **asked))
    assert h.KNOWS not in json.dumps(rpc(other, "tools/call", name="get_transcript", arguments={}))


def test_a_token_that_names_no_table_and_a_cookie_open_nothing(room: Hall) -> None:
    owner = room.owner()
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    assert owner.client.post("/mcp", json=body).status_code == 401
    free = client_of(room, owner, scopes=["read", "play"])
    assert free.client.post("/mcp", json=body).json()["code"] == "access_refused"
    ann = room.guest("Ann", "game", "watcher")
    watcher = client_of(room, ann, scopes=["read", "play"], campaign_id="game", role="watcher")
    assert "take_turn" not in {tool["name"] for tool in rpc(watcher, "tools/list")["tools"]}
    room.service.accounts.remove_seat("game", ann.account.id if ann.account else "", "watcher")
    assert watcher.client.post("/mcp", json=body).status_code == 404
