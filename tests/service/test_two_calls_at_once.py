"""Two calls at once on one campaign, by one MCP server, by two, and by a service's two doors: each gets a turn of its own
or is told that the story has moved on; no turn is lost, and none is played twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.server import MCPServer
from mcp.types import CallToolResult

from lorewright.bootstrap import App, open_app
from lorewright.service.queries import Queries
from lorewright.service.server import make_server
from lorewright.visibility import Viewer
from support import harbour as h
from support.service_clients import text_of
from support.table_service import hall

LINES = ("look around", "wait", "look at Osk", "ask Osk about the boat", "wait", "look at the rope")


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def server_of(app: App) -> MCPServer[Any]:
    """Return a server with an app of its own, as another process has it."""
    return make_server(Queries(open_app(app.workspace.root), Viewer("player"), "game"))


def played_at_once(
    servers: Sequence[MCPServer[Any]], calls: Sequence[tuple[str, dict[str, Any]]]
) -> list[CallToolResult]:
    """The answers to calls that are sent all together, shared out among the clients of the servers."""

    async def run() -> list[CallToolResult]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(server, calls[at :: len(servers)])) for at, server in enumerate(servers)]
        return [answer for task in tasks for answer in task.result()]

    async def ask(server: MCPServer[Any], own: Sequence[tuple[str, dict[str, Any]]]) -> list[CallToolResult]:
        async with Client(server) as client:
            return list(await asyncio.gather(*(client.call_tool(name, given) for name, given in own)))

    return asyncio.run(run())


def story(app: App) -> list[tuple[int, str]]:
    """The turns on the path to the head, but for the first: numbers and words."""
    with app.campaigns.reading("game") as store:
        return [(turn["turn_no"], turn["player_text"]) for turn in store.turns()][1:]


def check_story(app: App, answers: Sequence[CallToolResult], lines: Sequence[str]) -> None:
    """Check that each call has its own turn in the story, or was told that the story has moved on."""
    turns = [answer.structured_content for answer in answers if not answer.is_error]
    refused = [text_of(answer) for answer in answers if answer.is_error]
    assert all(text.startswith(("head_moved", "busy")) for text in refused), refused
    numbers = sorted(turn["turn_no"] for turn in turns if turn is not None)
    told = story(app)
    assert numbers == [number for number, _ in told] == list(range(1, len(lines) - len(refused) + 1))
    assert len({turn["turn_id"] for turn in turns if turn is not None}) == len(turns)
    assert turns
    if not refused:
        assert sorted(words for _, words in told) == sorted(lines)


@pytest.mark.campaign
@pytest.mark.parametrize("count", (1, 2, 3))
def test_turns_that_are_called_at_once_are_all_played_or_refused_whatever_server_they_come_to(
    app: App, count: int
) -> None:
    calls = [("take_turn", {"text": line, "action_id": f"own {number}"}) for number, line in enumerate(LINES)]
    answers = played_at_once([server_of(app) for _ in range(count)], calls)
    check_story(app, answers, LINES)
    if count == 1:
        # One server plays one after the other, and refuses none.
        assert not any(answer.is_error for answer in answers)
    # What was refused is played when it is sent again, and what was played is not played a second time.
    again = [played_at_once([server_of(app)], [call])[0] for call in calls]
    assert not any(answer.is_error for answer in again)
    assert sorted(words for _, words in story(app)) == sorted(LINES)


@pytest.mark.parametrize("count", (1, 2))
def test_one_turn_that_is_called_twice_at_once_is_played_once(app: App, count: int) -> None:
    call = ("take_turn", {"text": "ask Osk about the boat", "action_id": "the same"})
    answers = played_at_once([server_of(app) for _ in range(count)], [call] * 4)
    assert len(story(app)) == 1
    whole = [json.dumps(answer.structured_content, sort_keys=True) for answer in answers if not answer.is_error]
    assert whole
    assert len(set(whole)) == 1
    assert all(text_of(answer).startswith(("head_moved", "busy")) for answer in answers if answer.is_error)


def test_reads_beside_a_turn_see_the_story_before_it_or_after_it(app: App) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [("take_turn", {"text": "ask Osk about the boat"})]
    calls += [("get_state", {}), ("get_transcript", {}), ("query_lore", {"text": "boat"})] * 2
    answers = played_at_once([server_of(app), server_of(app)], calls)
    assert [text_of(answer) for answer in answers if answer.is_error] == []
    states = [answer.structured_content for answer in answers if "minutes" in (answer.structured_content or {})]
    assert {state["turn_no"] for state in states if state is not None} <= {0, 1}


@pytest.mark.campaign
def test_a_services_two_doors_play_each_turn_once(app: App) -> None:
    with hall(app) as room:
        ann = room.guest("Ann", "game")
        sent = {"name": "bot", "scopes": ["read", "play"], "campaign_id": "game", "role": "player"}
        bot = room.stranger()
        bot.client.headers["Authorization"] = f"Bearer {ann.post('/v1/tokens', sent).json()['secret']}"
        bot.client.headers["Accept"] = "application/json, text/event-stream"

        def by_mcp(number: int) -> bool:
            given = {"name": "take_turn", "arguments": {"text": LINES[number], "action_id": f"mcp {number}"}}
            answer = bot.client.post(
                "/mcp", json={"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": given}
            )
            assert answer.status_code == 200, answer.text
            is_refused = '"isError":true' in answer.text
            assert not is_refused or "head_moved" in answer.text or "busy" in answer.text, answer.text
            return not is_refused

        def by_http(number: int) -> bool:
            answer = ann.say("game", LINES[number], key=f"http {number}")
            assert answer.status_code == 200 or answer.json()["code"] in ("head_moved", "busy"), answer.text
            return bool(answer.status_code == 200)

        with ThreadPoolExecutor(4) as pool:
            played = [
                *pool.map(lambda at: (by_mcp if at % 2 else by_http)(at // 2), range(2 * len(LINES))),
            ]
        told = story(app)
        assert [number for number, _ in told] == list(range(1, sum(played) + 1))
        assert played.count(True) > 1
