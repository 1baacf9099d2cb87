"""validate(attempts, state, rules) -> Validation: which attempts are possible, and why others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import assert_never

from lorewright.ids import local
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import plainly, why_not_grounded
from lorewright.rules.checks import minutes_of
from lorewright.rules.consequences import rule_for
from lorewright.rules.patch import ActionResult, ReasonCode, Validation
from lorewright.rules.reach import exits_to, first_step, is_barred, place_of
from lorewright.rules.reasons import circumstance, unmet, why_not
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.rules.verbs import verb_of
from lorewright.world.apply import apply
from lorewright.world.ops import AdvanceTime, Decrement, Increment, StateOp, TickClock
from lorewright.world.state import OFFSTAGE, WorldState

# Sentences: a reason and its action -> a plain sentence with names and without IDs, for logs and for the model.

# Defaults where neither the ruleset nor the scenario has its own words.
NOT_NOW = "That cannot be done as things stand."


def sentence(reason: ReasonCode, action: Action, state: WorldState) -> str:
    """Return the reason in plain words."""
    target, item = the(action.target_id, state), the(action.item_id, state)
    match reason:
        case "unknown_action":
            return "That is nothing one can do here."
        case "not_your_turn":
            return f"{_capital(the(action.actor_id, state) or 'somebody else')} does not act now."
        case "object_not_found":
            return f"{_capital(target)} is not to be found here." if target else "Nothing like that is here."
        case "only_scenery":
            return "That is there to be looked at, and for nothing more."
        case "not_present":
            if place_of(action, state) == OFFSTAGE:
                return f"{_actor_phrase(action, state, 'are', 'is')} not here."
            return f"{_capital(target or 'that person')} is not here."
        case "no_such_exit":
            return f"No way leads from here to {the(action.location_id, state) or 'such a place'}."
        case "too_far":
            first = first_step(action, state)
            by = f" One gets there by {first.name}." if first is not None else ""
            return f"{_capital(the(action.location_id, state) or 'that place')} is further than one step.{by}"
        case "not_capable":
            return f"{_actor_phrase(action, state, 'are', 'is')} in no condition for that."
        case "not_known":
            return f"{_actor_phrase(action, state, 'do', 'does')} not know that."
        case "kept_back":
            return f"{_actor_phrase(action, state, 'keep', 'keeps')} that back."
        case "contradicts_fact":
            about = target or item or the(action.location_id, state)
            return f"What is known of {about or 'it'} speaks against that."
        case "not_allowed_now":
            return NOT_NOW
        case "door_locked":
            return f"{_capital(_barring_door(action, state) or 'the door')} is locked."
        case "door_bolted":
            return f"{_capital(_barring_door(action, state) or 'the door')} is bolted on its other side."
        case "door_closed":
            return f"{_capital(_barring_door(action, state) or 'the door')} is shut; it has to be opened first."
        case "not_takeable" | "cannot_take_person":
            return f"{_capital(target or 'that')} cannot be taken."
        case "already_carried":
            return f"{_actor_phrase(action, state, 'carry', 'carries')} {target or 'that'} already."
        case "not_in_inventory":
            return f"{_actor_phrase(action, state, 'do', 'does')} not have {item or target or 'that'}."
        case "nobody_to_ask":
            return "It is not clear whom to ask."
        case "nobody_named":
            return "It is not clear who is meant."
        case "not_a_person":
            return f"{_capital(target or 'that')} is nobody to deal with."
        case "not_to_oneself":
            return "That cannot be done to oneself."
        case "not_openable":
            return f"{_capital(target or 'that')} is nothing that opens, shuts or locks."
        case "already_open":
            return f"{_capital(target or 'that')} is open already."
        case "already_closed":
            return f"{_capital(target or 'that')} is shut already."
        case "no_lock":
            door = state.doors.get(action.target_id or "")
            side = " on this side" if door is not None and door.bolt_at is not None else ""
            return f"{_capital(target or 'that')} has no lock{side}."
        case "already_locked":
            return f"{_capital(target or 'that')} is locked already."
        case "nothing_to_unlock":
            return f"{_capital(target or 'that')} is not locked."
        case "no_key":
            return f"{_actor_phrase(action, state, 'have', 'has')} no key to {target or 'that'}."
        case "wrong_key":
            return f"{_capital(item or 'that')} does not fit {target or 'the lock'}."
        case "campaign_over":
            return "The story has ended."
        case "depends_on_failed":
            return "That needed something that did not come off."
        case _:
            assert_never(reason)


def the(entity_id: str | None, state: WorldState) -> str:
    """Return the name as it stands within a sentence, `the steel door`, `Viktor`; empty where nothing has the ID."""
    entity = state.entities.get(entity_id or "")
    if entity is None:
        return ""
    is_common = entity.name[:1].islower() and not entity.name.startswith("the ")
    return f"the {entity.name}" if is_common else entity.name


def _barring_door(action: Action, state: WorldState) -> str:
    barred = (e.via for e in exits_to(action, state) if is_barred(e, action.actor_id, state))
    return the(next(barred, action.target_id), state)


def _actor_phrase(action: Action, state: WorldState, of_the_player: str, of_others: str) -> str:
    """Return the actor with a predicate: the player in the second person, others in the third."""
    if action.actor_id == state.player_id:
        return f"You {of_the_player}"
    return f"{_capital(the(action.actor_id, state) or 'somebody')} {of_others}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# Costs: an action -> what it costs the actor, whatever its result.

COST_KEYS = ("heat", "time", "cred", "harm", "rep")


def costs_of(action: Action, state: WorldState, ruleset: Ruleset) -> dict[str, int]:
    """Return every key of `COST_KEYS` and the type's own; `time` is minutes and nothing else.

    What one of the cast does goes on beside what the player does: it costs nothing unless the ruleset says so.
    """
    if action.actor_id != state.player_id and not ruleset.npcs_pay:
        return dict.fromkeys(COST_KEYS, 0)
    row = ruleset.row(action.type)
    word = str(action.metadata.get("verb", "")).casefold().partition(" ")[0]
    costs = Counter({**dict.fromkeys(COST_KEYS, 0), **row.costs})
    costs.update(row.costs_by_word.get(word, {}))
    return {**costs, "time": minutes_of(action, state, ruleset)}


def as_ruled(attempt: Attempt, state: WorldState, rules: CampaignRules) -> Attempt:
    """Return the attempt as the action that a rule of the scenario is about, where the verb gives way to it: a knock on
    a door is a free attempt if the scenario has something to say on it.
    """
    verb = verb_of(attempt.action.type)
    if verb is None or not verb.like or verb.also_ruled_as is None or rule_for(attempt, state, rules) is not None:
        return attempt
    other = verb.also_ruled_as(attempt.action)
    if other is None or rules.ruleset.find_row(other.type) is None:
        return attempt
    ruled = attempt.model_copy(update={"action": other})
    # As when it is played, rules are matched after the cost in time.
    paid = apply(state, cost_ops(costs_of(other, state, rules.ruleset), state)).state
    rule, pressing = rule_for(ruled, paid, rules), verb_of(other.type)
    # A request is for what it names: a rule on all that somebody could be pressed for is not about it.
    is_vague = rule is not None and not rule.on.topics and pressing is not None and pressing.is_pressing
    return attempt if rule is None or is_vague else ruled


def cost_ops(costs: Mapping[str, int], state: WorldState) -> tuple[StateOp, ...]:
    """Return the ops of the costs: time passes, and every other cost falls due that has a clock of its name, qualified
    or not, or is a gauge of the ruleset's scene.
    """
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


# The validation: which attempts are possible, and why others are not.

# Doors that an earlier action of the same turn may have opened or shut.
BARRIERS: tuple[ReasonCode, ...] = ("door_locked", "door_bolted", "door_closed")
# Reasons that an earlier action of the same turn might have removed: another place, or another thing in hand.
_MAY_DEPEND: frozenset[ReasonCode] = frozenset(
    {"not_present", "object_not_found", "no_such_exit", "too_far", "not_in_inventory", "no_key", *BARRIERS}
)


def validate(
    attempts: Sequence[Attempt],
    state: WorldState,
    rules: CampaignRules,
    *,
    acting: str | None = None,
    says_why: bool = True,
) -> Validation:
    """Judge the attempts in order, each as if the ones before had succeeded plainly.

    `acting` is whose round it is: one of the cast, by default the player. With `says_why` a circumstance that forbids
    something is named. The effect of a scenario's rules is not known
    before the dice: `resolve` judges once more.
    """
    working = state
    results: list[ActionResult] = []
    costs = Counter(dict.fromkeys(COST_KEYS, 0))
    failed: set[str] = set()
    for index, attempt in enumerate(attempts):
        # What is done to one thing does not hang on the same done to another: each door is tried by itself.
        one = attempt.action.type if attempt.action.target_id else ""
        hangs = bool(failed - {one} if one else failed)
        result = _judge(index, attempt, working, rules, acting, is_after_failure=hangs, says_why=says_why)
        results.append(result)
        # Nothing hangs on what was never there to be tried.
        failed |= set() if result.success or attempt.action.metadata.get("detail_is") else {one}
        if result.success:
            costs.update(costs_of(as_ruled(attempt, working, rules).action, working, rules.ruleset))
            working = plainly(attempt.action, working, rules.ruleset)
    return Validation(results=tuple(results), costs=dict(costs))


def why_not_attempt(
    attempt: Attempt, state: WorldState, rules: CampaignRules, *, acting: str | None = None
) -> ReasonCode | None:
    """Return the first reason against the attempt now; None where it is possible. What no entity stands for is there
    all the same where a rule of the scenario is about the attempt's own words.
    """
    reason = why_not(attempt.action, state, rules.ruleset, acting=acting) or why_not_grounded(attempt, state)
    if reason in ("object_not_found", "only_scenery") and attempt.action.metadata.get("detail_is"):
        rule = rule_for(attempt, state, rules)
        return reason if rule is None or not rule.on.topics else None
    return reason


def _judge(
    index: int,
    attempt: Attempt,
    state: WorldState,
    rules: CampaignRules,
    acting: str | None,
    *,
    is_after_failure: bool,
    says_why: bool,
) -> ActionResult:
    action = attempt.action
    reason = why_not_attempt(attempt, state, rules, acting=acting)
    if reason is None:
        return ActionResult(action_index=index, success=True)
    if reason in _MAY_DEPEND and is_after_failure and not action.metadata.get("detail_is"):
        reason = "depends_on_failed"
    message = None
    if reason == "not_allowed_now":
        # A sentence of the ruleset goes before a circumstance of the scene.
        held = circumstance(action, state, rules.ruleset) if says_why else None
        message = unmet(action, state, rules.ruleset) or (f"{_capital(held.rstrip('.'))}." if held else None)
    message = message or sentence(reason, action, state)
    return ActionResult(action_index=index, success=False, reason=reason, message=message)


# Ambiguity: readings of the same words -> whether the difference matters. Only then is it worth a question.


def come_to_the_same(readings: Sequence[Sequence[Action]], state: WorldState, rules: CampaignRules) -> bool:
    """Tell whether all of the readings, of one action or several each, have the same outcome: they are the same
    actions, or none of them is possible, each for the same reasons. Possible ones may differ by the dice.
    """
    if len({tuple(action.model_dump_json() for action in reading) for reading in readings}) == 1:
        return True
    reasons = set()
    for reading in readings:
        judged = validate([Attempt.of(action) for action in reading], state, rules).results
        if any(result.success for result in judged):
            return False
        reasons.add(tuple(result.reason for result in judged))
    return len(reasons) == 1
