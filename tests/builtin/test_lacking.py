"""What a line says to be found, had, boarded or climbed out of is not there for being said."""

from __future__ import annotations

import pytest

from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.words.tagging import Act
from lorewright.values.records import InterpreterInput, InterpreterOutput
from support.narrator_bar import SCOPES

# Where the prose shows nothing, what is not here can be said not to be.
BAR = SCOPES["bar"].model_copy(update={"scenery": ()})


def heard(line: str, kind: str) -> InterpreterOutput:
    return interpret(InterpreterInput(player_text=line, scope=BAR), lambda _: (Act(kind=kind, words=line, score=0.9),))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("I find a lantern behind the stove", "lantern"),
        ("then I suddenly discover the silver whistle under a chair", "silver whistle"),
        ("I stumble upon a revolver in the bucket", "revolver"),
    ],
)
def test_a_find_that_is_only_told_is_none(line: str, name: str) -> None:
    (action,) = heard(line, "seek").proposed_actions
    assert (action.metadata["detail"], action.metadata["detail_is"]) == (name, "absent")


@pytest.mark.parametrize(
    "line", ["I find a seat at the bar", "I find the words in my heart", "I find her hand in the dark"]
)
def test_what_one_finds_for_oneself_is_no_such_find(line: str) -> None:
    assert not [act for act in heard(line, "seek").proposed_actions if act.metadata.get("detail_is") == "absent"]


@pytest.mark.parametrize(
    "line", ["use the skeleton key", "try the master key on the lock", "use the crowbar on the lid"]
)
def test_a_tool_that_is_not_here_is_no_other_that_is_called_alike(line: str) -> None:
    (action,) = heard(line, "use").proposed_actions
    assert action.metadata["detail_is"] == "absent"


@pytest.mark.parametrize("line", ["take the six o'clock bus now", "catch a train to the coast", "I hop on the tram"])
def test_what_comes_by_its_hours_is_not_boarded_before(line: str) -> None:
    output = heard(line, "take")
    assert output.proposed_actions == ()
    assert output.aside is not None
    assert output.aside.kind == "ride"
    assert output.aside.words in line


def test_nobody_who_serves_has_a_taxi_to_give() -> None:
    output = heard("order a taxi to the pier", "order")
    assert (output.aside and output.aside.kind, output.proposed_actions) == ("ride", ())


def test_a_window_is_no_way_out() -> None:
    (action,) = heard("I climb out of the window", "go").proposed_actions
    assert (action.type, action.metadata["detail"]) == ("attempt", "window")


def test_a_call_without_a_telephone_is_about_the_telephone() -> None:
    (action,) = heard("I telephone my mother in Devon", "phone").proposed_actions
    assert (action.metadata["detail"], action.metadata["detail_is"]) == ("telephone", "absent")


@pytest.mark.parametrize(
    ("line", "kind", "name"),
    [
        ("get a lantern from the supermarket", "take", "supermarket"),
        ("go to the supermarket", "go", "supermarket"),
        ("drive after Jin in my Ferrari", "follow", "Ferrari"),
    ],
)
def test_where_something_is_to_be_had_or_what_one_would_ride_in_is_what_is_missing(
    line: str, kind: str, name: str
) -> None:
    (action,) = heard(line, kind).proposed_actions
    assert (action.metadata["detail"], action.metadata["detail_is"]) == (name, "absent")


def test_nobody_drives_who_has_no_car() -> None:
    output = heard("drive after Jin", "follow")
    assert output.aside is not None
    assert "no car" in output.aside.words
