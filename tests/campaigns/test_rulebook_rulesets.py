"""A ruleset that has a rulebook and two schemas alone: what it gets of its own, and what decides in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.scenarios.rulesets import read_ruleset, remarks_on_ruleset
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import Model, ModelReply, ModelRequest, ToolCall
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.rules.rulesets import Ruleset
from lorewright.world.state import WorldState
from support.harbour import dedent, say

# The ruleset record of the specification, to the letter.
SEVEN_MINUTES_RULES = """\
{
  "id": "seven-minutes",
  "name": "Seven Minutes to Heaven",
  "rulebook_text": "...",
  "character_stat_schema": {"type": "object", "required": ["shyness", "chemistry"], "properties": {"shyness": {"type": "integer"}, "chemistry": {"type": "integer"}}},
  "scene_state_schema": {"type": "object", "required": ["minutes_left"], "properties": {"minutes_left": {"type": "integer"}}},
  "mechanics_guidance": {"uses_dice": true, "dice_formats": ["NdM+K"]},
  "schema_version": 1
}
"""  # fmt: skip


# The same with the bounds and the text of its other example there.
CONCEPTUAL = """\
{
  "id": "seven-minutes",
  "name": "Seven Minutes to Heaven",
  "rulebook_text": "Time pressure is strict. The scene lasts 7 minutes. Any move to initiate, flirt, or cross a boundary requires a shyness check. Use 1d20 + (10 - shyness) + chemistry. 18+ is bold success, 12-17 is awkward partial, below 12 is failure with tension.",
  "character_stat_schema": {
    "type": "object",
    "required": ["shyness", "chemistry"],
    "properties": {
      "shyness": {"type": "integer", "min": 0, "max": 10},
      "chemistry": {"type": "integer", "min": 0, "max": 10}
    }
  },
  "scene_state_schema": {
    "type": "object",
    "required": ["minutes_left"],
    "properties": {
      "minutes_left": {"type": "integer", "min": 0, "max": 7}
    }
  }
}
"""  # fmt: skip
SCENARIO = """
    id: closet
    intro_seed: The door clicks shut.
    start: closet
    ruleset: closet-rules
    player: {name: Ash}
    places: {closet: {name: Closet}}
    cast: {lena: {at: closet, name: Lena, pronoun: she}}
    scene_seed: {minutes_left: 7}
    stat_blocks: {lena: {shyness: 7, chemistry: 3}, player: {shyness: 2, chemistry: 4}}
"""


def ruleset(text: str) -> Ruleset:
    found, faults = read_ruleset(text)
    assert faults == [] and found is not None
    return found


def closet(folder: Path, *, models: dict[str, Model] | None = None, scenario: str = SCENARIO) -> App:
    """An app with a campaign begun in a closet, by the record of the specification under another ID."""
    root = folder / "workspace"
    make_empty_workspace(root)
    (root / "rulesets").mkdir()
    text = CONCEPTUAL.replace('"id": "seven-minutes"', '"id": "closet-rules"')
    (root / "rulesets" / "closet-rules.yaml").write_text(text, encoding="utf-8")
    (root / "scenarios" / "closet.yaml").write_text(dedent(scenario), encoding="utf-8")
    app = open_app(root, models=models)
    app.campaigns.new("closet", campaign_id="game", seed=1)
    return app


def state_of(app: App) -> WorldState:
    with app.campaigns.reading("game") as store:
        return store.head().state


@pytest.mark.parametrize("text", [SEVEN_MINUTES_RULES, CONCEPTUAL])
def test_the_ruleset_record_of_the_specification_is_one(text: str) -> None:
    found = ruleset(text)
    assert (found.dice, found.profile, found.by_rulebook) == ("2d6", "ensemble", True)
    assert [(band.name, band.minimum) for band in found.bands][:3] == [("critical", 12), ("success", 10), ("mixed", 7)]
    assert {kind for kind, row in found.actions.items() if row.check} == {
        *("sneak", "persuade", "threaten", "attack", "attempt")
    }
    assert "observe" in found.allowed_ops["resolve"] and "increment" in found.allowed_ops["resolve"]
    assert found.decay_lambda > 0
    assert found.owner_of("scene.minutes_left") == found.owner_of("stats.shyness") == "resolve"
    assert remarks_on_ruleset(found, text) == []


def test_its_bounds_hold_and_its_summary_is_its_first_sentence() -> None:
    found = ruleset(CONCEPTUAL)
    assert found.scene_state_schema["properties"]["minutes_left"] == {"type": "integer", "minimum": 0, "maximum": 7}
    assert found.summary == "Time pressure is strict."


def test_what_it_says_itself_holds() -> None:
    text = json.dumps(
        {**json.loads(CONCEPTUAL), "dice": "1d20", "profile": "stream", "decay_lambda": 0.5, "summary": "S."}
    )
    found = ruleset(text)
    assert (found.profile, found.decay_lambda, found.summary) == ("stream", 0.5, "S.")
    assert [(band.name, band.minimum) for band in found.bands][:2] == [("success", 15), ("mixed", 10)]


def test_a_property_that_is_called_min_stays() -> None:
    schema = {"type": "object", "properties": {"min": {"type": "integer", "min": 1}}}
    found = ruleset(json.dumps({**json.loads(CONCEPTUAL), "scene_state_schema": schema}))
    assert found.scene_state_schema["properties"] == {"min": {"type": "integer", "minimum": 1}}


@pytest.mark.parametrize("profile", ["freeform", "ensemble", "stream"])
def test_three_turns_without_a_model_are_remembered(profile: str, tmp_path: Path) -> None:
    app = closet(tmp_path, scenario=f"{SCENARIO}    profile: {profile}\n")
    say(app, "ask Lena about the door", "persuade Lena to stay", "promise Lena to be quiet")
    kept = [memory.content for memory in state_of(app).observations["game:lena"].values()]
    assert len(kept) >= 3 and all(kept)


def test_without_a_model_two_dice_decide_what_is_tried_on_somebody(tmp_path: Path) -> None:
    told = say(closet(tmp_path), "persuade Lena to stay", "flirt with Lena", "look")
    assert [[roll["expression"] for roll in turn["rolls"]] for turn in told] == [["2d6"], ["2d6"], []]


def test_with_a_model_the_rulebook_decides_every_type_that_takes_time(tmp_path: Path) -> None:
    asked: list[str] = []

    def rule(request: ModelRequest) -> Any:
        asked.append(request.text)
        results = [one.text for said in request.talk for one in said.results]
        if "persuade" not in request.prompt.text.rpartition("<attempt>")[2]:
            return {
                "resolved_outcome": "no roll",
                "state_ops": [{"op": "decrement", "path": "minutes_left", "value": 1}],
            }
        if not results:
            check = {"character_id": "game:player", "check_type": "shyness"}
            call = ToolCall("call_1", "roll_dice", json.dumps({"expression": "1d20+12", "context": check}))
            return ModelReply("", "ruler-1", 50, 9, calls=(call,))
        return {
            "dice_request": ["1d20+12"],
            "resolved_outcome": "mixed",
            "new_observations": [{"character_id": "game:lena", "content": "Ash leaned closer.", "importance": 3}],
        }

    app = closet(tmp_path, models={"resolution": ScriptedModel(rule)})
    waited, persuaded, looked = say(app, "wait", "persuade Lena to stay", "look")
    assert len(asked) == 3
    assert state_of(app).ruleset is not None and state_of(app).ruleset.scene["minutes_left"] == 6  # type: ignore[union-attr]
    assert [roll["expression"] for roll in persuaded["rolls"]] == ["1d20"]
    assert persuaded["rolls"][0]["band"] == "mixed"
    assert waited["rolls"] == looked["rolls"] == []
    memories = [memory.content for memory in state_of(app).observations["game:lena"].values()]
    assert "Ash leaned closer." in memories


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"actions": {"wait": {"summary": "Wait"}}}, "nothing is ever rolled"),
        ({"allowed_ops": {"resolve": ["clock"]}}, "nobody remembers anything that happens"),
        ({"decay_lambda": 0}, "no memory ever fades"),
    ],
)
def test_what_is_never_rolled_remembered_or_faded_is_warned_of(changed: dict[str, Any], said: str) -> None:
    text = json.dumps({**json.loads(CONCEPTUAL), **changed})
    assert any(said in remark.message and remark.hint for remark in remarks_on_ruleset(ruleset(text), text))
