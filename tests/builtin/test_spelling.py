"""Slang, lost apostrophes and letters for words are spelled out; names and commands stay as they were typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.builtin.words.clauses import cleaned
from lorewright.builtin.words.spelling import spelled_out
from support.narrator_bar import read


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("wheres jin", "where's jin"),
        ("Wheres jin", "Where's jin"),
        ("r u ok", "are you ok"),
        ("u there", "you there"),
        ("gimme the unit", "give me the unit"),
        ("i wanna leave", "i want to leave"),
        ("look b4 you go", "look before you go"),
        ("ask him abt jin", "ask him about jin"),
        ("go bac to the market", "go back to the market"),
        ("tell 'em about jin", "tell them about jin"),
        ("whos w/ viktor", "who's with viktor"),
    ],
)
def test_slang_is_written_as_the_words_that_it_stands_for(typed: str, meant: str) -> None:
    assert spelled_out(typed, ()) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("talk 2 me", "talk to me"),
        ("wait 4 him", "wait for him"),
        ("go 2 viktor", "go to viktor"),
        ("wait 2 hours", "wait 2 hours"),
        ("take 4 coins", "take 4 coins"),
        ("go to room 2", "go to room 2"),
    ],
)
def test_a_digit_is_a_word_only_before_one_that_it_can_stand_before(typed: str, meant: str) -> None:
    assert spelled_out(typed, {"viktor"}) == meant


def test_a_mood_of_whoever_types_is_no_word_of_the_line() -> None:
    assert spelled_out("ask viktor about jin lol", ()) == "ask viktor about jin"
    assert spelled_out("omg, look around", ()) == "look around"
    assert spelled_out("wtf lol", ()) == "wtf lol", "a line of nothing else stays, so that it can be answered"


@pytest.mark.parametrize("typed", ["u", "n", "k", "lol", "i", "w"])
def test_a_single_word_is_a_command_and_stays(typed: str) -> None:
    assert spelled_out(typed, ()) == typed


def test_words_of_names_stay() -> None:
    assert spelled_out("ask da about em", {"da", "em"}) == "ask da about em"
    assert spelled_out("ask Da about jin", {"da"}) == "ask Da about jin"


def test_ill_and_id_are_words_of_their_own_unless_a_sentence_begins_with_them() -> None:
    assert spelled_out("ill be back", ()) == "i'll be back"
    assert spelled_out("fine, ill go", ()) == "fine, i'll go"
    assert spelled_out("she is ill today", ()) == "she is ill today"
    assert spelled_out("show him the id card", ()) == "show him the id card"


def test_n_joins_two_words_and_is_a_direction_at_an_end() -> None:
    assert spelled_out("look n listen", ()) == "look and listen"
    assert spelled_out("go n", ()) == "go n"


def test_stretched_letters_and_shouted_signs_are_shortened() -> None:
    assert spelled_out("pleeeease help", ()) == "please help"
    assert spelled_out("where is jin?!?!", ()) == "where is jin?"
    assert spelled_out("look out!!!", ()) == "look out!"
    assert spelled_out("AAAA runs", ()) == "AAAA runs", "capitals may be a name"


@given(st.text(max_size=80))
def test_no_text_raises_and_none_is_emptied(text: str) -> None:
    plain = cleaned(text)
    assert bool(spelled_out(plain, ())) == bool(plain)


def test_a_line_in_slang_is_read_as_the_line_that_it_stands_for() -> None:
    for slang, plain in (
        ("wheres jin", "where's jin"),
        ("gimme teh unit", "give me the unit"),
        ("go 2 the market", "go to the market"),
    ):
        assert read(slang).proposed_actions == read(plain).proposed_actions
    assert read("wheres jin").proposed_actions


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("sit dwn", "sit down"),
        ("take the bckup unit", "take the backup unit"),
        ("look arund", "look around"),
        ("lmaooo look around", "look around"),
        ("y are you here", "why are you here"),
        ("too bad hahaha", "too bad"),
    ],
)
def test_a_word_without_its_vowels_is_the_only_one_that_it_can_be(typed: str, meant: str) -> None:
    assert spelled_out(typed, {"backup", "unit", "viktor"}) == meant


def test_two_words_with_the_same_consonants_are_left_as_they_were_typed() -> None:
    assert spelled_out("take the bttn", {"button", "bitten"}) == "take the bttn"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("put it in the corner bruv", "put it in the corner"),
        ("look behind the counter or smth", "look behind the counter"),
        ("wait by the door for a while dunno", "wait by the door for a while"),
        ("idk maybe go back", "maybe go back"),
        ("bro wheres the market", "where's the market"),
        ("is it cold out there innit", "is it cold out there"),
    ],
)
def test_words_that_only_call_or_fill_are_left_out(typed: str, meant: str) -> None:
    assert spelled_out(typed, set()) == meant


@pytest.mark.parametrize(
    "typed", ["ask the mate", "tell her idk", "cheers mate", "are you sure, mate?", "he is my pal"]
)
def test_a_word_that_is_named_or_said_is_no_filler(typed: str) -> None:
    assert spelled_out(typed, set()).rstrip("?").endswith(("mate", "don't know", "pal"))


def test_two_words_of_names_that_are_written_together_are_two() -> None:
    assert spelled_out("open the cellardoor", {"cellar", "door"}) == "open the cellar door"
    assert spelled_out("open the trapdoor", {"cellar", "door"}) == "open the trapdoor"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("run down the stares", "run down the stairs"),
        ("its warm in hear", "its warm in here"),
        ("he stares", "he stares"),
    ],
)
def test_a_word_that_sounds_like_another_is_that_after_certain_words(typed: str, meant: str) -> None:
    assert spelled_out(typed, set()) == meant


@pytest.mark.parametrize(
    ("typed", "act"),
    [
        (":(", "I frown"),
        ("<3", "I smile"),
        ("xD", "I grin"),
        (";)", "I wink"),
        ("zzzz", "I yawn"),
        ("-_-", "I sigh"),
    ],
)
def test_a_line_of_signs_is_the_small_act_that_it_stands_for(typed: str, act: str) -> None:
    assert spelled_out(typed, set()) == act


@pytest.mark.parametrize("typed", ["?", "3", "n", "x", "z", "7)", "..."])
def test_what_may_be_a_command_is_no_such_sign(typed: str) -> None:
    assert spelled_out(typed, set()) == typed
