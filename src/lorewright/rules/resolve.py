"""resolve(attempts, validation, state, rules, dice) -> Resolution: the result of a turn.

The given state is not changed: applying `Resolution.ops` to it gives the state after the turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import Answer, act, reveal
from lorewright.rules.aiming import aimed
from lorewright.rules.checks import (
    enact_band,
    fire_triggers,
    is_risky,
    is_rolled_for,
    keep_hours,
    roll_check,
    run_timers,
    sentence_for,
    wins_more,
)
from lorewright.rules.consequences import (
    Ruling,
    enact_type_effects,
    follow,
    pass_turn,
    reach_ending,
    rule_for,
    trigger_clocks,
)
from lorewright.rules.dice import Dice
from lorewright.rules.patch import ActionResult, Outcome, OutcomeCode, Patch, ReasonCode, Resolution, Validation
from lorewright.rules.reach import company, holds, open_nudges, place_of
from lorewright.rules.reasons import why_not
from lorewright.rules.rulesets import ESCALATION_STEPS, BandName, CampaignRules, Check, EscalationStep, Rule, Ruleset
from lorewright.rules.steps import Wait, Walks
from lorewright.rules.validate import BARRIERS, as_ruled, cost_ops, costs_of, why_not_attempt
from lorewright.rules.verbs import verb_of
from lorewright.world.apply import apply
from lorewright.world.changes import (
    condition_changes,
    minutes_passed,
    progress_changes,
    situation_changes,
    threat_changes,
)
from lorewright.world.events import (
    ActionBlocked,
    ConditionGained,
    EffectRefused,
    InquiryCompleted,
    RuledByTheBook,
    SituationBegan,
    StreakBroke,
    ThreatAverted,
    ThreatBegan,
    ThreatCame,
)
from lorewright.world.ops import AdvanceTime, EndSituation, EndThreat, Escalate, Investigate, SetStreak
from lorewright.world.state import WorldState

# Further effects of an attempt beside its outcome: rows of failures, escalation, due threats, inquiries. Each adds to
# the patch and returns the sentences that are to be told.

# A threat may announce another; a circle of them ends after so many rounds.
_MAX_ROUNDS = 20


def count_failures(patch: Patch, band: BandName, action: Action, ruleset: Ruleset) -> tuple[str, ...]:
    """Lengthen the actor's row of failures after a failed check, and end it after any other. At the ruleset's
    threshold, if any, its consequence is enacted on top of the check's effects, and the row begins anew. It addresses
    and costs the player, so failures of the cast are not counted.
    """
    who = action.actor_id
    if who != patch.state.player_id:
        return ()
    failures = patch.state.streaks.get(who, 0) + 1 if band == "fail" else 0
    if ruleset.streak is None or failures < ruleset.streak.threshold:
        if failures != patch.state.streaks.get(who, 0):
            patch.do(SetStreak(who=who, failures=failures))
        return ()
    patch.do(SetStreak(who=who, failures=0))
    patch.tell(StreakBroke(entity=who, failures=failures))
    patch.enact(aimed(ruleset.streak.effects, patch.state, action), how="found")
    return (ruleset.streak.say,) if ruleset.streak.say else ()


def provoke(patch: Patch, band: BandName | None, action: Action, rules: CampaignRules) -> tuple[str, ...]:
    """Escalate the target of the attempt, if still there, by a step where its type provokes by that band: soft, hard,
    lethal.

    Nobody goes further than the steps of their profile, or the ruleset's; without either there is no escalation. It is
    directed against the player, so that no act of the cast drives another to it.
    """
    who = action.target_id
    if action.actor_id != patch.state.player_id:
        return ()
    if band not in rules.ruleset.row(action.type).provokes or who not in patch.state.present_npcs():
        return ()
    profile = rules.escalation.get(who, rules.ruleset.escalation)
    steps = [name for name in ESCALATION_STEPS if name in profile]
    level = patch.state.escalation.get(who, 0)
    further = next((name for name in steps if ESCALATION_STEPS.index(name) + 1 > level), None)
    if further is None:
        return ()
    patch.do(Escalate(who=who, to=ESCALATION_STEPS.index(further) + 1))
    step: EscalationStep = profile[further]
    patch.enact(aimed(step.effects, patch.state, action), how="found")
    return (step.say,) if step.say else ()


def run_out(patch: Patch, rules: CampaignRules) -> tuple[str, ...]:
    """End circumstances whose time is over; avert threats whose condition holds, and enact those that are due.

    Stop once the campaign has ended.
    """
    said: list[str] = []
    for situation_id, situation in sorted(patch.state.situations.items()):
        if situation.until is not None and situation.until <= patch.state.minutes:
            patch.do(EndSituation(situation_id=situation_id))
    for _ in range(_MAX_ROUNDS):
        if patch.state.ended is not None or not _settle_threat(patch, rules, said):
            break
    return tuple(said)


def _settle_threat(patch: Patch, rules: CampaignRules, said: list[str]) -> bool:
    """Deal with the first threat that is averted or due; return whether there was one."""
    for threat_id, threat in sorted(patch.state.threats.items(), key=lambda entry: (entry[1].due, entry[0])):
        rule = rules.threats.get(threat_id)
        if rule is not None and rule.unless is not None and holds(rule.unless, patch.state):
            patch.do(EndThreat(threat_id=threat_id))
            patch.tell(ThreatAverted(threat=threat_id))
            said += [rule.averted] if rule.averted else []
            return True
        if threat.due <= patch.state.minutes:
            patch.do(EndThreat(threat_id=threat_id))
            patch.tell(ThreatCame(threat=threat_id))
            if rule is not None:
                patch.enact(rule.effects, how="found")
                said += [rule.say] if rule.say else []
            return True
    return False


def describe_hardships(before: WorldState, after: WorldState, rules: CampaignRules) -> tuple[str, ...]:
    """Return the sentences about what has come over the player since `before`: conditions, circumstances, threats by
    their title.
    """
    who, ruleset = after.player_id, rules.ruleset
    said = []
    for event in (
        *condition_changes(before, after, (who,)),
        *situation_changes(before, after),
        *threat_changes(before, after),
    ):
        match event:
            case ConditionGained(condition=name) if name in ruleset.conditions:
                said.append(ruleset.conditions[name].say)
            case SituationBegan(situation=name) if name in ruleset.situations:
                said.append(ruleset.situations[name].say)
            case ThreatBegan(threat=name) if name in rules.threats:
                said.append(rules.threats[name].title)
    return tuple(filter(None, said))


def advance_inquiries(patch: Patch, learned: Sequence[str], rules: CampaignRules) -> None:
    """Advance the inquiries whose clues were learned."""
    for thread_id, inquiry in sorted(rules.inquiries.items()):
        found = len(set(learned) & set(inquiry.clues))
        if found and thread_id in patch.state.threads:
            patch.do(Investigate(thread_id=thread_id, delta=found))


def finish_inquiries(patch: Patch, before: WorldState, rules: CampaignRules) -> tuple[str, ...]:
    """Enact every inquiry that has what it needs now and did not before."""
    said: list[str] = []
    for thread_id, inquiry in sorted(rules.inquiries.items()):
        # Made anew for each: the effects of an inquiry may further the next.
        made = next((made for made in progress_changes(before, patch.state) if made.thread == thread_id), None)
        if made is None or not made.before < inquiry.needed <= made.after:
            continue
        patch.tell(InquiryCompleted(thread=thread_id))
        patch.enact(inquiry.effects, how="found")
        said += [inquiry.say] if inquiry.say else []
    return tuple(said)


# The result of a turn: each attempt, its outcome and its effects.

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
    round it is: one of the cast, by default the player.

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
    """Do the same and return the patch, which has the state after it; established facts are dated with `turn_no`.
    `rulings`, by the index of their attempt, decide what no rule here does.
    """
    patch = Patch(state, turn_no=turn_no)
    if validation.clarification is not None:
        return patch
    walks = Walks(rules.nudges)
    for attempt, judged in zip(attempts, validation.results, strict=True):
        if walks.is_over(attempt.action):
            continue
        before, told = patch.state, len(patch.events)
        wait = Wait(attempt, patch, rules)
        for step in wait.steps():
            _play_step(patch, step, judged, rules, dice, (rulings or {}).get(judged.action_index), acting)
        wait.end()
        walks.passed(attempt.action, patch, before, patch.events[told:])
    if acting is None and attempts:
        _keep_pace(patch, state, attempts[-1], rules, dice)
    reach_ending(patch, rules)
    return patch


def _keep_pace(patch: Patch, begun: WorldState, last: Attempt, rules: CampaignRules, dice: Dice) -> None:
    """Let the time pass that a turn of the player takes at least, where anything was done in it."""
    left = rules.pace - minutes_passed(begun, patch.state)
    if left > 0 and patch.state.ended is None and any(outcome.code != "blocked" for outcome in patch.outcomes):
        before = patch.state
        patch.do(AdvanceTime(minutes=left))
        _run_automatic(patch, before, last, rules, dice)
        trigger_clocks(patch, before, rules)


def _play_step(
    patch: Patch,
    attempt: Attempt,
    judged: ActionResult,
    rules: CampaignRules,
    dice: Dice,
    ruling: Ruling | None,
    acting: str | None,
) -> None:
    """Play an attempt, and what clocks and the ruleset make of it by themselves."""
    before = patch.state
    patch.audience = _audience(attempt.action, before)
    _play(patch, attempt, judged, rules, dice, ruling, acting)
    patch.audience = None
    trigger_clocks(patch, before, rules)
    by_now = patch.state
    _run_automatic(patch, before, attempt, rules, dice)
    trigger_clocks(patch, by_now, rules)


def _run_automatic(patch: Patch, before: WorldState, attempt: Attempt, rules: CampaignRules, dice: Dice) -> None:
    """Enact what happens by itself after an attempt: timers, triggers and thresholds, due threats, inquiries. Its
    sentences come after those of the attempt.
    """
    run_timers(patch, before, rules)
    said = [*fire_triggers(patch, before, rules.ruleset, attempt.action, dice)]
    advance_inquiries(patch, patch.learned_since(before), rules)
    said += [
        *run_out(patch, rules),
        *finish_inquiries(patch, before, rules),
        *describe_hardships(before, patch.state, rules),
    ]
    if attempt.action.actor_id == before.player_id:
        opened = open_nudges(rules.nudges, patch.state)
        said += [nudge.say for nudge in opened if nudge.say and not holds(nudge.when, before)]
    _add_said(patch, said)


def _add_said(patch: Patch, said: Sequence[str]) -> None:
    """Have sentences told after all that was done so far."""
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
    attempt = as_ruled(attempt, patch.state, rules) if judged.success else attempt
    action, before = attempt.action, patch.state
    # A door that was shut when the turn was judged may have been opened since.
    may_be_open = bool(patch.outcomes) and judged.reason in BARRIERS
    reason = _why_not_now(attempt, before, rules, acting) if judged.success or may_be_open else judged.reason
    if reason is not None:
        reason = judged.reason if may_be_open else reason
        _block(patch, judged.action_index, action, reason)
        return
    check = rules.ruleset.row(action.type).check
    # A rule may depend on the time at the end of the action, so rules are matched after the cost in time.
    paid = apply(before, cost_ops(costs_of(action, before, rules.ruleset), before)).state
    rule = rule_for(attempt, paid, rules)
    rolls = is_rolled_for(check, before, who=action.actor_id) and is_risky(action, before)
    ruled = ruling is not None and rules.ruleset.by_rulebook
    if rule is None and check is not None and rolls and not ruled:
        answer = _play_check(patch, check, attempt, rules, dice)
    else:
        _pay(patch, action, rules)
        if rule is not None:
            answer = _play_rule(patch, rule, attempt, rules, dice)
        else:
            answer = act(patch, attempt, rules) if ruling is None else _play_ruling(patch, ruling, attempt, rules)
    if answer.band != "fail":
        _notice(patch, attempt)
    then = _follow_up(patch, action, answer, rules)
    minutes, learned = minutes_passed(before, patch.state), patch.learned_since(before)
    patch.outcomes.append(_outcome(judged.action_index, action, answer, learned, minutes=minutes, then=then))


def _notice(patch: Patch, attempt: Attempt) -> None:
    """Let the actor and bystanders notice what ties the asked person, or the searched place, to an open thread."""
    for item_id in attempt.grounding.connections:
        if not patch.state.has_learned(attempt.action.actor_id, item_id):
            reveal(patch, item_id, attempt.action, how="noticed", others="noticed")


def _follow_up(patch: Patch, action: Action, answer: Answer, rules: CampaignRules) -> tuple[str, ...]:
    """Enact what the action's type brings by its band, for actor and target; then pass the turn on where there is an
    order of turns.
    """
    if patch.state.ended is not None:
        return ()
    enact_type_effects(patch, answer.band, action, rules.ruleset)
    said = () if answer.band is None else count_failures(patch, answer.band, action, rules.ruleset)
    said = (*said, *provoke(patch, answer.band or "success", action, rules))
    pass_turn(patch, action, rules.ruleset)
    return said


def _pay(patch: Patch, action: Action, rules: CampaignRules, *, in_no_time: bool = False) -> None:
    costs = costs_of(action, patch.state, rules.ruleset)
    own = rules.ruleset.row(action.type).minutes if in_no_time else 0
    patch.do(*cost_ops({**costs, "time": max(costs["time"] - own, 0)}, patch.state))
    keep_hours(patch, rules)


def _play_check(patch: Patch, check: Check, attempt: Attempt, rules: CampaignRules, dice: Dice) -> Answer:
    """Roll the dice, pay the cost, do what the action does unless they fail, and enact the band; a critical with
    nothing more to win takes no time.
    """
    rolled = roll_check(patch, check, attempt.action, rules, dice, purpose=attempt.action.type)
    band, roll = rolled.band, len(patch.rolls) - 1
    in_no_time = band == "critical" and not wins_more(attempt.action, patch.state)
    _pay(patch, attempt.action, rules, in_no_time=in_no_time)
    on_the_way = _find_way_rule(attempt, patch.state, rules)
    answer = Answer("acted") if band == "fail" else act(patch, attempt, rules)
    if on_the_way is not None and answer.code == "moved":
        follow(patch, on_the_way, attempt.action, rules, dice)
    enact_band(patch, attempt, rolled, answer, check, rules.ruleset)
    # Somebody who has come to a place is told of it.
    own = () if answer.code == "moved" else sentence_for(rolled, attempt.action, patch.state, rules.ruleset)
    say = answer.say or own
    return replace(answer, band=band, roll=roll, say=say)


def _play_ruling(patch: Patch, ruling: Ruling, attempt: Attempt, rules: CampaignRules) -> Answer:
    """Enact a rulebook's decision on an attempt: what the action does by itself unless it failed, then the changes.
    Those that fitted when it was ruled and do not fit any more are skipped, and an event says so.
    """
    verb = verb_of(attempt.action.type)
    by_itself = ruling.band != "fail" and verb is not None and not verb.is_free
    answer = act(patch, attempt, rules) if by_itself else Answer("acted")
    patch.rolls += ruling.rolls
    for op in ruling.ops:
        refusal = patch.propose(op)
        if refusal is not None:
            patch.tell(EffectRefused(reason=refusal.reason, effect={"op": op.op}))
    patch.tell(RuledByTheBook(band=ruling.band))
    return replace(answer, band=ruling.band, roll=len(patch.rolls) - 1 if ruling.rolls else None)


def _find_way_rule(attempt: Attempt, state: WorldState, rules: CampaignRules) -> Rule | None:
    """Return the rule about the other action that the attempt's is too, unless the rule asks for dice of its own."""
    verb = verb_of(attempt.action.type)
    other = verb.also_ruled_as(attempt.action) if verb is not None and verb.also_ruled_as is not None else None
    if other is None:
        return None
    rule = rule_for(attempt.model_copy(update={"action": other}), state, rules)
    return rule if rule is not None and rule.check is None else None


def _is_hands_on(action: Action) -> bool:
    verb = verb_of(action.type)
    return verb is not None and verb.is_hands_on


def _play_rule(patch: Patch, rule: Rule, attempt: Attempt, rules: CampaignRules, dice: Dice) -> Answer:
    """Enact the rule, and then what the action does by itself, unless the check failed or the rule replaces it.

    Where a question by itself would find nothing, the rule's sentence stands alone; a search that finds nothing says
    so.
    """
    scene = patch.state.scene
    ruled = follow(patch, rule, attempt.action, rules, dice)
    said_all = ruled.code != "acted" or ruled.known_item_ids or patch.state.scene != scene
    is_handed = said_all and _is_hands_on(attempt.action)
    if ruled.band == "fail" or (said_all and not is_handed) or patch.state.ended is not None:
        return ruled
    if why_not(attempt.action, patch.state, rules.ruleset, acting=attempt.action.actor_id) is not None:
        return ruled  # the rule has done it, or has made it impossible
    plain = act(patch, attempt, rules, ruled=True)
    if is_handed:
        return replace(ruled, fact_ids=(*ruled.fact_ids, *plain.fact_ids))
    verb = verb_of(attempt.action.type)
    if plain.code not in _CAME_TO_SOMETHING and not (verb is not None and verb.is_told_anyway):
        return ruled
    return replace(plain, band=ruled.band, roll=ruled.roll, say=ruled.say, fact_ids=(*ruled.fact_ids, *plain.fact_ids))


def _audience(action: Action, state: WorldState) -> tuple[str, ...] | None:
    """Return who may know of the act, where that is not everybody at the scene's place."""
    if action.is_whispered and action.target_id is not None:
        return (action.actor_id, action.target_id)
    if action.actor_id == state.player_id or state.scene.location_id in (place_of(action, state), action.location_id):
        return None
    return (action.actor_id, *company(action.actor_id, state))


def _why_not_now(attempt: Attempt, state: WorldState, rules: CampaignRules, acting: str | None) -> ReasonCode | None:
    """Return why a possible action no longer fits, because an earlier one went otherwise, or ended everything."""
    reason = why_not_attempt(attempt, state, rules, acting=acting)
    return reason if reason in (None, "campaign_over") else "depends_on_failed"


def _block(patch: Patch, index: int, action: Action, reason: ReasonCode | None) -> None:
    patch.tell(ActionBlocked(action=index, reason=reason))
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
        form=action.form,
        deed=action.deed,
    )
