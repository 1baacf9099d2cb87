"""Several whom one player plays, what they think by themselves, and what they say to one person alone."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.errors import ActionIdReused, CampaignError, ScenarioError
from lorewright.replay.metrics import ALL_TURNS
from lorewright.rules.patch import Resolution, Roll, Validation
from lorewright.turn.run.steps import Round
from lorewright.turn.store.turn_store import undo
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.turn.views.draft import persona_called, somebody_called
from lorewright.turn.views.point import WHISPER, TurnPoint, TurnStream
from lorewright.values.records import Message
from lorewright.world.events import StatSpokeUp
from lorewright.world.ops import Move, PlayAs
from lorewright.world.state import OFFSTAGE, WorldState
from support import harbour as h
from support import harbour_crew as c

SECRET = "I shall never forgive the ostrich"


@pytest.fixture
def app(tmp_path: Path) -> App:
    return c.crew(tmp_path, together=True)


def say(app: App, line: str, **more: Any) -> dict[str, Any]:
    with app.campaigns.open("game") as campaign:
        found: dict[str, Any] = json.loads(asyncio.run(campaign.submit(line, **more)))
        return found


def state(app: App) -> WorldState:
    with app.campaigns.reading("game") as store:
        return store.head().state


def messages(app: App) -> list[Message]:
    with app.campaigns.reading("game") as store:
        return [message for _, message in store.messages(store.position().turn_id, last=1)]


# The beginning.


def test_a_persona_begins_where_and_with_what_the_scenario_says(app: App) -> None:
    now = state(app)
    assert now.personas == (c.ADA, c.BO)
    assert now.player_id == c.ADA
    assert now.positions[c.BO] == "harbour:quay"
    assert now.held_by(c.BO) == {"game:knife": 1}
    assert now.entities[c.BO].traits == {"charm": -1}
    assert now.relations[f"{c.BO}|{c.BEA}"].trust == 2
    assert [one.content for one in now.observations[c.BO].values()] == ["Bo once sold a parrot to Lin."]
    assert json.loads(now.to_json())["schema_version"] == 3


def test_a_campaign_with_one_persona_has_none_written(tmp_path: Path) -> None:
    assert "personas" not in json.loads(state(h.harbour(tmp_path)).to_json())


@pytest.mark.parametrize(
    ("persona", "said"),
    [
        ({"bo": {"name": "Bo", "at": "moon"}}, "personas.bo: moon is not among the places"),
        ({"osk": {"name": "Osk"}}, "personas.osk: osk is among the cast already"),
        ({"player": {"name": "Bo"}}, "personas.player: player is the player already"),
        ({"bo": {"name": "Bo", "trust": {"lin": 2}}}, "personas.bo.trust: lin is not in the cast"),
        ({"bo": {"name": "Bo", "items": ["sabre"]}}, "personas.bo.items: nothing"),
        ({"bo": {}}, "personas.bo.name"),
        ({"bo": {"name": " "}}, "personas.bo.name"),
    ],
)
def test_what_is_wrong_with_a_persona_is_said(tmp_path: Path, persona: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        c.crew(tmp_path, personas=persona)
    assert said in str(refused.value)


def test_you_is_whoever_is_played_when_it_comes_to_it(tmp_path: Path) -> None:
    effects = [
        {"relation": ["osk", "you"], "trust": 1},
        {"promise": {"by": "osk", "to": "you", "what": "a room"}},
        {"condition": "seen", "of": "you"},
    ]
    rules = [
        {"id": "greets", "on": {"act": "look"}, "when": {"not": {"condition": "seen", "of": "you"}}, "success": effects}
    ]
    app = c.crew(tmp_path, together=True, rules=rules)
    say(app, "look around")
    say(app, "go to the tavern", persona="bo")
    say(app, "look around")
    say(app, "look around")
    now = state(app)
    for who in (c.ADA, c.BO):
        assert now.conditions_of(who) == ("seen",)
        assert now.relations[f"{who}|{c.OSK}"].trust == 1
    assert sorted(fact.object["to"] for fact in now.facts_about(c.OSK)) == [c.BO, c.ADA]


# Going on as another.


def test_whoever_goes_on_as_another_is_where_that_one_is_from_this_turn_on(app: App) -> None:
    scene = state(app).scene
    result = say(app, "look around", persona="Bo")
    now = state(app)
    assert (now.player_id, now.scene.location_id, now.scene.number) == (c.BO, "harbour:quay", scene.number + 1)
    assert "Gulls" in result["final_text"] or "Quay" in result["final_text"]
    first, *rest = messages(app)
    assert (first.type, first.subtype) == ("scene_marker", "persona_change")
    assert dict(first.payload) == {"to": c.BO, "at": "harbour:quay"}
    assert [(one.type, one.owner) for one in rest] == [("intention", c.BO), ("narration", "narrator")]
    # The player reads what this one says and hears.
    assert [one["type"] for one in result["messages"]] == ["intention", "narration"]
    with app.campaigns.reading("game") as store:
        assert '"play_as"' in store.database.row("SELECT ops_json FROM turns WHERE turn_no = 1")["ops_json"]
    # And goes on as them until it is said otherwise.
    say(app, "wait")
    assert state(app).player_id == c.BO
    say(app, "wait", persona="bo")
    assert state(app).scene.number == scene.number + 1


def test_a_persona_in_the_same_place_opens_no_scene(app: App) -> None:
    say(app, "go to the quay")
    number = state(app).scene.number
    say(app, "look around", persona=c.BO)
    assert state(app).player_id == c.BO
    assert state(app).scene.number == number
    assert state(app).present_npcs() == ()
    # The other one is somebody whom one can name all the same.
    assert state(app).present() == (c.BO, c.ADA)
    assert say(app, "give the knife to Ada")["validation"]["results"][0]["success"]
    assert state(app).held_by(c.ADA)["game:knife"] == 1


def test_what_is_learned_stays_each_ones_own(app: App) -> None:
    say(app, "ask Osk about the boat")
    assert state(app).learned_by(c.ADA)
    result = say(app, "go to the tavern", persona="bo")
    assert state(app).learned_by(c.BO) == frozenset()
    assert "kestrel" not in json.dumps(result)
    assert "kestrel" not in "".join(h.stage_inputs(app)["narrator"][-1:])
    assert "kestrel" not in h.query(app, "Lin boat", "player")
    say(app, "wait", persona="ada")
    assert "kestrel" in h.query(app, "Lin boat", "player")


def test_a_turn_taken_back_was_never_spoken_as_another(app: App) -> None:
    before = state(app).to_json()
    say(app, "look around", persona="bo", thought=SECRET)
    with app.campaigns.open("game") as campaign:
        undo(campaign.store)
    assert state(app).to_json() == before


@pytest.mark.parametrize("name", ["Lin", "Osk", "harbour:osk", "nobody", "", "  "])
def test_nobody_goes_on_as_somebody_who_is_not_theirs(app: App, name: str) -> None:
    before = state(app).to_json()
    with pytest.raises(CampaignError, match="for you to play"):
        say(app, "look", persona=name)
    assert state(app).to_json() == before
    assert state(app).player_id == c.ADA


def test_nobody_goes_on_as_somebody_who_is_nowhere(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        campaign.edit([Move(entity_id=c.BO, to=OFFSTAGE)], action_id="gone")
    with pytest.raises(CampaignError, match="nowhere"):
        say(app, "look", persona="bo")
    with app.campaigns.reading("game") as store:
        assert len(store.turns()) == 2


def test_people_are_found_by_id_name_alias_and_part_of_a_name(app: App) -> None:
    now = state(app)
    for name in ("bo", "game:bo", "Bo", "BO", "the mate", "mate"):
        assert persona_called(name, now) == c.BO
    for name in ("osk", "harbour:osk", "the landlord", "landlord", " Osk "):
        assert somebody_called(name, now) == c.OSK
    assert somebody_called("Bo", now) == c.BO
    with pytest.raises(CampaignError, match="nobody called Ada"):
        somebody_called("Ada", now)


def test_the_same_action_id_is_the_same_speaker_too(app: App) -> None:
    one = say(app, "look around", action_id="a", persona="bo", thought=SECRET)
    assert say(app, "look around", action_id="a", persona="bo", thought=SECRET) == one
    for other in ({}, {"persona": "bo"}, {"persona": "bo", "thought": "another"}):
        with pytest.raises(ActionIdReused):
            say(app, "look around", action_id="a", **other)


# Thoughts.


@pytest.mark.campaign
def test_a_thought_is_a_message_of_its_owners_that_nobody_else_ever_sees(tmp_path: Path) -> None:
    app = c.crew(tmp_path, profile="stream", together=True)
    result = say(app, "ask Osk about the weather", thought=f"  {SECRET} ")
    thought, intention = [one for one in messages(app) if one.owner == c.ADA]
    assert (thought.type, thought.content, thought.seq) == ("thought", SECRET, intention.seq - 1)
    assert SECRET in json.dumps(result["messages"])
    assert SECRET not in result["final_text"]
    say(app, "ask Bea about the cellar")
    say(app, "look around", persona="bo")
    for stage, given in h.stage_inputs(app).items():
        allowed = stage == "persona_extractor"
        assert allowed or not any("ostrich" in one for one in given), stage
    assert not any("ostrich" in one for stage in h.stage_outputs(app).values() for one in stage)


def test_without_a_thought_there_is_none(app: App) -> None:
    say(app, "look around", thought="   ")
    assert [one.type for one in messages(app)] == ["intention", "narration"]


# Whispers.


def test_a_whisper_is_heard_by_its_two_ends(app: App) -> None:
    say(app, "ask about the boat", whisper_to="Osk")
    intention, narration = messages(app)
    assert (intention.subtype, intention.payload["to"]) == ("whisper", c.OSK)
    assert narration.audience == (c.ADA, c.OSK)
    assert "kestrel" in narration.content
    learned = next(iter(state(app).learned_by(c.ADA)))
    assert not state(app).has_learned(c.BEA, learned)
    # Said aloud, whoever stands by knows it too.
    say(app, "ask Osk about the weather")
    assert any(state(app).has_learned(c.BEA, one) for one in state(app).learned_by(c.ADA))


def test_words_that_are_whispered_go_to_who_hears_them(app: App) -> None:
    result = say(app, "talk about the boat", whisper_to="the landlord")
    assert result["clarification_question"] is None
    with app.campaigns.reading("game") as store:
        (action,) = store.database.rows("SELECT * FROM actions WHERE turn_id = ?", result["turn_id"])
    assert action["target_id"] == c.OSK


@pytest.mark.parametrize(("who", "why"), [("Lin", "not here"), ("Bo", "not here"), ("nobody", "nobody called")])
def test_one_whispers_to_somebody_who_is_there(app: App, who: str, why: str) -> None:
    with pytest.raises(CampaignError, match=why):
        say(app, "ask about the boat", whisper_to=who)
    with app.campaigns.reading("game") as store:
        assert len(store.turns()) == 1


def test_one_whispers_where_the_one_is_whom_one_goes_on_as(app: App) -> None:
    with pytest.raises(CampaignError, match="not here"):
        say(app, "ask about the boat", whisper_to="Osk", persona="bo")
    say(app, "go to the quay")
    say(app, "tell Ada of the boat", whisper_to="Ada", persona="bo")
    assert messages(app)[-1].audience == (c.BO, c.ADA)


def test_dice_and_events_of_a_whisper_are_for_its_two_ends(app: App) -> None:
    now = state(app)
    fields = {"expression": "2d6", "rolls": (1, 2), "modifier": 0, "total": 3}
    roll = Roll.model_validate({**fields, "seed": "s", "purpose": "check", "actor_id": c.OSK})
    event = StatSpokeUp(stat="nerve", over="wits", audience=(c.OSK, c.BEA))
    at = TurnPoint(now, TurnStream((), "t", 1))
    whisper = Message(owner=c.OSK, type="intention", turn_id="t", seq=0, content="Hush.", subtype=WHISPER)
    for audience, sees in (((c.OSK, c.BEA), False), ((c.ADA, c.OSK), True)):
        round_ = Round(c.OSK, whisper, now, now, Resolution(rolls=(roll,)), Validation(), audience, (), (), at)
        assert bool(round_.rolls) == sees
        told = Acquaintance(now, ()).told_events([event.model_copy(update={"audience": audience})])
        assert bool(told) == sees


# What others make of it.


def test_a_replay_speaks_as_it_was_spoken(app: App) -> None:
    say(app, "ask about the boat", whisper_to="Osk", thought=SECRET)
    say(app, "look around", persona="bo")
    say(app, "go to the tavern")
    replay = asyncio.run(app.replays.rerun_turns("game", ALL_TURNS, None))
    assert all(turn.is_identical for turn in replay.turns)
    assert not any(turn.differences for turn in replay.turns)


def test_what_is_retried_is_said_by_the_same_to_the_same(app: App) -> None:
    say(app, "look around", persona="bo", thought=SECRET)
    with app.campaigns.open("game") as campaign:
        asyncio.run(campaign.retry())
    assert state(app).player_id == c.BO
    assert [one.content for one in messages(app) if one.type == "thought"] == [SECRET]


def test_nobody_outside_says_whom_the_player_plays(app: App) -> None:
    from lorewright.errors import EditRefused

    with app.campaigns.open("game") as campaign, pytest.raises(EditRefused):
        campaign.edit([PlayAs(who=c.BO)], action_id="outside")


def test_what_is_done_to_you_is_done_to_whoever_is_played(tmp_path: Path) -> None:
    cast = c.scenario(profile="stream", together=True)["cast"]
    greets = {"id": "greet", "do": {"type": "ask", "target": "you", "topic": "the boat"}}
    cast["osk"] = {**cast["osk"], "acts": [greets]}
    trusts = [{"relation": ["osk", "you"], "trust": 1}]
    rules = [{"id": "asked", "on": {"by": "osk", "act": "ask", "target": "you"}, "success": trusts}]
    personas = {"bo": {"name": "Bo"}}
    for name, who in (("ada", c.ADA), ("bo", c.BO)):
        more = {"cast": cast, "rules": rules, "personas": personas}
        app = c.crew(tmp_path / name, profile="stream", together=True, **more)
        say(app, "wait", persona=name)
        with app.campaigns.reading("game") as store:
            (asked,) = store.database.rows("SELECT target_id FROM actions WHERE actor_id = ?", c.OSK)
        assert asked["target_id"] == who
        assert state(app).relations[f"{who}|{c.OSK}"].trust >= 1
