"""An API key in the environment is in no file, no output and no error, whatever the server says of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_socket
from typer.testing import CliRunner

from lorewright.bootstrap import open_app
from lorewright.campaigns.stage_models import ModelKeys
from lorewright.cli import app as command_line
from lorewright.errors import LorewrightError
from support import harbour as h
from support import model_server as t
from support.model_apis.faults import FAULTS, Fault
from support.model_apis.server import ModelServer

CANARY = "sk-ant-api03-KestrelMarmoset0123456789"
# What of it would tell it: a part is as bad as the whole.
PARTS = (CANARY, "KestrelMarmoset")

pytestmark = pytest.mark.campaign


@pytest.fixture
def server(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ModelServer(t.answer).running() as running:
        for name, value in running.environ.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY)
        yield running


@pytest.mark.parametrize("key", [CANARY, f"{CANARY}\n", f" {CANARY}\t"], ids=["plain", "newline", "blanks"])
def test_a_key_is_nowhere_but_in_the_environment(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], key: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    root = h.write_workspace(tmp_path / "workspace")
    (root / "lorewright.toml").write_text("[models]\ntries = 1\npause_seconds = 0\n", encoding="utf-8")
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(root))
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", seed=1, keys=ModelKeys("claude-haiku", "claude-sonnet"))
    said: list[str] = []
    with app.campaigns.open("game") as campaign:
        t.submit(campaign, "look")
        assert len(server.asked) >= 2
        faults = [Fault(kind, seconds=0, message=f"no: {CANARY}") for kind in FAULTS]
        faults += [Fault("error", status=status, message=f"bad key {CANARY}") for status in (400, 401, 403, 404, 413)]
        for fault in faults:
            server.faults.append(fault)
            try:
                said.append(str(t.submit(campaign, "wait")))
            except LorewrightError as error:
                said += [error.message, str(error.hint), repr(error), *map(str, error.args)]
                # An error that is raised again elsewhere brings its causes along.
                said += [repr(error.__cause__), repr(error.__context__) if not error.__suppress_context__ else ""]
            server.faults.clear()
    commands = (
        ["models", "list"], ["models", "list", "--json"], ["campaign", "show", "game", "--json"],
        ["campaign", "log", "game", "--json"], ["campaign", "log", "game", "--stage", "narrator", "--json"],
        ["campaign", "export", "game", str(tmp_path / "all.lorewright")],
        ["campaign", "export", "game", str(tmp_path / "player.lorewright"), "--as", "player"],
        ["metrics", "game", "--json"], ["metrics", "game", "--html", str(tmp_path / "page.html")],
        ["replay", "game", "--json"], ["doctor"], ["db", "check", "game"],
    )  # fmt: skip
    for command in commands:
        result = CliRunner().invoke(command_line, command)
        assert result.exit_code == 0, (command, result.output)
        said.append(result.output)
    captured = capsys.readouterr()
    said += [captured.out, captured.err]
    told = "\n".join(said)
    assert [part for part in PARTS if part in told] == []
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".db" for path in files)
    assert [path.name for path in files for part in PARTS if part.encode() in path.read_bytes()] == []
