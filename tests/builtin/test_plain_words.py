"""Lines of a chat and of a learner's English are put as plain English puts them; plain English stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.builtin.words.clauses import cleaned
from lorewright.builtin.words.plain_words import in_plain_words, with_spaces
from lorewright.builtin.words.spelling import spelled_out

NAMES = {"viktor", "jin", "ambrose", "dorrie", "teo", "marit"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("you have see my friend jin?", "have you seen my friend jin?"),
        ("yo viktor u seen jin", "hey viktor have you seen jin"),
        ("why you clean glass?", "why do you clean glass?"),
        ("where she put the key", "where did she put the key"),
        ("where you are?", "where are you?"),
        ("where it is the key", "where is the key"),
        ("what you doing there", "what are you doing there"),
        ("how much doors have this house", "how many doors does this house have"),
        ("how many time it have before the boats they go?", "how much time do we have until the boats go?"),
        ("you want we speak about film?", "do you want to talk about film?"),
        ("marit you remember of me?", "marit do you remember me?"),
        ("you can open please?", "can you open please?"),
    ],
)
def test_questions_without_their_form_get_it(typed: str, meant: str) -> None:
    assert spelled_out(typed, NAMES) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("i no have money", "i don't have money"),
        ("she not answer the door", "she doesn't answer the door"),
        ("he not here", "he is not here"),
        ("i not sure", "i'm not sure"),
        ("i am make a list of the locks", "i am making a list of the locks"),
        ("I am wanting to go home", "I want to go home"),
        ("i want ask you something", "i want to ask you something"),
        ("i want that you tell me", "i want you to tell me"),
        ("my friend she say under the ice", "my friend says under the ice"),
        ("is too dark here", "it is too dark here"),
        ("its itchy", "it's itchy"),
        ("u aint changed", "you haven't changed"),
        ("I put cross in the up middle, is good?", "I put cross in the top middle."),
    ],
)
def test_statements_of_a_learner_are_put_right(typed: str, meant: str) -> None:
    assert spelled_out(typed, NAMES) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("wheres ambrose i got his candles", "where's ambrose? i got his candles"),
        ("WHERE IS JIN VIKTOR TELL ME NOW", "where is jin, viktor? tell me now"),
        ("ok bye im off lol when does the bus come", "ok bye i'm off. when does the bus come"),
        ("he locked me in wtf open the door", "he locked me in. open the door"),
        ("even the smell :( hi dorrie", "even the smell. hi dorrie"),
        ("i bring the tapers, where is ambrose", "i bring the tapers. where is ambrose"),
        ("viktor,tell me?please", "viktor, tell me? please"),
    ],
)
def test_what_runs_on_into_something_else_is_cut(typed: str, meant: str) -> None:
    assert spelled_out(typed, NAMES) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("she aint pickin up", "she isn't picking up"),
        ("bang on the door an shout", "bang on the door and shout"),
        ("take an apple", "take an apple"),
        ("wait an hour", "wait an hour"),
        ("cover ur ears 2", "cover your ears too"),
        ("is that 2 much", "is that too much"),
        ("what r u up 2", "what are you up to"),
        ("who was the last 1 here", "who was the last one here"),
        ("who nicked it", "who stole it"),
        ("it got nicked", "it got stolen"),
        ("ur on mate, hope u brought cash", "you're on mate, i hope you brought cash"),
        ("bruh teo wait here", "teo wait here"),
    ],
)
def test_chat_is_spelled_out(typed: str, meant: str) -> None:
    assert spelled_out(typed, NAMES) == meant


@pytest.mark.parametrize(
    "plain",
    [
        "tell me where she put the key",
        "I wonder when the boat goes",
        "ask him what he wants",
        "Which of us would you put your money on?",
        "You have news for her.",
        "when the rain stops I go out",
        "he is open about it",
        "Taps, is it?",
        "I try the door that's quietest",
        "look at its handle",
        "she sits down on its edge",
        "I am set on it",
        "do you know where he is",
        "I see the boat you came in",
        "the person who is guarding the lamp",
        "if it is too dark I wait",
        "You heard what happened to her, didn't you?",
    ],
)
def test_plain_english_stays(plain: str) -> None:
    assert spelled_out(plain, NAMES) == plain


def test_a_shouted_line_is_read_in_lower_case_and_a_shouted_word_stays() -> None:
    assert with_spaces("OPEN THE DOOR NOW") == "open the door now"
    assert with_spaces("open the DOOR now") == "open the DOOR now"
    assert with_spaces("GO N") == "GO N"


@given(st.text(max_size=60))
def test_what_is_put_plainly_is_put_so_no_further(text: str) -> None:
    once = in_plain_words(cleaned(text))
    assert in_plain_words(once) == once
