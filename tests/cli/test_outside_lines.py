"""Lines and commands beside the story: out-of-character lines in `turn`, `campaign edit`, `/me` after `/as`, sandbox."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lorewright.bootstrap import open_app
from lorewright.cli.root import app as command
from support import harbour as h

runner = CliRunner()
BO = "    personas: {bo: {name: Bo, at: quay, conditions: [wounded]}}\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    scenario = h.SCENARIO.rstrip() + f"\n{BO}    profile: ensemble\n"
    found = h.harbour(tmp_path, scenario=scenario, played=("look",)).workspace.root
    monkeypatch.chdir(found)
    return found


def run(*args: str, given: str | None = None) -> str:
    result = runner.invoke(command, args, input=given)
    assert result.exit_code == 0, result.output
    return result.output


def turns(root: Path) -> int:
    with open_app(root).campaigns.reading("game") as store:
        return store.head().turn_no


def test_a_scene_is_closed_and_a_turn_taken_back_without_a_prompt(root: Path) -> None:
    assert "The scene ends. 30 minutes later." in run("turn", "game", "/scene end 30")
    assert turns(root) == 2
    run("turn", "game", "/undo")
    assert turns(root) == 1
    told = json.loads(run("turn", "game", "/scene end", "--json"))
    assert (told["turn_no"], turns(root)) == (2, 2)


def test_an_unknown_command_plays_nothing(root: Path) -> None:
    result = runner.invoke(command, ["turn", "game", "/frobnicate"])
    assert "/frobnicate" in result.output or result.exit_code != 0
    assert turns(root) == 1


def test_a_game_master_changes_the_world_without_a_client(root: Path) -> None:
    ops = json.dumps([{"op": "clock", "clock_id": "dread", "delta": 1}])
    assert "turn 2 changes the world (1 ops)" in run(
        "campaign", "edit", "game", ops, "--note", "fog", "--action-id", "a"
    )
    run("campaign", "edit", "game", ops, "--action-id", "a")
    run("campaign", "edit", "game", "-", given=ops)
    with open_app(root).campaigns.reading("game") as store:
        assert (store.head().turn_no, store.head().state.clocks["dread"].value) == (3, 2)


@pytest.mark.parametrize("ops", ["{}", "[", '[{"op": "hop"}]', '[{"op": "clock", "clock_id": "none", "delta": 1}]'])
def test_ops_that_do_not_fit_change_nothing(root: Path, ops: str, tmp_path: Path) -> None:
    file = tmp_path / "ops.json"
    file.write_text(ops, encoding="utf-8")
    assert runner.invoke(command, ["campaign", "edit", "game", str(file)]).exit_code != 0
    assert turns(root) == 1


def test_how_one_stands_is_told_of_whoever_is_chosen(root: Path, tmp_path: Path) -> None:
    script = tmp_path / "lines.txt"
    script.write_text("/me\n/as Bo\n/me\n", encoding="utf-8")
    told = run("play", "game", "--script", str(script))
    assert told.rpartition("/as Bo")[2].count("You are Bo") == 1
    assert "You are Bo" not in told.partition("/as Bo")[0]


def test_in_the_sandbox_everybodys_intentions_are_shown_and_nothing_else(root: Path, tmp_path: Path) -> None:
    script = tmp_path / "lines.txt"
    script.write_text("threaten osk\n", encoding="utf-8")
    told = run("play", "game", "--script", str(script), "--sandbox")
    assert "intends:" in told
    assert "thinks:" not in told and "stages:" not in told
    assert "intends:" not in run("play", "game", "--script", str(script))
