"""Something for something, and waits with an end: how lines of both are read."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.parser.lines.rewordings import corrected
from lorewright.values.records import InterpreterInput
from lorewright.verbs.waiting import hour_in
from support.narrator_bar import SCOPES


def read(text: str) -> list[tuple[str, str | None, dict[str, Any]]]:
    output = interpret(InterpreterInput(player_text=text, scope=SCOPES["bar"]))
    return [(action.type, action.target_id, dict(action.metadata)) for action in output.proposed_actions]


@pytest.mark.parametrize(
    ("low", "hour"),
    [
        ("until three o'clock", "03:00"),
        ("until half past eight", "08:30"),
        ("until half eight", "08:30"),
        ("till quarter to nine", "08:45"),
        ("until ten past ten", "10:10"),
        ("until 20:30", "20:30"),
        ("until 8.30 pm", "20:30"),
        ("till midnight", "24:00"),
        ("here till dawn", "06:00"),
        ("until six in the morning", "06:00"),
        ("for ten minutes", ""),
        ("until she comes back", ""),
        ("until one of them leaves", ""),
        ("for three to come", ""),
    ],
)
def test_a_time_of_day_is_what_is_waited_for(low: str, hour: str) -> None:
    assert hour_in(low.split()) == hour


def test_a_length_of_time_alone_is_a_wait() -> None:
    assert corrected("10 min") == "wait 10 min"
    assert corrected("another half hour") == "wait another half hour"
    assert corrected("half the bar") == "half the bar"


def test_a_wait_for_what_may_happen_goes_on_till_something_does() -> None:
    assert read("wait until she comes back") == [("wait", None, {"watchful": True})]
    assert read("wait until half past eleven") == [("wait", None, {"until": "11:30"})]


@pytest.mark.parametrize(
    "text",
    [
        "I'll give Viktor the credstick if he tells me about the boat",
        "offer the credstick to Viktor if he tells me about the boat",
        "I offer Viktor my credstick, provided that he tells me about the boat",
    ],
)
def test_a_thing_that_is_offered_on_a_condition_is_not_given_for_nothing(text: str) -> None:
    [(kind, target, metadata)] = read(text)
    assert (kind, target, metadata["deal"], metadata["topic"]) == ("persuade", "p:viktor", True, "the boat")


def test_what_is_to_be_done_for_it_is_no_answer_that_is_paid_for() -> None:
    [(kind, _, metadata)] = read("I'll give Viktor the credstick if he opens the steel door")
    assert (kind, metadata["topic"], "deal" in metadata) == ("persuade", "opens the steel door", False)


@pytest.mark.parametrize("text", ["give Viktor the credstick", "give Viktor the credstick if he wants it"])
def test_a_gift_is_no_bargain(text: str) -> None:
    assert [kind for kind, _, _ in read(text)] == ["give"]


def test_what_lies_here_is_taken_before_it_is_handed_over() -> None:
    assert [(kind, target) for kind, target, _ in read("give the unit to Viktor")] == [
        ("take", "p:comm_unit"),
        ("give", "p:viktor"),
    ]
