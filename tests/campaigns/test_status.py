"""The status tells place, time and the clocks that a player knows of; the opening, what a player has to know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.scenarios.scenario import load_scenario
from lorewright.campaigns.status import PlayerStatus, introduction_of, player_status, status_of
from lorewright.errors import ScenarioError
from lorewright.world.ops import AdvanceTime, StateOp, TickClock
from support import harbour as h
from support import small_world as w


def status(*ops: StateOp, moved: dict[str, int] | None = None, **scenario: Any) -> PlayerStatus:
    clocks = {w.HEAT: {"max": 6}, w.DOOM: {"max": 4}}
    return player_status(w.after(w.small_world(), *ops), {"clocks": clocks, **scenario}, moved=moved)


@pytest.mark.parametrize(("minutes", "time"), [(0, ""), (5, "5 min"), (65, "1 h 05 min"), (600, "10 h 00 min")])
def test_without_a_time_of_day_it_says_how_much_has_passed(minutes: int, time: str) -> None:
    ops = [AdvanceTime(minutes=minutes)] if minutes else []
    assert status(*ops).time == time


@pytest.mark.parametrize(("minutes", "time"), [(1, "21:31"), (150, "00:00"), (1440, "21:30")])
def test_the_time_of_day_goes_on_with_the_minutes(minutes: int, time: str) -> None:
    assert status(AdvanceTime(minutes=minutes), begins="21:30").time == time


@pytest.mark.parametrize(
    ("minutes", "steps", "time"),
    [(1, 0, "22:01"), (500, 0, "23:59"), (1, 1, "00:00"), (130, 1, "00:10"), (1, 4, "06:00"), (999, 4, "06:00")],
)
def test_a_clock_that_counts_until_an_hour_leads(minutes: int, steps: int, time: str) -> None:
    clocks = {w.DOOM: {"max": 4, "until": "06:00"}}
    ops = [AdvanceTime(minutes=minutes), *([TickClock(clock_id=w.DOOM, delta=steps)] if steps else [])]
    assert status(*ops, begins="22:00", clocks=clocks).time == time


def test_a_clock_is_shown_once_it_has_moved_or_when_it_was_explained() -> None:
    assert status().clocks == ()
    assert [clock.name for clock in status(TickClock(clock_id=w.HEAT, delta=1)).clocks] == ["Heat"]
    clocks = {w.HEAT: {"max": 6}, w.DOOM: {"max": 4, "means": "the end"}}
    assert [clock.name for clock in status(clocks=clocks).clocks] == ["Doom"]
    (heat,) = status(moved={w.HEAT: -2}).clocks
    assert (heat.value, heat.max, heat.change) == (0, 6, -2)


CLOCKS = "    clocks:\n      dread: {means: somebody comes up the stairs, name: Dread"


@pytest.fixture
def app(tmp_path: Path) -> App:
    root = h.write_workspace(tmp_path / "workspace")
    scenario = h.SCENARIO.replace("    clocks:\n      dread: {name: Dread", CLOCKS)
    scenario = scenario.replace("    start: tavern", "    start: tavern\n    goals: {player: Find Lin., osk: Sleep.}")
    (root / "scenarios" / "night_boat.yaml").write_text(h.dedent(scenario), encoding="utf-8")
    made = open_app(root)
    made.campaigns.new("night_boat", campaign_id="game", seed=1)
    return made


def test_the_opening_says_who_one_is_what_one_wants_and_what_clocks_mean(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        assert introduction_of(campaign) == [
            "You are Ada: charm +1. You carry the lantern.",
            "What you want: Find Lin.",
            "Dread 0 to 3: somebody comes up the stairs",
        ]
        shown = status_of(campaign)
        assert (shown.place, shown.time, [clock.name for clock in shown.clocks]) == ("The Tavern", "", ["Dread"])


def test_a_clock_cannot_count_until_an_hour_from_nowhere(app: App) -> None:
    path = app.campaigns.scenario_path("night_boat")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("name: Dread", "name: Dread, until: '06:00'"), encoding="utf-8")
    with pytest.raises(ScenarioError, match="begins"):
        load_scenario(path)
    path.write_text(text.replace("start: tavern", "start: tavern\nbegins: '25:00'"), encoding="utf-8")
    with pytest.raises(ScenarioError):
        load_scenario(path)
