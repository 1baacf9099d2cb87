"""One scripted play per ruleset, without a model: what is done, judged, rolled, changed and reported is as it was.

To write the goldens anew after a change that is meant: LOREWRIGHT_WRITE_GOLDENS=1, and read the difference.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from lorewright.campaigns.scenarios.rulesets import ruleset_names
from lorewright.world.state import WorldState
from support import harbour as h
from support import parlour as p

SCRIPTS: dict[str, tuple[int, tuple[str, ...]]] = {
    "freeform": (
        3,
        ("look", "ask lena about the clock", "persuade lena to stay", "threaten tom", "attack tom", "go hall"),
    ),
    "freeform-d20": (2, ("persuade lena to stay", "threaten tom", "persuade tom to go", "push tom", "go hall")),
    "everyday-tension": (
        8,
        (
            *("persuade lena to stay", "threaten tom", "charm lena", "push tom"),
            *("ask lena about the clock", "threaten tom", "push tom", "look"),
        ),
    ),
    "inner-chorus": (
        11,
        (
            *("persuade lena to stay", "threaten tom", "sneak to the hall", "go parlour", "hug lena", "attack tom"),
            *("ask tom about the train", "threaten lena", "search the sofa"),
        ),
    ),
    "seven-minutes": (
        11,
        (
            *("persuade lena to stay", "flirt with lena", "attack tom", "ask lena about the clock", "kiss lena"),
            *("persuade lena to stay", "wait", "persuade lena"),
        ),
    ),
}


def play(root: Path, ruleset: str) -> tuple[list[dict[str, Any]], WorldState]:
    seed, lines = SCRIPTS[ruleset]
    app = p.begun(root, ruleset, seed=seed)
    h.say(app, *lines)
    with app.campaigns.reading("game") as store:
        return p.played(app), store.head().state


def events(turns: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event["details"] for turn in turns for event in turn["events"] if event["type"] == kind]


def test_every_ruleset_that_ships_has_a_play() -> None:
    played_elsewhere = {"tic-tac-toe"}  # a domain of its own: test_domain_plays.py
    assert {*SCRIPTS, *played_elsewhere} == set(ruleset_names())


@pytest.mark.parametrize("ruleset", SCRIPTS)
def test_the_play_of_a_ruleset_goes_as_it_went(ruleset: str, tmp_path: Path) -> None:
    turns, _ = play(tmp_path / "workspace", ruleset)
    golden = p.FIXTURES / "plays" / f"{ruleset}.json"
    if os.environ.get("LOREWRIGHT_WRITE_GOLDENS"):
        golden.write_text(json.dumps(turns, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert len(turns) == len(SCRIPTS[ruleset][1])
    assert turns == json.loads(golden.read_text(encoding="utf-8"))


def test_everyday_tension_shifts_the_scene_when_the_pressure_is_full(tmp_path: Path) -> None:
    turns, after = play(tmp_path / "workspace", "everyday-tension")
    assert [one["turning"] for one in events(turns, "triggered")] == ["call_interrupts"]
    assert after.ruleset is not None
    assert (after.ruleset.value("shifts"), after.ruleset.value("pressure_clock")) == (1, 0)


@pytest.mark.campaign
def test_everyday_tension_rolls_for_a_question_only_when_there_is_much_in_the_air(tmp_path: Path) -> None:
    turns, _ = play(tmp_path / "workspace", "everyday-tension")
    assert [len(turn["rolls"]) for turn in turns if turn["line"].startswith("ask")] == [1]
    app = p.begun(tmp_path / "calm", "everyday-tension")
    h.say(app, "ask lena about the clock")
    assert p.played(app)[0]["rolls"] == []


@pytest.mark.campaign
def test_in_the_inner_chorus_a_voice_overrides_and_a_louder_one_cuts_in(tmp_path: Path) -> None:
    turns, _ = play(tmp_path / "workspace", "inner-chorus")
    changed = [one["after"] for one in events(turns, "path_changed") if one["path"] == "scene.overridden"]
    assert True in changed
    assert events(turns, "stat_spoke_up") == [{"stat": "rhetoric", "over": "perception"}]


def test_seven_minutes_count_down_and_end_the_scene(tmp_path: Path) -> None:
    turns, after = play(tmp_path / "workspace", "seven-minutes")
    left = [one["after"] for one in events(turns, "path_changed") if one["path"] == "scene.minutes_left"]
    assert left == [6, 5, 4, 3, 2, 1, 0]
    assert after.ended == "over"
    assert {(roll["expression"], roll["modifier"]) for turn in turns for roll in turn["rolls"]} == {("1d20", 6)}


def test_blows_are_no_part_of_seven_minutes(tmp_path: Path) -> None:
    turns, _ = play(tmp_path / "workspace", "seven-minutes")
    assert events(turns, "action_blocked") == [{"action": 0, "reason": "unknown_action"}]
