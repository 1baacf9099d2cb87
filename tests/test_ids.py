"""Names of things: what can be an ID, and the one text and hash of a value."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.ids import canonical_json, content_hash, holder_of, is_id, local, qualify, shown_item, slug

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("text", ["viktor", "neo_seattle", "x-1", "9lives", "Élan", "виктор", "日本", "a" * 120])
def test_letters_digits_and_two_marks_make_an_id(text: str) -> None:
    assert is_id(text)


@pytest.mark.parametrize(
    "text",
    ["", "_x", "-x", "a b", "a:b", "a/b", "../a", "a.b", "a\n", "a#b", "a~b", "a" * 121, "e\u0301", "a\u200bb", "🔥"],
)
def test_nothing_else_does(text: str) -> None:
    assert not is_id(text)


@given(st.text(max_size=200))
def test_a_slug_is_an_id_and_its_own_slug(text: str) -> None:
    made = slug(text)
    assert is_id(made)
    assert slug(made) == made
    assert len(made) <= 80


@pytest.mark.parametrize(
    ("text", "made"), [("History & Lore", "history-lore"), ("Überfall", "uberfall"), ("🔥", "section")]
)
def test_slugs_are_plain_words(text: str, made: str) -> None:
    assert slug(text) == made


def test_the_fallback_stands_where_nothing_is_left() -> None:
    assert slug("…", fallback="file") == "file"


def test_an_id_is_qualified_once() -> None:
    assert qualify("town", "viktor") == "town:viktor"
    assert qualify("town", "core:viktor") == "core:viktor"
    assert local(qualify("town", "viktor")) == local("viktor") == "viktor"


def test_items_are_shown_to_people_without_their_pack() -> None:
    assert shown_item("town:viktor:knows#pier9") == "viktor/knows#pier9"
    assert shown_item("viktor") == "viktor"


@pytest.mark.parametrize("one", ["town:viktor:knows#pier9", "town:viktor:knows"])
def test_an_item_and_its_chunk_belong_to_the_same_holder(one: str) -> None:
    assert holder_of(one) == "town:viktor"


@given(json_values)
def test_canonical_json_reads_back_and_is_one_line(value: object) -> None:
    text = canonical_json(value)
    assert json.loads(text) == value
    assert "\n" not in text


@given(st.dictionaries(st.text(max_size=5), st.integers(), max_size=6))
def test_the_order_of_keys_changes_no_byte(value: dict[str, int]) -> None:
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]])
def test_what_json_cannot_say_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(value)


@given(st.text(max_size=50), st.text(max_size=50))
def test_texts_have_one_hash_each(first: str, second: str) -> None:
    assert len(content_hash(first)) == 64
    same = first.encode("utf-8", "replace") == second.encode("utf-8", "replace")
    assert (content_hash(first) == content_hash(second)) == same


def test_half_a_character_can_be_hashed() -> None:
    assert content_hash("\ud800") == content_hash("?")
