"""scenario reach as an author meets it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support import harbour as h
from support.command_line import run_command, workspace_environment
from support.searched_harbour import LOST_LANTERN, changed


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `scenario reach` in a workspace."""
    return run_command("scenario", "reach", *arguments, environment=workspace_environment(root), cwd=root)


def write_scenario(root: Path, *changes: tuple[str, str]) -> None:
    """Write the harbour's scenario, changed, into a workspace."""
    (root / "scenarios" / "night_boat.yaml").write_text(h.dedent(changed(*changes)), encoding="utf-8")


@pytest.mark.campaign
def test_every_ending_and_discoverable_is_shown_with_the_bounds(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    shown = run(root, "night_boat", "--states", "50", "--seconds", "100")
    assert shown.returncode == 0, shown.stderr
    assert "search under the counter" in shown.stdout
    assert "bounds: 100 seconds, 50 states for each goal, 60 lines for each way" in shown.stdout
    # The rule about the debt is all that moves the clock to the ending, and it applies until she owns up.
    assert "none leads on        ask Osk about debt [success]" in shown.stdout
    assert "reached 1 of 1 endings, 1 of 1 discoverables, 1 of 1 rules; 3 dead ends" in shown.stdout
    assert list((root / "campaigns").iterdir()) == []


@pytest.mark.campaign
def test_an_ending_that_is_not_reached_fails_the_command(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    write_scenario(root, ("endings:", "endings:\n      rich: {say: Rich., when: {thread: lost, status: found}}"))
    shown = run(root, str(root / "scenarios" / "night_boat.yaml"), "--states", "50")
    assert shown.returncode == 1
    assert "out of reach" in shown.stdout
    assert "it needs the thread lost being found" in shown.stdout


@pytest.mark.campaign
def test_json_has_the_lines_and_the_dead_ends(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    write_scenario(root, *LOST_LANTERN)
    report = json.loads(run(root, "night_boat", "--states", "50", "--json").stdout)
    assert report["is_whole"]
    assert report["endings"][0]["lines"] == [{"line": "search under the counter", "dice": None}]
    assert report["dead_ends"][0] == {"lines": [{"line": "go door", "dice": None}], "exhaustive": True}
    assert (report["seconds"], report["states"], report["most_lines"]) == (300, 50, 60)


def test_a_scenario_that_is_not_there_is_told(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    missing = run(root, "nothing")
    assert missing.returncode == 1
    assert "there is no scenario" in missing.stderr
