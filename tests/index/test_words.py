"""Free text -> the words that are looked up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.index.keywords import STOP_WORDS, content_words, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Phelan’s Ma", ["phelan", "ma"]),
        ("Phelan's Ma", ["phelan", "ma"]),
        ("X-1, or AF 10?", ["x-1", "or", "af", "10"]),
        ("o'clock", ["o'clock"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("Cafe\u0301 café", ["café", "café"]),
        ("日本 🔥 !", ["日本"]),
        ("", []),
    ],
)
def test_words_are_lower_case_and_without_possessives(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_words_that_say_nothing_are_left_out_unless_nothing_else_is_left() -> None:
    assert content_words("Where is the bar, and what is the Bar?") == ["bar"]
    assert content_words("Who are you?") == ["who", "are", "you"]
    assert content_words("...") == []


@given(st.text(max_size=200))
def test_any_text_has_words_that_are_words(text: str) -> None:
    words = content_words(text)
    assert len(set(words)) == len(words)
    assert set(words) <= set(words_of(text))
    assert not STOP_WORDS.intersection(words) or STOP_WORDS.issuperset(words)
