"""resolve(attempts, validation, state, rules, dice) -> Resolution: what comes of a turn.

The state given is not changed: applying `Resolution.ops` to it gives the state after the turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import act
from lorewright.rules.aftermath import (
    bear_fruit,
    comes_over,
    count_failures,
    have_its_effects,
    look_into,
    pass_turn,
    provoke,
    run_out,
)
from lorewright.rules.answers import Answer
from lorewright.rules.checks import fall_out, is_risky, is_rolled_for, roll_check, sentence_for, wins_more
from lorewright.rules.consequences import follow, reach_ending, rule_for, trigger_clocks
from lorewright.rules.costs import cost_ops, costs_of
from lorewright.rules.dice import Dice
from lorewright.rules.knowledge import why_not_told
from lorewright.rules.outcomes import ActionResult, Outcome, OutcomeCode, ReasonCode, Resolution, Validation
from lorewright.rules.patch import Patch
from lorewright.rules.reach import company, place_of
from lorewright.rules.reasons import why_not
from lorewright.rules.rulebook import Ruling
from lorewright.rules.rulesets import CampaignRules, Check, Rule
from lorewright.rules.ruling import fire_triggers, run_timers
from lorewright.world.apply import apply
from lorewright.world.state import WorldState

# What is done with one's hands is done, whatever it brings somebody to say.
_HANDS_ON = frozenset(("take", "drop", "give", "open", "close", "lock", "unlock"))
_CAME_TO_SOMETHING: frozenset[OutcomeCode] = frozenset(
    (
        *("looked", "listed", "moved", "told", "heard", "promised", "recalled", "found", "waited"),
        *("taken", "dropped", "given", "opened", "closed", "locked", "unlocked"),
    )
)


def resolve(
    attempts: Sequence[Attempt],
    validation: Validation,
    state: WorldState,
    rules: CampaignRules,
    dice: Dice,
    *,
    acting: str | None = None,
) -> Resolution:
    """Play the attempts out in order; `validation` judges these attempts on this state.

    Every attempt gets an outcome, a blocked one too. With a clarification nothing is resolved at all. `acting` is whose
    round it is: one of the cast, and the player where nobody is named.

    Raises:
        ValueError: the validation is of another number of attempts, or a check's dice are malformed.
    """
    return play_out(attempts, validation, state, rules, dice, acting=acting).resolution()


def play_out(
    attempts: Sequence[Attempt],
    validation: Validation,
    state: WorldState,
    rules: CampaignRules,
    dice: Dice,
    *,
    turn_no: int | None = None,
    rulings: Mapping[int, Ruling] | None = None,
    acting: str | None = None,
) -> Patch:
    """The same, with the state that it comes to; what becomes established is dated with `turn_no`. `rulings`, by the
    place of their attempt, decide what no rule here does."""
    patch = Patch(state, turn_no=turn_no)
    if validation.clarification is not None:
        return patch
    for attempt, judged in zip(attempts, validation.results, strict=True):
        before = patch.state
        patch.audience = _audience(attempt.action, before)
        _play(patch, attempt, judged, rules, dice, (rulings or {}).get(judged.action_index), acting)
        patch.audience = None
        trigger_clocks(patch, before, rules)
        by_now = patch.state
        _by_itself(patch, before, attempt, rules, dice)
        trigger_clocks(patch, by_now, rules)
    reach_ending(patch, rules)
    return patch


def _by_itself(patch: Patch, before: WorldState, attempt: Attempt, rules: CampaignRules, dice: Dice) -> None:
    """What comes by itself once an attempt has been played: what runs with the minutes, what has come to a head, what
    falls due, what has been found out. It is told after what came of the attempt."""
    run_timers(patch, before, rules.ruleset)
    said = [*fire_triggers(patch, before, rules.ruleset, attempt.action, dice)]
    look_into(patch, patch.learned_since(before), rules)
    said += [*run_out(patch, rules), *bear_fruit(patch, before, rules), *comes_over(before, patch.state, rules)]
    if said and patch.outcomes:
        last = patch.outcomes[-1]
        patch.outcomes[-1] = last.model_copy(update={"then": (*last.then, *said)})


def _play(
    patch: Patch,
    attempt: Attempt,
    judged: ActionResult,
    rules: CampaignRules,
    dice: Dice,
    ruling: Ruling | None,
    acting: str | None,
) -> None:
    action, before = attempt.action, patch.state
    reason = _why_not_now(attempt, before, rules, acting) if judged.success else judged.reason
    if reason is not None or not judged.success:
        _block(patch, judged.action_index, action, reason)
        return
    check = rules.ruleset.actions[action.type].check
    # A rule may ask how late it is when the action is done; so it is looked for after the cost in time.
    paid = apply(before, cost_ops(costs_of(action, before, rules.ruleset), before)).state
    rule = rule_for(attempt, paid, rules)
    rolls = is_rolled_for(check, before, who=action.actor_id) and is_risky(action, before)
    if rule is None and check is not None and rolls:
        answer = _by_check(patch, check, attempt, rules, dice)
    else:
        _pay(patch, action, rules)
        if rule is not None:
            answer = _by_rule(patch, rule, attempt, rules, dice)
        else:
            answer = act(patch, attempt, rules) if ruling is None else _by_ruling(patch, ruling)
    then = _follow_up(patch, action, answer, rules)
    minutes, learned = patch.state.minutes - before.minutes, patch.learned_since(before)
    patch.outcomes.append(_outcome(judged.action_index, action, answer, learned, minutes=minutes, then=then))


def _follow_up(patch: Patch, action: Action, answer: Answer, rules: CampaignRules) -> tuple[str, ...]:
    """What the type of the action brings by its band, to whoever tried and to whom it was aimed at; then the turn is
    passed on where there is an order of turns."""
    if patch.state.ended is not None:
        return ()
    have_its_effects(patch, answer.band, action, rules.ruleset)
    said = () if answer.band is None else count_failures(patch, answer.band, action, rules.ruleset)
    said = (*said, *provoke(patch, answer.band or "success", action, rules))
    pass_turn(patch, action, rules.ruleset)
    return said


def _pay(patch: Patch, action: Action, rules: CampaignRules, *, in_no_time: bool = False) -> None:
    costs = costs_of(action, patch.state, rules.ruleset)
    own = rules.ruleset.actions[action.type].minutes if in_no_time else 0
    patch.do(*cost_ops({**costs, "time": max(costs["time"] - own, 0)}, patch.state))


def _by_check(patch: Patch, check: Check, attempt: Attempt, rules: CampaignRules, dice: Dice) -> Answer:
    """The dice, the cost, what the action does unless they fail, and what the band brings; where there is nothing more
    to win, what went so well took no time."""
    rolled = roll_check(patch, check, attempt.action, rules, dice, purpose=attempt.action.type)
    band, roll = rolled.band, len(patch.rolls) - 1
    in_no_time = band == "critical" and not wins_more(attempt.action, patch.state)
    _pay(patch, attempt.action, rules, in_no_time=in_no_time)
    on_the_way = _rule_of_the_way(attempt, patch.state, rules)
    answer = Answer("acted") if band == "fail" else act(patch, attempt, rules)
    if on_the_way is not None and answer.code == "moved":
        follow(patch, on_the_way, attempt.action, rules, dice)
    fall_out(patch, attempt, rolled, answer, check, rules.ruleset)
    # Whoever has come somewhere is told of the place.
    own = () if answer.code == "moved" else sentence_for(rolled, attempt.action, patch.state, rules.ruleset)
    say = answer.say or own
    return replace(answer, band=band, roll=roll, say=say)


def _by_ruling(patch: Patch, ruling: Ruling) -> Answer:
    """What the rulebook brings. Changes that fit when it was ruled and do not fit any more are skipped, and an event
    says so."""
    patch.rolls += ruling.rolls
    for op in ruling.ops:
        refusal = patch.propose(op)
        if refusal is not None:
            patch.tell("effect_refused", reason=refusal.reason, effect={"op": op.op})
    patch.tell("ruled_by_the_book", band=ruling.band)
    return Answer("acted", band=ruling.band, roll=len(patch.rolls) - 1 if ruling.rolls else None)


def _rule_of_the_way(attempt: Attempt, state: WorldState, rules: CampaignRules) -> Rule | None:
    """Whoever sneaks somewhere goes there too: a rule about that way holds, unless it asks for dice of its own."""
    if attempt.action.type != "sneak" or attempt.action.location_id is None:
        return None
    going = attempt.model_copy(update={"action": attempt.action.model_copy(update={"type": "go"})})
    rule = rule_for(going, state, rules)
    return rule if rule is not None and rule.check is None else None


def _by_rule(patch: Patch, rule: Rule, attempt: Attempt, rules: CampaignRules, dice: Dice) -> Answer:
    """The rule, and then what the action does by itself, unless the check failed or the rule has said it all.

    Where a question by itself would come to nothing, the rule's word stands alone; a search that finds nothing says so.
    """
    scene = patch.state.scene
    ruled = follow(patch, rule, attempt.action, rules, dice)
    said_all = ruled.code != "acted" or ruled.known_item_ids or patch.state.scene != scene
    is_handed = said_all and attempt.action.type in _HANDS_ON
    if ruled.band == "fail" or (said_all and not is_handed) or patch.state.ended is not None:
        return ruled
    if why_not(attempt.action, patch.state, rules.ruleset, acting=attempt.action.actor_id) is not None:
        return ruled  # the rule has done it, or has made it impossible
    plain = act(patch, attempt, rules, ruled=True)
    if is_handed:
        return replace(ruled, fact_ids=(*ruled.fact_ids, *plain.fact_ids))
    if plain.code not in _CAME_TO_SOMETHING and attempt.action.type != "search":
        return ruled
    return replace(plain, band=ruled.band, roll=ruled.roll, say=ruled.say, fact_ids=(*ruled.fact_ids, *plain.fact_ids))


def _audience(action: Action, state: WorldState) -> tuple[str, ...] | None:
    """Who may know of what somebody does, where it is not whoever is at the scene's place."""
    if action.is_whispered and action.target_id is not None:
        return (action.actor_id, action.target_id)
    if action.actor_id == state.player_id or state.scene.location_id in (place_of(action, state), action.location_id):
        return None
    return (action.actor_id, *company(action.actor_id, state))


def _why_not_now(attempt: Attempt, state: WorldState, rules: CampaignRules, acting: str | None) -> ReasonCode | None:
    """A possible action no longer fits because an earlier one went otherwise, or ended everything."""
    reason = why_not(attempt.action, state, rules.ruleset, acting=acting) or why_not_told(attempt, state)
    return reason if reason in (None, "campaign_over") else "depends_on_failed"


def _block(patch: Patch, index: int, action: Action, reason: ReasonCode | None) -> None:
    patch.tell("action_blocked", action=index, reason=reason)
    patch.outcomes.append(_outcome(index, action, Answer("blocked"), (), reason=reason))


def _outcome(
    index: int,
    action: Action,
    answer: Answer,
    learned: tuple[str, ...],
    *,
    minutes: int = 0,
    reason: ReasonCode | None = None,
    then: tuple[str, ...] = (),
) -> Outcome:
    return Outcome(
        action_index=index,
        actor_id=action.actor_id,
        type=action.type,
        target_id=action.target_id,
        location_id=action.location_id,
        item_id=action.item_id,
        words=action.words,
        code=answer.code,
        reason=reason,
        band=answer.band,
        item_ids=learned,
        known_item_ids=answer.known_item_ids,
        fact_ids=answer.fact_ids,
        minutes=minutes,
        roll=answer.roll,
        say=answer.say,
        then=then,
        whispered=action.is_whispered,
    )
