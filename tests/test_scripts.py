"""Scripts without spaces between words: which text is of one, what is looked up of it, and what a name is in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.scripts import bigrams, folded, holds_name, is_unspaced, parts_of, spaced, without_marks

LATIN = st.text(st.characters(max_codepoint=0x24F))
HAN = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=1)


@pytest.mark.parametrize("text", ["光晶石", "ひかり", "カナ", "세라피나", "น้ำตก", "ນໍ້າ", "ទឹក", "ရေ", "the 龍"])
def test_han_kana_hangul_thai_lao_khmer_and_burmese_are_unspaced(text: str) -> None:
    assert is_unspaced(text)
    assert spaced(text) != text or len(text) == 1


@pytest.mark.parametrize("text", ["", "Zubin’s bar", "Straße", "Дракон", "δράκων", "ドラゴン"[:0], "。、！", "🐉"])
def test_other_scripts_and_marks_are_not(text: str) -> None:
    assert not is_unspaced(text)
    assert spaced(text) == without_marks(text) == text


@given(LATIN)
def test_latin_text_is_indexed_and_looked_up_as_it_is(text: str) -> None:
    assert spaced(text) == without_marks(text) == text
    assert parts_of(text) == [text]


def test_a_run_is_indexed_by_its_bigrams_and_looked_up_by_trigrams_too() -> None:
    assert spaced("The 光晶石 stone").split() == ["The", "光晶", "晶石", "stone"]
    assert parts_of("光晶石") == ["光晶", "晶石", "光晶石"]
    assert bigrams("龍") == parts_of("龍") == ["龍"]


def test_vowels_and_tones_are_no_part_of_a_bigram() -> None:
    assert spaced("ม้าน้ำ").split() == ["มา", "าน", "นำ"]
    assert spaced(without_marks("ม้าน้ำ")) == spaced("ม้าน้ำ")


@given(HAN, HAN, HAN)
def test_whatever_a_text_holds_is_found_as_a_phrase_of_its_bigrams(before: str, word: str, after: str) -> None:
    text = folded(before + word + after)
    assert holds_name(text, folded(word))
    if len(word) > 1:
        assert f" {' '.join(spaced(word).split())} " in f" {' '.join(spaced(before + word + after).split())} "


@pytest.mark.parametrize(
    ("text", "name", "held"),
    [
        ("세라피나는 어디에", "세라피나", True),
        ("银月·艾琳是谁", "银月 艾琳", True),
        ("x光机7号", "7号", True),
        ("17号", "7号", False),
        ("7号 17号", "7号", True),
        ("マX線", "x線", True),
        ("max線", "x線", False),
        ("ม้าอยู่ไหน", "มา", False),
        ("ม้าอยู่ไหน", "ม้า", True),
        ("the dragons", "dragon", False),
        ("a dragon.", "dragon", True),
    ],
)
def test_a_name_is_a_part_of_the_text_but_not_of_a_word_with_borders(text: str, name: str, held: bool) -> None:
    assert holds_name(folded(text), folded(name)) is held
