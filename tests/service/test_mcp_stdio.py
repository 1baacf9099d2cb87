"""`lorewright mcp` as clients start it: a process that speaks the protocol on stdin and stdout, and nothing else."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from lorewright.bootstrap import App
from support import harbour as h
from support.command_line import run_command, workspace_environment

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a client", "version": "1"},
    },
}


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def environment(app: App) -> dict[str, str]:
    return workspace_environment(app.workspace.root)


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "lorewright", "mcp", *options]


def started(app: App, *options: str) -> subprocess.Popen[str]:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command(*options), **pipes, text=True, env=environment(app))


def spoken(app: App, lines: list[str], awaited: set[int], *options: str) -> tuple[list[Any], str, int]:
    """Return what a process answers to lines, each of its lines as JSON; its stderr; its exit code.

    Its stdin stays open until the awaited IDs are answered: what still runs when stdin ends is given up.
    """
    answers: list[Any] = []
    with started(app, *options) as process, ThreadPoolExecutor(1) as reader:
        limit = Timer(120, process.kill)
        limit.start()
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        err = reader.submit(process.stderr.read)
        process.stdin.write("".join(f"{line}\n" for line in lines))
        process.stdin.flush()
        for line in process.stdout:
            answers.append(json.loads(line))
            if awaited <= {answer.get("id") for answer in answers if isinstance(answer, dict)}:
                process.stdin.close()
        limit.cancel()
        return answers, err.result(), process.wait(timeout=60)


@pytest.mark.campaign
def test_a_client_of_the_sdk_asks_as_player_and_as_game_master_and_changes_the_world_once(app: App) -> None:
    async def ask(viewer: str) -> dict[str, Any]:
        parameters = StdioServerParameters(
            command=sys.executable,
            args=command("--campaign", "game", "--as", viewer)[1:],
            env=environment(app),
        )
        async with Client(stdio_client(parameters)) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            lore = await client.call_tool("query_lore", {"text": "who sold her passage"})
            found: dict[str, Any] = {"tools": tools, "lore": json.dumps(lore.structured_content)}
            if "apply_ops" in tools:
                call = {"ops": [{"op": "advance_time", "minutes": 5}], "call_id": "one"}
                done = [(await client.call_tool("apply_ops", call)).structured_content for _ in range(2)]
                found["repeated"] = [one["repeated"] for one in done if one is not None]
            return found

    player, gm = (asyncio.run(ask(viewer)) for viewer in ("player", "gm"))
    assert {"apply_ops", "accept_review"} <= gm["tools"] - player["tools"]
    assert (h.WITHHOLDS in gm["lore"], h.WITHHOLDS in player["lore"]) == (True, False)
    assert gm["repeated"] == [False, True]
    with app.campaigns.reading("game") as store:
        assert (store.head().state.minutes, len(store.turns())) == (5, 2)


@pytest.mark.campaign
def test_nothing_but_the_protocol_is_written_to_stdout_whatever_is_sent(app: App) -> None:
    broken = [
        "",
        "this is no JSON",
        "[" * 20_000,
        '{"jsonrpc":"2.0","id":8,"method":"\\ud800"}',
        "{}",
        "[]",
        '{"jsonrpc": "2.0"}',
        '{"jsonrpc":"2.0","id":7,"method":"nothing"}',
    ]
    ready = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "get_state", "arguments": {}}}
    lines = [json.dumps(HELLO), ready, *broken, json.dumps(call)]
    answers, err, code = spoken(app, lines, {1, 2, 7}, "--campaign", "game")
    by_id = {one.get("id"): one for one in answers if isinstance(one, dict)}
    assert all(one["jsonrpc"] == "2.0" for one in answers)
    assert by_id[1]["result"]["serverInfo"]["name"] == "lorewright"
    assert by_id[7]["error"]
    assert by_id[2]["result"].get("isError") is not True
    assert (code, "Traceback" in err) == (0, False)


@pytest.mark.campaign
def test_a_client_that_dies_leaves_no_process_and_no_half_turn(app: App) -> None:
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "apply_ops", "arguments": {"ops": [{"op": "advance_time", "minutes": 5}], "call_id": "a"}},
    }
    with started(app, "--campaign", "game") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(HELLO) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.stdin.write(json.dumps(call) + "\n")
        process.stdin.close()
        process.stdout.close()
        process.wait(timeout=60)
    with app.campaigns.reading("game") as store:
        assert (store.head().state.minutes, len(store.turns())) in ((0, 1), (5, 2))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--campaign", "none"), "there is no campaign none"),
        (("--as", "everyone"), "unknown viewer"),
        (("--campaign", "game", "--as", "npc:nobody"), "there is no character nobody"),
        (("--http", "somewhere"), "no address to serve at"),
        (("--http", "0.0.0.0:8765"), "can be reached from other machines"),
        (("--allow-host", "example.org"), "--allow-host is for --http"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_served(app: App, options: tuple[str, ...], told: str) -> None:
    done = run_command("mcp", *options, environment=environment(app), stdin=json.dumps(HELLO))
    assert (done.stdout, done.returncode) == ("", 1)
    assert told in done.stderr
