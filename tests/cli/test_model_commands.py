"""Models are chosen, agreed to and paid for by commands; what is not agreed to is not sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_socket

from lorewright.bootstrap import open_app
from support import harbour_with_models as m
from support.model_apis.server import ModelServer


@pytest.fixture
def server(socket_enabled: None) -> Iterator[ModelServer]:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    with ModelServer(m.answer).running() as running:
        yield running


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return m.workspace(tmp_path)


def shown(root: Path, server: ModelServer | None, *arguments: str) -> Any:
    """What a command prints with --json."""
    done = m.run(root, server, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_key_in_the_environment_alone_spends_nothing(root: Path, server: ModelServer) -> None:
    done = m.run(root, server, "play", "game", "--verbose", stdin="look\nfrobnicate the\n/retry\n")
    assert done.returncode == 0
    assert "no model was asked" in done.stdout
    shown(root, server, "turn", "game", "wait")
    shown(root, server, "campaign", "new", "night_boat", "--id", "other")
    shown(root, server, "turn", "other", "look")
    assert server.asked == []


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--model", "claude-hiaku"), "there is no model 'claude-hiaku'"),
        (("--large-model", "claude-haiku"), "ANTHROPIC_API_KEY is not set"),
        (("--model", "builtin", "--small-model", "builtin"), "--model already sets"),
    ],
)
def test_a_model_that_cannot_be_asked_makes_no_campaign(root: Path, options: tuple[str, ...], problem: str) -> None:
    for command in (("campaign", "new", "night_boat", "--id", "other"), ("play", "night_boat")):
        done = m.run(root, None, *command, *options, stdin="look\n")
        assert done.returncode == 1
        assert problem in done.stderr
        assert "hint:" in done.stderr
    assert open_app(root).campaigns.ids() == ["game"]


def test_nothing_is_sent_before_somebody_has_agreed_to_the_price(root: Path, server: ModelServer) -> None:
    shown(root, server, "campaign", "new", "night_boat", "--id", "paid", "--model", "claude-haiku")
    for command, lines in ((("turn", "paid", "look"), None), (("play", "paid"), "look\nwait\n")):
        done = m.run(root, server, *command, stdin=lines)
        assert done.returncode == 1
        assert "error[not_agreed]: paid asks claude-haiku (about $0.00" in done.stderr
        assert "--yes" in done.stderr
    assert server.asked == []
    assert shown(root, server, "campaign", "show", "paid")["current_turn"] == 0
    assert shown(root, server, "turn", "paid", "look", "--builtin")["turn_no"] == 1
    assert server.asked == []


@pytest.mark.campaign
def test_what_costs_nothing_is_not_asked_about(root: Path, server: ModelServer) -> None:
    shown(root, server, "session", "set", "game", "--model", "ollama/some-model")
    done = m.run(root, server, "turn", "game", "look")
    assert done.returncode == 0
    assert "You take a slow look around. Nobody minds." in done.stdout
    assert {asked.body["model"] for asked in server.asked} == {"some-model"}


@pytest.mark.campaign
def test_who_agreed_once_is_asked_no_more_and_sees_what_it_cost(root: Path, server: ModelServer) -> None:
    agreed = m.run(root, server, "session", "set", "game", "--large-model", "claude-haiku", "--always", "--yes")
    assert "agreed to pay for:" in agreed.stderr
    assert "claude-haiku: about $0.00023 a turn (narrator)" in agreed.stderr
    done = m.run(root, server, "play", "game", "--verbose", stdin="look\nwait\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Nobody minds.") == 2
    assert "\x1b" not in done.stdout + done.stderr
    assert "% cached) · out " in done.stdout
    told = m.run(root, server, "campaign", "show", "game").stdout
    assert "models: small builtin, large claude-haiku, about $0.000" in told
    assert "asked 2 times: in " in told
    models = shown(root, server, "campaign", "show", "game")["models"]
    assert models["calls"] == len(server.asked) == 2
    assert models["cost_usd"] > 0
    assert 0 < models["cached_share"] < 1
    # The campaign's own turns say what the next one takes: these were short.
    assert 0 < models["estimated_usd_a_turn"] < 0.00023


def test_a_sitting_has_models_of_its_own_until_it_ends(root: Path, server: ModelServer) -> None:
    def keys() -> tuple[str, str]:
        models = shown(root, server, "campaign", "show", "game")["models"]
        return models["small_model_key"], models["large_model_key"]

    assert m.run(root, server, "session", "set", "game", "--large-model", "no-such").returncode == 1
    assert "active" not in m.run(root, server, "session", "list", "game").stdout
    shown(root, server, "session", "set", "game", "--large-model", "claude-haiku")
    assert keys() == ("builtin", "claude-haiku")
    shown(root, server, "session", "set", "game", "--model", "gpt-5.2", "--always")
    assert keys() == ("gpt-5.2", "gpt-5.2")
    shown(root, server, "session", "set", "game", "--small-model", "builtin")
    assert keys() == ("builtin", "gpt-5.2")
    shown(root, server, "session", "end", "game")
    assert keys() == ("gpt-5.2", "gpt-5.2")
    assert server.asked == []


@pytest.mark.campaign
def test_each_sentence_of_a_turn_is_shown_with_what_it_rests_on(root: Path, server: ModelServer) -> None:
    shown(root, server, "turn", "game", "look at osk")
    shown(root, server, "session", "set", "game", "--large-model", "ollama/some-model")
    shown(root, server, "turn", "game", "look")
    told = m.run(root, server, "campaign", "show", "game", "--citations", "2").stdout.splitlines()
    assert told[:2] == ["You take a slow look around.", "  [tavern/atmosphere] locations/tavern.md > Atmosphere"]
    assert told[2:4] == ["Nobody minds.", "  no source"]
    assert told[-1] == "Told by ollama/some-model: 1 of 2 sentences without a source (50%)."
    support = shown(root, server, "campaign", "show", "game", "--citations", "2")
    assert support["unsupported_share"] == 0.5
    assert support["sentences"][0]["grounds"][0]["file_path"] == "locations/tavern.md"
    built_in = m.run(root, server, "campaign", "show", "game", "--citations", "1").stdout
    assert "Osk counts the same coins twice.\n  [osk/disposition] npcs/osk.md > Disposition" in built_in
    assert "by the rules" in built_in
    assert shown(root, server, "campaign", "show", "game", "--citations", "1")["unsupported_share"] is None
    done = m.run(root, server, "campaign", "show", "game", "--citations", "9")
    assert done.returncode == 1
    assert "there is no turn 9" in done.stderr
