"""What is said to somebody is told from what is done, and a line is cut into clauses accordingly."""

from __future__ import annotations

import pytest

from lorewright.builtin.words.clauses import words_of
from lorewright.builtin.words.utterances import is_said, split_clauses
from support.narrator_bar import read

SAID = (
    "I'm only here to get out of the wet",
    "I am looking for a friend",
    "I don't believe you",
    "I know that you were there",
    "you are lying",
    "you look tired",
    "she left me a message",
    "it's a long way from home",
    "the rain is getting worse",
    "my sister was here",
    "that was a mistake",
    "ok, that's fair",
    "well, I had hoped for more",
    "nobody's coming",
)
DONE = (
    "I sit down",
    "I look around",
    "I take the unit",
    "I want to leave",
    "I have to go",
    "look at the door",
    "you look at the door",
    "take the unit",
    "wait",
    "go to the market",
    "well, look around",
    "the market",
    "",
)


@pytest.mark.parametrize("text", SAID)
def test_a_statement_is_said(text: str) -> None:
    assert is_said(words_of(text))


@pytest.mark.parametrize("text", DONE)
def test_an_act_is_not_said(text: str) -> None:
    assert not is_said(words_of(text))


def clauses(text: str, *, names: tuple[tuple[str, ...], ...] = (), people: tuple[str, ...] = ("viktor",)) -> list[str]:
    cut = split_clauses(words_of(text), names=names, people=[tuple(name.split()) for name in people])
    return [clause.text for clause in cut]


def test_a_line_is_cut_at_stops_at_then_and_before_verbs() -> None:
    assert clauses("Look around. Take the unit") == ["Look around", "Take the unit"]
    assert clauses("look around then take the unit") == ["look around", "take the unit"]
    assert clauses("look around, take the unit and go north") == ["look around", "take the unit", "go north"]


def test_an_unknown_verb_before_an_object_begins_a_clause_too() -> None:
    assert clauses("I burn the letter, scatter the ashes and look around") == [
        "I burn the letter",
        "scatter the ashes",
        "look around",
    ]
    assert clauses("take the knife and the unit") == ["take the knife and the unit"]


def test_what_is_said_is_not_cut_at_its_verbs() -> None:
    assert clauses("Viktor, take the unit and go north") == ["Viktor take the unit and go north"]
    assert clauses("I'm here to look around and take my time. Look around") == [
        "I'm here to look around and take my time",
        "Look around",
    ]


def test_no_name_is_cut_in_two() -> None:
    name = ("salt", "and", "search")
    assert clauses("take salt and search", names=(name,)) == ["take salt and search"]


def test_another_person_and_about_begin_another_question() -> None:
    found = clauses("ask Mara about Jin and Viktor about the key", people=("viktor", "mara"))
    assert found == ["ask Mara about Jin", "Viktor about the key"]


@pytest.mark.parametrize("text", ["I'm only here to get out of the wet", "You look tired", "My sister worked here"])
def test_a_statement_is_a_remark_to_the_only_person_here(text: str) -> None:
    (action,) = read(text).proposed_actions
    assert (action.type, action.target_id) in {
        ("remark", "p:viktor"),
        ("compliment", "p:viktor"),
        ("enquire", "p:viktor"),
    }


def test_a_statement_that_is_no_claim_gives_nothing_to_ask_back_about() -> None:
    for text in SAID:
        assert read(text).unclear is None, text


@pytest.mark.parametrize(
    "text",
    [
        "Mr Gaunt said the house was empty",
        "bro your glass is clean",
        "I was told to bring you these",
        "this place is creepy",
    ],
)
def test_a_sentence_about_somebody_is_said(text: str) -> None:
    assert is_said(words_of(text))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("look at the door before the tide turns", ["look"]),
        ("wait a bit, looking at the door", ["wait", "look"]),
        ("give Viktor a nod", ["wave"]),
        ("stand still, and only then look around", ["pose", "look"]),
        ('lean closer and murmur, "Where is Jin?"', ["pose", "ask"]),
        ("leave it alone", ["pose"]),
        ("put it on my tab", ["call_for"]),
    ],
)
def test_an_act_is_read_without_what_stands_around_it(text: str, kinds: list[str]) -> None:
    assert [action.type for action in read(text).proposed_actions] == kinds


def test_what_is_said_ends_where_an_act_of_ones_own_begins() -> None:
    assert clauses("I have the lamp in my crate, I give it to Marit") == [
        "I have the lamp in my crate",
        "I give it to Marit",
    ]


@pytest.mark.parametrize("text", ["do you ever sleep?", "why won't you look at me?", "what are you thinking?"])
def test_a_personal_question_is_small_talk(text: str) -> None:
    (action,) = read(f"Viktor, {text}").proposed_actions
    assert (action.type, action.target_id) == ("enquire", "p:viktor")
