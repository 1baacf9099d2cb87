"""Unknown words are mended where one word alone can be meant; real words and names stay as they were typed."""

from __future__ import annotations

import pytest

from lorewright.builtin.words.english import is_english
from lorewright.builtin.words.spelling import likely_word, mended_in, mended_word, parted, spelled_out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("thruogh", "through"),
        ("beneth", "beneath"),
        ("kichen", "kitchen"),
        ("abuot", "about"),
        ("somethign", "something"),
    ],
)
def test_a_small_word_with_a_slip_is_mended_anywhere(typed: str, meant: str) -> None:
    assert mended_word(typed, (), begins=False) == meant


@pytest.mark.parametrize(("typed", "meant"), [("examin", "examine"), ("serach", "search"), ("serch", "search")])
def test_a_verb_is_mended_only_where_one_stands(typed: str, meant: str) -> None:
    assert mended_word(typed, (), begins=True) == meant
    assert mended_word(typed, (), begins=False) == ""


@pytest.mark.parametrize(
    "word", ["cask", "oven", "abbess", "poker", "vicar", "brooch", "sextant", "cooper", "whiskey", "waters", "umbrella"]
)
def test_real_words_stay(word: str) -> None:
    assert mended_word(word, {"water", "umbrellas"}, begins=True) == ""


def test_what_was_mended_is_told_with_what_was_meant() -> None:
    assert mended_in("serach beneth the lamp", {"lamp"}) == (("serach", "search"), ("beneth", "beneath"))
    assert mended_in("search the lamp", {"lamp"}) == ()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("take it & run", "take it and run"), ("pay 4 it", "pay for it"), ("lamp + key", "lamp and key")],
)
def test_signs_stand_for_words(typed: str, meant: str) -> None:
    assert spelled_out(typed, {"lamp", "key"}) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("blankit", "blanket"),
        ("candel", "candle"),
        ("umbrela", "umbrella"),
        ("fotograph", "photograph"),
        ("pockit", "pocket"),
        ("cownter", "counter"),
        ("gosip", "gossip"),
    ],
)
def test_an_unknown_word_is_the_common_word_that_it_clearly_is_by_letters_or_sound(typed: str, meant: str) -> None:
    assert likely_word(typed, (), begins=False) == meant


@pytest.mark.parametrize(
    "word", ["creaks", "pane", "bake", "sick", "otters", "decanter", "bannisters", "tapers", "rhetoric"]
)
def test_a_word_of_english_is_right_whatever_it_is_like(word: str) -> None:
    scene = {"crews", "page", "brake", "stick", "others", "canter", "banister", "papers"}
    assert is_english(word) or likely_word(word, scene, begins=True) == ""
    assert spelled_out(f"the {word} over there", {"stick"}, scene - {"stick"}) == f"the {word} over there"


def test_a_word_that_may_be_meant_for_one_of_the_scene_or_a_name_is_not_mended_to_another() -> None:
    assert likely_word("tabel", {"tables"}, begins=False) == "table"
    assert likely_word("marrow", (), begins=False) == "", "a word of its own"
    assert likely_word("chapell", {"chappel"}, begins=False) == ""
    assert spelled_out("i met Brannock there", ()) == "i met Brannock there"
    assert spelled_out("im brannick", ()) == "i'm brannick"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("goto", "go to"),
        ("pickup", ""),
        ("lookunder", "look under"),
        ("standon", "stand on"),
        ("takelantern", "take lantern"),
        ("bottomleft", "bottom left"),
        ("cotton", ""),
        ("walkthrough", ""),
    ],
)
def test_words_that_are_run_together_are_parted_after_a_verb(typed: str, meant: str) -> None:
    assert parted(typed, {"lantern"}, ()) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("were is the bell", "where is the bell"),
        ("were you there", "were you there"),
        ("when dose it open", "when does it open"),
        ("a dose of it", "a dose of it"),
        ("i brake the glass", "i break the glass"),
        ("ur so brave", "you're so brave"),
        ("take ur coat", "take your coat"),
        ("its ok ur safe", "it's ok you're safe"),
        ("in your right hand", "in your right hand"),
        ("the dam", "the dam"),
        ("gonna loose it", "going to lose it"),
    ],
)
def test_a_word_that_is_also_another_is_told_by_its_neighbours(typed: str, meant: str) -> None:
    assert spelled_out(typed, ()) == meant


def test_a_question_to_somebody_ends_where_something_else_is_said() -> None:
    assert spelled_out("were r u hana i cant see", {"hana"}) == "where are you, hana? i can't see"
    assert spelled_out("where are you i can't see", {"hana"}) == "where are you i can't see"


def test_two_words_written_as_a_name_begin_a_line_as_they_are() -> None:
    assert spelled_out("Idris Sallow got them up the steps", {"marit"}) == "Idris Sallow got them up the steps"
    assert spelled_out("Serach Marit", {"marit"}) == "Search Marit"
    assert mended_in("soooo this is odd", {"marit"}) == ()
