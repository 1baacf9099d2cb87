"""Lines for the game master: what to type next from the head of a campaign."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.solver.next_lines import NextLines, find_next_lines
from lorewright.rules.patch import Patch
from lorewright.turn.run.dry_run import DryRun, Step
from lorewright.world.state import WorldState
from support import harbour as h


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[OpenCampaign]:
    with h.harbour(tmp_path).campaigns.open("game") as opened:
        yield opened


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines that are tried from now on."""
    lines: list[str] = []
    try_step = DryRun.try_step

    def noted(run: DryRun, state: WorldState, step: Step) -> Patch | None:
        lines.append(step.line)
        return try_step(run, state, step)

    monkeypatch.setattr(DryRun, "try_step", noted)
    return lines


def shown(found: tuple[NextLines, ...]) -> dict[str, list[str]]:
    return {
        f"{suggestion.goal.kind} {suggestion.goal.name}": [str(step) for step in suggestion.steps]
        for suggestion in found
    }


def test_from_the_head_the_goals_that_are_near_are_told_with_their_lines(campaign: OpenCampaign) -> None:
    state = campaign.store.head().state
    found = find_next_lines(campaign.setting, state, kinds=("discoverable", "place", "person"), seconds=60, lines=500)
    assert shown(found) == {
        "discoverable harbour:tavern:discoverable#letter": ["search under the counter"],
        "place The Quay": ["go door"],
        "person Bea": ["go door"],
    }


def test_what_is_reached_already_is_not_told_again(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=("search under the counter", "go door"))
    with app.campaigns.open("game") as campaign:
        state = campaign.store.head().state
        found = find_next_lines(campaign.setting, state, kinds=("discoverable", "place"), seconds=60, lines=500)
    assert shown(found) == {"place The Tavern": ["go tavern"]}


@pytest.mark.parametrize("lines", [0, 1, 5])
def test_the_search_stops_after_so_many_lines(lines: int, campaign: OpenCampaign, tried: list[str]) -> None:
    find_next_lines(campaign.setting, campaign.store.head().state, seconds=60, lines=lines)
    assert len(tried) == lines


def test_the_search_stops_at_the_first_line_after_its_seconds(campaign: OpenCampaign, tried: list[str]) -> None:
    """A second goes by each time that the clock is asked: the search asks before each line."""
    ticks = count()
    find_next_lines(campaign.setting, campaign.store.head().state, seconds=20, clock=lambda: float(next(ticks)))
    assert 0 < len(tried) < 20
    assert next(ticks) < 60


def test_a_search_leaves_the_campaign_as_it_was(campaign: OpenCampaign) -> None:
    head, path = campaign.store.head(), campaign.store.path()
    find_next_lines(campaign.setting, head.state, seconds=60, lines=100)
    assert campaign.store.head() == head
    assert campaign.store.path() == path
    assert campaign.setting.rules.profile == "freeform"


def test_where_the_story_is_over_there_is_nothing_to_type(campaign: OpenCampaign) -> None:
    state = campaign.store.head().state.with_fields(ended="fled")
    assert find_next_lines(campaign.setting, state, seconds=60) == ()
