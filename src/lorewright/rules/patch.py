"""Patch: a state that is worked on -> the ops that were applied to it and the events that they amount to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field

from lorewright.rules.effects import ClockEffect, Effect, Learned, RevealEffect, StateEffect, effect_ops
from lorewright.rules.rulesets import BandName
from lorewright.world.apply import Refusal, apply
from lorewright.world.changes import events_between, items_learned
from lorewright.world.events import EffectRefused, EngineEvent
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.ops import AddFact, StateOp
from lorewright.world.state import WorldState

# Results of the rules: a Validation before anything happens, a Resolution after.

# Reasons why an attempt is not possible. Each has sentences of its own in the narrator's grammar.
ReasonCode = Literal[
    "unknown_action",
    "not_your_turn",
    "not_capable",
    "object_not_found",
    "only_scenery",
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

# Results of an attempt that was possible.
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

    With a clarification nothing is resolved: the question is the turn's result. `not_played` are words of the player's
    of which nothing could be made, `read_as` says how others were understood.
    """

    results: tuple[ActionResult, ...] = ()
    costs: FrozenMap[str, int] = Field(default_factory=dict)
    clarification: str | None = None
    # Newer fields are written only where they have a value: other turns keep their bytes.
    not_played: tuple[str, ...] = Field(default=(), exclude_if=lambda words: not words)
    read_as: tuple[str, ...] = Field(default=(), exclude_if=lambda words: not words)


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


class Outcome(Frozen):
    """What came of one action; `item_id` is the thing that went along with it.

    `item_ids` are what the player learned by it now, `known_item_ids` what they would have learned had they
    not known it already; `fact_ids` are the promises, threats and debts that it made or brought up; `roll` is the
    place of its dice in `Resolution.rolls`; `say` the scenario's own sentences, `then` those of what followed from it
    by itself. What is `whispered` is heard by the two alone. `form` is the kind of act that the interpreter took it
    for, by which the narrator tells it, `deed` what was done, as it stands after `you`; of words how who hears them
    repeats them. `reached` is the time of day when a wait is over for which an end was named, `cut_short` whether
    something ended it, or a walk, before its end.
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
    # Newer fields are written only where they have a value: other turns keep their bytes.
    whispered: bool = Field(default=False, exclude_if=lambda whispered: not whispered)
    form: str = Field(default="", exclude_if=lambda form: not form)
    deed: str = Field(default="", exclude_if=lambda deed: not deed)
    reached: str = Field(default="", exclude_if=lambda reached: not reached)
    cut_short: bool = Field(default=False, exclude_if=lambda cut_short: not cut_short)


class Resolution(Frozen):
    """What came of a turn's actions: outcomes in order, the dice, the ops to apply, the events to tell."""

    outcomes: tuple[Outcome, ...] = ()
    rolls: tuple[Roll, ...] = ()
    ops: tuple[StateOp, ...] = ()
    events: tuple[EngineEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class TriedAction:
    """As much of an outcome as is asked for again when lines are suggested: of a story all of them stay in memory."""

    actor_id: str
    type: str
    target_id: str | None
    item_id: str | None
    words: str
    code: OutcomeCode
    has_taught: bool
    is_onward: bool
    # The purpose of its dice, where any were thrown.
    rolled_for: str | None


# A round's actions, in order.
TriedRound = tuple[TriedAction, ...]


def tried_in(resolution: Resolution) -> TriedRound:
    """Return the actions of a resolution, as suggestions ask for them."""
    rolls = resolution.rolls
    return tuple(
        TriedAction(
            actor_id=outcome.actor_id,
            type=outcome.type,
            target_id=outcome.target_id,
            item_id=outcome.item_id,
            words=outcome.words,
            code=outcome.code,
            has_taught=bool(outcome.item_ids),
            is_onward=outcome.location_id is not None,
            rolled_for=None if outcome.roll is None or outcome.roll >= len(rolls) else rolls[outcome.roll].purpose,
        )
        for outcome in resolution.outcomes
    )


# Reason codes and their meaning, for readers of a validation: one line each, in the order of `ReasonCode`.

REASON_CODES: Mapping[ReasonCode, str] = MappingProxyType(
    {
        "unknown_action": "the ruleset has no action of that type",
        "not_your_turn": "somebody else is to act",
        "not_capable": "a condition of the actor forbids it, or a stat of the actor is too low",
        "object_not_found": "no such thing is here or in hand",
        "only_scenery": "the prose shows it, and nothing more: it can be looked at",
        "not_present": "the person is not at the scene's place",
        "no_such_exit": "no way leads there from here",
        "too_far": "a known way leads there, but not from here: another place lies between",
        "door_locked": "the door is locked, and the actor has no key to it",
        "door_bolted": "the door is bolted on its other side, and no key draws a bolt",
        "door_closed": "the door is shut, and bars the way until it is opened",
        "not_takeable": "it cannot be taken: it is a place or a door",
        "cannot_take_person": "it is a person",
        "already_carried": "the actor carries it already",
        "not_in_inventory": "the thing that is needed is not in hand",
        "nobody_to_ask": "nobody is named to be asked, or nobody is here",
        "nobody_named": "the action needs somebody, and nobody is named",
        "not_a_person": "it is not a person",
        "not_to_oneself": "it cannot be done to oneself",
        "not_openable": "it does not open, shut or lock",
        "already_open": "it stands open",
        "already_closed": "it is shut",
        "no_lock": "it has no lock, or none on this side",
        "already_locked": "it is locked",
        "nothing_to_unlock": "it is not locked",
        "no_key": "the actor has no key to it",
        "wrong_key": "the named key belongs to another lock",
        "not_known": "the teller does not know it",
        "kept_back": "the teller withholds it until something opens it to the player",
        "contradicts_fact": "what is known of it speaks against it",
        "not_allowed_now": "a circumstance forbids it, or something that this action needs does not hold",
        "campaign_over": "the story has ended",
        "depends_on_failed": "an earlier action of the turn, which this one needs, failed",
    }
)


# The patch: a working copy of a state, its ops and events.

# Texts of an effect, which have no place in an event.
_TEXTS: dict[str, Any] = {"object": True, "promise": {"what"}, "threat": {"what"}, "owes": {"what"}, "observe": True}


class Patch:
    """A working copy of a state. At any moment `apply(start, ops)` gives `state`; the start itself is never touched.

    Added facts are dated with the turn, where its number is given. While `audience` is set, it limits who may know of
    the events that are added. While `bounds` has a clock, an author's effect raises it no further than that value.
    """

    def __init__(self, start: WorldState, *, turn_no: int | None = None) -> None:
        self.state = start
        self._turn_no = turn_no
        self.ops: list[StateOp] = []
        self.events: list[EngineEvent] = []
        self.rolls: list[Roll] = []
        self.outcomes: list[Outcome] = []
        self.audience: tuple[str, ...] | None = None
        self.bounds: Mapping[str, int] = {}

    def do(self, *ops: StateOp) -> None:
        """Apply what the rules themselves decided.

        Raises:
            RuntimeError: it does not fit, so that a rule of ours is wrong; nothing of it was applied.
        """
        refusal = self._apply(ops)
        if refusal is not None:
            raise RuntimeError(f"{ops[refusal.index]!r} does not fit: {refusal.reason}")

    def enact(self, effects: Iterable[Effect], *, how: Learned) -> None:
        """Apply an author's effects; an effect that does not fit is skipped, and an event says so."""
        for effect in map(self._bounded, effects):
            if effect is None:
                continue
            refusal = self._apply(effect_ops(effect, self.state, how=how))
            if refusal is not None:
                hidden = {**_TEXTS, "value": True} if isinstance(effect, StateEffect) else _TEXTS
                written = effect.model_dump(exclude=hidden, exclude_defaults=True)
                self.tell(EffectRefused(reason=refusal.reason, effect=written))

    def _bounded(self, effect: Effect) -> Effect | None:
        """Return an effect as far as the bounds allow; None where they leave nothing of it."""
        clock = self.state.clocks.get(effect.clock) if isinstance(effect, ClockEffect) else None
        if not isinstance(effect, ClockEffect) or clock is None or clock.id not in self.bounds:
            return effect
        by = min(effect.by, self.bounds[clock.id] - clock.value)
        return effect if effect.by <= 0 or by == effect.by else effect.model_copy(update={"by": by}) if by > 0 else None

    def propose(self, *ops: StateOp) -> Refusal | None:
        """Apply proposed ops, all or none; return why they do not fit, or None."""
        return self._apply(ops)

    def tell(self, *events: EngineEvent) -> None:
        """Add events, for those who may know of them just now."""
        if self.audience is not None:
            events = tuple(event.model_copy(update={"audience": self.audience}) for event in events)
        self.events += events

    def learned_since(self, before: WorldState) -> tuple[str, ...]:
        """Return the items that the player knows now and did not then, in the order of their telling."""
        return items_learned(before, self.state)

    def resolution(self) -> Resolution:
        """Return everything that was done, as values."""
        return Resolution(
            outcomes=tuple(self.outcomes),
            rolls=tuple(self.rolls),
            ops=tuple(self.ops),
            events=tuple(self.events),
        )

    def _apply(self, ops: tuple[StateOp, ...]) -> Refusal | None:
        ops = tuple(self._dated(op) for op in ops)
        applied = apply(self.state, ops)
        if applied.refusal is None:
            self.tell(*events_between(self.state, applied.state))
            self.state = applied.state
            self.ops.extend(ops)
        return applied.refusal

    def _dated(self, op: StateOp) -> StateOp:
        if not isinstance(op, AddFact) or op.fact.discovered_turn is not None:
            return op
        return op.model_copy(update={"fact": op.fact.model_copy(update={"discovered_turn": self._turn_no})})


def already_known(effects: Iterable[Effect], state: WorldState) -> tuple[str, ...]:
    """Return the items that the effects would reveal and that the player has learned before, each once."""
    items = [effect.reveal for effect in effects if isinstance(effect, RevealEffect)]
    return tuple(dict.fromkeys(item for item in items if state.has_learned(state.player_id, item)))
