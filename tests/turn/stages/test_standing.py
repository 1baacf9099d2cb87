"""How things stand, in words: between people, on record, in the ruleset's scene, in what was seen."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.rules.patch import Outcome
from lorewright.turn.stages.npc_intent.context import npc_intent_context
from lorewright.turn.stages.resolution.context import resolution_context
from lorewright.turn.stages.standing import (
    established_in_words,
    feelings_in_words,
    recorded_in_words,
    toward_in_words,
    witnessed_in_words,
)
from lorewright.turn.views.circumstances import emotion_of, guidance_in_words, value_in_words
from lorewright.values.proposals import NpcIntentInput, ResolutionInput, Toward
from lorewright.values.records import Recorded
from lorewright.world.state import WorldState
from support import harbour as h
from support.prompted_campaigns import LIBRARY

NAMES = {"p:ash": "Ash", "m:bram": "Bram"}
SCENARIO = (
    h.dedent(h.SCENARIO).replace("osk: {at: tavern}", "osk: {at: tavern, baked: true, states: {mood: {value: sullen}}}")
    + "profile: stream\n"
)


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({}, ""),
        ({"trust": 0, "tension": 0}, ""),
        ({"tension": 2}, "is wary of Ash (tension +2)"),
        ({"trust": 3}, "trusts Ash (trust +3)"),
        ({"trust": -4, "tension": 3}, "does not believe a word of Ash and is near to a quarrel with Ash (trust -4, tension +3)"),
        ({"trust": 1, "tension": -1, "closeness": 1},
         "is inclined to trust Ash, is at ease with Ash and feels near to Ash (trust +1, tension -1, closeness +1)"),
    ],
)  # fmt: skip
def test_numbers_between_two_people_are_words_with_their_figures(numbers: dict[str, int], said: str) -> None:
    assert feelings_in_words(numbers, whom="Ash") == said


def test_a_character_is_told_of_its_own_ties() -> None:
    assert toward_in_words(Toward(who="p:ash")) == "nothing stands between you"
    assert toward_in_words(Toward(who="p:ash", ties=("guest", "sister of"), tension=1)) == (
        "your guest; you are their sister; you are wary of them (tension +1)"
    )


def test_what_was_promised_is_said_with_its_words() -> None:
    said = {"to": "m:bram", "what": "the key"}
    assert established_in_words("p:ash", "promised", said, NAMES) == "Ash promised Bram: “the key”"
    assert established_in_words("m:lamp", "colour", "green", NAMES) == "lamp: colour: green"
    records = [
        Recorded(fact_id="1", by_id="p:ash", to_id="m:bram", predicate="promised", what="the key"),
        Recorded(fact_id="2", by_id="m:bram", to_id="p:ash", predicate="owes", what="a favour"),
    ]
    assert recorded_in_words(records, "m:bram", NAMES) == ("Ash promised you: “the key”", "You owe Ash: “a favour”")


def test_what_is_seen_of_an_outcome_has_nothing_that_is_said_to_the_player() -> None:
    outcome = Outcome(
        action_index=0, actor_id="p:ash", type="attempt", target_id="m:bram", words="kiss", code="acted", band="mixed",
        say=("Her shoulder has come to rest against your arm.",), then=("You both look away.",),
    )  # fmt: skip
    seen = witnessed_in_words(outcome, NAMES)
    assert seen == "Ash tries to do something else with Bram (“kiss”): success at a price; it is done."


def test_values_are_words_and_not_json() -> None:
    assert (
        value_in_words({"at": "Osk", "since": [1, 2], "sure": True, "gone": None})
        == "at: Osk; since: 1, 2; sure: yes; gone: "
    )


def test_a_ruling_is_shown_the_guidance_of_its_ruleset() -> None:
    ruleset, _ = load_ruleset("seven-minutes")
    given = ResolutionInput(
        rulebook_text="r", scene_state={}, player_text="p", attempt="a", actor_id="p:ada", guidance=guidance_in_words(ruleset)
    )  # fmt: skip
    stable = LIBRARY.prompt("resolution").render(resolution_context(given).model_dump(mode="json")).stable
    assert "<guidance>" in stable
    assert "Adults only: yes\n" in stable and "Lines and veils: apply\n" in stable


def test_a_message_notes_what_its_sender_felt(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, scenario=SCENARIO)
    with app.campaigns.open("game") as campaign:
        for _ in range(2):
            asyncio.run(campaign.submit("look"))
        state: WorldState = campaign.store.head().state
    assert emotion_of("harbour:osk", state) == "sullen"
    given = NpcIntentInput.model_validate_json(h.stage_inputs(app)["npc_intent"][-1])
    own = [message for message in npc_intent_context(given).msgs if message.character == "Osk"]
    assert own and {message.emotion for message in own} == {"sullen"}
