"""The interpreter: a model is asked only where the grammar is not sure, and can name nothing but what is in the scope."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.llm.doubles import ScriptedModel
from support import harbour as h

ASKS = {"intent": "asks after Lin", "actions": [{"type": "ask", "target_id": "harbour:osk", "words": "Lin"}]}
UNSURE = "whatever became of the bird seller"


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def read(app: App, line: str, *answers: Any) -> tuple[dict[str, Any], ScriptedModel]:
    model = ScriptedModel(answers)
    return h.say(h.with_models(app, {"interpreter": model}), line)[0], model


def actions(app: App) -> list[dict[str, Any]]:
    return json.loads(h.stage_outputs(app)["interpreter"][-1])["proposed_actions"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("line", ["look", "ask osk about lin", "take the rope", "go door", "wait 10 minutes"])
def test_what_the_grammar_is_sure_of_asks_nobody(app: App, line: str) -> None:
    _, model = read(app, line)
    assert model.requests == []


@pytest.mark.parametrize("line", [UNSURE, "frobnicate the gizmo", "yodel a tune"])
def test_what_the_grammar_is_not_sure_of_is_read_by_the_model(app: App, line: str) -> None:
    result, model = read(app, line, ASKS)
    assert len(model.requests) == 1
    assert line in model.requests[0].text
    assert (actions(app)[0]["type"], actions(app)[0]["target_id"]) == ("ask", "harbour:osk")
    assert "kestrel" in result["final_text"]


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"actions": [{"type": "ask", "target_id": "harbour:quay_cat"}]}, "harbour:quay_cat is not in the scope"),
        ({"actions": [{"type": "take", "item_id": "night_boat:hatch_key"}]}, ""),
        ({"actions": [{"type": "go", "location_id": "harbour:moon"}]}, "harbour:moon is not in the scope"),
        ({"actions": [{"type": "win"}]}, "win is not a type of action"),
        ({"actions": [{"type": "\x1b[2J"}]}, "is not a type of action"),
        ({"actions": []}, "neither an action nor a question"),
        ({"actions": [{"type": "look"}] * 5}, "at most 4"),
        ({"actions": [{"type": "wait", "minutes": 9_999}]}, "less than or equal to 480"),
        ({"actions": [{"type": "wait", "actor_id": "harbour:osk"}]}, "Extra inputs"),
        ({"question": "Whom?", "lines": ["x" * 201]}, "at most 200"),
    ],
)
def test_a_reading_that_does_not_hold_is_repaired(app: App, wrong: dict[str, Any], problem: str) -> None:
    if not problem:
        # A thing that take does not name is no part of it.
        read(app, UNSURE, {"intent": "x", **wrong})
        assert actions(app)[0].get("metadata", {}) == {}
        return
    _, model = read(app, UNSURE, {"intent": "x", **wrong}, ASKS)
    assert problem in model.requests[1].talk[-1].text
    assert actions(app)[0]["target_id"] == "harbour:osk"


def test_words_whose_reading_never_holds_are_read_by_the_grammar(app: App) -> None:
    alone = h.say(app, UNSURE)[0]
    result, model = read(app, UNSURE, *["{}"] * 3)
    assert len(model.requests) == 3
    assert result["fell_back"] == ["interpreter"]
    assert result["clarification_question"] == alone["clarification_question"]


def test_a_question_of_the_models_costs_nothing_and_offers_its_lines(app: App) -> None:
    asked = {"intent": "unsure", "question": "Whom do you ask?", "lines": ["ask osk about lin", "look at the rope"]}
    result, _ = read(app, UNSURE, asked)
    assert result["clarification_question"] == "Whom do you ask?"
    assert result["suggested_actions"] == ["ask osk about lin", "look at the rope"]
    with app.campaigns.reading("game") as store:
        assert store.head().state.minutes == 0


def test_a_line_that_was_offered_is_played_by_its_number(app: App) -> None:
    read(app, UNSURE, {"intent": "unsure", "question": "Whom?", "lines": ["ask osk about lin", "look at the rope"]})
    result, model = read(app, "1")
    assert model.requests == []
    assert "kestrel" in result["final_text"]


def test_what_an_action_has_no_place_for_is_left_out(app: App) -> None:
    over = {
        "type": "look",
        "target_id": "harbour:osk",
        "words": "his coat",
        "quantity": 3,
        "minutes": 9,
        "item_id": None,
    }
    read(app, UNSURE, {"intent": "looks", "actions": [over]})
    assert actions(app)[0]["metadata"] == {"detail": "his coat"}


def test_the_model_is_shown_no_secret(app: App) -> None:
    _, model = read(app, UNSURE, ASKS)
    assert not any(canary in model.requests[0].text for canary in h.CANARIES)
