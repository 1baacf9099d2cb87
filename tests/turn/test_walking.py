"""`go to` a place that is known walks there, step by step, and stops where something happens."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.replay.metrics import ALL_TURNS
from lorewright.turn.store.turn_store import undo
from lorewright.world.ops import SetDoor
from support import harbour as h

# The tavern, the quay, the mole, the lamp: one behind the other.
CHAIN = (
    "quay: {exits: {tavern: {to: tavern, minutes: 3}}}",
    """quay: {exits: {tavern: {to: tavern, minutes: 3}, mole: {to: mole, minutes: 4}}}
      mole: {name: the mole, exits: {quay: {to: quay, minutes: 4}, lamp: {to: lamp, minutes: 5}}}
      lamp: {name: the old lamp, exits: {mole: {to: mole, minutes: 5}}}""",
)
WAVE = (
    "rules:",
    """rules:
      - {id: wave, on: {act: go, target: mole}, when: {clock: dread, min: 1}, say: {success: A wave comes over it.}}
      - {id: lamp, on: {act: go, target: lamp}, success: [{clock: dread}]}""",
)
GATE = (
    ("tavern: {to: tavern, minutes: 3}, mole", "tavern: {to: tavern, minutes: 3, via: gate}, mole"),
    ("door: {to: quay, minutes: 3}", "door: {to: quay, minutes: 3, via: gate}"),
    (
        "hatch_key: {name: rusty key}",
        "hatch_key: {name: rusty key}\n      gate: {name: iron gate, kind: door, at: [tavern, quay], key: hatch_key}",
    ),
)


def chained(folder: Path, *changes: tuple[str, str], come: bool = True) -> App:
    """Return an app with a campaign that has come to the old lamp, the last place of four in a row."""
    scenario = h.SCENARIO
    for old, new in (CHAIN, *changes):
        assert old in scenario
        scenario = scenario.replace(old, new)
    return h.harbour(folder, scenario=scenario, played=("go door", "go mole", "go lamp") if come else ())


@pytest.fixture
def app(tmp_path: Path) -> App:
    """Return an app with such a campaign."""
    return chained(tmp_path)


@pytest.fixture
def wavy(tmp_path: Path) -> App:
    """Return one where a wave comes over the mole once somebody has been to the lamp."""
    return chained(tmp_path, WAVE)


@pytest.fixture
def gated(tmp_path: Path) -> App:
    """Return one with a gate between the tavern and the quay."""
    return chained(tmp_path, *GATE)


def place(app: App) -> str:
    with app.campaigns.reading("game") as store:
        return store.head().state.scene.location_id


def minutes(app: App) -> int:
    with app.campaigns.reading("game") as store:
        return store.head().state.minutes


def test_a_known_place_is_walked_to_in_one_turn(app: App) -> None:
    before = minutes(app)
    (result,) = h.say(app, "go to the tavern")
    assert place(app) == "harbour:tavern"
    assert minutes(app) - before == 5 + 4 + 3
    assert [judged["success"] for judged in result["validation"]["results"]] == [True] * 3
    assert result["turn_no"] == 4


@pytest.mark.parametrize("line", ["walk back to the tavern", "return to the tavern", "tavern", "back to the tavern"])
def test_a_walk_is_understood_in_several_words(line: str, app: App) -> None:
    h.say(app, line)
    assert place(app) == "harbour:tavern"


def test_a_walk_and_what_is_done_then_are_one_turn(app: App) -> None:
    (result,) = h.say(app, "go to the tavern and search it")
    assert place(app) == "harbour:tavern"
    assert len(result["validation"]["results"]) == 4


def test_the_walk_is_taken_back_whole_and_replayed_alike(app: App) -> None:
    h.say(app, "go to the tavern")
    replay = asyncio.run(app.replays.rerun_turns("game", ALL_TURNS, None))
    assert replay.is_identical
    with app.campaigns.open("game") as campaign:
        undo(campaign.store)
    assert place(app) == "game:lamp"


def test_a_walk_that_another_version_recorded_goes_as_it_went(app: App) -> None:
    h.say(app, "go to the tavern")
    with closing(sqlite3.connect(app.campaigns.path("game"))) as connection, connection:
        connection.execute("UPDATE stage_records SET builtin_version = 77 WHERE stage IN ('interpreter', 'steps')")
    assert asyncio.run(app.replays.rerun_turns("game", ALL_TURNS, None)).is_identical


def test_a_turn_of_a_version_without_walks_has_none(app: App) -> None:
    h.say(app, "go to the tavern")
    with closing(sqlite3.connect(app.campaigns.path("game"))) as connection, connection:
        connection.execute("UPDATE stage_records SET builtin_version = 1 WHERE stage = 'interpreter'")
        connection.execute("DELETE FROM stage_records WHERE stage = 'steps'")
    *_, last = asyncio.run(app.replays.rerun_turns("game", ALL_TURNS, None)).turns
    assert "steps" not in {difference.stage for difference in last.differences}
    assert not last.is_identical


def test_a_walk_ends_where_something_happens(wavy: App) -> None:
    (result,) = h.say(wavy, "go to the tavern")
    assert "A wave comes over it." in result["final_text"]
    assert place(wavy) == "game:mole"
    h.say(wavy, "go to the tavern")
    assert place(wavy) == "harbour:tavern"


def test_a_walk_ends_at_a_door_that_was_locked_meanwhile(gated: App) -> None:
    with gated.campaigns.open("game") as campaign:
        campaign.edit((SetDoor(door_id="game:gate", locked=True),), action_id="locked")
    (result,) = h.say(gated, "go to the tavern")
    assert place(gated) == "harbour:quay"
    assert [judged["reason"] for judged in result["validation"]["results"]] == [None, None, "door_locked"]


def test_nobody_walks_through_what_they_have_not_seen(tmp_path: Path) -> None:
    app = chained(tmp_path, come=False)
    h.say(app, "go to the old lamp")
    assert place(app) == "harbour:tavern"


def test_a_knock_after_a_walk_is_at_the_door_that_ends_it(gated: App) -> None:
    with gated.campaigns.open("game") as campaign:
        campaign.edit((SetDoor(door_id="game:gate", locked=True),), action_id="locked")
    (result,) = h.say(gated, "go to the tavern and knock")
    assert place(gated) == "harbour:quay"
    assert [judged["success"] for judged in result["validation"]["results"]] == [True] * 3
    assert result["actions"][-1]["target_id"] == "game:gate"
