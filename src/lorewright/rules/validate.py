"""validate(attempts, state, rules) -> Validation: which attempts are possible, and why others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from lorewright.ids import local
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import plainly, why_not_told
from lorewright.rules.capability import unmet
from lorewright.rules.outcomes import ActionResult, ReasonCode, Validation
from lorewright.rules.reach import way
from lorewright.rules.reasons import why_not
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.rules.sentences import sentence
from lorewright.world.ops import AdvanceTime, Decrement, Increment, StateOp, TickClock
from lorewright.world.state import WorldState

# An action -> what it costs whoever tries it, whatever comes of it.

COST_KEYS = ("heat", "time", "cred", "harm", "rep")


def minutes_of(action: Action, state: WorldState, ruleset: Ruleset) -> int:
    """In-world minutes: for a `go` those of the way, for a `sneak` both those and its own, for a `wait` those named,
    else the type's own."""
    own = ruleset.actions[action.type].minutes
    exit_taken = way(action, state) if action.type in ("go", "sneak") else None
    if exit_taken is not None:
        return exit_taken.minutes + (own if action.type == "sneak" else 0)
    named = action.metadata.get("minutes") if action.type == "wait" else None
    return int(named) if named is not None else own


def costs_of(action: Action, state: WorldState, ruleset: Ruleset) -> dict[str, int]:
    """Every key of `COST_KEYS` and the type's own; `time` is minutes and nothing else.

    What one of the cast does goes on beside what the player does: it costs nothing unless the ruleset says so.
    """
    if action.actor_id != state.player_id and not ruleset.npcs_pay:
        return dict.fromkeys(COST_KEYS, 0)
    costs = ruleset.actions[action.type].costs
    return {**dict.fromkeys(COST_KEYS, 0), **costs, "time": minutes_of(action, state, ruleset)}


def cost_ops(costs: Mapping[str, int], state: WorldState) -> tuple[StateOp, ...]:
    """Time goes on, and of the other costs those fall due that have a clock of their name, qualified or not, or are a
    gauge of the ruleset's scene."""
    clocks = {local(clock_id): clock_id for clock_id in sorted(state.clocks)}
    ticks = [
        TickClock(clock_id=clocks[key], delta=delta)
        for key, delta in sorted(costs.items())
        if key != "time" and delta and key in clocks
    ]
    gauges = {gauge.id for gauge in state.gauges()} - clocks.keys()
    moved = [
        Increment(path=key, value=delta) if delta > 0 else Decrement(path=key, value=-delta)
        for key, delta in sorted(costs.items())
        if delta and key in gauges
    ]
    return (*([AdvanceTime(minutes=costs["time"])] if costs["time"] else []), *ticks, *moved)


# What somebody may have opened, or not, on the way.
_BARRIERS: tuple[ReasonCode, ...] = ("door_locked", "door_bolted", "door_closed")
# What an earlier action of the same turn might have mended: another place, or another thing in hand.
_MAY_DEPEND: frozenset[ReasonCode] = frozenset(
    {"not_present", "object_not_found", "no_such_exit", "too_far", "not_in_inventory", "no_key", *_BARRIERS}
)


def validate(
    attempts: Sequence[Attempt], state: WorldState, rules: CampaignRules, *, acting: str | None = None
) -> Validation:
    """Judge the attempts in order, each as if the ones before had gone as they plainly would.

    `acting` is whose round it is: one of the cast, and the player where nobody is named. What a scenario's rules
    make of them is not known before the dice: `resolve` judges once more.
    """
    working = state
    results: list[ActionResult] = []
    costs = Counter(dict.fromkeys(COST_KEYS, 0))
    for index, attempt in enumerate(attempts):
        result = _judge(index, attempt, working, rules, results, acting)
        results.append(result)
        if result.success:
            costs.update(costs_of(attempt.action, working, rules.ruleset))
            working = plainly(attempt.action, working, rules.ruleset)
    return Validation(results=tuple(results), costs=dict(costs))


def _judge(
    index: int,
    attempt: Attempt,
    state: WorldState,
    rules: CampaignRules,
    earlier: Sequence[ActionResult],
    acting: str | None,
) -> ActionResult:
    action = attempt.action
    reason = why_not(action, state, rules.ruleset, acting=acting) or why_not_told(attempt, state)
    if reason is None:
        return ActionResult(action_index=index, success=True)
    if reason in _MAY_DEPEND and any(not result.success for result in earlier):
        reason = "depends_on_failed"
    message = (unmet(action, state, rules.ruleset) if reason == "not_allowed_now" else None) or sentence(
        reason, action, state
    )
    return ActionResult(action_index=index, success=False, reason=reason, message=message)


# Readings of the same words -> whether it matters which of them is meant. Only then is it worth a question.


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
