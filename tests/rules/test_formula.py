"""Formulas: dice, then arithmetic over names. Nothing else is read, and nothing is executed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.rules.dice import parse_formula

NUMBERS = {"shyness": 7, "chemistry": 3}


def test_the_formula_of_seven_minutes_is_dice_and_what_is_added() -> None:
    formula = parse_formula("1d20 + (10 - shyness) + chemistry")
    assert (formula.dice, formula.names, formula.modifier(NUMBERS)) == ("1d20", ("chemistry", "shyness"), 6)


@pytest.mark.parametrize(
    ("text", "modifier"),
    [("2d6", 0), ("1d20 - shyness", -7), ("1d20+chemistry*2", 6), ("1d20 - 7 // 2", -3), ("1d20 + min(shyness, 5)", 5)],
)
def test_what_is_added_follows_the_rules_of_arithmetic(text: str, modifier: int) -> None:
    assert parse_formula(text).modifier(NUMBERS) == modifier


@pytest.mark.parametrize(
    "text",
    [
        *("", "shyness + 1d20", "1d20 * 2", "1d20 + 1d6", "1d0 + 1", "999d6", "1d20 + (1", "1d20 + 'a'", "1d20 + 1.5"),
        *("1d20 + 2 ** 9", "1d20 + a.b", "1d20 + a[0]", "1d20 + __import__('os')", "1d20 + open(a)", "1d20 + (a := 1)"),
        *("1d20 + (1 if a else 2)", "1d20 + min(*a)", "1d20 + min(a, key=a)", "1d20 + " + "1+" * 200 + "1"),
        *("1d20 + [1][0]", "1d20 + (lambda: 1)()", "1d20 + 1; 2", "1d20 + f'{a}'"),
    ],
)
def test_what_is_no_formula_is_refused_before_anything_is_rolled(text: str) -> None:
    with pytest.raises(ValueError, match=r"formula|dice"):
        parse_formula(text)


@pytest.mark.parametrize("text", ["1d20 + luck", "1d20 // 1", "1d20 + 1 // (shyness - 7)", "1d20 + 9999 * 9999"])
def test_what_cannot_be_reckoned_is_a_clear_error(text: str) -> None:
    with pytest.raises(ValueError, match="1d20"):
        parse_formula(text).modifier(NUMBERS)


@given(st.text(max_size=40))
def test_no_text_does_anything_but_parse_or_be_refused(text: str) -> None:
    try:
        formula = parse_formula(f"1d20 + {text}")
        formula.modifier(dict.fromkeys(formula.names, 1))
    except ValueError:
        pass


@given(st.integers(0, 10), st.integers(0, 10))
def test_shyness_takes_away_and_chemistry_adds(shyness: int, chemistry: int) -> None:
    formula = parse_formula("1d20 + (10 - shyness) + chemistry")
    assert formula.modifier({"shyness": shyness, "chemistry": chemistry}) == 10 - shyness + chemistry
