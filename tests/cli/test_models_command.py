"""lorewright models as a user meets it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_socket

from support.command_line import run_command
from support.model_apis import Fault, ModelServer
from support.trusted_settings import trusted

CANARY = "sk-canary-5c1d90"


@pytest.fixture
def server(socket_enabled: None) -> Iterator[ModelServer]:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    with ModelServer(lambda asked: {"ready": True}).running() as running:
        yield running


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "lorewright.toml").write_text(
        '[models.keys.barn]\nprovider = "openai"\nmodel = "gpt-x"\nmode = "tool"\n'
    )
    return trusted(tmp_path)


def run(root: Path, *arguments: str, stdin: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    bare = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_BASE_URL"))}
    environment = {**bare, "LOREWRIGHT_WORKSPACE": str(root), "NO_PROXY": "127.0.0.1", **environ}
    return run_command("models", *arguments, environment=environment, stdin=stdin)


def test_the_list_says_which_keys_are_set_and_shows_none(root: Path) -> None:
    done = run(root, "list", ANTHROPIC_API_KEY=CANARY)
    told = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
    assert "ANTHROPIC_API_KEY is set" in told["claude-sonnet"]
    assert "OPENAI_API_KEY is not set" in told["barn"]
    assert "canary" not in done.stdout


def test_the_list_for_programs_has_every_row(root: Path) -> None:
    listed = {one["key"]: one for one in json.loads(run(root, "list", "--json", OPENAI_API_KEY=CANARY).stdout)}
    assert (listed["barn"]["model"], listed["barn"]["mode"], listed["barn"]["key_set"]) == ("gpt-x", "tool", True)
    assert listed["claude-haiku"]["prices"] == {"input": 0.1, "output": 0.5, "cache_read": 0.01, "cache_write": 0.125}
    assert listed["ollama/NAME"]["address"] == "http://127.0.0.1:11434/v1"
    assert listed["builtin"]["key_set"] is None
    assert listed["builtin"]["turn_usd"] == 0
    assert 0 < listed["claude-haiku"]["turn_usd"] < listed["claude-sonnet"]["turn_usd"] < 0.01
    assert listed["barn"]["turn_usd"] is None


def test_the_list_says_where_each_is_asked_and_hides_names_and_passwords(root: Path) -> None:
    reached = {"ANTHROPIC_BASE_URL": f"http://me:{CANARY}@there.example:81/v1?key={CANARY}"}
    told = run(root, "list", **reached).stdout
    assert "https://api.openai.com/v1" in told
    assert "http://[hidden]@there.example:81/v1" in told
    programs = run(root, "list", "--json", **reached).stdout
    addresses = {one["key"]: one["address"] for one in json.loads(programs)}
    assert addresses["claude-haiku"] == "http://[hidden]@there.example:81/v1?[hidden]"
    assert "canary" not in told + programs


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("claude-haiku", "is paid for: this costs at most $0.00"),
        ("openai-compatible/x", "may cost something: price unknown"),
        ("ollama/x", "may cost something: price unknown"),
    ],
)
def test_before_a_model_elsewhere_is_asked_its_address_and_price_are_named(root: Path, key: str, words: str) -> None:
    names = ("ANTHROPIC_BASE_URL", "OPENAI_COMPATIBLE_BASE_URL", "OLLAMA_BASE_URL")
    there = dict.fromkeys(names, "https://me:word@there.invalid/v1")
    done = run(root, "check", key, stdin="n\n", ANTHROPIC_API_KEY="sk-nothing-0000", **there)
    assert done.returncode == 1
    assert f"{key} at https://[hidden]@there.invalid/v1 {words}" in done.stderr
    assert "Nothing was asked" in done.stderr


@pytest.mark.campaign
def test_a_model_that_answers_is_told_with_its_cost(root: Path, server: ModelServer) -> None:
    done = run(root, "check", "claude-haiku", "--yes", **server.environ)
    assert done.returncode == 0, done.stderr
    assert "claude-haiku answers, as claude-haiku-5-5" in done.stdout
    assert "$0.0000" in done.stdout


def test_nothing_paid_is_asked_without_a_yes(root: Path, server: ModelServer) -> None:
    done = run(root, "check", "claude-haiku", stdin="n\n", **server.environ)
    assert done.returncode == 1
    assert "at most $0.00" in done.stderr
    assert server.asked == []


@pytest.mark.campaign
def test_a_local_model_is_asked_at_once(root: Path, server: ModelServer) -> None:
    done = run(root, "check", "ollama/llama", "--json", **server.environ)
    assert json.loads(done.stdout)["model_name"] == "llama"
    assert len(server.asked) == 1


@pytest.mark.campaign
def test_a_model_that_fails_says_why_and_shows_no_key(root: Path, server: ModelServer) -> None:
    server.faults.append(Fault("error", status=400, message=f"no such key {CANARY}\x1b[2J"))
    done = run(root, "check", "claude-haiku", "--yes", **{**server.environ, "ANTHROPIC_API_KEY": CANARY})
    assert done.returncode == 1
    assert "HTTP 400" in done.stderr
    assert "hint:" in done.stderr
    assert "canary" not in done.stdout + done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_no_model_is_tried_without_a_yes_to_the_price_of_five_turns(root: Path, server: ModelServer) -> None:
    done = run(root, "try", "claude-haiku", stdin="n\n", **server.environ)
    assert done.returncode == 1
    assert "5 turns cost about $0.0" in done.stderr
    assert server.asked == []


@pytest.mark.campaign
def test_every_stage_of_a_trial_asks_the_model_by_the_settings_of_the_workspace(
    root: Path, server: ModelServer
) -> None:
    server._answer = lambda asked: "It is quiet in the bar."
    with (root / "lorewright.toml").open("a") as settings:
        settings.write("[models.answer_tokens]\nnarrator = 99\n")
    done = run(trusted(root), "try", "ollama/llama", "--json", **server.environ)
    trial = json.loads(done.stdout)
    assert (trial["committed"], trial["told"]) == (5, trial["learned"])
    assert {"planner", "lore_extractor"} <= set(trial["fell_back"])
    assert 99 in {asked.body["max_tokens"] for asked in server.asked}
    assert "search behind the bar: played" in done.stderr


@pytest.mark.campaign
def test_a_trial_of_the_double_that_ships_prints_a_table(root: Path) -> None:
    done = run(root, "try", "parrot")
    assert done.returncode == 0, done.stderr
    told = dict(line.split("  ", 1) for line in done.stdout.splitlines()[1:])
    assert told["turns committed"].strip() == "5 of 5"
    assert told["stages that fell back"].strip().startswith("narrator")


@pytest.mark.campaign
def test_a_model_that_is_away_plays_no_turn_and_shows_no_traceback(root: Path, server: ModelServer) -> None:
    with (root / "lorewright.toml").open("a") as settings:
        settings.write("[models]\ntries = 1\n")
    done = run(trusted(root), "try", "ollama/llama", OLLAMA_BASE_URL="http://127.0.0.1:9/v1")
    assert done.returncode == 1
    assert "provider_busy: openai-compatible (ollama/llama): the connection to 127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        *(("check", "claude"), ("check", "builtin"), ("check", "claude-opus", "--yes")),
        *(("try", "claude"), ("try", "claude-opus", "--yes"), ("try", "openai-compatible/x")),
    ],
)
def test_what_cannot_be_asked_is_an_error_with_a_hint(root: Path, arguments: tuple[str, ...]) -> None:
    done = run(root, *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr
