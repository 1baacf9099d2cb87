"""Who acts of their own accord: baked ones always, the others as often as they are chatty, in one order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.rules.actions import CastRule
from lorewright.rules.dice import FixedDice, SeededDice
from lorewright.rules.observations import activate

TIMES = 2_000


def times(rule: CastRule, *, seed: int = 1) -> int:
    """In how many of so many turns somebody of that kind acts."""
    return sum(bool(activate([("p:osk", rule)], SeededDice(seed, f"{n:064x}", "action")).order) for n in range(TIMES))


def test_somebody_without_chattiness_never_acts_and_one_with_all_of_it_always() -> None:
    assert times(CastRule(chattiness=0)) == 0
    assert times(CastRule(chattiness=1)) == TIMES


def test_whoever_is_baked_always_acts_whatever_their_chattiness() -> None:
    assert times(CastRule(baked=True, chattiness=0)) == TIMES


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("chattiness", [0.1, 0.5, 0.9])
def test_others_act_about_as_often_as_they_are_chatty(chattiness: float, seed: int) -> None:
    """Four standard deviations of 2,000 throws are below 0.045."""
    assert times(CastRule(chattiness=chattiness), seed=seed) / TIMES == pytest.approx(chattiness, abs=0.045)


def test_baked_ones_come_first_then_the_chattiest_then_by_id_and_whoever_is_baked_rolls_nothing() -> None:
    cast = [
        ("p:d", CastRule(chattiness=0.5)),
        ("p:c", CastRule(chattiness=0.9)),
        ("p:b", CastRule(chattiness=0.5)),
        ("p:z", CastRule(baked=True)),
        ("p:y", CastRule(baked=True)),
    ]
    found = activate(cast, FixedDice([90, 50, 51]))
    assert (found.order, found.skipped) == (("p:y", "p:z", "p:c", "p:b"), ("p:d",))
    assert [roll.actor_id for roll in found.rolls] == ["p:c", "p:b", "p:d"]


@given(st.permutations([("p:a", 0.2), ("p:b", 0.7), ("p:c", 0.7), ("p:d", 1.0)]))
def test_in_whatever_order_they_are_named_the_same_ones_act(cast: list[tuple[str, float]]) -> None:
    dice = SeededDice(5, "b" * 64, "action")
    named = [(who, CastRule(chattiness=chattiness)) for who, chattiness in cast]
    assert activate(named, dice) == activate(sorted(named, key=lambda one: one[0]), dice)
