"""A section's text -> plain sentences and lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.scene_lore.gather import list_lines, sentences


@pytest.mark.parametrize(
    ("markdown", "found"),
    [
        ("One. Two!\n\nThree?", ["One.", "Two!", "Three?"]),
        ("Dr. Chen waits. He is *late*.", ["Dr. Chen waits.", "He is late."]),
        ("[[bar|The bar]] is\nopen.", ["The bar is open."]),
        ("%%never%%\n\nSaid.", ["Said."]),
        ("", []),
    ],
)
def test_prose_is_cut_into_plain_sentences(markdown: str, found: list[str]) -> None:
    assert sentences(markdown) == found


def test_lists_are_cut_into_items_and_prose_into_paragraphs() -> None:
    assert list_lines("- One.\n- **Two.** Three.\n") == ["One.", "Two. Three."]
    assert list_lines("One. Two.\n\nThree.\n") == ["One. Two.", "Three."]


@given(st.lists(st.sampled_from(["Neon hums.", "It is 3.5 m.", "“Yes!” she said.", "\n\n", "- ", "Mr. X"]), max_size=8))
def test_no_word_of_prose_is_lost(pieces: list[str]) -> None:
    text = " ".join(pieces)
    lost = set(text.replace("-", "").split()) - {word for said in sentences(text) for word in said.split()}
    assert not {word for word in lost if word.isalnum()}
