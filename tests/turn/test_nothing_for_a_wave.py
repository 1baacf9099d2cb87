"""No gesture, civility or small talk is paid for with lore: plays of the shipped scenarios, line after line of them."""

from __future__ import annotations

import asyncio
import itertools
import random
from pathlib import Path

import pytest

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.values.records import TurnResult
from support.played_scenarios import begun
from support.scale import scaled
from support.small_talk_lines import lines_for

pytestmark = pytest.mark.campaign

SCENARIOS = ("dead_drop", "night_desk", "lamp_night", "lost_property", "seven_minutes")
# Where the people are, if nobody is at the start.
WAYS = {"night_desk": "go lot"}


# Where people go away as the evening goes on, it is begun again; before that so many lines are said at least.
FEWEST = 5


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_thousand_lines_of_gestures_and_small_talk_open_and_tell_nothing(scenario: str, tmp_path: Path) -> None:
    chance, left = random.Random(scenario), scaled(1000 // len(SCENARIOS))
    most = left // FEWEST + 1
    for number in range(most):
        with begun(scenario, tmp_path / str(number)) as game:
            if scenario in WAYS:
                submitted(game, WAYS[scenario])
            people = [game.store.head().state.name_of(who) for who in game.store.head().state.present_npcs()]
            for line in itertools.islice(lines_for(people, chance), left):
                state = game.store.head().state
                if state.ended is not None or not state.present_npcs():
                    break
                left -= 1
                result = submitted(game, line)
                # What somebody of the cast says of their own accord is not told for the line, and stands in other records.
                resolved = game.store.stage_output(result.turn_id, "resolve") or {"outcomes": ()}
                assert {one["code"] for one in resolved["outcomes"]} <= {"acted", "blocked"}, line
                assert [one for one in resolved["outcomes"] if one["item_ids"] or one["known_item_ids"]] == [], line
        if not left:
            break
    assert not left, "people went away too soon for this to tell anything"


def submitted(game: OpenCampaign, line: str) -> TurnResult:
    return TurnResult.model_validate_json(asyncio.run(game.submit(line)))
