"""Dice: uniform, each from a stream of its own, and thrown again from what a Roll says."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.rules.dice import FixedDice, SeededDice, Throw, band_of, parse_dice, roll_with_seed
from lorewright.rules.patch import Roll
from support import small_world as w

DICE = SeededDice(7, "a" * 64, "action-1")
expressions = st.builds(
    "{}d{}{}".format,
    st.integers(min_value=1, max_value=100),
    st.integers(min_value=2, max_value=1000),
    st.sampled_from(["", "+3", "-2", "+0"]),
)


def throw(dice: SeededDice = DICE, expression: str = "2d6", purpose: str = "bribe", actor: str = w.JO) -> Roll:
    return dice.roll(expression, purpose=purpose, actor_id=actor)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1d20", Throw(1, 20)),
        ("2d6", Throw(2, 6)),
        ("2d6+1", Throw(2, 6, 1)),
        ("3d8-2", Throw(3, 8, -2)),
        ("100d1000", Throw(100, 1000)),
    ],
)
def test_an_expression_says_dice_sides_and_bonus(expression: str, expected: Throw) -> None:
    assert parse_dice(expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "d20",
        "2d",
        "2x6",
        "0d6",
        "101d6",
        "1d1",
        "1d0",
        "1d1001",
        "2d6+",
        "2d6 + 1",
        "-1d6",
        "٢d6",
        "2d6\n",
    ],
)
def test_a_malformed_expression_is_refused_and_quoted(expression: str) -> None:
    with pytest.raises(ValueError, match="dice"):
        parse_dice(expression)


@given(expressions, st.integers(), st.text(max_size=5), st.integers(min_value=-9, max_value=9))
def test_a_total_is_the_faces_and_what_is_added(expression: str, seed: int, purpose: str, modifier: int) -> None:
    roll = SeededDice(seed, "", "x").roll(expression, purpose=purpose, actor_id=w.JO, modifier=modifier)
    asked = parse_dice(expression)
    assert len(roll.rolls) == asked.dice
    assert all(1 <= face <= asked.sides for face in roll.rolls)
    assert roll.total == sum(roll.rolls) + asked.bonus + modifier


@given(expressions, st.integers())
def test_a_stored_roll_can_be_thrown_again(expression: str, seed: int) -> None:
    roll = SeededDice(seed, "hash", "x").roll(expression, purpose="p", actor_id=w.JO, modifier=2)
    again = roll_with_seed(
        roll.expression, roll.seed, purpose=roll.purpose, actor_id=roll.actor_id, modifier=roll.modifier
    )
    assert again == roll


@given(st.permutations(["bribe", "climb", "lie", "run"]))
def test_the_order_of_rolls_does_not_change_them(purposes: list[str]) -> None:
    rolled = {purpose: throw(purpose=purpose) for purpose in purposes}
    assert rolled == {purpose: throw(SeededDice(7, "a" * 64, "action-1"), purpose=purpose) for purpose in rolled}


def test_every_part_of_the_key_gives_other_dice() -> None:
    others = [
        throw(),
        throw(SeededDice(8, "a" * 64, "action-1")),
        throw(SeededDice(7, "b" * 64, "action-1")),
        throw(SeededDice(7, "a" * 64, "action-2")),
        throw(purpose="climb"),
        throw(actor=w.VIKTOR),
        throw(expression="2d8"),
    ]
    assert len({roll.seed for roll in others}) == len(others)
    assert all(len(roll.seed) >= 16 for roll in others)


@pytest.mark.parametrize("sides", [2, 6, 20, 1000])
def test_every_side_comes_about_as_often_as_any_other(sides: int) -> None:
    faces = [face for number in range(600) for face in throw(expression=f"100d{sides}", purpose=f"{number}").rolls]
    expected = len(faces) / sides
    counts = Counter(faces)
    assert set(counts) == set(range(1, sides + 1))
    chi_squared = sum((count - expected) ** 2 / expected for count in counts.values())
    # Mean sides-1, deviation sqrt(2(sides-1)): five deviations; the dice are seeded, so this never flickers.
    assert chi_squared < (sides - 1) + 5 * (2 * (sides - 1)) ** 0.5


@pytest.mark.parametrize(
    ("total", "band"),
    [
        (15, "critical"),
        (12, "critical"),
        (11, "success"),
        (10, "success"),
        (9, "mixed"),
        (7, "mixed"),
        (6, "fail"),
    ],
)
def test_a_band_holds_from_its_minimum_upward(total: int, band: str) -> None:
    assert band_of(total, w.ruleset()) == band


def test_the_last_band_catches_everything() -> None:
    assert band_of(-500, w.ruleset()) == "fail"


def test_fixed_dice_fall_as_told() -> None:
    dice = FixedDice([9, (3, 4)])
    total = dice.roll("2d6", purpose="p", actor_id=w.JO, modifier=1)
    faces = dice.roll("2d6+1", purpose="p", actor_id=w.JO, modifier=1)
    assert (total.total, total.modifier) == (9, 1)
    assert (faces.total, faces.rolls) == (9, (3, 4))
    with pytest.raises(ValueError, match="no throw is left"):
        dice.roll("2d6", purpose="p", actor_id=w.JO)
