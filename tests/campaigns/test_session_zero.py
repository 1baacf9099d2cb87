"""Session zero: what was agreed on reaches whoever tells the story, and the rules where they have a place for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from lorewright.bootstrap import open_app
from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.campaigns.scenarios.scenario import load_scenario
from lorewright.campaigns.session_zero import (
    MOST_LINES,
    Calibration,
    calibrate_rules,
    calibrate_scenario,
    calibration_of,
    read_calibration,
)
from lorewright.cli.game.session_zero import asked, calibration_lines
from lorewright.errors import CampaignError, NotFound
from lorewright.rules.rulesets import CampaignRules
from support import harbour as h

AGREED: dict[str, Any] = {
    "tone": "dry",
    "lethality": "low",
    "pace": "slow",
    "lines": ["spiders"],
    "veils": ["drowning"],
    "character": {"name": "Ada", "pronoun": "she", "description": "A courier who does not run.", "stats": {"charm": 3}},
}


def begun(tmp_path: Path, **agreed: Any) -> Any:
    """The harbour's scenario begun with what was agreed on, as `game`."""
    root = h.write_workspace(tmp_path / "workspace")
    app = open_app(root)
    app.campaigns.new(
        "night_boat", campaign_id="game", seed=1, calibration=Calibration.model_validate(agreed or AGREED)
    )
    return app


def stage_inputs(app: Any, stage: str, line: str = "look") -> dict[str, Any]:
    """What a stage was given when a line was played."""
    h.say(app, line)
    found: dict[str, Any] = json.loads(h.stage_inputs(app)[stage][-1])
    return found


@pytest.mark.parametrize("stage", ["planner", "narrator"])
def test_planner_and_narrator_are_told_what_was_agreed_on(stage: str, tmp_path: Path) -> None:
    told = stage_inputs(begun(tmp_path), stage)["packet"]["calibration"]
    assert told == {
        "tone": "dry",
        "lethality": "low",
        "pace": "slow",
        "lines": ["spiders"],
        "veils": ["drowning"],
        "character": "A courier who does not run.",
    }


def test_what_the_scenario_says_holds_where_nothing_was_agreed_on(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    path = root / "scenarios" / "night_boat.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "calibration: {tone: wet, pace: quick}\n", encoding="utf-8")
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", calibration=Calibration(pace="slow"))
    assert stage_inputs(app, "narrator")["packet"]["calibration"] == {"tone": "wet", "pace": "slow"}


def test_the_player_is_whom_they_want_to_be(tmp_path: Path) -> None:
    app = begun(tmp_path)
    with app.campaigns.reading("game") as store:
        state, row = store.head().state, store.campaign()
    player = state.entities[state.player_id]
    assert (player.name, player.pronoun) == ("Ada", "she")
    assert state.characters[state.player_id].profile["description"] == "A courier who does not run."
    assert state.stat(state.player_id, "charm") == 3
    assert calibration_of(row.calibration) == Calibration.model_validate(AGREED)


def test_traits_that_were_not_spoken_of_stay(tmp_path: Path) -> None:
    app = begun(tmp_path, character={"stats": {"hands": 2}})
    with app.campaigns.reading("game") as store:
        state = store.head().state
    traits = state.entities[state.player_id].traits
    assert traits
    for name, value in traits.items():
        assert state.stat(state.player_id, name) == (2 if name == "hands" else value)


def test_with_a_low_lethality_nobody_goes_to_the_last_step() -> None:
    ruleset, _ = load_ruleset("freeform")
    rules = CampaignRules(ruleset=ruleset, escalation={"osk": dict(ruleset.escalation)})
    kept = calibrate_rules(rules, Calibration(lethality="low"))
    assert set(kept.ruleset.escalation) == set(kept.escalation["osk"]) == {"soft", "hard"}
    assert calibrate_rules(rules, Calibration(lethality="high")) == rules


def test_a_campaign_with_a_low_lethality_is_played_so(tmp_path: Path) -> None:
    app = begun(tmp_path)
    h.say(app, *["attack Osk"] * 4)
    with app.campaigns.reading("game") as store:
        assert max(store.head().state.escalation.values()) == 2


def test_lines_and_veils_stand_in_the_scene_of_a_ruleset_that_has_a_place_for_them(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    scenario = load_scenario(root / "scenarios" / "night_boat.yaml")
    agreed = Calibration(lines=("spiders",), veils=("drowning",))
    seven, _ = load_ruleset("seven-minutes")
    assert calibrate_scenario(scenario, seven, agreed).scene_seed == {"lines": ["spiders"], "veils": ["drowning"]}
    freeform, _ = load_ruleset("freeform")
    assert calibrate_scenario(scenario, freeform, agreed).scene_seed is None


def test_stats_beyond_the_ruleset_are_refused_and_nothing_is_begun(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    app = open_app(root)
    agreed = Calibration.model_validate({"character": {"stats": {"charm": 20}}})
    with pytest.raises(CampaignError, match="charm: 20 is greater than the maximum of 3"):
        app.campaigns.new("night_boat", campaign_id="game", calibration=agreed)
    assert app.campaigns.ids() == []


def test_a_campaign_without_session_zero_has_none_and_is_told_nothing(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.reading("game") as store:
        assert store.campaign().calibration == {}
    assert stage_inputs(app, "narrator")["packet"]["calibration"] == {}


def test_an_upgrade_keeps_to_what_was_agreed_on_and_sees_no_change_in_the_scenario(tmp_path: Path) -> None:
    app = begun(tmp_path)
    plan = app.upgrades.plan("game")
    assert [remark for remark in plan.remarks if remark.kind == "scenario-file"] == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("lethality: huge", "1: lethality"),
        ("tone: ok\ncolour: red", "2: colour: there is no such key"),
        ("lines: [a", "expected"),
        (f"lines: [{', '.join(['a'] * (MOST_LINES + 1))}]", "lines"),
        (f"veils: [{'a' * 121}]", "veils"),
        ('character: {name: "   "}', "character.name"),
    ],
)
def test_a_file_that_is_no_calibration_is_refused_with_its_line(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "agreed.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CampaignError, match=says):
        read_calibration(path)


@pytest.mark.parametrize("text", ["a\x1b[2Jb", "a\u202eb", "a\nb"])
def test_nothing_that_a_terminal_obeys_is_agreed_on(text: str) -> None:
    for given in ({"tone": text}, {"lines": [text]}, {"character": {"name": text}}):
        with pytest.raises(ValidationError):
            Calibration.model_validate(given)


def test_a_file_may_be_json_and_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "agreed.json"
    path.write_text(json.dumps(AGREED), encoding="utf-8")
    assert read_calibration(path) == Calibration.model_validate(AGREED)
    with pytest.raises(NotFound, match="there is no file"):
        read_calibration(tmp_path / "other.json")


def answers(*lines: str) -> Any:
    """Answers in order, and every question that was asked."""
    given: Iterator[str] = iter(lines)
    questions: list[str] = []

    def ask(question: str) -> str:
        questions.append(question)
        return next(given)

    return ask, questions


def test_questions_are_asked_until_the_answer_can_be_kept(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    scenario, ruleset = open_app(root).campaigns.read("night_boat")
    ask, questions = answers(
        *("dry", "huge", "low", "", "spiders; needles", "", "Ada", "shy", "she", "A courier.", "charm 20", "charm"),
        "charm 2, wits -1",
    )
    agreed = asked(scenario, ruleset, ask)
    assert agreed == Calibration.model_validate(
        {
            "tone": "dry",
            "lethality": "low",
            "lines": ["spiders", "needles"],
            "character": {
                "name": "Ada",
                "pronoun": "she",
                "description": "A courier.",
                "stats": {"charm": 2, "wits": -1},
            },
        }
    )
    assert sum("Lethality" in question for question in questions) == 2
    assert sum("stats" in question for question in questions) == 3


def test_empty_answers_leave_everything_as_it_is(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    scenario, ruleset = open_app(root).campaigns.read("night_boat")
    ask, _ = answers(*[""] * 9)
    agreed = asked(scenario, ruleset, ask)
    assert agreed == Calibration()
    assert agreed.told() == {}
    assert calibrate_scenario(scenario, ruleset, agreed) == scenario


def test_a_campaign_shows_what_was_agreed_on() -> None:
    agreed = Calibration.model_validate(AGREED).model_dump(mode="json")
    assert list(calibration_lines(agreed)) == [
        "tone: dry",
        "lethality: low",
        "pace: slow",
        "lines: spiders",
        "veils: drowning",
        "character: Ada: A courier who does not run.",
    ]
    assert list(calibration_lines({})) == []
