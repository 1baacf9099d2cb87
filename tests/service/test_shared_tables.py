"""A table of several: whose the story is to move, whose the campaign; and what is done once however often it is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lorewright.turn.run.editing import MOST_MINUTES
from support import harbour as h
from support import two_at_a_table as c
from support import two_at_a_table as t
from support.table_service import Browser, Hall, hall

GAME = "/v1/campaigns/game"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Hall]:
    with hall(h.harbour(tmp_path)) as opened:
        yield opened


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Hall]:
    with hall(t.begun(tmp_path)) as opened:
        yield opened


def test_at_a_table_of_several_one_takes_back_ones_own_last_turn_and_no_other(shared: Hall) -> None:
    ann, ben = shared.guest("Ann", "game", f"pc:{c.ADA}"), shared.guest("Ben", "game", "player")
    assert ann.say("game", "look around").status_code == 200
    refused = ben.post(f"{GAME}/undo")
    assert (refused.status_code, refused.json()["code"]) == (403, "access_refused")
    assert ben.post(f"{GAME}/retry").status_code == 403
    for move, sent in (("redo", {}), ("switch", {"name": "main"}), ("branches", {"name": "b", "turn": 0})):
        assert ann.post(f"{GAME}/{move}", sent).status_code == 403, move
    assert ann.post(f"{GAME}/undo").json()["turn_no"] == 0
    assert ann.say("game", "look around").status_code == 200
    assert ben.say("game", "wait").status_code == 200
    assert ann.post(f"{GAME}/undo").status_code == 403
    assert shared.owner().post(f"{GAME}/undo?as=gm").status_code == 200


def test_over_mcp_a_seat_moves_the_story_no_further_than_on_the_page(shared: Hall) -> None:
    ann, ben = shared.guest("Ann", "game", f"pc:{c.ADA}"), shared.guest("Ben", "game", "player")
    assert ann.say("game", "look around").status_code == 200
    token = ben.post("/v1/tokens", {"scopes": ["read", "play"], "campaign_id": "game", "role": "player"}).json()
    assert "is not yours alone" in called(shared, token["secret"], "moves", move="undo")
    assert ann.get(GAME).json()["turn_no"] == 1


def called(room: Hall, token: str, tool: str, **arguments: Any) -> str:
    """The answer to a call of a tool, as text."""
    bot = room.stranger()
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
    return bot.client.post("/mcp", json=body, headers=headers).text


def token_of(browser: Browser, role: str) -> str:
    made = browser.post("/v1/tokens", {"scopes": ["read", "play"], "campaign_id": "game", "role": role}).json()
    return str(made["secret"])


def test_turns_over_mcp_count_with_the_others_of_the_account(room: Hall) -> None:
    ben = room.guest("Ben", "game")
    token = token_of(ben, "player")
    while room.service.turns._left.get(ben.account.id if ben.account else "", (20.0, 0))[0] >= 1:
        assert ben.account is not None
        room.service.turns.take(ben.account.id)
    assert "too many requests" in called(room, token, "take_turn", text="look around")
    assert ben.get(GAME).json()["turn_no"] == 0


def test_over_mcp_no_account_is_told_the_turn_of_another_by_its_action_id(shared: Hall) -> None:
    ann, ben = shared.guest("Ann", "game", f"pc:{c.ADA}"), shared.guest("Ben", "game", f"pc:{c.BO}")
    assert ann.account is not None
    said = called(shared, token_of(ann, f"pc:{c.ADA}"), "take_turn", text="ask Osk about the boat", action_id="one")
    assert h.KNOWS in said
    again = called(shared, token_of(ben, f"pc:{c.BO}"), "take_turn", text="ask Osk about the boat", action_id="one")
    assert h.KNOWS not in again
    assert ann.get(GAME).json()["turn_no"] == 2


def test_the_owner_alone_deletes_a_campaign(room: Hall) -> None:
    second = room.guest("Gil", "game", "gm")
    assert second.delete(GAME).status_code == 403
    page = second.submit("/table/game/desk/remove", confirm="game")
    assert page.status_code == 403
    assert "Delete this campaign" not in second.get("/table/game/desk").text
    assert room.owner().delete(GAME).status_code == 204


def test_a_retry_that_is_sent_twice_takes_back_one_turn(room: Hall) -> None:
    owner = room.owner()
    owner.say("game", "look around")
    owner.say("game", "wait")
    sent = {"revision": owner.get(GAME).json()["revision"]}
    first = owner.post(f"{GAME}/retry", sent, **{"Idempotency-Key": "again"})
    second = owner.post(f"{GAME}/retry", sent, **{"Idempotency-Key": "again"})
    assert first.status_code == 200
    assert first.content == second.content
    assert owner.get(GAME).json()["turn_no"] == 2


def test_what_would_be_refused_is_not_accepted(room: Hall) -> None:
    owner, watcher = room.owner(), room.guest("Wat", "game", "watcher")
    later = {"Prefer": "respond-async"}
    assert watcher.post(f"{GAME}/turns", {"text": "look"}, **later).status_code == 403
    assert owner.post(f"{GAME}/turns", {"text": "  "}, **later).status_code == 422
    assert owner.post(f"{GAME}/turns", {"text": "look", "revision": 999}, **later).json()["code"] == "head_moved"
    assert owner.post(f"{GAME}/turns", {"text": "look"}, **later).status_code == 202


def test_a_secret_is_revealed_once_however_often_the_form_is_sent(room: Hall) -> None:
    owner = room.owner()
    page = owner.get("/table/game/desk").text
    key = page.partition('name="key" value="')[2].partition('"')[0]
    assert key
    item = owner.get(f"{GAME}/desk?as=gm").json()["secrets"][0]["item_id"]
    for _ in range(2):
        shown = owner.submit("/table/game/desk/reveal", item=item, to="game:player", key=key)
        assert shown.status_code == 200, shown.text
    assert owner.get(GAME).json()["turn_no"] == 1


def test_ops_that_do_not_fit_are_refused_with_their_place_and_reason(room: Hall) -> None:
    owner = room.owner()
    ops = [{"op": "advance_time", "minutes": 5}, {"op": "advance_time", "minutes": MOST_MINUTES + 1}]
    answer = owner.post(f"{GAME}/ops", {"ops": ops})
    said = answer.json()
    assert (answer.status_code, said["index"], said["reason"]) == (422, 1, "too_long_a_time")
    unknown = owner.post(f"{GAME}/ops", {"ops": [{"op": "advance_time", "minutes": "soon"}]}).json()
    assert (unknown["index"], unknown["field"]) == (0, "minutes")
    assert owner.get(GAME).json()["turn_no"] == 0


def test_a_watcher_takes_no_file_along(room: Hall) -> None:
    assert room.guest("Wat", "game", "watcher").get(f"{GAME}/export").status_code == 403


def test_a_table_is_called_as_it_was_named_on_every_page(room: Hall) -> None:
    owner = room.owner()
    made = owner.post("/v1/campaigns", {"scenario_id": "night_boat", "name": "Friday's round"}).json()["id"]
    assert owner.get(f"/v1/campaigns/{made}").json()["name"] == "Friday's round"
    for page in ("", "/codex", "/story", "/desk"):
        assert "Friday&#x27;s round" in owner.get(f"/table/{made}{page}?as=player").text, page
    assert json.dumps(owner.get(f"/v1/campaigns/{made}/turns").json())
