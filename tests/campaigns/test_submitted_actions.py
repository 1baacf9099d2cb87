"""Actions in place of words: read by somebody else, judged by the same rules, and the same in every answer."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.checks import check
from lorewright.errors import ActionIdReused, CampaignError
from lorewright.replay.metrics import ALL_TURNS
from lorewright.replay.replay import Replays
from lorewright.turn.store.turn_store import undo
from lorewright.turn.views.acquaintance import UNNAMED_WAY
from support import harbour as h
from support import hidden_people as inn

ASK = {"actorId": "game:player", "type": "ask", "targetId": "harbour:osk", "metadata": {"topic": "Lin"}}


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def play(app: App, *actions: dict[str, Any], **more: Any) -> dict[str, Any]:
    with app.campaigns.open("game") as campaign:
        found: dict[str, Any] = json.loads(asyncio.run(campaign.submit_actions(actions, **more)))
        return found


def state_hash(app: App) -> str:
    with app.campaigns.reading("game") as store:
        return store.head().state.truth_hash()


def test_every_turn_says_which_actions_its_words_were_read_as(app: App) -> None:
    (told,) = h.say(app, "ask Osk about Lin, then go fishing in the cellar")
    assert told["actions"][0]["type"] == "ask"
    assert len(told["actions"]) == len(told["validation"]["results"])
    (asked_back,) = h.say(app, "ask about it")
    assert asked_back["clarification_question"] is None or asked_back["actions"] == []


def test_actions_come_to_the_same_as_the_words_that_are_read_so(app: App, tmp_path: Path) -> None:
    other = h.harbour(tmp_path / "other")
    (typed,) = h.say(other, "ask Osk about Lin")
    played = play(app, ASK, text="ask Osk about Lin")
    assert played["actions"] == typed["actions"]
    assert played["validation"] == typed["validation"]
    assert state_hash(app) == state_hash(other)


def test_each_action_is_judged_as_it_is_and_an_impossible_one_changes_nothing(app: App) -> None:
    before = state_hash(app)
    played = play(app, {"type": "look", "target_id": "the_moon"}, {"type": "go", "location_id": "the_moon"})
    assert [result["reason"] for result in played["validation"]["results"]] == ["object_not_found", "depends_on_failed"]
    assert [action["location_id"] for action in played["actions"]] == [None, "unknown"]
    assert played["final_text"]
    assert state_hash(app) == before


def test_the_same_actions_sent_again_are_the_same_turn_wherever_the_story_went(app: App) -> None:
    walk = {"type": "go", "location_id": "quay"}
    first = play(app, walk, action_id="a")
    assert play(app, {"type": "go", "locationId": "quay"}, action_id="a") == first
    with pytest.raises(ActionIdReused):
        play(app, ASK, action_id="a")
    assert check(app.campaigns.path("game"), app.campaigns.kept).findings == ()


def test_a_turn_of_actions_is_replayed_as_it_was(app: App) -> None:
    play(app, ASK, {"type": "wait", "metadata": {"minutes": 5}})
    play(app, {"type": "go", "location_id": "quay"}, thought="Out.")
    replays = Replays(app.campaigns, app.histories, app.prompts, open_model=lambda key: pytest.fail(key))
    replayed = asyncio.run(replays.rerun_turns("game", ALL_TURNS))
    assert [turn.is_identical for turn in replayed.turns] == [True, True]


def test_a_turn_of_actions_is_retried_with_other_dice(app: App) -> None:
    first = play(app, ASK)
    with app.campaigns.open("game") as campaign:
        again = json.loads(asyncio.run(campaign.retry()))
    assert (again["turn_no"], again["actions"]) == (first["turn_no"], first["actions"])
    assert again["turn_id"] != first["turn_id"]


@pytest.mark.parametrize(
    ("actions", "told"),
    [
        ([], "0 actions"),
        ([{"type": "wait"}] * 21, "21 actions"),
        ([{"target_id": "osk"}], "action 0 at type: Field required"),
        ([{"type": "wait"}, {"type": "ask", "topic": "Lin"}], "action 1 at topic: Extra inputs"),
        ([{"type": "ask", "metadata": {"topic": "x" * 201}}], "action 0"),
        ([{"type": "hum", "metadata": {"detail": "x" * 30_000}}], "too much text"),
    ],
)
def test_what_is_no_turn_of_actions_is_refused_before_anything_is_played(
    app: App, actions: list[dict[str, Any]], told: str
) -> None:
    with pytest.raises(CampaignError, match=told):
        play(app, *actions)
    with app.campaigns.reading("game") as store:
        assert store.position().turn_no == 0


def test_nobody_acts_for_another(app: App) -> None:
    played = play(app, {**ASK, "actorId": "harbour:osk"}, {**ASK, "actorId": "harbour:made_up"})
    assert [result["reason"] for result in played["validation"]["results"]] == ["not_your_turn"] * 2


def test_parse_validate_and_apply_play_nothing(app: App) -> None:
    before = state_hash(app)
    with app.campaigns.open("game") as campaign:
        read = asyncio.run(campaign.parse("ask Osk about Lin and go to the quay"))
        judged = asyncio.run(campaign.validate(read.proposed_actions))
        applied = asyncio.run(campaign.apply(read.proposed_actions, action_id="a"))
        assert campaign.store.position().turn_no == 0
    assert [action.type for action in read.proposed_actions] == ["ask", "go"]
    assert all(result.success for result in judged.results)
    assert state_hash(app) == before
    assert applied.state.scene.location_id == "harbour:quay"
    assert [outcome.type for outcome in applied.resolution.outcomes] == ["ask", "go"]
    # The turn itself throws the same dice.
    assert play(app, *(action.model_dump() for action in read.proposed_actions), action_id="a")["rolls"] == [
        roll.model_dump(mode="json") for roll in applied.resolution.rolls
    ]


@pytest.mark.parametrize("kind", [inn.PERSON, inn.OTHER, inn.PLACE, inn.ITEM, inn.FACTION, inn.EVENT])
def test_the_id_of_somebody_hidden_is_answered_as_a_made_up_one_is(tmp_path: Path, kind: str) -> None:
    app, hidden = inn.inn(tmp_path), inn.FIRST[kind].id

    def answers(name: str) -> str:
        tried = [
            *({"type": type_, "target_id": name} for type_ in ("look", "ask", "take", "juggle")),
            {"type": "go", "location_id": name},
            {"type": "give", "target_id": "vik", "metadata": {"item_id": name}},
            {"type": "look", "actor_id": name},
        ]
        with app.campaigns.open("game") as campaign:
            judged = [asyncio.run(campaign.validate([action])).model_dump_json() for action in tried]
            told = json.loads(asyncio.run(campaign.submit_actions(tried, text="try it")))
            undo(campaign.store)
            return str([judged, *(told[key] for key in ("actions", "validation", "final_text", "engine_events"))])

    assert answers(f"inn:{hidden}") == answers("inn:no_such_thing")
    assert hidden not in answers(hidden)


def test_a_way_to_a_place_that_is_not_known_is_taken_by_the_name_of_the_way(tmp_path: Path) -> None:
    app = inn.inn(tmp_path)
    told = play(app, {"type": "go", "location_id": UNNAMED_WAY})
    assert told["validation"]["results"][0]["success"]
    with app.campaigns.reading("game") as store:
        assert store.head().state.scene.location_id == f"inn:{inn.FIRST[inn.PLACE].id}"
