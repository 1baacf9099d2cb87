"""What the server logs of the calls of its clients: which tool, which campaign, how long; and no text at all."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from lorewright.bootstrap import App
from lorewright.logs import configure_logging
from support import harbour as h
from support.service_clients import asked, call, fail

KEY = "sk-ant-api03-0123456789abcdef"
NOTE = "Because the zeppelin came late."


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


@pytest.fixture(params=["debug", "debug:json"])
def log(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    for name in ("ANTHROPIC_API_KEY", "LOREWRIGHT_MCP_TOKEN"):
        monkeypatch.setenv(name, KEY)
    stream = io.StringIO()
    configure_logging(request.param, {}, stream)
    yield stream
    configure_logging(None, {})


def events(log: io.StringIO) -> list[dict[str, Any]]:
    """The lines of a log, without their times."""
    found = []
    for line in log.getvalue().splitlines():
        said = json.loads(line) if line.startswith("{") else dict(part.split("=", 1) for part in line.split(" "))
        found.append({key: str(value) for key, value in said.items() if key not in ("time", "ms", "level")})
    return found


@pytest.mark.campaign
def test_a_call_is_logged_by_its_tool_and_campaign(app: App, log: io.StringIO) -> None:
    call(app, "query_lore", {"text": "who sold her passage"})
    call(app, "get_scene", {"campaign": "game"}, campaign=None)
    assert events(log) == [
        {"event": "request", "tool": "query_lore", "campaign": "game"},
        {"event": "request", "tool": "get_scene", "campaign": "game"},
    ]


def test_a_change_is_logged_as_a_turn_and_not_what_was_changed(app: App, log: io.StringIO) -> None:
    fact = {"id": "game:debt", "subject_id": "harbour:osk", "predicate": "owes", "object": "a zeppelin to the baker"}
    call(app, "apply_ops", {"ops": [{"op": "fact_add", "fact": fact}], "note": NOTE})
    committed, request = events(log)
    assert committed == {"event": "turn_committed", "campaign": "game", "turn": "1", "kind": "edit"}
    assert request == {"event": "request", "tool": "apply_ops", "campaign": "game"}


def test_of_what_fails_the_code_is_logged_and_not_what_the_client_wrote(app: App, log: io.StringIO) -> None:
    fail(app, "get_scene", {"campaign": "marmoset"}, campaign=None)
    fail(app, "get_entity", {"entity": h.WITHHOLDS})
    assert events(log) == [
        {"event": "error", "tool": "get_scene", "code": "not_found"},
        {"event": "error", "tool": "get_entity", "campaign": "game", "code": "not_found"},
    ]


def test_no_lore_no_line_and_no_key_is_in_a_log_whatever_is_asked(app: App, log: io.StringIO) -> None:
    """Each value of each line is one of a few words of ours, so that nothing else can be among them."""
    shown = [json.dumps(h.say(app, "ask osk about lin"))]
    known = {"request", "error", "turn_committed", "game", "play", "1"}

    async def ask(client: Client) -> None:
        known.update(tool.name for tool in (await client.list_tools()).tools)
        for tool, given in (
            ("query_lore", {"text": f"what does Osk keep back? {KEY}"}),
            ("get_entity", {"entity": "osk"}),
            ("get_scene", {}),
            ("get_transcript", {}),
        ):
            shown.append(str((await client.call_tool(tool, given)).content))
        for resource in (await client.list_resources()).resources:
            known.add(f"resource:{str(resource.uri).rpartition('/')[2]}")
            shown.append(str(await client.read_resource(resource.uri)))
        for prompt in (await client.list_prompts()).prompts:
            known.add(f"prompt:{prompt.name}")
            if not any(one.required for one in prompt.arguments or ()):
                shown.append(str(await client.get_prompt(prompt.name)))

    asked(app, ask)
    assert {h.KNOWS, h.WITHHOLDS} <= set(re.findall(r"[a-z]+", " ".join(shown)))
    found = events(log)
    assert len(found) > 6
    assert {value for one in found for value in one.values()} - known == set()
    assert KEY not in log.getvalue()
