"""Readings of the same words -> whether it matters which of them is meant. Only then is it worth a question."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.rules.actions import Action, Attempt
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.validate import validate
from lorewright.world.state import WorldState


def come_to_the_same(readings: Sequence[Sequence[Action]], state: WorldState, rules: CampaignRules) -> bool:
    """Whether all of the readings, of one action or several each, have the same outcome: they are the same actions, or
    none of them is possible, each for the same reasons. What is possible may come to anything: that is for the dice."""
    if len({tuple(action.model_dump_json() for action in reading) for reading in readings}) == 1:
        return True
    reasons = set()
    for reading in readings:
        judged = validate([Attempt.of(action) for action in reading], state, rules).results
        if any(result.success for result in judged):
            return False
        reasons.add(tuple(result.reason for result in judged))
    return len(reasons) == 1
