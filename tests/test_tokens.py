"""Tokens are estimated alike everywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.tokens import count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("a b c d", 4), ("   ", 1), ("日本語", 1)]
)
def test_the_larger_of_a_quarter_of_the_characters_and_the_words_counts(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(st.text(), st.text())
def test_a_longer_text_has_no_fewer_tokens_and_two_no_more_than_each_alone(first: str, second: str) -> None:
    together = count_tokens(first + second)
    assert together >= max(count_tokens(first), count_tokens(second))
    assert together <= count_tokens(first) + count_tokens(second)
