"""A conversation stays with a person: what is said to nobody by name, what goes on about a topic, what is only civil."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from support import harbour as h
from support import harbour_crew as c

OSK, BEA = "harbour:osk", "harbour:bea"


def company(tmp_path: Path, *, listener: str | None = None) -> App:
    """Osk and Bea are both in the tavern, which may have a listener."""
    places: dict[str, Any] = copy.deepcopy(c.scenario()["places"])
    if listener is not None:
        places["tavern"]["listener"] = listener
    return c.crew(tmp_path, together=True, places=places)


@pytest.fixture(autouse=True, scope="module")
def made_before(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test pays for what only the first would: the workspaces that are copied for all, and a first turn."""
    for listener in (None, "osk", "bea"):
        h.say(company(tmp_path_factory.mktemp("before"), listener=listener), "look")


def actions(app: App, turn: int = -1) -> list[dict[str, Any]]:
    """How the words of a turn were read; the last turn's by default."""
    with app.campaigns.reading("game") as store:
        row = store.turns()[turn]
        (output,) = [r["output"] for r in store.stage_records(row["turn_id"]) if r["stage"] == "interpreter"]
    found: list[dict[str, Any]] = output["proposed_actions"]
    return found


def heard(app: App) -> str | None:
    """Who heard the last words."""
    (target,) = {action["target_id"] for action in actions(app)}
    return None if target is None else str(target)


@pytest.mark.parametrize(("name", "who"), [("osk", OSK), ("bea", BEA)])
def test_words_to_nobody_by_name_go_to_whom_one_spoke_to_last(tmp_path: Path, name: str, who: str) -> None:
    app = company(tmp_path, listener="osk")
    _, result = h.say(app, f"ask {name} about the weather", "where is Lin?")
    assert result["clarification_question"] is None
    assert heard(app) == who


def test_else_they_go_to_who_listens_at_the_place(tmp_path: Path) -> None:
    app = company(tmp_path, listener="bea")
    (result,) = h.say(app, "where is Lin?")
    assert result["clarification_question"] is None
    assert heard(app) == BEA


def test_else_it_is_asked_to_whom_in_lines_that_can_be_typed(tmp_path: Path) -> None:
    app = company(tmp_path)
    asked, answered = h.say(app, "where is Lin?", "1")
    assert asked["clarification_question"].startswith("Whom do you mean")
    assert len(asked["suggested_actions"]) == 2
    assert answered["clarification_question"] is None


def test_what_is_done_between_does_not_end_a_conversation(tmp_path: Path) -> None:
    app = company(tmp_path, listener="osk")
    h.say(app, "ask bea about the weather", "take the rope", "look", "where is Lin?")
    assert heard(app) == BEA


def test_it_ends_when_one_walks_away(tmp_path: Path) -> None:
    app = company(tmp_path, listener="osk")
    *_, result = h.say(app, "ask bea about the weather", "go door", "go tavern", "where is Lin?")
    assert result["clarification_question"] is None
    assert heard(app) == OSK


@pytest.mark.parametrize(
    "line",
    [
        "when was that?",
        "why is that?",
        "what else?",
        "why",
        "what happened then?",
        "tell me more",
    ],
)
def test_what_goes_on_is_about_the_topic_at_hand(tmp_path: Path, line: str) -> None:
    app = company(tmp_path)
    h.say(app, "ask osk about lin", line)
    (action,) = actions(app)
    assert (action["type"], action["target_id"]) == ("ask", OSK)
    assert action["metadata"]["topic"].casefold() == "lin"


def test_a_pronoun_in_a_question_is_who_was_spoken_of(tmp_path: Path) -> None:
    app = company(tmp_path)
    h.say(app, "ask osk about lin", "is she in trouble?")
    (action,) = actions(app)
    assert (action["type"], action["target_id"]) == ("ask", OSK)
    assert "lin" in action["metadata"]["topic"].casefold().split()


def test_a_question_with_a_topic_of_its_own_is_about_that(tmp_path: Path) -> None:
    app = company(tmp_path)
    h.say(app, "ask osk about lin", "what about the weather?")
    (action,) = actions(app)
    assert "weather" in action["metadata"]["topic"]
    assert "lin" not in action["metadata"]["topic"].casefold()


def test_words_to_another_go_to_the_other_and_so_does_what_follows(tmp_path: Path) -> None:
    app = company(tmp_path)
    h.say(app, "ask osk about lin", "Bea, where is Lin?", "when was that?")
    assert heard(app) == BEA


@pytest.mark.parametrize("line", ["I'm only here to get out of the wet.", "You look tired.", "It is a long way home."])
def test_a_statement_is_a_remark_to_whom_one_speaks_with(tmp_path: Path, line: str) -> None:
    app = company(tmp_path)
    _, result = h.say(app, "ask osk about the weather", line)
    assert result["clarification_question"] is None
    (action,) = actions(app)
    assert action["type"] in ("remark", "compliment", "enquire")
    assert action["target_id"] == OSK


def test_a_question_after_a_remark_is_about_its_own_words(tmp_path: Path) -> None:
    app = company(tmp_path, listener="osk")
    h.say(app, "I'm only here to get out of the wet.", "how much do you want for it?")
    (action,) = actions(app)
    assert "wet" not in action["metadata"].get("topic", "")


CIVIL = (
    *("hello Osk", "thank you, Osk", "nod at Osk", "how are you, Osk?", "you look tired, Osk", "bow to Osk"),
    *("a beer please, Osk", "sorry, Osk", "wave to Osk", "I'm only here for the fire", "goodbye Osk"),
)


@pytest.mark.parametrize("lines", [CIVIL[:4], CIVIL[4:8], CIVIL[8:]], ids=lambda lines: lines[0])
def test_nothing_civil_brings_out_what_somebody_knows(tmp_path: Path, lines: tuple[str, ...]) -> None:
    app = company(tmp_path, listener="osk")
    results = h.say(app, *lines)
    assert all(result["clarification_question"] is None for result in results)
    assert not any(canary in str(results) for canary in h.CANARIES)
    with app.campaigns.reading("game") as store:
        state = store.head().state
    assert state.learned_by(state.player_id) == frozenset()
    assert not any(result["rolls"] for result in results)


def test_one_goes_back_to_whom_one_left_on_the_way_too(tmp_path: Path) -> None:
    app = company(tmp_path)
    h.say(app, "ask osk about the weather", "thank osk, then go door", "look", "go back to Osk")
    (back,) = actions(app)
    assert (back["type"], back["location_id"]) == ("go", "harbour:tavern")
