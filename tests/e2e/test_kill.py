"""Turns under SIGKILL: what was acknowledged is there, whole and once; what was not is there whole or not at all."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

import harbour as h
from lorewright.bootstrap import open_app
from lorewright.campaigns.checks import check
from lorewright.campaigns.exchange import export
from lorewright.lore_bootstrap import make_workspace
from lorewright.storage.steps import COMMIT_STEPS, IMPORT_STEPS, KILL_VARIABLE

KILLS = int(os.environ.get("LOREWRIGHT_KILLS", "100"))


def environment(root: Path) -> dict[str, str]:
    return {**os.environ, "LOREWRIGHT_WORKSPACE": str(root)}


def start(root: Path, action_id: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "lorewright", "turn", "game", "wait", "--action-id", action_id, "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(root))


@pytest.mark.slow
def test_killing_turns_at_random_moments_loses_no_acknowledged_turn_and_leaves_no_half_one(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    root = app.workspace.root
    acknowledged: dict[str, bytes] = {}
    chance = random.Random(7)
    window, killed = 0.6, 0
    for number in range(KILLS):
        action_id = f"kill{number}"
        process = start(root, action_id)
        began = time.monotonic()
        # Half of the kills fall into the last part of the run, where the writing is.
        moment = chance.uniform(0.7, 1.0) if number % 2 else chance.random()
        try:
            printed, _ = process.communicate(timeout=window * moment)
            window = time.monotonic() - began
        except subprocess.TimeoutExpired:
            process.kill()
            printed, _ = process.communicate()
            window *= 1.02
            killed += 1
        if printed.endswith(b"\n"):
            acknowledged[action_id] = printed
    assert killed >= KILLS // 4
    check_whole(root / "campaigns" / "game.db", set(acknowledged))
    for action_id, printed in list(acknowledged.items())[:5]:
        assert start(root, action_id).communicate()[0] == printed
    with app.campaigns.reading("game") as store:
        for turn in store.turns():
            assert store.state_at(turn["turn_id"]).content_hash() == turn["state_hash"]


def check_whole(path: Path, acknowledged: set[str]) -> None:
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    turns = connection.execute("SELECT * FROM turns ORDER BY turn_no").fetchall()
    campaign = connection.execute("SELECT * FROM campaigns").fetchone()
    assert [turn["turn_no"] for turn in turns] == list(range(len(turns)))
    assert all(turn["parent_id"] == before["turn_id"] for before, turn in pairwise(turns))
    assert campaign["head_turn_id"] == turns[-1]["turn_id"]
    assert campaign["revision"] == campaign["current_turn"] == len(turns) - 1
    assert acknowledged <= {turn["user_action_id"] for turn in turns}
    for turn in turns[1:]:
        key = (turn["turn_id"],)
        stages = connection.execute("SELECT stage FROM stage_records WHERE turn_id = ? ORDER BY seq", key).fetchall()
        assert [row["stage"] for row in stages] == [
            "interpreter",
            "ground",
            "validate",
            "planner",
            "resolve",
            "narrator",
        ]
        messages = connection.execute("SELECT type FROM messages WHERE turn_id = ? ORDER BY seq", key).fetchall()
        assert [row["type"] for row in messages] == ["intention", "narration"]
        assert connection.execute("SELECT count(*) FROM actions WHERE turn_id = ?", key).fetchone()[0] == 1
        assert json.loads(turn["result_json"])["turn_id"] == turn["turn_id"]
    connection.close()
    assert check(path).findings == ()


@pytest.mark.slow
def test_a_crowd_of_processes_on_one_campaign_makes_every_turn_once(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    root = app.workspace.root
    crowd = [start(root, f"crowd{number % 6}") for number in range(12)]
    printed = [process.communicate()[0] for process in crowd]
    assert all(process.returncode == 0 for process in crowd)
    check_whole(root / "campaigns" / "game.db", {f"crowd{i % 6}" for i, out in enumerate(printed) if out})
    by_action: dict[str, set[bytes]] = {}
    for number, out in enumerate(printed):
        if out:
            by_action.setdefault(f"crowd{number % 6}", set()).add(out)
    assert all(len(different) == 1 for different in by_action.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMIT_STEPS)
def test_a_turn_that_is_killed_at_a_step_of_its_commit_is_there_whole_or_not_at_all(tmp_path: Path, name: str) -> None:
    app = h.harbour(tmp_path)
    root, path = app.workspace.root, app.campaigns.path("game")
    h.say(app, "look", "take rope")
    command = [sys.executable, "-m", "lorewright", "turn", "game", "wait", "--action-id", "a1", "--json"]
    killed = subprocess.run(command, capture_output=True, env={**environment(root), KILL_VARIABLE: name})
    assert killed.returncode == -signal.SIGKILL
    assert killed.stdout == b""
    checked = check(path)
    assert checked.findings == ()
    assert checked.turns == (4 if name == COMMIT_STEPS[-1] else 3)
    again = json.loads(start(root, "a1").communicate()[0])
    assert again["turn_no"] == 3
    assert check(path).turns == 4


@pytest.mark.slow
@pytest.mark.parametrize("name", IMPORT_STEPS)
def test_an_import_that_is_killed_at_a_step_has_imported_all_or_nothing(tmp_path: Path, name: str) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look", "take rope")
    export(app.campaigns, "game", tmp_path / "file")
    away = tmp_path / "away"
    make_workspace(away)
    command = [sys.executable, "-m", "lorewright", "campaign", "import", str(tmp_path / "file")]
    killed = subprocess.run(command, capture_output=True, env={**environment(away), KILL_VARIABLE: name})
    assert killed.returncode == -signal.SIGKILL
    there = open_app(away).campaigns
    assert there.ids() == (["game"] if name == IMPORT_STEPS[-1] else [])
    again = subprocess.run(command, capture_output=True, text=True, env=environment(away))
    assert (again.returncode == 0) is (name != IMPORT_STEPS[-1]), again.stderr
    assert check(there.path("game"), there.kept).findings == ()
    assert check(there.path("game")).turns == 3
