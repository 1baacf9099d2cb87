"""Ranges of turns, as they are typed."""

from __future__ import annotations

import pytest

from lorewright.errors import NotFound, SettingsError
from lorewright.replay.metrics import TurnRange, read_range


@pytest.mark.parametrize(
    ("text", "turns"),
    [("3:5", [3, 4, 5]), ("8:", [8, 9]), (":2", [0, 1, 2]), ("4", [4]), (":", list(range(10))), (" 1:1 ", [1])],
)
def test_both_ends_are_in_the_range_and_either_may_be_open(text: str, turns: list[int]) -> None:
    assert [number for number in range(10) if number in read_range(text)] == turns


@pytest.mark.parametrize("text", ["", "a:b", "1-3", "-1", "5:3", "1:2:3", "9" * 10])
def test_what_is_no_range_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_range(text)
    assert "--turns" in str(refused.value.hint)


def test_a_range_is_named_as_it_was_typed() -> None:
    assert [str(TurnRange(*ends)) for ends in ((3, 5), (3, None), (None, 5), (4, 4))] == ["3:5", "3:", ":5", "4"]


def test_a_range_beyond_the_last_turn_is_refused() -> None:
    assert TurnRange(3, 9).held_to(3) == TurnRange(3, 9)
    with pytest.raises(NotFound, match="no turn is in 4:9"):
        TurnRange(4, 9).held_to(3)
