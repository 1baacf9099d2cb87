"""A line that is tried on a state without a turn."""

from __future__ import annotations

import pytest

from lorewright.rules.dice import band_of
from lorewright.rules.rulesets import Ruleset
from lorewright.turn.run.dry_run import BandOutOfReach, WishedDice
from support.small_world import ruleset


def test_wished_dice_show_what_such_dice_can_show_and_nothing_else() -> None:
    rules = ruleset()
    for modifier in range(-5, 6):
        dice_show_what_they_can(rules, modifier)


def dice_show_what_they_can(rules: Ruleset, modifier: int) -> None:
    possible = {band_of(total + modifier, rules) for total in range(2, 13)}
    for band in ("critical", "success", "mixed", "fail"):
        dice = WishedDice(band, rules)
        if band in possible:
            total = dice.roll("2d6", purpose="test", actor_id="jo", modifier=modifier).total
            assert band_of(total, rules) == band
            assert 2 + modifier <= total <= 12 + modifier
        else:
            with pytest.raises(BandOutOfReach):
                dice.roll("2d6", purpose="test", actor_id="jo", modifier=modifier)
