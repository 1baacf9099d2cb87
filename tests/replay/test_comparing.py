"""Where two values part, named so that one finds it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.replay.comparing import NOTHING, first_difference

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("recorded", "replayed", "path", "shown"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "a.1.b", ("2", "3")),
        ({"a": 1}, {"a": 1, "c": 2}, "c", (NOTHING, "2")),
        ([1, 2], [1], "1", ("2", NOTHING)),
        ({"a": 1}, {"a": True}, "a", ("1", "true")),
        ({"a": None}, {}, "a", ("null", NOTHING)),
        ("x", "y", "", ('"x"', '"y"')),
    ],
)
def test_the_first_place_is_named_with_both_values(
    recorded: Any, replayed: Any, path: str, shown: tuple[str, str]
) -> None:
    assert list(first_difference(recorded, replayed)) == [(path, *shown)]


def test_long_texts_are_shown_from_where_they_part() -> None:
    same = "the same " * 100
    ((_, recorded, replayed),) = first_difference({"text": same + "north"}, {"text": same + "south"})
    assert "north" in recorded and "south" in replayed and len(recorded) < 200


@given(JSON)
def test_a_value_does_not_differ_from_itself(value: Any) -> None:
    assert list(first_difference(value, value)) == []


@given(JSON, JSON)
def test_values_that_are_not_the_same_differ_in_one_first_place(one: Any, other: Any) -> None:
    import json

    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert len(list(first_difference(one, other))) == (0 if same else 1)
