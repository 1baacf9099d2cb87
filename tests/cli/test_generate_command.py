"""scenario generate and session zero as a user meets them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from lorewright.lore_bootstrap import make_workspace
from support import harbour as h
from support.command_line import run_command, workspace_environment


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line with a workspace, in its folder and nobody at the keyboard."""
    return run_command(*arguments, environment=workspace_environment(root), cwd=root)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_workspace(tmp_path / "workspace")
    return tmp_path / "workspace"


@pytest.mark.campaign
def test_a_scenario_is_generated_validated_and_played_at_once(root: Path) -> None:
    made = run(root, "scenario", "generate", "--pack", "orme_house", "--seed", "3")
    assert made.returncode == 0, made.stderr
    assert "Next: lorewright play orme_house_3" in made.stdout
    assert run(root, "scenario", "validate", "orme_house_3").stdout.strip() == "0 errors, 0 warnings"
    told = run(root, "play", "orme_house_3")
    assert told.returncode == 0
    assert "look" in told.stdout


@pytest.mark.campaign
def test_a_file_that_is_there_is_written_over_only_by_force(root: Path) -> None:
    arguments = ("scenario", "generate", "--pack", "orme_house", "--id", "mine")
    first = json.loads(run(root, *arguments, "--json").stdout)
    path = Path(first["file"])
    assert path == root / "scenarios" / "mine.yaml"
    before = path.read_bytes()
    again = run(root, *arguments, "--seed", "2")
    assert (again.returncode, path.read_bytes()) == (1, before)
    assert "is there already" in again.stderr and "--force" in again.stderr
    assert run(root, *arguments, "--seed", "2", "--force").returncode == 0
    assert path.read_bytes() != before


def test_what_is_printed_for_programs_says_what_was_made(root: Path) -> None:
    out = root / "there.yaml"
    arguments = ("--pack", "orme_house", "--brief", "the attic and a dragonfly", "--out", str(out), "--json")
    made = json.loads(run(root, "scenario", "generate", *arguments).stdout)
    assert made["packs"] == ["orme_house"]
    assert made["places"][0] == "attic"
    assert made["unheard"] == ["dragonfly"]
    assert (made["file"], made["model"], made["cost_microusd"]) == (str(out), "builtin", 0)
    assert made["lines_to_goal"] <= 40
    assert out.is_file()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--pack", "nothing"), "there is no folder or pack nothing"),
        (("--pack", "orme_house", "--ruleset", "chess"), "chess"),
        (("--pack", "orme_house", "--id", "../x"), "cannot be a scenario ID"),
        (("--pack", "orme_house", "--model", "nobody"), "nobody"),
        (("--pack", "orme_house", "--brief", "a" * 1001), "longer than 1000"),
    ],
)
def test_what_cannot_be_generated_is_said_and_nothing_is_written(
    arguments: tuple[str, ...], says: str, root: Path
) -> None:
    before = sorted(path.name for path in (root / "scenarios").iterdir())
    told = run(root, "scenario", "generate", *arguments)
    assert told.returncode == 1
    assert says in told.stderr
    assert sorted(path.name for path in (root / "scenarios").iterdir()) == before


def test_a_campaign_begins_with_what_a_file_says_was_agreed_on(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    (root / "agreed.yaml").write_text("lines: [spiders]\ncharacter: {name: Ada}\n", encoding="utf-8")
    begun = run(root, "campaign", "new", "night_boat", "--id", "game", "--calibration", "agreed.yaml", "--json")
    assert json.loads(begun.stdout)["calibration"]["lines"] == ["spiders"]
    shown = run(root, "campaign", "show", "game").stdout
    assert "lines: spiders" in shown
    assert "character: Ada" in shown


def test_session_zero_needs_somebody_to_ask(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    told = run(root, "campaign", "new", "night_boat", "--session-zero")
    assert told.returncode == 1
    assert "--calibration FILE" in told.stderr
    assert run(root, "campaign", "list", "--json").stdout.strip() == "[]"
