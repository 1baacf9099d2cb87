"""Titles -> names that can be said and typed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.generate.explore.survey import LONGEST_NAME, Titled, common_name, display_name, distinct_names, key_of


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("The Neon Dragon", "The Neon Dragon"),
        ("**Bold** and `code`", "Bold and code"),
        ("[[viktor|the fixer]]", "the fixer"),
        ("B/X to Cairn", "B-X to Cairn"),
        ("Ceres [1 Ceres]", "Ceres (1 Ceres)"),
        ("pack:entity_id#item", "pack entity id item"),
        ("\x1b[31mRed\x07", "(31mRed"[1:]),
        ("Ends with a stop.", "Ends with a stop"),
        ("!!!", "unnamed"),
        ("", "unnamed"),
    ],
)
def test_a_title_becomes_a_name_in_plain_words(title: str, name: str) -> None:
    assert display_name(title) == name


def test_a_long_title_is_cut_between_words_and_leaves_no_bracket_open() -> None:
    name = display_name("A name (that goes on and on, and says what nobody had asked it to say at all)")
    assert len(name) <= LONGEST_NAME
    assert "(" not in name
    assert name.endswith("nobody had asked")


def test_a_file_without_a_title_is_called_as_its_file() -> None:
    assert display_name("###", fallback="old_mill") == "old mill"


@given(st.text(max_size=200))
def test_no_title_brings_in_what_a_terminal_obeys_or_an_id(title: str) -> None:
    name = display_name(title)
    assert key_of(name)
    assert len(name) <= LONGEST_NAME
    assert not [char for char in name if unicodedata.category(char)[0] == "C" or char in "{}[]<>|`*_#:;/\\"]


@given(
    st.lists(st.sampled_from(["Mill", "mill", "The Mill", "Mill 2", "Mühle", "muhle", "!", "Mill (x)"]), max_size=12)
)
def test_no_two_names_are_alike_to_whoever_types_them(titles: list[str]) -> None:
    names = distinct_names(Titled(str(n), title, apart="x" if n % 2 else "") for n, title in enumerate(titles))
    assert len({key_of(name) for name in names.values()}) == len(titles)


def test_the_second_of_a_title_is_told_apart_by_where_it_lies() -> None:
    names = distinct_names([Titled("a", "Inn", apart="north"), Titled("b", "Inn", apart="south")])
    assert names == {"a": "Inn", "b": "Inn (south)"}


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Lost umbrella", "lost umbrella"),
        ("Salt Rake", "Salt Rake"),
        ("Excalibur", "Excalibur"),
        ("LED lamp", "LED lamp"),
        ("Key of Ys", "Key of Ys"),
    ],
)
def test_a_title_of_which_only_the_first_word_is_capitalised_is_no_name(title: str, name: str) -> None:
    assert common_name(title) == name
