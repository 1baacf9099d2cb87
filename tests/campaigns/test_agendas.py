"""Goals become agendas: of the cast and the player, by their IDs, with the clocks by which they act."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.scenarios.cast import agendas_of
from lorewright.values.entries import Agenda
from support import harbour as h

GOALS = "goals: {osk: Say nothing of the cage., player: Find Lin.}\n    cast:"
STEPS = "bea: {at: quay, agenda: [{when: {clock: dread, min: 1}, do: [{depart: bea, to: tavern}]}, {when: {clock: dread, min: 2}, do: []}]}"


def scenario(*, goals: str = GOALS) -> str:
    return h.SCENARIO.replace("cast:", goals, 1).replace("bea: {at: quay}", STEPS)


def begun(folder: Path, text: str) -> App:
    root = h.write_workspace(folder / "workspace")
    (root / "scenarios" / "night_boat.yaml").write_text(h.dedent(text), encoding="utf-8")
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    return app


def test_agendas_have_qualified_ids_and_the_marks_of_their_clocks(tmp_path: Path) -> None:
    app = begun(tmp_path, scenario())
    with app.campaigns.open("game") as campaign:
        assert campaign.setting.agendas == {
            "game:player": Agenda("Find Lin."),
            "harbour:bea": Agenda("", (("dread", 1), ("dread", 2))),
            "harbour:osk": Agenda("Say nothing of the cage."),
        }


def test_a_scenario_may_name_people_with_their_pack(tmp_path: Path) -> None:
    named = scenario(goals=GOALS.replace("osk:", '"harbour:osk":')).replace(
        "osk: {at: tavern}", '"harbour:osk": {at: tavern}'
    )
    app = begun(tmp_path, named.replace("target: osk", 'target: "harbour:osk"'))
    with app.campaigns.open("game") as campaign:
        assert campaign.setting.agendas["harbour:osk"] == Agenda("Say nothing of the cage.")


def test_a_stored_goal_of_nobody_is_passed_over(tmp_path: Path) -> None:
    """Scenarios from before goals were checked are stored as they were written."""
    app = begun(tmp_path, scenario())
    with app.campaigns.reading("game") as store:
        assert agendas_of({"goals": {"nobody": "Win."}}, store.head().state) == {}


def test_the_planner_is_told_what_those_who_are_here_are_after_and_a_player_nothing(tmp_path: Path) -> None:
    app = begun(tmp_path, scenario())
    results = h.say(app, "go quay")
    told = json.loads(h.stage_inputs(app)["planner"][0])["packet"]["npc_agendas"]
    assert told == {"game:player": {"goal": "Find Lin."}, "harbour:osk": {"goal": "Say nothing of the cage."}}
    results += h.say(app, "look")
    told = json.loads(h.stage_inputs(app)["planner"][1])["packet"]["npc_agendas"]
    assert told["harbour:bea"] == {"next": {"clock_id": "dread", "at": 1}}
    assert "npc_agendas" not in json.dumps(results)
    assert "Say nothing" not in json.dumps(results)


@pytest.mark.parametrize(
    ("goals", "says"),
    [
        ("goals: {lin: Get away.}", "goals.lin: lin is not in the cast (nor player)"),
        ("goals: {osk: ''}", "goals.osk: is empty; write text"),
        ("goals: {osk: [a, b]}", "goals.osk: write text; in quotation marks"),
        ("goals: [to win]", "goals: write `key: value` lines"),
    ],
)
def test_a_goal_is_a_text_of_somebody_of_the_cast(goals: str, says: str, tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    path = root / "scenarios" / "night_boat.yaml"
    text = h.dedent(scenario(goals=f"{goals}\n    cast:"))
    path.write_text(text, encoding="utf-8")
    (problem,) = [one for one in open_app(root).scenarios.findings(path) if one.severity == "error"]
    assert problem.line == text.splitlines().index(goals) + 1
    assert problem.message.startswith(says)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("The rain has driven you into the tavern. Lin is not here.", "''", "intro_seed: is empty; write text"),
        ("name: Night Boat", "summary: [a, b]", "summary: write text; in quotation marks"),
        ("name: Night Boat", "sumary: A.", "sumary: there is no such key"),
        ("start: tavern", "start: tavern\n    stat_blocks: {osk: 3}", "stat_blocks.osk: write `key: value` lines"),
        (
            "start: tavern",
            "start: tavern\n    stat_blocks: {lin: {charm: 1}}",
            "stat_blocks.lin: lin is not in the cast",
        ),
        ("start: tavern", "start: tavern\n    stat_blocks: {osk: {charm: 9}}", "stat_blocks.osk.charm: 9 is greater"),
    ],
)
def test_a_wrong_value_is_told_in_an_authors_words(old: str, new: str, says: str, tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    path = root / "scenarios" / "night_boat.yaml"
    path.write_text(h.dedent(h.SCENARIO.replace(old, new, 1)), encoding="utf-8")
    errors = [one.message for one in open_app(root).scenarios.findings(path) if one.severity == "error"]
    assert any(message.startswith(says) for message in errors), errors
