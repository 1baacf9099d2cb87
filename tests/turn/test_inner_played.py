"""Inner life in play: it moves by what is meant, beside the narration, in the one turn; what is unsure waits; taken back
it never was."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, prompt_library
from lorewright.campaigns.history import Histories
from lorewright.campaigns.reviews import decide, waiting
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import Model
from lorewright.replay.replay import Replays
from lorewright.turn.store.turn_store import undo
from lorewright.world.state import WorldState
from support import harbour as h

OSK = "harbour:osk"
OSK_STATES = "{mood: {value: sullen}, rage: {value: 2, level: 4}}"
SCENARIO = (
    h.dedent(h.SCENARIO)
    .replace("player: {name: Ada,", "player: {name: Ada, states: {morality: {value: 5, level: 7}},")
    .replace("osk: {at: tavern}", f"osk: {{at: tavern, baked: true, states: {OSK_STATES}}}")
    + "profile: stream\n"
)


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path, scenario=SCENARIO)


def state_of(app: App) -> WorldState:
    with app.campaigns.reading("game") as store:
        return store.head().state


def felt(app: App, who: str) -> dict[str, Any]:
    return {name: one.value for name, one in state_of(app).characters[who].states.items()}


def player(app: App) -> str:
    return state_of(app).player_id


def with_models(app: App, **models: Model) -> App:
    return h.with_models(app, models)


def changes(*made: dict[str, Any]) -> dict[str, Any]:
    return {"changes": list(made)}


def test_a_threat_costs_its_maker_whatever_comes_of_it(app: App) -> None:
    h.say(app, "threaten osk")
    assert felt(app, player(app)) == {"mood": "hard", "morality": 4}


def test_looking_around_costs_nothing(app: App) -> None:
    h.say(app, "look")
    assert felt(app, player(app)) == {"morality": 5}


def test_the_extractors_are_recorded_after_the_narration_that_they_run_beside(app: App) -> None:
    h.say(app, "threaten osk")
    with app.campaigns.reading("game") as store:
        stages = [record["stage"] for record in store.stage_records(store.turns()[-1]["turn_id"])]
    own = stages.index("narrator")
    assert stages[own : own + 3] == ["narrator", "persona_extractor", "inner_writes"]
    theirs = stages.index("npc_intent")
    assert "character_extractor" in stages[theirs:]


def test_an_extractor_is_shown_nothing_of_the_round_that_it_runs_in(app: App) -> None:
    model = ScriptedModel([changes(), changes()])
    told = h.say(with_models(app, persona_extractor=model), "look", "threaten osk")
    first, second = (request.text for request in model.requests)
    assert told[0]["final_text"][:60] not in first
    assert told[0]["final_text"][:60] in second
    assert told[1]["final_text"][:60] not in second
    assert "threaten osk" in second


def test_what_a_character_extractor_is_not_sure_of_waits_for_a_person(app: App) -> None:
    unsure = {"name": "rage", "value": 4, "level": 7, "confidence": 0.3, "reason": "he has had enough"}
    sure = {"name": "mood", "value": "grim", "confidence": 0.9}
    h.say(with_models(app, character_extractor=ScriptedModel([changes(unsure, sure)])), "look")
    assert felt(app, OSK) == {"mood": "grim", "rage": 2}
    with app.campaigns.open("game") as campaign:
        (review,) = waiting(campaign.store)
        assert review.review.shown == "Osk: rage becomes 4 (level 7)"
        decide(campaign, review.id, accept=True)
    assert felt(app, OSK) == {"mood": "grim", "rage": 4}
    assert state_of(app).characters[OSK].states["rage"].is_manifest


def test_a_secret_does_not_come_into_a_state(app: App) -> None:
    leak = {"name": "mood", "value": "He sold her passage to the harbour master for a marmoset"}
    h.say(with_models(app, character_extractor=ScriptedModel([changes(leak)])), "look")
    assert felt(app, OSK)["mood"] == "sullen"
    (written,) = [one for one in h.stage_outputs(app)["inner_writes"] if "marmoset" in one]
    assert "quotes_what_is_hidden" in written


def test_an_extractor_that_stays_wrong_moves_nobody_and_loses_no_turn(app: App) -> None:
    wrong = ScriptedModel([changes({"name": "purse", "value": 100})] * 4)
    (result,) = h.say(with_models(app, persona_extractor=wrong), "look")
    assert result["fell_back"] == ["persona_extractor"]
    assert "purse" not in str(state_of(app).characters[state_of(app).player_id].states)


def test_taken_back_nobody_was_ever_moved(app: App) -> None:
    before = state_of(app).to_json()
    h.say(app, "threaten osk")
    with app.campaigns.reading("game") as store:
        undo(store)
    assert state_of(app).to_json() == before


def test_a_turn_is_replayed_to_the_same_inner_life(app: App) -> None:
    unsure = {"name": "mood", "value": "grim", "confidence": 0.3}
    h.say(with_models(app, character_extractor=ScriptedModel([changes(unsure)])), "threaten osk")
    library = prompt_library(app.workspace)
    replays = Replays(app.campaigns, Histories(app.workspace.indexes / "history"), library)
    found = asyncio.run(replays.rerun_turns("game"))
    assert found.is_identical
    assert [one.state_json for one in found.turns] == [state_of(app).to_json()]
