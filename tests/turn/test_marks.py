"""Marks: what is told is the text without them, whole or in pieces, and each belongs to its sentence."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.values.annotations import Unmarked, read_marks

# Texts that are full of what may be marks, and nearly are.
NEARLY = st.lists(
    st.sampled_from(
        [
            "[1]",
            "[2, 3]",
            "[",
            "]",
            "[12",
            "4]",
            "[a]",
            "[1234]",
            " ",
            "  ",
            "\t",
            "\n",
            ",",
            "Smoke",
            "hangs.",
            "“Go!”",
            "é",
        ]
    ),
    max_size=25,
).map("".join)


def streamed(pieces: list[str]) -> str:
    heard: list[str] = []
    unmarked = Unmarked(heard.append)
    for piece in pieces:
        unmarked(piece)
    return "".join(heard)


def cut_at(text: str, places: list[int]) -> list[str]:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


@pytest.mark.parametrize(
    ("narration", "told", "sentences"),
    [
        ("Smoke hangs [1]. Coins [2, 3] clink.", "Smoke hangs. Coins clink.", [(1,), (2, 3)]),
        ("Smoke hangs. [1] Coins clink. [2]", "Smoke hangs. Coins clink.", [(1,), (2,)]),
        ("“Go!” [4] he says.", "“Go!” he says.", [(4,)]),
        ("Smoke [1] hangs [1], and [1,2] hangs.", "Smoke hangs, and hangs.", [(1, 2)]),
        ("Smoke hangs.", "Smoke hangs.", [()]),
        ("It says [a] and [12 and [1234].", "It says [a] and [12 and [1234].", [()]),
        ("[1]", "", []),
    ],
)
def test_a_mark_is_not_told_and_belongs_to_its_sentence(
    narration: str, told: str, sentences: list[tuple[int, ...]]
) -> None:
    marked = read_marks(narration)
    assert marked.text == told
    assert [one.numbers for one in marked.sentences] == sentences


def test_what_was_not_shown_is_named() -> None:
    assert read_marks("A [9]. B [1, 7]. C [9].").unknown([1, 2]) == [7, 9]


def test_a_text_cannot_pose_as_a_mark_that_is_held() -> None:
    marked = read_marks("Smoke \ue0009\ue001 hangs [1].")
    assert [one.numbers for one in marked.sentences] == [(1,)]


@given(NEARLY, st.lists(st.integers(min_value=0, max_value=10_000), max_size=8))
def test_pieces_joined_are_the_text_that_is_told_wherever_they_are_cut(text: str, places: list[int]) -> None:
    told = read_marks(text).text
    heard = streamed(cut_at(text, places))
    # What may still become a mark is held back to the end of the turn, which tells the whole.
    assert told.startswith(heard.strip()) or heard.strip() == told


@given(NEARLY, st.lists(st.integers(min_value=0, max_value=10_000), max_size=8))
def test_with_an_end_that_is_no_mark_all_of_it_is_heard(text: str, places: list[int]) -> None:
    whole = f"{text}. The end."
    assert streamed(cut_at(whole, places)).strip() == read_marks(whole).text


def test_what_is_heard_never_has_a_mark_in_it_nor_half_of_one() -> None:
    heard: list[str] = []
    unmarked = Unmarked(heard.append)
    for sign in "Smoke [1, 2] hangs [3].":
        unmarked(sign)
        assert "[" not in "".join(heard)
    assert "".join(heard) == "Smoke hangs."


@pytest.mark.campaign
def test_a_narration_of_nothing_but_brackets_or_white_space_is_read_at_once() -> None:
    for text in ("[" * 20_000, " " * 20_000 + "x", "[1" * 10_000, "1," * 10_000):
        assert streamed(list(text[:2_000])) in text
        assert read_marks(text).text == text.strip()
