"""What a pack says under `## Threads` is the planner's while the thread is open, and becomes plain to a player who asks
or searches where the thread is touched."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.llm.doubles import ScriptedModel
from lorewright.lore_bootstrap import make_workspace
from lorewright.replay.metrics import ALL_TURNS
from lorewright.turn.stages.plan.context import planner_context
from lorewright.values.records import NarratorInput, PlannerInput
from support import harbour as h

OSK, TAVERN = "Osk has asked nobody about the bird seller.", "Her empty cage hangs above the stove in the tavern."
FILES = {
    **h.FILES,
    "npcs/osk.md": h.FILES["npcs/osk.md"].rstrip()
    + f"\n\n        ## Threads\n\n        - {{#lost}} {OSK}\n        - {{#rent}} Osk owes three months of rent.\n",
    "locations/tavern.md": h.FILES["locations/tavern.md"].rstrip()
    + f"\n\n        ## Threads\n\n        - {{#lost}} {TAVERN}\n",
}


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path, files=FILES)


def given(app: App, stage: str) -> Any:
    """The last input of a stage."""
    with app.campaigns.open("game") as campaign:
        turns = campaign.store.turns()
        kept = [record for turn in turns for record in campaign.store.stage_records(turn["turn_id"])]
    return [record["input"] for record in kept if record["stage"] == stage][-1]


def test_the_planner_has_it_while_the_thread_is_open_and_the_narrator_only_what_was_learned(app: App) -> None:
    h.say(app, "look")
    planned = planner_context(PlannerInput.model_validate(given(app, "planner"))).threads
    assert OSK in planned[0] and TAVERN in planned[0]
    assert "rent" not in json.dumps(given(app, "planner")["packet"]["lore_context"])
    assert OSK not in json.dumps(given(app, "narrator"))


def test_a_question_that_touches_it_makes_it_plain(app: App) -> None:
    answer = h.say(app, "ask Osk about Lin")[0]
    assert OSK in answer["final_text"]
    narrated = NarratorInput.model_validate(given(app, "narrator"))
    assert narrated.packet.lore_context.scene.thread_connections == {"lost": OSK}
    with app.campaigns.reading("game") as store:
        state = store.head().state
        assert state.reveals[state.player_id]["harbour:osk:threads#lost"].how == "noticed"
    assert OSK not in h.say(app, "ask Osk about Lin")[0]["final_text"]


def test_a_question_about_something_else_does_not(app: App) -> None:
    assert OSK not in h.say(app, "ask Osk about the weather")[0]["final_text"]


def test_a_search_makes_that_of_the_place_plain(app: App) -> None:
    assert TAVERN in h.say(app, "search the tavern")[0]["final_text"]


def test_a_thread_that_is_closed_gives_nothing_more(tmp_path: Path) -> None:
    scenario = h.SCENARIO.replace(
        "    rules:\n",
        "    rules:\n      - on: {act: take, target: rope}\n        success: [{thread: lost, status: cold}]\n",
        1,
    )
    app = h.harbour(tmp_path, files=FILES, scenario=scenario)
    said = h.say(app, "take rope", "ask Osk about Lin")
    assert OSK not in said[-1]["final_text"]
    assert OSK not in json.dumps(given(app, "planner"))


def test_a_note_of_the_planner_that_quotes_it_goes_no_further(tmp_path: Path) -> None:
    plan = {"beats": [OSK, "Let the fiddle stop."], "tension_move": "", "next_suggestions": []}
    app = h.harbour(tmp_path, files=FILES, models={"planner": ScriptedModel([json.dumps(plan)])})
    h.say(app, "look")
    assert given(app, "narrator")["plan"]["beats"] == ["Let the fiddle stop."]


def test_a_turn_of_before_is_replayed_as_it_was(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        campaign.change_setting(lore=None)
        told = json.loads(asyncio.run(campaign.submit("ask Osk about Lin")))
    assert OSK not in told["final_text"]
    found = asyncio.run(app.replays.rerun_turns("game", ALL_TURNS, {}))
    assert found.is_identical
    assert not [difference for turn in found.turns for difference in turn.differences]


@pytest.mark.campaign
def test_dead_drop_shows_one(tmp_path: Path) -> None:
    make_workspace(tmp_path)
    app = open_app(tmp_path)
    app.campaigns.new("dead_drop", campaign_id="game", seed=1)
    assert "Nobody on the level admits to having spoken with Jin" in h.say(app, "ask Viktor about Jin")[0]["final_text"]
