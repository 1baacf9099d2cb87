"""Verbs of waiting: wait."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import Actor, Telling
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.scenery import duration, is_plural
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.npc.considered import Enactment
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import Answer
from lorewright.rules.patch import Outcome, Patch
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import Verb
from lorewright.values.records import Evidence, NarratorInput
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


# From here on a wait is long (minutes).
_LONG_MINUTES = 45


def _tell_wait(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return the time that went by, in words."""
    facts: dict[str, Fact] = {"long": outcome.minutes >= _LONG_MINUTES}
    slots = {"minutes": duration(outcome.minutes), "place": views.place(given)}
    return [Beat("outcome", "waited", facts, slots, plural=is_plural(outcome.minutes))]


def _tell_wait_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    return [actor.beat("act", "npc.wait")]


def _after_wait(actor: Actor, outcome: Outcome) -> str:
    return "wait" if outcome.code == "waited" else ""


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
    parts=(
        Enactment(is_idle=True),
        Telling(
            codes={"waited": _tell_wait},
            codes_of_others={"waited": _tell_wait_of_others},
            after=_after_wait,
            watched_as="wait",
        ),
    ),
)

VERBS = (WAIT,)
