"""Verbs of waiting: wait."""

from __future__ import annotations

from pydantic import Field

from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import Answer
from lorewright.rules.patch import Patch
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import Verb
from lorewright.world.frozen import Frozen
from lorewright.world.state import WorldState


class WaitMetadata(Frozen):
    """How long, in in-world minutes; the ruleset's own figure where it is not said."""

    minutes: int | None = Field(default=None, ge=1, le=480)


def _always(action: Action, state: WorldState) -> None:
    """Return no reason: it can always be done."""


def _wait_minutes(action: Action, state: WorldState, own: int) -> int:
    named = action.metadata.get("minutes")
    return own if named is None else int(named)


def _wait(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    return Answer("waited")


WAIT = Verb(
    name="wait",
    rank=210,
    summary="let time pass",
    condition="it can always be done",
    lines={"pass_time": "wait"},
    metadata=WaitMetadata,
    requires=_always,
    minutes=_wait_minutes,
    does=_wait,
    note="let time pass",
)

VERBS = (WAIT,)
