"""The step to take next: towards an ending that somebody may want, else towards what is nearest; the same every time."""

from __future__ import annotations

from pathlib import Path

from lorewright.campaigns.solver.next_step import find_next_step
from lorewright.turn.run.dry_run import DryRun, Step
from support import harbour as h

SAILED = """    endings:
      sailed: {say: "Out she goes.", when: {all: [{at: quay}, {has: hatch_key}]}}"""


def next_step(tmp_path: Path, *played: str, scenario: str = h.SCENARIO) -> Step | None:
    with h.harbour(tmp_path, played=played, scenario=scenario).campaigns.open("game") as campaign:
        setting, state = campaign.setting, campaign.store.head().state
        run = DryRun(setting.rules, setting.generations)
        found = find_next_step(run, state)
        assert found == find_next_step(DryRun(setting.rules, setting.generations), state)
        return found


def test_what_an_ending_needs_and_lies_here_comes_before_the_way_there(tmp_path: Path) -> None:
    scenario = h.SCENARIO.replace("    endings:", SAILED)
    assert next_step(tmp_path, scenario=scenario) == Step("search under the counter")
    assert next_step(tmp_path / "later", "search under the counter", scenario=scenario) == Step("go door")


def test_an_ending_that_comes_when_a_clock_is_full_is_nobodys_goal(tmp_path: Path) -> None:
    """The only ending of the harbour's story is to run; the letter is nearest."""
    assert next_step(tmp_path) == Step("search under the counter")


def test_where_nothing_will_do_there_is_none(tmp_path: Path) -> None:
    with h.harbour(tmp_path).campaigns.open("game") as campaign:
        run = DryRun(campaign.setting.rules, campaign.setting.generations)
        assert find_next_step(run, campaign.store.head().state, accepts=lambda step: False) is None


def test_once_the_story_has_ended_there_is_none(tmp_path: Path) -> None:
    with h.harbour(tmp_path).campaigns.open("game") as campaign:
        run = DryRun(campaign.setting.rules, campaign.setting.generations)
        ended = campaign.store.head().state.model_copy(update={"ended": "fled"})
        assert find_next_step(run, ended) is None
