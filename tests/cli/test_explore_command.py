"""lorewright explore as a user meets it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support import small_vault as x
from support.command_line import outputs_of_a_process, run_command, workspace_environment


def run(root: Path, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line with a workspace, in the folder that holds it."""
    return run_command(*arguments, environment=workspace_environment(root), cwd=root.parent, stdin=stdin)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    x.write_vault(tmp_path)
    run(tmp_path / "workspace", "init", str(tmp_path / "workspace"))
    return tmp_path / "workspace"


def campaigns_of(root: Path) -> list[str]:
    return [one["id"] for one in json.loads(run(root, "campaign", "list", "--json").stdout)]


@pytest.mark.campaign
def test_with_nothing_to_read_a_short_walk_is_played_and_not_kept(root: Path) -> None:
    done = run(root, "explore", "vault")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n> ") >= 8
    assert "notes for the game master alone" in done.stderr
    assert campaigns_of(root) == []


@pytest.mark.campaign
def test_the_walk_prints_the_same_bytes_in_every_process(root: Path, tmp_path: Path) -> None:
    vault, walked, saved = str(root.parent / "vault"), [], []
    for seed in ("1", "2"):
        # A scenario has the name of its file.
        file = tmp_path / seed / "walk.yaml"
        file.parent.mkdir()
        commands = [("explore", vault, "--seed", "4"), ("explore", vault, "--save", str(file))]
        walked.append(outputs_of_a_process(commands, workspace_environment(root), hash_seed=seed)[0])
        saved.append(file.read_bytes())
    assert walked[0] == walked[1]
    assert walked[0].count("\n> ") >= 8
    assert saved[0] == saved[1]


@pytest.mark.campaign
def test_a_walk_goes_on_where_it_was_left_until_a_new_one_is_wanted(root: Path) -> None:
    assert run(root, "explore", "vault", stdin="go to Gull Rock\n").returncode == 0
    again = run(root, "explore", "vault", "--seed", "9", stdin="look\n")
    assert "going on with explore_vault" in again.stderr
    assert "was begun with the seed 1; --new begins another with 9" in again.stderr
    (root.parent / "vault" / "npcs" / "Cy.md").write_text("# Cy\n\nCy is new here.\n", encoding="utf-8")
    changed = run(root, "explore", "vault", stdin="look\n")
    assert "the notes have changed since it began" in changed.stderr
    assert campaigns_of(root) == ["explore_vault"]
    assert run(root, "explore", "vault", "--new", stdin="look\n").returncode == 0
    assert campaigns_of(root) == ["explore_vault", "explore_vault_2"]
    assert "going on with explore_vault_2" in run(root, "explore", "vault", stdin="look\n").stderr


def test_a_script_is_played(root: Path, tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("# where am I\nlook\nwait\n", encoding="utf-8")
    done = run(root, "explore", "vault", "--script", str(tmp_path / "lines.txt"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n> ") == 2


def test_what_is_neither_folder_nor_pack_is_said_with_a_hint(root: Path) -> None:
    done = run(root, "explore", "nowhere")
    assert done.returncode == 1
    assert "there is no folder or pack nowhere" in done.stderr
    assert "hint:" in done.stderr


@pytest.mark.campaign
def test_a_hostile_vault_prints_nothing_that_a_terminal_obeys(root: Path) -> None:
    x.write_vault(root.parent, x.HOSTILE, name="hostile")
    done = run(root, "explore", "hostile")
    assert done.returncode == 0, done.stderr
    assert not [char for char in done.stdout + done.stderr if char in "\x1b\x07\u202e"]


@pytest.mark.campaign
def test_a_saved_walk_is_valid_and_listed_and_the_scenario_that_ships_is_clean(root: Path) -> None:
    assert run(root, "explore", "vault", "--save", str(root / "scenarios" / "walk.yaml")).returncode == 0
    checked = run(root, "scenario", "validate", str(root / "scenarios" / "walk.yaml"))
    assert (checked.returncode, checked.stdout) == (0, "0 errors, 0 warnings\n")
    listed = json.loads(run(root, "scenario", "list", "--json").stdout)
    assert [one["id"] for one in listed] == [
        *("dead_drop", "lamp_night", "locked_house", "lost_property", "night_desk", "seven_minutes", "tic_tac_toe"),
        "walk",
    ]
    assert set(listed[0]) == {"id", "name", "summary", "packs", "ruleset", "packs_here", "file"}
    assert json.loads(run(root, "scenario", "validate", "dead_drop", "--json").stdout) == []


@pytest.mark.campaign
def test_a_broken_scenario_is_told_line_by_line_and_fails(root: Path) -> None:
    path = root / "scenarios" / "dead_drop.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("{clock: time, by: 1}", "{clock: tied}", 1), encoding="utf-8"
    )
    checked = run(root, "scenario", "validate", "dead_drop")
    assert checked.returncode == 1
    assert f"{path}:" in checked.stdout
    assert "error rules." in checked.stdout and ": there is no clock tied" in checked.stdout
    (finding,) = json.loads(run(root, "scenario", "validate", "dead_drop", "--json").stdout)
    assert set(finding) == {"file", "line", "column", "severity", "code", "message", "hint"}
