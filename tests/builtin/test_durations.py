"""Durations as one says them: in words, and never with a digit."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.builtin.narrator.views import duration, is_plural


@pytest.mark.parametrize(
    ("minutes", "words", "plural"),
    [
        (0, "no minutes", True),
        (1, "a minute", False),
        (5, "five minutes", True),
        (15, "a quarter of an hour", False),
        (42, "forty-two minutes", True),
        (60, "an hour", False),
        (75, "over an hour", False),
        (120, "two hours", True),
        (4320, "three days", True),
    ],
)
def test_minutes_are_said_in_words(minutes: int, words: str, plural: bool) -> None:
    assert duration(minutes) == words
    assert is_plural(minutes) == plural


@given(st.integers(min_value=0, max_value=10**7))
def test_no_duration_has_a_digit_or_a_loose_hyphen(minutes: int) -> None:
    assert re.fullmatch(r"[a-z]+(?:-[a-z]+)?(?: [a-z]+)*", duration(minutes))
