"""The dice tool: what falls, that a seed has it fall again, and what is no throw."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.rules.dice import DiceContext, DiceRequest, FixedDice, SeededDice, read_request, roll_dice

LENA = {"character_id": "lena", "check_type": "shyness"}


class NoDice:
    """Dice that nobody may throw."""

    def roll(self, expression: str, *, purpose: str, actor_id: str, modifier: int = 0) -> Any:
        raise AssertionError(f"{expression} was thrown")


def stream(action: str = "a1") -> SeededDice:
    return SeededDice(7, "state", action)


def test_the_result_has_the_fields_of_the_seed_document() -> None:
    result = roll_dice(read_request({"expression": "2d12+3"}), FixedDice([(5, 9)]))
    assert result.model_dump(mode="json") == {
        "total": 17,
        "rolls": [5, 9],
        "modifier": 3,
        "expression": "2d12+3",
        "seed": "fixed",
    }


@given(st.integers(1, 20), st.integers(2, 100), st.integers(-50, 50), st.text(min_size=1, max_size=8))
def test_a_total_is_its_faces_and_its_modifier(number: int, sides: int, bonus: int, seed: str) -> None:
    result = roll_dice(DiceRequest(expression=f"{number}d{sides}{bonus:+d}", seed=seed), NoDice())
    assert len(result.rolls) == number
    assert all(1 <= face <= sides for face in result.rolls)
    assert (result.total, result.modifier) == (sum(result.rolls) + bonus, bonus)


@given(st.text(min_size=1, max_size=20))
def test_a_seed_throws_the_same_whoever_asks_and_draws_on_nothing_else(seed: str) -> None:
    first = roll_dice(DiceRequest(expression="3d6-1", seed=seed), NoDice())
    again = roll_dice(DiceRequest(expression="3d6-1", seed=seed, context=DiceContext(**LENA)), NoDice())
    assert first == again


def test_without_a_seed_the_dice_are_those_of_the_action_at_hand_and_can_be_thrown_again() -> None:
    asked = read_request({"expression": "4d20", "context": LENA})
    first = roll_dice(asked, stream())
    assert roll_dice(asked, stream()) == first
    assert roll_dice(asked, stream("a2")).rolls != first.rolls
    assert roll_dice(DiceRequest(expression="4d20", seed=first.seed), NoDice()) == first


def test_another_check_of_the_same_action_has_other_dice() -> None:
    asked = [read_request({"expression": "4d20", "context": {**LENA, "check_type": one}}) for one in ("wit", "nerve")]
    assert len({roll_dice(one, stream()).rolls for one in asked}) == 2


def test_spaces_and_capitals_do_not_matter() -> None:
    assert roll_dice(read_request({"expression": " 2D6 + 1 ", "seed": "x"}), NoDice()).expression == "2d6+1"


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("", "write NdM, NdM+K or NdM-K, as in 2d6+1"),
        ("d20", "write NdM"),
        ("1d20+shyness", "write NdM"),
        ("2d6+1d4", "write NdM"),
        ("__import__('os')", "write NdM"),
        ("0d6", "1 to 100 dice can be thrown, not 0"),
        ("101d6", "1 to 100 dice can be thrown, not 101"),
        ("9999999d6", "write NdM"),
        ("1d1", "2 to 1000 sides, not 1"),
        ("1d5000", "2 to 1000 sides, not 5000"),
        ("-1d6", "write NdM"),
    ],
)
def test_nonsense_and_absurd_sizes_are_clear_errors(expression: str, says: str) -> None:
    for seed in (None, "x"):
        with pytest.raises(ValueError, match=r"write|can be thrown|sides") as problem:
            roll_dice(DiceRequest(expression=expression, seed=seed), NoDice())
        assert says in str(problem.value)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({}, "expression: Field required"),
        ({"expression": 3}, "expression: "),
        ({"expression": "1d6", "sides": 4}, "sides: "),
        ({"expression": "1d6", "context": {"who": "lena"}}, "context.who: "),
        ({"expression": "1d6", "seed": ""}, "seed: "),
        ({"expression": "1" * 300}, "expression: "),
        ("1d6", "the request: "),
    ],
)
def test_a_request_of_another_shape_is_told_the_right_one(data: object, says: str) -> None:
    with pytest.raises(ValueError, match="write") as problem:
        read_request(data)
    assert says in str(problem.value)
    assert '{"expression": "2d6+1"' in str(problem.value)
