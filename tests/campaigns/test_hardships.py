"""What a scenario says that hangs over its people: looked up, played by typed lines, shown, and refused by its place."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.errors import ScenarioError
from lorewright.lore_bootstrap import make_empty_workspace, make_workspace
from lorewright.world.ops import BeginSituation
from lorewright.world.state import WorldState
from support.harbour import dedent

SCENARIO = """
    id: cold_inn
    intro_seed: The inn is full of smoke, and the road is closed.
    start: taproom
    player: {name: Ada, pronoun: she, profile: {tagline: in a hurry}}
    places:
      taproom: {name: Taproom, exits: {yard: {to: yard, minutes: 1}}}
      yard: {name: Yard, exits: {taproom: {to: taproom}, barn: {to: barn}}}
      barn: {name: Barn, exits: {yard: {to: yard}}}
    things:
      lantern: {name: lantern, at: taproom}
    cast:
      tom:
        at: taproom
        name: Tom
        pronoun: he
        profile: {tagline: the innkeeper}
        states: {mood: {value: wary, level: 7}, grief: {value: his son, level: 3}}
        escalation:
          soft: {say: "Tom puts down the jug."}
          hard: {effects: [{announce: watch, minutes: 20}], say: "Tom sends the boy out for the watch."}
      boy: {at: yard, name: the boy, conditions: [bound]}
    ties: [{between: [tom, boy], type: uncle, intensity: 2}]
    threads:
      road:
        title: Why is the road closed?
        inquiry: {needed: 2, effects: [{thread: road, status: known}], say: "So that is why."}
    clocks: {trouble: {name: Trouble, max: 4, at: {4: [{end: thrown_out}]}}}
    threats:
      watch:
        title: The watch is on its way
        unless: {at: barn}
        averted: "They ask for you in the taproom, and you are not there."
        say: "The watch fills the door."
        effects: [{clock: trouble, by: 4}]
    situations:
      smoke: {summary: one can hardly see, forbids: [search]}
    rules:
      - "on": {act: look, target: tom}
        success: [{progress: road, by: 1}, {observe: "Ada looks at him too long.", of: tom, importance: 2}]
      - "on": {act: take, item: lantern}
        success: [{situation: smoke, minutes: 10}]
      - "on": {act: search}
        success: [{fact: dead, subject: boy, object: true}]
    endings: {thrown_out: {say: "That was your night under a roof."}}
    demo: [look at Tom, take the lantern]
"""


def inn(tmp_path: Path, **replaced: str) -> App:
    """A workspace with the scenario, parts of its text replaced."""
    make_empty_workspace(tmp_path)
    text = dedent(SCENARIO)
    for was, now in replaced.items():
        assert was in text
        text = text.replace(was, now)
    (tmp_path / "scenarios" / "cold_inn.yaml").write_text(text, encoding="utf-8")
    return open_app(tmp_path)


def played(app: App, *lines: str) -> tuple[list[dict[str, Any]], WorldState]:
    """A game's results and the state that it comes to."""
    app.campaigns.new("cold_inn", campaign_id="game", seed=3)
    with app.campaigns.open("game") as campaign:
        told = [json.loads(asyncio.run(campaign.submit(line))) for line in lines]
        return told, campaign.store.head().state


def test_profiles_states_conditions_and_ties_begin_as_they_are_written(tmp_path: Path) -> None:
    _, state = played(inn(tmp_path))
    tom, boy = "game:tom", "game:boy"
    assert state.characters[tom].profile == {"tagline": "the innkeeper"}
    assert {name: one.is_manifest for name, one in state.characters[tom].states.items()} == {
        "mood": True,
        "grief": False,
    }
    assert state.conditions_of(boy) == ("bound",)
    assert [(one.a, one.b, one.rel_type) for one in state.relationships.values()] == [(tom, boy, "uncle")]
    assert state.threads["road"].needed == 2


def test_whoever_is_attacked_again_and_again_does_what_the_scenario_says(tmp_path: Path) -> None:
    told, state = played(inn(tmp_path), "attack Tom", "attack Tom", "attack Tom")
    texts = " ".join(one["final_text"] for one in told)
    assert "Tom puts down the jug." in texts
    assert "Tom sends the boy out for the watch." in texts
    assert state.escalation == {"game:tom": 2}
    assert state.threats.keys() == {"watch"}


def test_a_threat_that_is_not_averted_comes_and_may_end_the_story(tmp_path: Path) -> None:
    told, state = played(inn(tmp_path), "attack Tom", "attack Tom", "wait", "wait")
    assert "The watch fills the door." in told[-1]["final_text"]
    assert state.ended == "thrown_out"


def test_whoever_gets_away_in_time_averts_it(tmp_path: Path) -> None:
    told, state = played(inn(tmp_path), "attack Tom", "attack Tom", "go yard", "go barn")
    assert "you are not there" in told[-1]["final_text"]
    assert (state.threats, state.ended) == ({}, None)


def test_what_a_circumstance_forbids_is_refused_in_its_words(tmp_path: Path) -> None:
    results, _ = played(inn(tmp_path), "take the lantern", "search the taproom")
    assert results[-1]["validation"]["results"][0]["message"] == "One can hardly see."
    assert "One can hardly see." in results[-1]["final_text"]


@pytest.mark.campaign
def test_a_shipped_scenario_has_a_circumstance_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREWRIGHT_EMBEDDER", "none")
    make_workspace(tmp_path)
    app = open_app(tmp_path)
    app.campaigns.new("dead_drop", campaign_id="game", seed=2)
    with app.campaigns.open("game") as campaign:
        campaign.edit([BeginSituation(situation_id="lights_cut", minutes=15)], action_id="noticed")
        told = json.loads(asyncio.run(campaign.submit("search behind the bar")))
        assert "The lights are out." in told["final_text"]
        packets = campaign.store.stage_records(told["turn_id"])
        given = next(record["input"] for record in packets if record["stage"] == "narrator")
        assert given["packet"]["active_situations"] == [{"summary": "the lights are out"}]
        for _ in range(3):
            asyncio.run(campaign.submit("wait"))
        assert "backup comm unit" in json.loads(asyncio.run(campaign.submit("search behind the bar")))["final_text"]


def test_a_circumstance_forbids_a_search_until_its_time_is_over(tmp_path: Path) -> None:
    told, state = played(inn(tmp_path), "take the lantern", "search", "wait", "search")
    assert [one["validation"]["results"][0]["reason"] for one in told] == [None, "not_allowed_now", None, None]
    assert state.situations == {}


def test_an_inquiry_comes_to_its_end_step_by_step(tmp_path: Path) -> None:
    told, state = played(inn(tmp_path), "look at Tom", "look at Tom")
    assert "So that is why." in told[1]["final_text"]
    assert (state.threads["road"].progress, state.threads["road"].status) == (2, "known")
    (memory,) = state.observations["game:tom"].values()
    assert memory.reinforcement_count == 1


def test_what_is_known_of_somebody_speaks_against_talking_to_them(tmp_path: Path) -> None:
    told, _ = played(inn(tmp_path), "search", "go yard", "ask the boy about the road")
    assert told[-1]["validation"]["results"][0]["reason"] == "contradicts_fact"


def test_what_is_further_than_a_step_is_said_to_be_and_by_which_way_it_is_reached(tmp_path: Path) -> None:
    told, _ = played(inn(tmp_path), "go yard", "go taproom", "sneak to the barn")
    result = told[-1]["validation"]["results"][0]
    assert (result["reason"], "by yard" in result["message"]) == ("too_far", True)


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        ("announce: watch", "announce: wach", "there is no threat wach"),
        ("situation: smoke, minutes", "situation: smok, minutes", "there is no situation smok"),
        ("progress: road", "progress: rode", "there is no thread rode"),
        ("between: [tom, boy]", "between: [tom, boi]", "is called boi"),
        ("between: [tom, boy]", "between: [tom, tom]", "between somebody and themselves"),
        ("demo:", "turn_order: [you, lantern]\ndemo:", "lantern is not in the cast"),
        ("demo:", "turn_order: [you, you]\ndemo:", "somebody stands twice"),
        ("forbids: [search]", "forbids: [serch]", "there is no act serch"),
        ("unless: {at: barn}", "unless: {at: bahn}", "is called bahn"),
    ],
)
def test_a_name_that_means_nothing_is_refused_before_anything_is_begun(
    tmp_path: Path, was: str, now: str, says: str
) -> None:
    app = inn(tmp_path, **{was: now})
    with pytest.raises(ScenarioError, match=says):
        app.campaigns.new("cold_inn", campaign_id="game")
    assert app.campaigns.ids() == []


def test_the_compiler_finds_nothing_wrong_with_it(tmp_path: Path) -> None:
    app = inn(tmp_path)
    assert [one.message for one in app.scenarios.findings(app.campaigns.scenario_path("cold_inn"))] == []
