"""Turns under SIGKILL: what was acknowledged is there, whole and once; what was not is there whole or not at all."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.campaigns.checks import check
from lorewright.campaigns.exchange import export
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.storage.faults import COMMIT_STEPS, IMPORT_STEPS, KILL_VARIABLE, REWIND_STEPS
from support import crashed_campaigns
from support import harbour as h
from support.forked_commands import Commands
from support.scale import scaled
from support.tally import counted

pytestmark = [pytest.mark.campaign, pytest.mark.trust]

KILLS = scaled(20)


@pytest.fixture(scope="module")
def commands() -> Iterator[Commands]:
    one = Commands({})
    yield one
    one.close()


def test_whoever_is_killed_at_any_moment_loses_nothing_that_was_acknowledged_and_leaves_nothing_half_done(
    tmp_path: Path,
) -> None:
    report = crashed_campaigns.run(tmp_path, kills=KILLS)
    assert report.wrong == []
    assert report.killed["at random"] == KILLS
    assert all(report.killed[name] for name in (*COMMIT_STEPS, *REWIND_STEPS, *IMPORT_STEPS))
    # Some were killed after what they did was done and before they could say so, some before.
    assert all(report.under_way[how] for how in ("done", "not done"))
    assert report.acknowledged["turn"] > KILLS
    counted("kills", "turns, rewinds, imports", report.killed.total(), acknowledged=report.acknowledged.total())


def test_a_crowd_of_processes_on_one_campaign_makes_every_turn_once(commands: Commands, tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    turns = [("turn", "game", "wait", "--action-id", f"crowd{number % 6}", "--json") for number in range(12)]
    crowd = commands.run_at_once(app.workspace.root, turns)
    assert [one.code for one in crowd] == [0] * len(crowd)
    checked = check(app.campaigns.path("game"))
    assert (checked.turns, checked.findings) == (7, ())
    by_action: dict[int, set[str]] = {}
    for number, one in enumerate(crowd):
        by_action.setdefault(number % 6, set()).add(one.out)
    assert all(len(different) == 1 for different in by_action.values())


@pytest.mark.parametrize("name", COMMIT_STEPS)
def test_a_turn_that_is_killed_at_a_step_of_its_commit_is_there_whole_or_not_at_all(
    commands: Commands, tmp_path: Path, name: str
) -> None:
    app = h.harbour(tmp_path)
    root, path = app.workspace.root, app.campaigns.path("game")
    h.say(app, "look", "take rope")
    words = ("turn", "game", "wait", "--action-id", "a1", "--json")
    killed = commands.run(root, *words, **{KILL_VARIABLE: name})
    assert (killed.code, killed.out) == (-signal.SIGKILL, "")
    checked = check(path)
    assert checked.findings == ()
    assert checked.turns == (4 if name == COMMIT_STEPS[-1] else 3)
    again = json.loads(commands.run(root, *words).out)
    assert again["turn_no"] == 3
    assert check(path).turns == 4


@pytest.mark.parametrize("name", IMPORT_STEPS)
def test_an_import_that_is_killed_at_a_step_has_imported_all_or_nothing(
    commands: Commands, tmp_path: Path, name: str
) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look", "take rope")
    export(app.campaigns, "game", tmp_path / "file")
    away = tmp_path / "away"
    make_empty_workspace(away)
    words = ("campaign", "import", str(tmp_path / "file"))
    assert commands.run(away, *words, **{KILL_VARIABLE: name}).code == -signal.SIGKILL
    there = open_app(away).campaigns
    assert there.ids() == (["game"] if name == IMPORT_STEPS[-1] else [])
    again = commands.run(away, *words)
    assert (again.code == 0) is (name != IMPORT_STEPS[-1]), again.err
    assert check(there.path("game"), there.kept).findings == ()
    assert check(there.path("game")).turns == 3
