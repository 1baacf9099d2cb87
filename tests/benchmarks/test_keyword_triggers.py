"""Keyword triggers follow World Info's rules: which entries a text activates, in which order, and until when."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyword_triggers import Entry, WorldInfo, within
from lorewright.tokens import count_tokens

NAMES = ("ash", "bell", "crow", "dune", "elm", "old fen")
BOOKS = st.lists(
    st.builds(
        Entry,
        keys=st.lists(st.sampled_from(NAMES), min_size=1, max_size=2).map(tuple),
        content=st.lists(st.sampled_from((*NAMES, "and", "of")), min_size=1, max_size=8).map(" ".join),
        order=st.integers(98, 102),
    ),
    max_size=8,
)
TEXTS = st.lists(st.sampled_from((*NAMES, "nothing", "ashes")), max_size=4).map(" ".join)


@pytest.mark.parametrize(
    ("key", "text", "holds"),
    [
        ("crow", "The Crow is late.", True),
        ("crow", "scarecrows and crowds", False),
        ("crow", "(crow)", True),
        ("Old Fen", "across the old fen", True),
        ("old fen", "manifold fenders", True),  # a key of several words is looked for as it stands
        ("", "anything", False),
    ],
)
def test_a_key_is_found_without_regard_to_case_and_alone_only_as_a_whole_word(key: str, text: str, holds: bool) -> None:
    assert bool(WorldInfo([Entry((key,), "x")]).activated(text)) is holds


def test_what_was_activated_is_scanned_for_more() -> None:
    book = [Entry(("miller",), "The miller owes the abbot."), Entry(("abbot",), "The abbot is old.")]
    assert WorldInfo(book).activated("Ask the miller.") == [0, 1]
    assert WorldInfo(book, recursive=False).activated("Ask the miller.") == [0]


def test_entries_that_name_each_other_end() -> None:
    book = [Entry(("miller",), "abbot"), Entry(("abbot",), "miller")]
    assert WorldInfo(book).activated("miller") == [0, 1]


def test_what_the_text_names_comes_before_what_entries_name_whatever_its_order() -> None:
    book = [Entry(("abbot",), "old", order=900), Entry(("miller",), "the abbot's debtor", order=1)]
    assert WorldInfo(book).activated("miller") == [1, 0]


def test_higher_orders_come_first_and_equal_ones_as_the_book_has_them() -> None:
    book = [Entry(("inn",), "a"), Entry(("inn",), "b", order=200), Entry(("inn",), "c")]
    assert WorldInfo(book).activated("the inn") == [1, 0, 2]


def test_nothing_more_comes_after_the_first_that_does_not_fit() -> None:
    book = [Entry(("inn",), "short"), Entry(("inn",), "long " * 100), Entry(("inn",), "tiny")]
    assert WorldInfo(book).inserted("inn", budget_tokens=20) == [0]


@given(BOOKS, TEXTS, st.integers(0, 12))
def test_a_budget_keeps_the_beginning_and_is_kept(book: list[Entry], text: str, budget: int) -> None:
    info = WorldInfo(book)
    every, kept = info.activated(text), info.inserted(text, budget_tokens=budget)
    assert every[: len(kept)] == kept
    assert sum(count_tokens(book[at].content) for at in kept) <= budget
    assert info.inserted(text, budget_tokens=budget + 1)[: len(kept)] == kept


@given(BOOKS, TEXTS)
def test_recursion_only_adds_and_nothing_comes_twice(book: list[Entry], text: str) -> None:
    once, again = WorldInfo(book, recursive=False).activated(text), WorldInfo(book).activated(text)
    assert again[: len(once)] == once
    assert len(set(again)) == len(again)


def test_a_budget_of_nothing_takes_nothing() -> None:
    assert within([0, 1], ["a", "b"], budget_tokens=0) == []
