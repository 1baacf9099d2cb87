"""Rulings by the rulebook in a turn: code throws the dice, a model reads them; what it says is held against them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply, ModelRequest, ToolCall
from lorewright.rules.dice import SeededDice
from lorewright.turn.run.by_the_book import DiceTool
from support import harbour as h
from support import parlour as p

NO_ROLL = {"resolved_outcome": "no roll"}


def call(expression: str, **more: Any) -> ModelReply:
    return ModelReply(
        "", "scripted", calls=(ToolCall("c", "roll_dice", json.dumps({"expression": expression, **more})),)
    )


def thrown(request: ModelRequest) -> list[dict[str, Any]]:
    """What fell so far, as the model was told."""
    return [json.loads(one.text) for said in request.talk for one in said.results if one.text.startswith("{")]


def said(request: ModelRequest) -> list[str]:
    return [one.text for said in request.talk for one in said.results]


def band(total: int) -> str:
    return "success" if total >= 16 else "mixed" if total >= 10 else "fail"


class Reader:
    """A model that throws so many dice, and then reads them honestly but for what is given."""

    def __init__(self, *expressions: str, **otherwise: Any) -> None:
        self._left = list(expressions)
        self._otherwise = otherwise

    def __call__(self, request: ModelRequest) -> Any:
        if self._left:
            return call(self._left.pop(0), check_type="yodel")
        fell = thrown(request)
        read = {"dice_request": [one["expression"] for one in fell], "resolved_outcome": "no roll"}
        if fell:
            read["resolved_outcome"] = band(fell[0]["total"])
        return {**read, **self._otherwise}


@pytest.fixture
def app(tmp_path: Path) -> App:
    return p.begun(tmp_path / "workspace", "everyday-tension")


def played(app: App, answer: Any, line: str = "yodel") -> tuple[dict[str, Any], ScriptedModel]:
    """Play a line, which is read as an attempt of that verb where the grammar is not sure of it."""
    model, reading = ScriptedModel(answer), {"intent": "tries", "actions": [{"type": "attempt", "words": line}]}
    models = {"interpreter": ScriptedModel(lambda _: reading), "resolution": model}
    return h.say(h.with_models(app, models), line)[0], model


def state(app: App) -> Any:
    with app.campaigns.reading("game") as store:
        return store.head().state


def test_dice_are_thrown_by_code_and_stand_in_the_result(app: App) -> None:
    result, model = played(app, Reader("1d20+2"))
    (roll,), (fell,) = result["rolls"], thrown(model.requests[-1])
    assert (roll["expression"], roll["modifier"], roll["total"]) == ("1d20", 2, fell["total"])
    assert roll["rolls"] == fell["rolls"]
    assert roll["band"] == band(fell["total"])


def test_the_same_dice_fall_the_same_whatever_is_added_and_whatever_they_are_for(app: App) -> None:
    dice = SeededDice(1, "state", "action")
    tool = DiceTool(dice, actor_id="jo", index=0)
    fell = [json.loads(tool.roll(json.dumps({"expression": one, "check_type": one})))["rolls"] for one in
            ("1d20", "1d20+3", " 01D020 - 2 ")]  # fmt: skip
    assert fell[0] == fell[1] == fell[2]
    assert json.loads(DiceTool(dice, actor_id="jo", index=0).roll('{"expression": "1d20"}'))["rolls"] == fell[0]


def test_a_retry_throws_the_same(app: App) -> None:
    fell: list[int] = []

    def answer(request: ModelRequest) -> Any:
        if not thrown(request):
            return call("1d20")
        fell.append(thrown(request)[-1]["total"])
        return "no JSON at all"

    played(app, answer)
    assert len(fell) == 3
    assert len(set(fell)) == 1


def test_an_attempt_whose_ruling_never_holds_is_decided_as_without_a_model(tmp_path: Path) -> None:
    by_code = p.begun(tmp_path / "by_code", "everyday-tension")
    reading = {"intent": "tries", "actions": [{"type": "attempt", "words": "yodel"}]}
    reader = {"interpreter": ScriptedModel(lambda _: reading)}
    alone = h.say(h.with_models(by_code, reader), "yodel")[0]
    result, _ = played(p.begun(tmp_path / "by_model", "everyday-tension"), lambda _: "no JSON at all")
    assert result["fell_back"] == ["resolution"]
    assert (result["final_text"], result["rolls"]) == (alone["final_text"], alone["rolls"])


@pytest.mark.parametrize(
    "expression", ["1d20+4", "1d20+9999", "1d20-2", "1d6+4", "d", "", "0d6", "999d9999", "1d20+1d4"]
)
def test_what_nothing_adds_and_what_is_no_dice_is_not_thrown(app: App, expression: str) -> None:
    # Of Jo's stats the best is 3 and the worst -1, and one die of six is worth 3.
    result, model = played(app, Reader(expression))
    assert said(model.requests[1])[0].startswith("error: ")
    assert result["rolls"] == []


def test_three_rolls_are_enough(app: App) -> None:
    result, model = played(app, Reader("1d20", "1d20", "1d20", "1d20"))
    assert "3 rolls are enough" in said(model.requests[4])[3]
    assert len(result["rolls"]) == 3


@pytest.mark.parametrize(
    ("otherwise", "problem"),
    [
        ({"dice_request": []}, "dice_request must repeat what was thrown"),
        ({"dice_request": ["1d20", "1d20"]}, "dice_request must repeat what was thrown"),
        ({"resolved_outcome": "no roll"}, "a total of"),
        ({"resolved_outcome": "triumph"}, "triumph is none of"),
        ({"state_ops": [{"op": "set", "path": "scene.location", "value": "the moon"}]}, "none of the paths"),
        ({"state_ops": [{"op": "set", "path": "stats.warmth", "value": 9, "character_id": "x"}]}, "none of the paths"),
        ({"state_ops": [{"op": "set", "path": "scene.pressure_clock", "value": 99}]}, "state_ops"),
        ({"state_ops": [{"op": "increment", "path": "scene.pressure_clock", "value": "much"}]}, "state_ops"),
        ({"new_observations": [{"character_id": "nobody", "content": "x", "importance": 1}]}, "is not in the scene"),
        (
            {"new_observations": [{"character_id": "parlour:lena", "content": "x", "importance": 6}]},
            "less than or equal",
        ),
    ],
)
def test_an_output_that_does_not_hold_is_repaired(app: App, otherwise: dict[str, Any], problem: str) -> None:
    hostile, before = Reader("1d20", **otherwise), state(app)

    def answer(request: ModelRequest) -> Any:
        return NO_ROLL if request.talk and not thrown(request) else hostile(request)

    result, model = played(app, answer)
    assert problem in model.requests[-1].talk[-1].text
    # The dice of the output that did not hold are no part of the one that does.
    assert result["rolls"] == []
    assert state(app).ruleset == before.ruleset


def test_a_ruling_changes_what_is_the_rulings_and_is_remembered(app: App) -> None:
    remembered = [{"character_id": "parlour:lena", "content": "Jo hums.", "importance": 2}]
    rise = [{"op": "increment", "path": "scene.pressure_clock", "value": 1}]
    played(app, Reader(state_ops=rise, new_observations=remembered))
    after = state(app)
    assert after.ruleset.scene["pressure_clock"] == 3
    assert [one.content for one in after.observations["parlour:lena"].values()] == ["Jo hums."]


def test_what_code_decides_asks_nobody(app: App) -> None:
    for line in ("look", "ask lena about the clock", "push tom", "go hall", "wait"):
        _, model = played(app, [], line)
        assert model.requests == []


def test_without_a_model_what_code_does_not_decide_is_simply_done(app: App) -> None:
    reading = ScriptedModel([{"intent": "tries", "actions": [{"type": "attempt", "words": "hum"}]}])
    (result,) = h.say(h.with_models(app, {"interpreter": reading}), "yodel")
    assert result["rolls"] == []
    assert result["validation"]["results"][0]["success"]


@pytest.mark.parametrize("written", ["1d20+0", " 1D20 ", "01d20"])
def test_dice_may_be_repeated_as_they_were_asked_for(app: App, written: str) -> None:
    _, model = played(app, Reader(written, dice_request=[written]))
    assert len(model.requests) == 2
