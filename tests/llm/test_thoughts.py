"""A thought aloud never shows, however the answer is cut into pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.llm.providers.messages import SpokenPieces, without_thought


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("The door opens.", "The door opens."),
        ("<think>He lies.</think>\n\nThe door opens.", "The door opens."),
        ("\n <think></think>The door opens.", "The door opens."),
        ("<think>He lies, and", ""),
        ("<thinking of it> she says", "<thinking of it> she says"),
        ("  <thin", "  <thin"),
        ("She says <think>ing</think> is hard.", "She says <think>ing</think> is hard."),
    ],
)
def test_only_a_thought_before_the_answer_is_taken_out(text: str, spoken: str) -> None:
    assert without_thought(text) == spoken


TEXTS = st.lists(st.sampled_from(["<think>", "</think>", "<", "think", ">", " ", "\n", "a door"]), max_size=8).map(
    "".join
)


@given(text=TEXTS, cuts=st.lists(st.integers(0, 40), max_size=8))
def test_pieces_come_to_the_same_as_the_whole(text: str, cuts: list[int]) -> None:
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    spoken = SpokenPieces()
    heard = [spoken.next(text[a:b]) for a, b in pairwise(ends)]
    assert "".join([*heard, spoken.last()]) == without_thought(text)
