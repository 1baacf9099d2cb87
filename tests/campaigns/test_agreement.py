"""Consent belongs to whoever gave it: to this user, for one campaign, one model and one address. No file brings any."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_socket
from typer.testing import CliRunner, Result

from lorewright.bootstrap import App, open_app
from lorewright.cli import app as command_line
from lorewright.llm.opening import load_sdk
from lorewright.settings import ModelsSettings
from support import harbour as h
from support.counting_server import CountingServer


@pytest.fixture
def server(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[CountingServer]:
    # Imported by the first question otherwise, which takes seconds.
    load_sdk("claude-haiku", ModelsSettings())
    load_sdk("ollama/x", ModelsSettings())
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-whoever-plays-0000")
    with CountingServer().running() as running:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        yield running


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> App:
    """A harbour whose campaign `game` asks a paid model for its prose; nobody has agreed to it."""
    made = h.harbour(tmp_path)
    (made.workspace.root / "lorewright.toml").write_text("[models]\ntries = 1\n", encoding="utf-8")
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(made.workspace.root))
    with made.campaigns.reading("game") as store, store.database.transaction() as connection:
        connection.execute("UPDATE campaigns SET large_model_key = 'claude-opus'")
    return open_app(made.workspace.root)


def run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(command_line, arguments, input=stdin)


def code_of(result: Result) -> str | None:
    return getattr(result.exception, "code", None) if result.exception else None


def agreed_by_the_file(app: App, campaign_id: str = "game") -> None:
    """As a version of old, or somebody who sends a gift, writes it into the file."""
    with app.campaigns.reading(campaign_id) as store, store.database.transaction() as connection:
        connection.execute('UPDATE campaigns SET agreed_keys_json = \'["claude-opus","claude-haiku"]\'')


def test_a_campaigns_own_word_for_it_is_no_consent(app: App, server: CountingServer) -> None:
    agreed_by_the_file(app)
    for command in (("turn", "game", "look"), ("play", "game")):
        result = run(*command, stdin="look\n")
        assert code_of(result) == "not_agreed"
        assert "claude-opus (about $0.0" in str(result.exception)
        assert f"at {server.url}" in str(result.exception)
    assert server.heard == []


def test_a_file_that_lies_in_another_workspace_brings_none_either(
    app: App, server: CountingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agreed_by_the_file(app)
    run("turn", "game", "look", "--yes")
    asked = len(server.heard)
    assert asked > 0
    shutil.copytree(app.workspace.root, tmp_path / "cloned")
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(tmp_path / "cloned"))
    assert code_of(run("turn", "game", "look")) == "not_agreed"
    assert len(server.heard) == asked


def test_an_import_is_asked_about_as_a_new_campaign_is_and_names_its_models(
    app: App, server: CountingServer, tmp_path: Path
) -> None:
    agreed_by_the_file(app)
    run("turn", "game", "look", "--yes")
    assert run("turn", "game", "wait", "--builtin").exit_code == 0
    asked = len(server.heard)
    file = tmp_path / "gift.lorewright"
    assert run("campaign", "export", "game", str(file)).exit_code == 0
    told = run("campaign", "import", str(file), "--id", "gift")
    assert "it asks claude-opus (narrator, recap)" in told.output
    shown: dict[str, Any] = json.loads(run("campaign", "import", str(file), "--id", "other", "--json").stdout)
    assert shown["models"]["stages"] == {"claude-opus": ["narrator", "recap"]}
    assert shown["models"]["large_model_key"] == "claude-opus"
    with app.campaigns.reading("gift") as store:
        assert store.database.rows("SELECT agreed_keys_json FROM campaigns")[0][0] == "[]"
    assert code_of(run("turn", "gift", "look")) == "not_agreed"
    recap = run("session", "recap", "gift", "--by-model")
    assert code_of(recap) == "not_agreed"
    assert server.url in str(recap.exception)
    assert len(server.heard) == asked


def test_an_import_in_the_place_of_a_campaign_that_was_agreed_to_asks_again(
    app: App, server: CountingServer, tmp_path: Path
) -> None:
    file = tmp_path / "game.lorewright"
    assert run("campaign", "export", "game", str(file)).exit_code == 0
    run("turn", "game", "look", "--yes")
    assert code_of(run("turn", "game", "look")) != "not_agreed"
    asked = len(server.heard)
    for path in app.campaigns.folder.glob("game.db*"):
        path.unlink()
    assert run("campaign", "import", str(file)).exit_code == 0
    assert code_of(run("turn", "game", "look")) == "not_agreed"
    assert len(server.heard) == asked


def test_a_yes_holds_for_one_address(app: App, server: CountingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    run("turn", "game", "look", "--yes")
    asked = len(server.heard)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"{server.url}/elsewhere")
    result = run("turn", "game", "look")
    assert code_of(result) == "not_agreed"
    assert f"{server.url}/elsewhere" in str(result.exception)
    assert len(server.heard) == asked
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    run("turn", "game", "look")
    assert len(server.heard) > asked


@pytest.mark.parametrize(("key", "variable"), [("ollama/x", "OLLAMA"), ("openai-compatible/x", "OPENAI_COMPATIBLE")])
def test_a_model_elsewhere_of_which_nobody_knows_the_price_is_asked_about(
    app: App, server: CountingServer, monkeypatch: pytest.MonkeyPatch, key: str, variable: str
) -> None:
    monkeypatch.setenv(f"{variable}_BASE_URL", "http://me:word@there.invalid/v1")
    with app.campaigns.reading("game") as store, store.database.transaction() as connection:
        connection.execute("UPDATE campaigns SET large_model_key = ?", (key,))
    result = run("turn", "game", "look")
    assert code_of(result) == "not_agreed"
    assert f"{key} (price unknown, at http://[hidden]@there.invalid/v1)" in str(result.exception)
    monkeypatch.setenv(f"{variable}_BASE_URL", server.url)
    assert code_of(run("turn", "game", "look")) != "not_agreed"
    assert len(server.heard) > 0


def test_what_is_agreed_to_is_in_no_file_of_the_workspace(app: App, server: CountingServer) -> None:
    run("turn", "game", "look", "--yes")
    with app.campaigns.reading("game") as store:
        assert store.database.rows("SELECT agreed_keys_json FROM campaigns")[0][0] == "[]"
