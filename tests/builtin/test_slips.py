"""Unknown words are mended where one word alone can be meant; real words and names stay as they were typed."""

from __future__ import annotations

import pytest

from lorewright.builtin.words.spelling import mended_in, mended_word, spelled_out


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
