"""Settings that came with a folder send nothing before its user has said yes: no route of the command line leads round
the question, and the yes holds for these settings alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_socket
from typer.testing import CliRunner, Result

from lorewright.cli import app as command_line
from support import harbour as h
from support.counting_server import CountingServer

SETTINGS = """
[index]
embedder = "openai"
base_url = "{url}/v1"

[models]
tries = 1

[models.stages]
narrator = "local"

[models.base_urls]
anthropic = "{url}"

[models.keys.local]
provider = "openai-compatible"
model = "x"
base_url = "{url}/v1"
key_env = "BARN_API_KEY"
"""
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "BARN_API_KEY")
CANARY = "sk-canary-of-the-user-0123456789"


@pytest.fixture
def server(socket_enabled: None) -> Iterator[CountingServer]:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    with CountingServer().running() as running:
        yield running


@pytest.fixture
def root(tmp_path: Path, server: CountingServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace that somebody has downloaded, with a campaign that was begun before its settings turned bad; keys
    of the user's are in the environment."""
    app = h.harbour(tmp_path)
    h.say(app, "look")
    where = app.workspace.root
    (where / "lorewright.toml").write_text(SETTINGS.format(url=server.url), encoding="utf-8")
    for name in ("LOREWRIGHT_EMBEDDER", "LOREWRIGHT_WORKSPACE", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in KEYS:
        monkeypatch.setenv(name, CANARY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    (where / "lines.txt").write_text("look\n", encoding="utf-8")
    monkeypatch.chdir(where)
    return where


def run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(command_line, arguments, input=stdin)


def code_of(result: Result) -> str | None:
    """The code of the error that ended a command."""
    return getattr(result.exception, "code", None) if result.exception else None


REFUSED = [
    ("pack", "install", "content_packs/harbour"),
    ("pack", "reindex"),
    ("campaign", "new", "night_boat", "--id", "other"),
    ("play", "game"),
    ("play", "night_boat", "--script", "lines.txt"),
    ("turn", "game", "look", "--yes"),
    ("turn", "game", "look", "--builtin"),
    ("explore", "content_packs/harbour", "--script", "lines.txt"),
    ("models", "check", "local", "--yes"),
    ("models", "check", "claude-haiku", "--yes"),
    ("session", "set", "game", "--model", "claude-haiku", "--yes"),
    ("replay", "game", "--model", "narrator=claude-haiku", "--yes"),
    ("mcp", "--http", "127.0.0.1:0"),
]
# What needs none of it goes on.
DONE = [
    ("pack", "validate", "content_packs/harbour"),
    ("pack", "list"),
    ("campaign", "list"),
    ("campaign", "show", "game"),
    ("campaign", "export", "game", "out.lorewright"),
    ("models", "list"),
    pytest.param(("scenario", "list"), marks=pytest.mark.campaign),
    ("lore", "query", "rope"),
]


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_a_command_that_would_send_something_is_refused_and_sends_nothing(
    root: Path, server: CountingServer, arguments: tuple[str, ...]
) -> None:
    played = run("campaign", "show", "game", "--json").stdout
    result = run(*arguments, stdin="look\n")
    assert server.heard == []
    assert code_of(result) == "not_trusted", result.output
    told = str(result.exception)
    assert server.url in told
    assert "OPENAI_API_KEY" in told
    assert CANARY not in told
    assert json.loads(run("campaign", "show", "game", "--json").stdout)["revision"] == json.loads(played)["revision"]


@pytest.mark.parametrize("arguments", DONE, ids=" ".join)
def test_a_command_that_needs_none_of_it_goes_on(
    root: Path, server: CountingServer, arguments: tuple[str, ...]
) -> None:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert server.heard == []


def test_the_doctor_mends_what_needs_no_yes_and_says_what_does(root: Path, server: CountingServer) -> None:
    result = run("doctor")
    assert result.exit_code == 1
    assert "not trusted" in result.output
    assert "lorewright trust" in result.output
    assert server.heard == []


@pytest.mark.campaign
def test_after_a_yes_the_same_settings_are_used_and_other_ones_are_not(root: Path, server: CountingServer) -> None:
    granted = run("trust", "--yes")
    assert granted.exit_code == 0, granted.output
    assert f"the value of OPENAI_API_KEY is sent to {server.url}" in granted.output
    assert f"the value of BARN_API_KEY is sent to {server.url}" in granted.output
    run("models", "check", "local")
    assert len(server.heard) == 1
    assert CANARY.encode() in server.heard[0]
    run("pack", "install", "content_packs/harbour")
    assert len(server.heard) == 2
    # What sends nothing anywhere may change.
    written = (root / "lorewright.toml").read_text(encoding="utf-8")
    (root / "lorewright.toml").write_text(f"[lore]\nlimit = 3\n{written}", encoding="utf-8")
    run("models", "check", "local")
    assert len(server.heard) == 3
    (root / "lorewright.toml").write_text(written.replace("BARN_API_KEY", "OTHER_API_KEY"), encoding="utf-8")
    assert code_of(run("models", "check", "local")) == "not_trusted"
    assert code_of(run("pack", "install", "content_packs/harbour")) == "not_trusted"
    assert len(server.heard) == 3


def test_a_yes_is_shown_taken_back_and_belongs_to_one_folder(
    root: Path, server: CountingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = run("trust")
    assert code_of(refused) == "not_trusted"
    shown = run("trust", "--yes", "--json")
    assert next(one["address"] for one in json.loads(shown.stdout)["reaches"]) == f"{server.url}/v1"
    listed = json.loads(run("trust", "--list", "--json").stdout)
    assert [one["state"] for one in listed if one["root"] == str(root)] == ["trusted"]
    elsewhere = tmp_path / "copy"
    elsewhere.mkdir()
    (elsewhere / "lorewright.toml").write_bytes((root / "lorewright.toml").read_bytes())
    monkeypatch.chdir(elsewhere)
    assert code_of(run("models", "check", "local")) == "not_trusted"
    monkeypatch.chdir(root)
    assert json.loads(run("trust", "--revoke", "--json").stdout)["revoked"] is True
    assert code_of(run("models", "check", "local")) == "not_trusted"
    assert server.heard == []


@pytest.mark.campaign
def test_a_container_may_name_the_folders_that_it_trusts(
    root: Path, server: CountingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for named, heard in (("/somewhere/else", 0), (str(root), 1), (f"{root.parent}/*", 2), ("*", 3)):
        monkeypatch.setenv("LOREWRIGHT_TRUSTED", named)
        run("models", "check", "local")
        assert len(server.heard) == heard, named
