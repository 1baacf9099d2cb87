"""lorewright ruleset: what a player and an author get to see of a ruleset."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lorewright.campaigns.scenarios.rulesets import ruleset_names
from lorewright.cli.root import app

runner = CliRunner()


def run(*args: str) -> str:
    result = runner.invoke(app, args)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.campaign
def test_the_rulesets_are_listed_for_people_and_for_programs() -> None:
    assert all(name in run("ruleset", "list") for name in ruleset_names())
    listed = json.loads(run("ruleset", "list", "--json"))
    assert [one["id"] for one in listed] == ruleset_names()
    assert {one["id"]: one["roll"] for one in listed}["seven-minutes"] == "1d20 + (10 - shyness) + chemistry"


@pytest.mark.parametrize("name", ruleset_names())
def test_a_ruleset_is_shown_with_stats_bands_actions_costs_and_reason_codes(name: str) -> None:
    printed = run("ruleset", "show", name)
    shown = json.loads(run("ruleset", "show", name, "--json"))
    assert shown["id"] == name
    for word in (*shown["stats"], *shown["actions"], *shown["costs"], *shown["reason_codes"], shown["content_hash"]):
        assert word in printed
    assert all(band["summary"] in printed for band in shown["bands"])


def test_a_file_is_validated_as_a_compiler_would(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("extends: freeform\nid: mine\nname: Mine\n", encoding="utf-8")
    assert "mine: no errors" in run("ruleset", "validate", str(file))
    file.write_text("extends: freeform\nid: mine\nname: Mine\ndice: lots\n", encoding="utf-8")
    result = runner.invoke(app, ["ruleset", "validate", str(file)])
    assert result.exit_code == 1
    assert f"{file}:4: error dice:" in result.output.replace("\n", "")
    told = runner.invoke(app, ["ruleset", "validate", str(file), "--json"])
    assert [one["line"] for one in json.loads(told.output)] == [4]


def test_a_ruleset_is_validated_by_its_id_too() -> None:
    assert "everyday-tension: no errors" in run("ruleset", "validate", "everyday-tension")
    result = runner.invoke(app, ["ruleset", "validate", "everyday-tensions"])
    assert result.exit_code != 0
    assert "there is no ruleset everyday-tensions" in str(result.exception or result.output)


def test_what_can_be_played_and_is_probably_a_mistake_is_a_warning() -> None:
    told = json.loads(run("ruleset", "validate", "freeform", "--json"))
    assert [(one["severity"], one["line"] > 1) for one in told] == [("warning", True)]
    assert "nobody remembers anything in the profile freeform" in told[0]["message"]


def test_a_seed_throws_dice_again() -> None:
    first = json.loads(run("ruleset", "roll", "3d6+1", "--character", "town:lena", "--check", "nerve", "--json"))
    assert first["context"] == {"character_id": "town:lena", "check_type": "nerve"}
    assert first["total"] == sum(first["rolls"]) + 1
    again = run("ruleset", "roll", "3d6+1", "--seed", first["seed"])
    assert f"= {first['total']} (seed {first['seed']})" in again
    assert runner.invoke(app, ["ruleset", "roll", "lots"]).exit_code != 0


@pytest.mark.parametrize("command", ["list", "show", "validate", "roll"])
def test_help_has_an_example(command: str) -> None:
    assert "Example: lorewright ruleset" in run("ruleset", command, "--help")
