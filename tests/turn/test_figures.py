"""A question how many there are is answered by a sentence with the number, or by that nobody gave it."""

from __future__ import annotations

import pytest

from lorewright.turn.views.asides.figures import counted_of, has_figure

TOLD = ("Here is the hall: a mat, a hat, and four doors, all shut. He lets you into number nine to list its locks.",)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("how many doors are there?", "four doors"),
        ("how many locks are there", "count for yourself"),
        ("who is he", ""),
    ],
)
def test_numbers_are_answered_by_numbers(asked: str, answer: str) -> None:
    said = counted_of(TOLD, asked, asked)
    assert answer in said if answer else said == ""


def test_other_questions_want_no_number() -> None:
    assert has_figure("Nobody knows.", "the locks", "where are the locks?")
