"""A hint is plainer each time it is asked for, the same for the same state, and tells nothing that is kept back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.solver.hints import HintLadder, clock_meanings, goal_lines, hint_of, player_goal
from lorewright.values.records import TurnResult
from support import harbour as h

TAGGED = "What you have let be seen. When it is full, nobody on the quay knows you."


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[OpenCampaign]:
    with h.harbour(tmp_path).campaigns.open("game") as opened:
        yield opened


def test_three_steps_lead_from_a_nudge_to_the_line_to_type(campaign: OpenCampaign) -> None:
    ladder = HintLadder()
    nudge, direction, answer = (ladder.next(campaign) for _ in range(3))
    assert len({nudge, direction, answer}) == 3
    assert answer.startswith("Type: ")
    assert ladder.next(campaign) == answer


def test_the_line_to_type_works(campaign: OpenCampaign) -> None:
    line = hint_of(campaign).line
    result = TurnResult.model_validate_json(asyncio.run(campaign.submit(line)))
    assert result.clarification_question is None
    assert all(judged.success for judged in result.validation.results)


def test_the_same_state_gives_the_same_hint_and_asking_is_no_turn(campaign: OpenCampaign) -> None:
    before = campaign.store.position()
    assert hint_of(campaign) == hint_of(campaign)
    assert campaign.store.position() == before


def test_where_the_state_moves_on_the_ladder_begins_anew(campaign: OpenCampaign) -> None:
    ladder = HintLadder()
    for _ in range(3):
        ladder.next(campaign)
    asyncio.run(campaign.submit(hint_of(campaign).line))
    assert ladder.next(campaign) == hint_of(campaign).nudge


def test_no_step_quotes_what_is_kept_back(campaign: OpenCampaign) -> None:
    for _ in range(8):
        if campaign.store.head().state.ended is not None:
            break
        hint = hint_of(campaign)
        learned = campaign.store.head().state.learned_by(campaign.store.head().state.player_id)
        for pack in campaign.setting.generations:
            for chunk in pack.all_chunks():
                for item in pack.items_of(chunk.row):
                    if item.id not in learned:
                        assert item.text not in " ".join((hint.nudge, hint.direction, hint.line))
        if not hint.line:
            break
        asyncio.run(campaign.submit(hint.line))


def test_the_vaguer_steps_say_no_name_that_was_not_heard(campaign: OpenCampaign) -> None:
    knows, hint = campaign.acquaintance(), hint_of(campaign)
    heard = knows.heard_of()
    unheard = [entity.name for entity in knows.state.entities.values() if entity.id not in heard]
    assert not any(name in text for name in unheard for text in (hint.nudge, hint.direction))


def test_in_a_turn_a_call_for_a_hint_is_answered_with_the_nudge(campaign: OpenCampaign) -> None:
    nudge, options = hint_of(campaign).nudge, campaign.store.head().options
    result = TurnResult.model_validate_json(asyncio.run(campaign.submit("give me a hint")))
    assert result.final_text.startswith(nudge)
    assert result.clarification_question is None
    assert result.suggested_actions == options


def begun(tmp_path: Path, *edits: tuple[str, str]) -> App:
    """The harbour's story with some lines of its scenario written otherwise."""
    scenario = h.SCENARIO
    for before, after in edits:
        assert before in scenario
        scenario = scenario.replace(before, after)
    return h.harbour(tmp_path, scenario=scenario)


GOALS = """start: tavern
    goals: {player: Find Lin., bo: Sell the boat.}
    personas: {bo: {name: Bo, at: tavern}}"""


def test_the_goal_is_that_of_the_persona_who_is_played(tmp_path: Path) -> None:
    app = begun(tmp_path, ("start: tavern", GOALS))
    with app.campaigns.open("game") as opened:
        assert player_goal(opened) == "Find Lin."
        asyncio.run(opened.submit("wait", persona="Bo"))
        assert player_goal(opened) == "Sell the boat."


def test_where_nobody_wants_anything_that_is_said(campaign: OpenCampaign) -> None:
    assert player_goal(campaign) == ""
    assert goal_lines(campaign)[0].startswith("Nobody has told you")


def test_a_clock_is_shown_with_what_the_scenario_says_of_it(tmp_path: Path) -> None:
    app = begun(tmp_path, ("{name: Dread,", f'{{name: Dread, means: "{TAGGED}",'))
    with app.campaigns.open("game") as opened:
        (dread,) = clock_meanings(opened)
        assert (dread.id, dread.value, dread.means) == ("dread", 0, TAGGED)
        assert goal_lines(opened)[-1] == f"Dread 0/3: {TAGGED}"


def test_what_a_clock_means_changes_no_state(tmp_path: Path) -> None:
    """Campaigns of scenarios without it go on as they were."""
    hashes = set()
    for name, edits in (("plain", ()), ("explained", (("{name: Dread,", f'{{name: Dread, means: "{TAGGED}",'),))):
        with begun(tmp_path / name, *edits).campaigns.open("game") as opened:
            hashes.add(opened.store.head().state.content_hash())
    assert len(hashes) == 1


def test_a_clock_of_which_nothing_is_said_is_shown_once_it_has_moved(campaign: OpenCampaign) -> None:
    assert clock_meanings(campaign) == ()
