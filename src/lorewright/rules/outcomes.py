"""What the rules answer: a Validation before anything happens, a Resolution after."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from lorewright.rules.rulesets import BandName
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.ops import StateOp

# Why an attempt is not possible. Each has sentences of its own in the narrator's grammar.
ReasonCode = Literal[
    "unknown_action",
    "not_your_turn",
    "not_capable",
    "object_not_found",
    "not_present",
    "no_such_exit",
    "too_far",
    "door_locked",
    "door_bolted",
    "door_closed",
    "not_takeable",
    "cannot_take_person",
    "already_carried",
    "not_in_inventory",
    "nobody_to_ask",
    "nobody_named",
    "not_a_person",
    "not_to_oneself",
    "not_openable",
    "already_open",
    "already_closed",
    "no_lock",
    "already_locked",
    "nothing_to_unlock",
    "no_key",
    "wrong_key",
    "not_known",
    "kept_back",
    "contradicts_fact",
    "not_allowed_now",
    "campaign_over",
    "depends_on_failed",
]

# What came of an attempt that was possible.
OutcomeCode = Literal[
    "looked",
    "listed",
    "moved",
    "told",
    "told_before",
    "deflected",
    "does_not_know",
    "acted",
    "heard",
    "heard_before",
    "promised",
    "recalled",
    "nothing_recorded",
    "taken",
    "dropped",
    "given",
    "used",
    "opened",
    "closed",
    "locked",
    "unlocked",
    "found",
    "found_before",
    "nothing_found",
    "waited",
    "blocked",
]


class ActionResult(Frozen):
    """The judgement of one action, by its place in the list."""

    action_index: int = Field(ge=0)
    success: bool
    reason: ReasonCode | None = None
    message: str | None = None


class Validation(Frozen):
    """A turn's actions judged. `costs` (heat, time in minutes, cred, harm, rep) fall due when they are tried.

    With a clarification nothing is resolved: the question is the turn's result.
    """

    results: tuple[ActionResult, ...] = ()
    costs: FrozenMap[str, int] = Field(default_factory=dict)
    clarification: str | None = None


class Roll(Frozen):
    """Dice that were thrown, with all that is needed to throw them again."""

    expression: str
    rolls: tuple[int, ...]
    modifier: int
    total: int
    seed: str
    purpose: str
    actor_id: str
    band: BandName | None = None


class EngineEvent(Frozen):
    """Something that happened, for the narrator and the log. `audience` are those who may know of it, where these are
    not whoever is at the scene's place: the two ends of a whisper, the people of another place."""

    type: str
    details: FrozenMap[str, Any] = Field(default_factory=dict)
    tags: tuple[str, ...] = ()
    scope: Literal["campaign", "world_affecting"] = "campaign"
    # What came later is written only where it says something: other turns keep their bytes.
    audience: tuple[str, ...] | None = Field(default=None, exclude_if=lambda audience: audience is None)


class Outcome(Frozen):
    """What came of one action; `item_id` is the thing that went along with it.

    `item_ids` are what the player learned by it now, `known_item_ids` what they would have learned had they
    not known it already; `fact_ids` are the promises, threats and debts that it made or brought up; `roll` is the
    place of its dice in `Resolution.rolls`; `say` the scenario's own sentences, `then` those of what followed from it
    by itself. What is `whispered` is heard by the two alone.
    """

    action_index: int = Field(ge=0)
    actor_id: str
    type: str
    target_id: str | None = None
    location_id: str | None = None
    item_id: str | None = None
    words: str = ""
    code: OutcomeCode
    reason: ReasonCode | None = None
    band: BandName | None = None
    item_ids: tuple[str, ...] = ()
    known_item_ids: tuple[str, ...] = ()
    fact_ids: tuple[str, ...] = ()
    minutes: int = 0
    roll: int | None = None
    say: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    # What came later is written only where it says something: other turns keep their bytes.
    whispered: bool = Field(default=False, exclude_if=lambda whispered: not whispered)


class Resolution(Frozen):
    """What came of a turn's actions: outcomes in order, the dice, the ops to apply, the events to tell."""

    outcomes: tuple[Outcome, ...] = ()
    rolls: tuple[Roll, ...] = ()
    ops: tuple[StateOp, ...] = ()
    events: tuple[EngineEvent, ...] = ()
