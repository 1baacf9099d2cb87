"""Tokens are estimated alike everywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.tokens import count_tokens, cut_line


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("a b c d", 4), ("   ", 1), ("δράκων", 2)]
)
def test_the_larger_of_a_quarter_of_the_characters_and_the_words_counts(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(st.text(), st.text())
def test_a_longer_text_has_no_fewer_tokens_and_two_no_more_than_each_alone(first: str, second: str) -> None:
    together = count_tokens(first + second)
    assert together >= max(count_tokens(first), count_tokens(second))
    assert together <= count_tokens(first) + count_tokens(second)


@pytest.mark.parametrize(
    ("text", "tokens"), [("日本語", 3), ("光晶石怎么充能？", 8), ("세라피나", 4), ("น้ำตก", 5), ("the 光晶石 stone", 6)]
)
def test_in_scripts_without_spaces_each_character_is_a_token(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(st.text(st.characters(max_codepoint=0x24F)))
def test_latin_text_has_as_many_tokens_as_by_the_first_rules(text: str) -> None:
    assert count_tokens(text) == count_tokens(text, reading=1)


def test_by_the_first_rules_every_script_has_four_characters_a_token() -> None:
    assert count_tokens("光晶石怎么充能？", reading=1) == 2


@given(st.text("光晶石。！？」 \tab."), st.integers(min_value=1, max_value=30))
def test_a_line_is_cut_into_parts_that_fit_and_joined_are_the_line(line: str, limit: int) -> None:
    parts = list(cut_line(line, limit))
    assert "".join(parts) == line
    assert all(count_tokens(part) <= limit for part in parts)


def test_a_line_without_spaces_is_cut_at_the_ends_of_sentences() -> None:
    assert list(cut_line("光晶石發光。「它在哪？」水中！", 20)) == ["光晶石發光。", "「它在哪？」", "水中！"]
