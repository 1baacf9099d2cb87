"""Whoever takes the first suggestion every time learns, sees or changes something nearly every time."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from support.scale import scaled
from support.suggested_play import WALK, SuggestedPlay, Taken, play_scenario, scenarios


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "seed"), list(product((*scenarios(), WALK), range(1, 1 + scaled(1)))))
def test_the_first_suggestion_pays_and_none_is_offered_again_in_vain(name: str, seed: int, tmp_path: Path) -> None:
    played = play_scenario(name, tmp_path, seed=seed)
    assert played.findings() == []
    assert played.taken


def test_the_measure_finds_what_it_is_there_for() -> None:
    """A question without an answer counts, and so does the same question offered again."""
    asked = Taken("ask Osk about the tide", ("ask Osk about the tide",), "“I don't know,” Osk says.", ())
    walked = Taken("go to the quay", ("go to the quay", "ask Osk about the tide"), "The quay.", ("a place",))
    assert SuggestedPlay("one", (walked,)).findings() == []
    assert SuggestedPlay("two", (asked, walked)).findings() == [
        "two: only 50% of 2 lines brought anything; not: ask Osk about the tide",
        "two: offered again in vain: ask Osk about the tide",
    ]
