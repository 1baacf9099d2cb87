"""Frontmatter that we write is read back as the very same data, or it is not written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lorewright.formats.json_source import clean, dump, fit_yaml, reads_back
from lorewright.ids import canonical_json
from lorewright.packs.bounded_yaml import load_yaml
from lorewright.packs.files import MAX_FRONTMATTER_BYTES

texts = st.one_of(
    st.text(max_size=30), st.text(" \t\n:#-?[]{}'\"&*!|>%@`~.0123456789eE+_ab\ufeff\u2028", max_size=30)
).map(clean)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**17), 10**17),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=10
)
mappings = st.dictionaries(texts.map(lambda text: f"x_{text}"), values, max_size=4)


@given(mappings)
@example({"x_a": "1e5", "x_b": "08", "x_c": "+.5", "x_d": "no", "x_e": "~", "x_f": "null", "x_g": "2024-01-01"})
@example({"x_a": "---", "x_b": "...", "x_c": "a\n---\nb", "x_d": "a\n...\nb\n", "x_e": "---\n"})
@example({"x_a": " lead", "x_b": "trail ", "x_c": "\n", "x_d": "a\n\n b\n", "x_e": "a \nb", "x_f": "\ta\nb"})
@example({"x_a": 1e16, "x_b": 1e-7, "x_c": -0.0, "x_d": 1.0, "x_e": True, "x_f": 1})
@example({"x_": {"<<": 1, "=": 2, "*a": 3, "&b": 4, "? k": 5, "a: b": 6, "": 7, "k" * 200: 8}})
@example({"x_a": "\ufffe\uffff\ufeff\u2028\u2029\u00a0", "x_b": "# a", "x_c": "{{user}}", "x_d": "[[a]]"})
def test_what_is_written_is_read_back(data: dict[str, Any]) -> None:
    text = dump(data)
    assert canonical_json(load_yaml(text).data) == canonical_json(data)
    assert not any(line.startswith(("---", "...")) for line in text.split("\n"))


def test_shared_objects_are_written_out_without_anchors() -> None:
    shared = {"depth": 4}
    assert "&" not in dump({"x_a": shared, "x_b": [shared, shared]})


@pytest.mark.parametrize(
    "huge",
    ["long " * 30_000, [1] * 12_000, {str(n): n for n in range(12_000)}, ["x" * 900] * 100],
    ids=["text", "list", "mapping", "texts"],
)
def test_what_is_too_large_is_left_out_and_the_rest_stays(huge: Any) -> None:
    text, left = fit_yaml({"id": "a"}, {"x_small": 1, "x_huge": huge, "x_also": "b"}, max_bytes=MAX_FRONTMATTER_BYTES)
    assert load_yaml(text).data == {"id": "a", "x_small": 1, "x_also": "b"}
    assert left == {"x_huge": huge}


def test_what_is_too_deep_for_our_loader_is_left_out() -> None:
    deep: Any = "bottom"
    for _ in range(30):
        deep = {"down": deep}
    text, left = fit_yaml({"id": "a"}, {"x_deep": deep}, max_bytes=MAX_FRONTMATTER_BYTES)
    assert (load_yaml(text).data, left) == ({"id": "a"}, {"x_deep": deep})


@given(mappings, st.integers(20, 400))
def test_nothing_is_lost_between_what_fits_and_what_does_not(extra: dict[str, Any], max_bytes: int) -> None:
    text, left = fit_yaml({"id": "a"}, extra, max_bytes=max_bytes)
    kept = load_yaml(text).data
    assert canonical_json({**kept, **left}) == canonical_json({"id": "a", **extra})
    assert reads_back(text, kept, max_bytes=max_bytes)
