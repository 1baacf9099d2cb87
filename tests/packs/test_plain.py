"""Markdown -> the words that a reader sees."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.packs.markdown.chunking import comments_in, plain_text, wikilinks, without_spans


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("**bold** and _slanted_", "bold and slanted"),
        ("[[viktor]] and [[viktor|the fixer]]", "viktor and the fixer"),
        ("[[viktor#past|then]]", "then"),
        ("![[map.png]]", "map.png"),
        ("[the pier](pier.md)", "the pier"),
        ("one\ntwo  \nthree\n\nfour", "one two three four"),
        ("<b>loud</b>", "loud"),
        ("a %%hidden%% b <!-- hidden --> c", "a b c"),
        ("a %%not closed", "a %%not closed"),
        ("a %%two\n\nparagraphs%% b", "a b"),
        ("# Title\n\n- item\n- other", "Title item other"),
        ("`code` and\n\n```\nfence\n```", "code and fence"),
        ("", ""),
    ],
)
def test_words_are_what_a_reader_sees(markdown: str, words: str) -> None:
    assert plain_text(markdown) == words


@given(st.text(max_size=200))
def test_any_text_comes_out_on_one_line(text: str) -> None:
    said = plain_text(text)
    assert said == " ".join(said.split())


@pytest.mark.parametrize("text", ["[" * 30_000, "[[" * 20_000, "*a_" * 10_000, "<!--" * 20_000, "%%" * 20_001])
def test_what_is_made_to_cost_time_is_read_all_the_same(text: str) -> None:
    assert isinstance(plain_text(text), str)


pieces = st.lists(st.sampled_from(["%%", "%", "<!--", "-->", "a", "\n", "<!", "--"]), max_size=30).map("".join)


@given(pieces)
def test_comments_are_closed_apart_and_in_order(text: str) -> None:
    spans = comments_in(text)
    assert all(text[start:end].startswith(("%%", "<!--")) for start, end in spans)
    assert all(text[start:end].endswith(("%%", "-->")) and end - start >= 4 for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


@given(pieces, st.integers(min_value=0, max_value=40))
def test_a_text_without_its_comments_is_the_same_read_in_two_halves(text: str, cut: int) -> None:
    spans = comments_in(text)
    halves = without_spans(text[:cut], spans) + without_spans(text[cut:], spans, start=len(text[:cut]))
    assert halves == without_spans(text, spans)
    assert halves.count("\n") == text.count("\n")


def test_wikilinks_are_named_in_order() -> None:
    assert wikilinks("[[ b ]] then [[a#x|A]] and ![[c|d]] but [[]] [[|e]] [x](y)") == ["b", "a", "c"]
