"""Models at a real terminal, through a real SDK: the price is asked about, narrations stream, failures are no end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
import pytest_socket

from lorewright.bootstrap import open_app
from lorewright.campaigns.model_choice import choose_for_campaign
from support import harbour_with_models as m
from support.model_apis.server import Fault, ModelServer

pytestmark = pytest.mark.campaign

PROMPT = r"\x1b\[1m> "
CHOICE = "Enter: leave it "


@pytest.fixture
def server(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    with ModelServer(m.answer).running() as running:
        for name, value in running.environ.items():
            monkeypatch.setenv(name, value)
        yield running


@pytest.fixture
def root(tmp_path: Path, server: ModelServer) -> Path:
    root = m.workspace(tmp_path)
    with open_app(root).campaigns.open("game") as campaign:
        choose_for_campaign(campaign, large="claude-haiku")
    return root


def words(root: Path) -> list[tuple[str, str]]:
    """What was played, and who told it."""
    with open_app(root).campaigns.reading("game") as store:
        return [
            (turn["player_text"], store.stage_records(turn["turn_id"])[-1]["model_key"]) for turn in store.turns()[1:]
        ]


def screen(text: str) -> list[str]:
    """The rows of a screen on which a text was printed: what was taken away is gone."""
    rows, at, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[\d;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", text):
        if part == "\r":
            column = 0
        elif part == "\n":
            at += 1
            rows += [""] * (at + 1 - len(rows))
        elif part.endswith("A") and part[0] == "\x1b":
            at = max(at - int(part[2:-1]), 0)
        elif part == "\x1b[J":
            del rows[at + 1 :]
            rows[at] = rows[at][:column]
        elif part == "\x1b[2K":
            rows[at] = ""
        elif part[0] != "\x1b":
            rows[at] = rows[at][:column].ljust(column) + part + rows[at][column + len(part) :]
            column += len(part)
    return rows


def playing(root: Path, server: ModelServer, *options: str, **more: str) -> pexpect.spawn:
    child = m.terminal(root, server, "play", "game", *options, **more)
    child.expect(PROMPT)
    return child


def left(child: pexpect.spawn) -> None:
    child.sendeof()
    child.expect("Saved.")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_a_price_is_asked_about_once_and_who_declines_plays_without_a_model(root: Path, server: ModelServer) -> None:
    child = playing(root, server)
    child.sendline("look")
    child.expect(r"claude-haiku: about \$0\.00023 a turn \(narrator\)")
    child.expect(r"\[y/N\] ")
    child.sendline("")
    child.expect("goes on without a model")
    child.expect(PROMPT)
    child.sendline("wait")
    child.expect(PROMPT)
    assert "y/N" not in child.before
    assert server.asked == []
    left(child)
    assert words(root) == [("look", "builtin"), ("wait", "builtin")]
    child = playing(root, server)
    child.sendline("look")
    child.expect(r"\[y/N\] ")
    child.sendline("y")
    child.expect(PROMPT)
    child.sendline("/undo")
    child.expect(PROMPT)
    child.sendline("look")
    child.expect(PROMPT)
    assert "y/N" not in child.before
    left(child)
    assert words(root)[-1] == ("look", "claude-haiku")


def test_a_narration_streams_dimly_and_stands_once_when_it_has_happened(root: Path, server: ModelServer) -> None:
    child = playing(root, server, "--yes")
    child.sendline("look")
    child.expect(r"narrator \(claude-haiku\)")
    child.expect(r"\x1b\[2mYou")
    child.expect(PROMPT)
    child.sendline("wait")
    child.expect(PROMPT)
    rows = [row.rstrip() for row in screen(child.before)]
    assert rows.count(m.TOLD.replace(" [1]", "")) == 1
    assert not any("narrator (" in row for row in rows)
    left(child)


def test_who_wants_no_streaming_gets_the_whole_telling_at_once(root: Path, server: ModelServer) -> None:
    child = playing(root, server, "--yes", "--no-stream")
    child.sendline("look")
    child.expect(PROMPT)
    assert child.before.count("Nobody minds.") == 1
    left(child)


def test_what_breaks_off_did_not_happen_and_there_are_ways_to_go_on(root: Path, server: ModelServer) -> None:
    child = playing(root, server, "--yes")
    child.sendline("take rope")
    child.expect(PROMPT)
    server.faults.append(Fault("dropped_midway"))
    child.sendline("look")
    child.expect("that did not happen")
    child.expect(r"provider_busy")
    child.expect(CHOICE)
    server.faults.append(Fault("error"))
    child.sendline("r")
    child.expect(CHOICE)
    child.sendline("b")
    child.expect(PROMPT)
    server.faults.append(Fault("refusal"))
    child.sendline("wait")
    child.expect(CHOICE)
    child.sendline("u")
    child.expect("Taken back: look")
    child.expect(PROMPT)
    server.faults.append(Fault("html"))
    child.sendline("look at osk")
    child.expect(CHOICE)
    child.sendline("")
    child.expect(PROMPT)
    left(child)
    assert words(root) == [("take rope", "claude-haiku")]


def test_an_interrupt_stops_the_turn_and_not_the_game(root: Path, server: ModelServer) -> None:
    child = playing(root, server, "--yes")
    child.sendline("look")
    child.expect(PROMPT)
    server.faults.append(Fault("slow", seconds=5))
    child.sendline("take rope")
    child.expect(r"narrator \(claude-haiku\)")
    while len(server.asked) < 2:
        child.expect("narrator")
    for _ in range(3):
        # Whoever sees nothing happen presses the keys again, as this does on a machine under load.
        child.sendintr()
        if child.expect(["Stopped. Nothing of it happened", pexpect.TIMEOUT], timeout=8) == 0:
            break
    child.expect(PROMPT)
    child.sendline("/inv")
    child.expect("You carry: lantern\r")
    child.expect(PROMPT)
    left(child)
    assert words(root) == [("look", "claude-haiku")]


def test_models_are_changed_between_turns(root: Path, server: ModelServer) -> None:
    child = playing(root, server, "--yes")
    child.sendline("/model large ollama/some-model")
    child.expect("large: ollama/some-model")
    child.expect(PROMPT)
    child.sendline("look")
    child.expect(PROMPT)
    child.sendline("/model builtin")
    child.expect("every stage is built in")
    child.expect(PROMPT)
    child.sendline("wait")
    child.expect(PROMPT)
    child.sendline("/model large nonsense")
    child.expect("there is no model 'nonsense'")
    child.expect(PROMPT)
    left(child)
    assert words(root) == [("look", "ollama/some-model"), ("wait", "builtin")]
