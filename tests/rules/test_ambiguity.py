"""A question is worth asking where its answers come to different things."""

from __future__ import annotations

from lorewright.rules.validate import come_to_the_same
from support import small_world as w

RULES = w.campaign_rules()


def same(*readings: str, kind: str = "take") -> bool:
    return come_to_the_same([[w.attempt(kind, one).action] for one in readings], w.small_world(), RULES)


def test_it_matters_which_of_two_possible_things_is_meant() -> None:
    assert not same(w.VIKTOR, w.MARA, kind="ask")


def test_it_does_not_matter_where_neither_is_possible_for_the_same_reason() -> None:
    assert same(w.UNIT, w.KEY)


def test_it_matters_where_the_reasons_differ() -> None:
    assert not same(w.UNIT, w.VIKTOR)


def test_it_matters_where_only_one_is_possible() -> None:
    assert not same(w.COIN, w.UNIT)


def test_the_same_reading_twice_is_one() -> None:
    assert same(w.COIN, w.COIN)
