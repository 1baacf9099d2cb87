"""lorewright replay and lorewright metrics, as one types them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lorewright.bootstrap import App, open_app
from lorewright.cli.root import app as cli
from lorewright.errors import SettingsError
from lorewright.llm.doubles import ScriptedModel
from lorewright.turn.stages.narrate.stage import Narrate
from support import harbour as h
from support import playing_models as mp

runner = CliRunner()


@pytest.fixture(scope="module")
def played_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    app = h.harbour(tmp_path_factory.mktemp("played"), models=mp.models())
    h.say(app, *mp.lines(6))
    return app.workspace.root


@pytest.fixture
def played(played_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> App:
    """A copy of the workspace in which six turns were played."""
    root = shutil.copytree(played_once, tmp_path / "workspace")
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(root))
    return open_app(root, models=mp.models())


def run(*args: str) -> Result:
    return runner.invoke(cli, args)


def test_a_replay_says_that_all_is_as_it_was(played: App) -> None:
    result = run("replay", "game")
    assert result.exit_code == 0, result.output
    assert "game, turns 1 to 6, 6 thought again: identical" in result.output
    assert "all metrics are as recorded" in result.output


def test_rerolled_dice_are_told_apart_from_recorded_ones(played: App) -> None:
    assert "dice thrown anew: 0 rolls, all as recorded" in run("replay", "game", "--turns", "1:2", "--reroll").output


def test_a_replay_that_comes_out_otherwise_exits_with_1_and_says_where(played: App) -> None:
    with played.campaigns.reading("game") as store, store.database.transaction() as connection:
        connection.execute(
            "UPDATE stage_records SET calls_json = replace(calls_json, 'little, 3', 'little, \\u001b[31m3')"
        )
    result = run("replay", "game", "--turns", "3:4")
    assert result.exit_code == 1
    assert "first divergence: turn 3: narrator output at final_text" in result.output
    assert "turn 3: go door" in result.output and "recorded" in result.output


def test_what_only_a_stage_was_given_otherwise_is_told_and_no_failure(played: App) -> None:
    """As an older version leaves it: a field that there was not yet."""
    with played.campaigns.reading("game") as store, store.database.transaction() as connection:
        sql = "UPDATE stage_records SET input_json = json_remove(text_of(input_json), '$.verbs')"
        connection.execute(f"{sql} WHERE stage = 'interpreter'")
    result = run("replay", "game", "--turns", "1:2")
    assert result.exit_code == 0, result.output
    assert "2 thought again: identical" in result.output
    told = " ".join(result.output.split())
    assert "first divergence: turn 1: interpreter input at verbs: recorded (nothing), replayed {}" in told
    assert "in 2 turns a stage was given or made something else" in result.output
    assert "turn 1: look" not in result.output


def test_another_model_is_shown_beside_the_recorded_one(played: App, tmp_path: Path) -> None:
    """The built-in narrator in its place; both texts, both metrics, and the same as JSON in a file."""
    out = tmp_path / "report.json"
    result = run("replay", "game", "--turns", "1:1", "--model", "narrator=builtin", "--out", str(out))
    assert result.exit_code == 0, result.output
    assert "You wait a little, 1. It is quiet." in result.output and "Smoke hangs from the beams" in result.output
    assert "unsupported_rate" in result.output
    report = json.loads(out.read_text("utf-8"))
    assert report["identical"] is False and report["override_models"] == {"narrator": "builtin"}
    (turn,) = report["turns"]
    assert turn["narration"]["recorded"] == "You wait a little, 1. It is quiet."
    assert turn["state"]["recorded"] != turn["state"]["replayed"]
    assert json.loads(run("replay", "game", "--turns", "1:1", "--model", "narrator=builtin", "--json").stdout) == report


def test_one_key_stands_for_every_stage_that_asks_one(played: App) -> None:
    result = run("replay", "game", "--turns", "1:1", "--model", "builtin", "--json")
    report = json.loads(result.stdout)
    assert {"narrator", "lore_extractor", "interpreter"} <= set(report["override_models"])
    assert set(report["override_models"].values()) == {"builtin"}


def test_a_prompt_of_what_is_built_in_changes_nothing_and_that_is_said(played: App) -> None:
    result = run("replay", "game", "--turns", "1:1", "--prompt", "planner=v2")
    assert result.exit_code == 0 and "what is built in has no prompt" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--prompt", "narrator"), "is not NAME=VALUE"),
        (("--prompt", "narrater=v2"), "narrater"),
        (("--model", "recap=builtin"), "recap"),
        (("--model", "a", "--model", "b"), "only one --model"),
        (("--model", "narrator=no-such-model"), "no-such-model"),
        (("--turns", "9:3"), "ends before it begins"),
        (("--turns", "20:"), "no turn is in 20:"),
    ],
)
def test_wrong_usage_is_told_and_replays_nothing(played: App, args: tuple[str, ...], told: str) -> None:
    result = run("replay", "game", *args)
    assert result.exit_code == 1 and told in str(getattr(result.exception, "message", ""))


def test_a_model_whose_key_is_not_set_is_not_asked(played: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    result = run("replay", "game", "--turns", "1:1", "--model", "narrator=claude-haiku", "--yes")
    assert isinstance(result.exception, SettingsError) and "ANTHROPIC_API_KEY" in result.exception.message


def test_a_paid_model_is_named_with_its_price_and_asked_about(played: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six narrations, by what they read and wrote then; without a yes nobody is asked and nothing replayed."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    result = runner.invoke(cli, ["replay", "game", "--model", "narrator=claude-opus"], input="n\n")
    assert result.exit_code == 1 and "thought again" not in result.output
    told = " ".join(result.output.split())
    assert "this asks claude-opus 6 times, for about $0.0" in told and "Go on?" in told


def test_what_a_terminal_would_obey_is_not_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = h.harbour(tmp_path, models={"narrator": ScriptedModel(["You look \x1b[31mred\x1b]0;x\x07."])})
    h.say(app, "look")
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(app.workspace.root))
    for args in (("--model", "builtin"), ("--model", "builtin", "--json")):
        printed = run("replay", "game", *args).output
        assert "red" in printed and "\x1b" not in printed and "\x07" not in printed


def test_metrics_are_a_table_json_and_a_page(played: App, tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    result = run("metrics", "game", "--turns", "2:5", "--html", str(page))
    assert result.exit_code == 0, result.output
    assert "game, turns 2 to 5" in result.output
    for name in ("contradiction_rate", "lore_relevance_rate", "repair_rate", "latency", "cost"):
        assert name in result.output
    assert page.read_text("utf-8").startswith("<!doctype html>")
    told = json.loads(run("metrics", "game", "--turns", "2:5", "--json").stdout)
    assert told["metrics"]["turns"] == 4 and [one["turn_no"] for one in told["turns"]] == [2, 3, 4, 5]
    assert told["metrics"]["length_stats"]["words"]["min"] == 8


def test_a_campaign_that_nobody_played_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = h.harbour(tmp_path)
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(app.workspace.root))
    assert "no turn to measure yet" in run("metrics", "game").output
    assert run("replay", "game").exit_code == 1


@pytest.mark.parametrize("command", ["replay", "metrics"])
def test_help_has_an_example(command: str) -> None:
    assert f"Example: lorewright {command} friday" in " ".join(run(command, "--help").output.split())


def test_what_another_version_made_is_named_and_may_be_thought_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    present, other = Narrate.builtin_version, Narrate.builtin_version + 1
    app = h.harbour(tmp_path, played=("take rope",))
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(app.workspace.root))
    with app.campaigns.reading("game") as store, store.database.transaction() as connection:
        connection.execute(f"UPDATE stage_records SET builtin_version = {other} WHERE stage = 'narrator'")
    result = run("replay", "game")
    assert result.exit_code == 0, result.output
    told = " ".join(result.output.split())
    assert f"of the built-in stage made it: narrator (version {other}, now {present}) in 1 turn" in told
    assert "anew: --rethink" in told
    (turn,) = json.loads(run("replay", "game", "--json").stdout)["turns"]
    assert turn["taken_as_recorded"] == [{"stage": "narrator", "recorded": other, "present": present, "runs": 1}]
    assert f"narrator (builtin, version {other})" in run("campaign", "log", "game", "--stage", "narrator").output
    anew = run("replay", "game", "--rethink")
    assert anew.exit_code == 0 and "run anew, in place of another version" in " ".join(anew.output.split())


def test_where_nothing_is_of_another_version_rethinking_says_so_and_a_difference_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = h.harbour(tmp_path, played=("take rope",))
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(app.workspace.root))
    result = run("replay", "game", "--rethink")
    assert result.exit_code == 0
    assert "every built-in stage is of the version that played" in " ".join(result.output.split())
    with app.campaigns.reading("game") as store, store.database.transaction() as connection:
        connection.execute("UPDATE turns SET result_json = replace(result_json, 'rope', 'hope') WHERE turn_no = 1")
    assert run("replay", "game", "--rethink").exit_code == 1


def test_dice_are_thrown_from_another_seed(played: App) -> None:
    result = run("replay", "game", "--turns", "1:2", "--seed", "7")
    assert "dice thrown anew from the seed 7" in result.output
