"""Words of which nothing can be made cost nothing of the rest, are told as not played, and are kept by nobody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.ids import canonical_json
from support import harbour as h
from support import harbour_crew as c

ODD = "frobnicate"
LINE = f"Take the rope. {ODD.capitalize()} quietly. Ask Osk about Lin."


def state_json(app: App) -> str:
    with app.campaigns.reading("game") as store:
        return canonical_json(store.head().state.model_dump(mode="json"))


def test_one_unknown_clause_never_costs_the_rest(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    (result,) = h.say(app, LINE)
    assert result["clarification_question"] is None
    assert h.KNOWS in result["final_text"]
    with app.campaigns.reading("game") as store:
        state = store.head().state
    assert state.held_by(state.player_id).get("game:rope") == 1


@pytest.mark.parametrize(
    "line",
    [f"{ODD} quietly, then take the rope", f"take the rope and then {ODD} quietly", f"{ODD} quietly. Take the rope!"],
)
def test_it_does_not_matter_where_it_stands(tmp_path: Path, line: str) -> None:
    app = h.harbour(tmp_path)
    (result,) = h.say(app, line)
    assert [words.casefold() for words in result["validation"]["not_played"]] == [f"{ODD} quietly"]
    with app.campaigns.reading("game") as store:
        state = store.head().state
    assert state.held_by(state.player_id).get("game:rope") == 1


def test_they_are_told_as_not_played_and_other_lines_say_nothing_of_it(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    odd, plain = h.say(app, LINE, "look")
    assert odd["validation"]["not_played"] == [f"{ODD.capitalize()} quietly"]
    told, _, asked = odd["final_text"].partition("Not done: ")
    assert ODD not in told.casefold()
    assert asked.startswith(f"“{ODD.capitalize()} quietly”.")
    assert "not_played" not in plain["validation"]
    assert "Not done" not in plain["final_text"]


def test_they_change_nothing_of_the_state(tmp_path: Path) -> None:
    with_them = h.harbour(tmp_path / "one", seed=3)
    without = h.harbour(tmp_path / "other", seed=3)
    h.say(with_them, f"take the rope and then {ODD} quietly")
    h.say(without, "take the rope")
    one, other = (json.loads(state_json(app)) for app in (with_them, without))
    for key in ("inventory", "clocks", "positions", "minutes", "facts", "reveals"):
        assert one.get(key) == other.get(key), key


def test_nobody_but_the_reader_of_the_line_is_given_them(tmp_path: Path) -> None:
    app = c.crew(tmp_path, profile="stream", together=True)
    h.say(app, LINE, "look")
    given = h.stage_inputs(app)
    assert "narrator" in given
    assert "npc_intent" in given
    # Code that is handed the verdict, where they are listed, is no reader of them either.
    readers = {"interpreter", "premises", "ground", "validate", "resolve", "steps", "settle"}
    told = {stage for stage, texts in given.items() if any(ODD in text.casefold() for text in texts)}
    assert told <= readers


def test_nobody_remembers_them(tmp_path: Path) -> None:
    app = c.crew(tmp_path, profile="stream", together=True)
    h.say(app, LINE)
    assert ODD not in state_json(app).casefold()


def test_a_line_of_nothing_else_is_answered_in_a_sentence_and_costs_no_time(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    before = json.loads(state_json(app))
    (result,) = h.say(app, f"{ODD} quietly")
    assert ODD in result["clarification_question"]
    assert "1 " not in result["clarification_question"], "no menu of things that nobody asked for"
    assert json.loads(state_json(app))["minutes"] == before["minutes"]
