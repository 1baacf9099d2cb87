"""Whoever sits at a terminal is asked once whether a workspace's settings may send anything, and goes on either way."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
import pytest_socket

from support import harbour as h
from support import harbour_with_models as m
from support.model_apis.server import ModelServer

SETTINGS = """
[models]
tries = 1
[models.stages]
narrator = "local"
[models.keys.local]
provider = "openai-compatible"
model = "x"
base_url = "{url}/v1"
key_env = "BARN_API_KEY"
"""


@pytest.fixture
def server(socket_enabled: None) -> Iterator[ModelServer]:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    with ModelServer(m.answer).running() as running:
        yield running


@pytest.mark.campaign
def test_a_no_plays_on_without_a_model_and_a_yes_is_asked_for_once(tmp_path: Path, server: ModelServer) -> None:
    root = h.harbour(tmp_path).workspace.root
    (root / "lorewright.toml").write_text(SETTINGS.format(url=server.url), encoding="utf-8")

    def play() -> pexpect.spawn:
        return pexpect.spawn(
            sys.executable,
            ["-m", "lorewright", "play", "game"],
            env=m.environment(root, None, TERM="xterm-256color", BARN_API_KEY="sk-of-the-barn-0000"),
            encoding="utf-8",
            timeout=120,
            dimensions=(40, 200),
        )

    child = play()
    child.expect("> ")
    child.sendline("look")
    child.expect("the value of BARN_API_KEY is sent to " + server.url)
    child.expect(r"Trust them\? \[y/N\]")
    child.sendline("")
    child.expect("it goes on without a model")
    child.expect("Osk")
    child.sendline("wait")
    child.expect("> ")
    child.sendline("/quit")
    child.expect(pexpect.EOF)
    assert "Trust them" not in child.before
    assert server.asked == []
    child = play()
    child.expect("> ")
    child.sendline("look")
    child.expect(r"Trust them\? \[y/N\]")
    child.sendline("y")
    child.expect("Nobody minds")
    child.sendline("/quit")
    child.expect(pexpect.EOF)
    told = len(server.asked)
    assert told > 0
    child = play()
    child.expect("> ")
    child.sendline("look")
    child.expect("Nobody minds")
    child.sendline("/quit")
    child.expect(pexpect.EOF)
    assert "Trust them" not in child.before
    assert len(server.asked) > told
