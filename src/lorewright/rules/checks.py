"""Checks of action types: the dice, and the effects of a band where no rule of the scenario decides.

Critical wins something more; mixed has a price; after a fail something has always changed. Each picks the first that
there is: a clock that counts what goes wrong, somebody's regard, time. How much follows is the tier of the check: where
it is safe (tier 0) only time is lost; where it is risky (1) the price or setback falls due; where it is dangerous (2) a
fail harms the actor as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import Answer, first_new, reveal
from lorewright.rules.aiming import aimed, by_itself, cost_clock, harm_clock
from lorewright.rules.dice import Dice, Formula, band_of, parse_formula
from lorewright.rules.hours import minutes_ahead, values_by
from lorewright.rules.hours import minutes_of as minutes_of_day
from lorewright.rules.patch import Patch
from lorewright.rules.reach import company, holds, turned_to
from lorewright.rules.reasons import hindrance
from lorewright.rules.rulesets import BandName, CampaignRules, Check, ClearlyHigher, Risk, Ruleset, Trigger, Turning
from lorewright.rules.verbs import verb_of
from lorewright.world.changes import minutes_passed
from lorewright.world.events import CheckRolled, ConsequenceEnacted, StatSpokeUp, TimeLost, Triggered
from lorewright.world.ops import (
    AddCondition,
    AddFact,
    AdvanceTime,
    ChangeRelation,
    Decrement,
    Increment,
    StateOp,
    TickClock,
    UpdateFact,
)
from lorewright.world.state import Clock, Fact, WorldState

# Automatic effects of a ruleset: the consequences of a band, timers that run with the minutes, triggers. They name
# nobody; `aiming` fills in whom they are about.

# A trigger may set off another; a circle of them ends after so many rounds.
_MAX_ROUNDS = 20


def has_band_effects(ruleset: Ruleset, band: BandName) -> bool:
    """Tell whether the ruleset has effects for the band, so that no other price is exacted."""
    return band in ruleset.consequences


def enact_consequences(patch: Patch, ruleset: Ruleset, band: BandName, stat: str | None, action: Action) -> None:
    """Enact the effects of the band: the ruleset's own, then those of the stat that was rolled for."""
    own = ruleset.stats[stat].effects.get(band, ()) if stat in ruleset.stats and stat is not None else ()
    patch.enact(aimed((*ruleset.consequences.get(band, ()), *own), patch.state, action, stat), how="found")


def sentence_of(ruleset: Ruleset, band: BandName, stat: str | None, total: int) -> tuple[str, ...]:
    """Return one of the stat's sentences for the band, chosen by the total of the dice; empty where it has none."""
    if stat is None or stat not in ruleset.stats:
        return ()
    lines = ruleset.stats[stat].say.get(band) or (ruleset.stats[stat].say.get("success") if band == "critical" else ())
    return (lines[total % len(lines)],) if lines else ()


def keep_hours(patch: Patch, rules: CampaignRules) -> None:
    """Have the clocks that count until an hour and the minutes go together, in a story with a pace: time goes on to
    where a clock was raised to, and each clock rises to where the time is."""
    if not rules.pace:
        return
    ahead = minutes_ahead(patch.state, rules.begins, rules.until)
    if ahead:
        patch.do(AdvanceTime(minutes=ahead))
    now = minutes_of_day(rules.begins) + patch.state.minutes
    for clock_id, value in sorted(values_by(now, patch.state, rules.begins, rules.until).items()):
        rises = value - patch.state.clocks[clock_id].value
        if rises > 0:
            patch.do(TickClock(clock_id=clock_id, delta=rises))


def run_timers(patch: Patch, before: WorldState, rules: CampaignRules) -> None:
    """Move the numbers and clocks that run with the minutes by the minutes that have passed since `before`."""
    keep_hours(patch, rules)
    passed = minutes_passed(before, patch.state)
    if not passed:
        return
    for clock_id, every in sorted(rules.clock_every.items()):
        clock = patch.state.clocks.get(clock_id)
        steps = patch.state.minutes // every - before.minutes // every
        if clock is not None and steps > 0 and clock.value < clock.max:
            patch.do(TickClock(clock_id=clock_id, delta=min(steps, clock.max - clock.value)))
    if patch.state.ruleset is None:
        return
    for path, each in sorted(rules.ruleset.timers.items()):
        by = abs(each) * passed
        patch.do(Increment(path=path, value=by) if each > 0 else Decrement(path=path, value=by))


def fire_triggers(patch: Patch, before: WorldState, ruleset: Ruleset, action: Action, dice: Dice) -> tuple[str, ...]:
    """Enact every trigger whose condition did not hold in `before` and holds now, and those that this sets off.

    Return the sentences of what happened. Stop once the campaign has ended.
    """
    said: list[str] = []
    for _ in range(_MAX_ROUNDS):
        due = [
            trigger
            for trigger in ruleset.triggers
            if not holds(trigger.when, before) and holds(trigger.when, patch.state)
        ]
        before = patch.state
        for trigger in due:
            if patch.state.ended is None:
                said += _fire(patch, trigger, action, dice)
        if not due:
            break
    return tuple(said)


def _fire(patch: Patch, trigger: Trigger, action: Action, dice: Dice) -> Iterator[str]:
    turning = _choose_turning(patch, trigger, action, dice)
    patch.tell(Triggered(trigger=trigger.id, turning=None if turning is None else turning.id))
    effects = (*(turning.effects if turning else ()), *trigger.effects)
    patch.enact(aimed(effects, patch.state, by_itself(action, patch.state), None), how="found")
    yield from (text for text in (trigger.say, turning.say if turning else "") if text)


def _choose_turning(patch: Patch, trigger: Trigger, action: Action, dice: Dice) -> Turning | None:
    """Return one of the open turnings, by a die where there are several."""
    choices = [turning for turning in trigger.turnings if turning.when is None or holds(turning.when, patch.state)]
    if len(choices) < 2:
        return next(iter(choices), None)
    roll = dice.roll(f"1d{len(choices)}", purpose=f"trigger:{trigger.id}", actor_id=action.actor_id)
    patch.rolls.append(roll)
    return choices[(roll.total - 1) % len(choices)]


# Stats of a check: which stat it calls for, and the numbers that its formula reads. Pure look-ups in a state.

TARGET, SCENE, STAT = "target_", "scene_", "stat"


def stat_for(check: Check, action: Action, state: WorldState, ruleset: Ruleset) -> str | None:
    """Return the stat that is rolled for: of those that the attempt's trait stands for, else of the check's own, the
    actor's highest. None where the check names none.
    """
    trait = str(action.metadata.get("trait") or "")
    own = (trait,) if trait in ruleset.stats else ()
    added = ruleset.traits.get(check.add, (check.add,)) if check.add else ()
    named = ruleset.traits.get(trait) or own or check.stats or added
    return highest(named, action.actor_id, state)


def highest(names: Iterable[str], who: str, state: WorldState) -> str | None:
    """Return the highest of somebody's stats, the first where several are equal; a missing stat counts as 0."""
    return max(names, key=lambda name: state.stat(who, name) or 0, default=None)


def find_louder_stat(rule: ClearlyHigher, stat: str, who: str, state: WorldState, ruleset: Ruleset) -> str | None:
    """Return another stat that is clearly higher than the one that was rolled for, or None."""
    other = highest((name for name in ruleset.stats if name != stat), who, state)
    if other is None:
        return None
    ahead = (state.stat(who, other) or 0) - (state.stat(who, stat) or 0)
    return other if ahead >= rule.margin else None


def numbers_for(formula: Formula, stat: str | None, action: Action, state: WorldState) -> dict[str, int | float]:
    """Return a number for every name of the formula; a missing one counts as 0, since a thing has no stats."""
    return {name: _number(name, stat, action, state) for name in formula.names}


def _number(name: str, stat: str | None, action: Action, state: WorldState) -> int | float:
    if name == STAT:
        return 0 if stat is None else state.stat(action.actor_id, stat) or 0
    if name.startswith(TARGET):
        return state.stat(action.target_id or "", name.removeprefix(TARGET)) or 0
    if name.startswith(SCENE):
        value = None if state.ruleset is None else state.ruleset.value(name.removeprefix(SCENE))
        return value if isinstance(value, (int, float)) else 0
    return state.stat(action.actor_id, name) or 0


# The check: its dice, and the effects of a band where no rule of the scenario decides.

TIERS: Mapping[Risk, int] = MappingProxyType({"safe": 0, "risky": 1, "dangerous": 2})
# The condition of somebody who was harmed where no clock counts it.
WOUNDED = "wounded"
# Where nothing else can be the price, an action takes at least so long again (minutes).
_LEAST_MINUTES = 5


@dataclass(frozen=True, slots=True)
class Rolled:
    """The result of the dice: the band, the stat that decided where there are stat blocks, the total."""

    band: BandName
    stat: str | None
    total: int


def roll_check(patch: Patch, check: Check, action: Action, rules: CampaignRules, dice: Dice, *, purpose: str) -> Rolled:
    """Roll the dice of a check; the roll and its band are added to the patch.

    Raises:
        ValueError: the check's dice or formula are malformed.
    """
    ruleset, state = rules.ruleset, patch.state
    actor = state.entities[action.actor_id]
    stat = stat_for(check, action, state, ruleset) if state.ruleset is not None else None
    expression, modifier = _throw(check, stat, action, state, ruleset)
    modifier += hindrance(actor.id, state, ruleset)
    roll = dice.roll(expression, purpose=purpose, actor_id=actor.id, modifier=modifier)
    band = band_of(roll.total, ruleset)
    spoke = _find_louder(patch, band, stat, actor.id, ruleset)
    if spoke is not None and ruleset.clearly_higher is not None:
        stat, band = spoke, ruleset.clearly_higher.band
    patch.tell(CheckRolled(rule=purpose, roll=len(patch.rolls), total=roll.total, band=band, stat=stat))
    patch.rolls.append(roll.model_copy(update={"band": band}))
    return Rolled(band, stat, roll.total)


def _throw(check: Check, stat: str | None, action: Action, state: WorldState, ruleset: Ruleset) -> tuple[str, int]:
    """Return the dice and the modifier: from a formula, else the trait or stat that is called for."""
    text = check.roll or (None if check.dice else ruleset.roll)
    if text is not None:
        formula = parse_formula(text)
        return formula.dice, formula.modifier(numbers_for(formula, stat, action, state))
    name = stat or str(action.metadata.get("trait") or check.add or "")
    number = state.stat(action.actor_id, name)
    added = state.entities[action.actor_id].traits.get(name, 0) if number is None else int(number)
    return check.dice or ruleset.dice, added


def _find_louder(patch: Patch, band: BandName, stat: str | None, who: str, ruleset: Ruleset) -> str | None:
    """Return another stat that takes over after a fail, being clearly higher."""
    if band != "fail" or stat is None or ruleset.clearly_higher is None:
        return None
    other = find_louder_stat(ruleset.clearly_higher, stat, who, patch.state, ruleset)
    if other is not None:
        patch.tell(StatSpokeUp(stat=other, over=stat))
    return other


def sentence_for(rolled: Rolled, action: Action, state: WorldState, ruleset: Ruleset) -> tuple[str, ...]:
    """Return the stat's sentence for the band, or none. They address the player, so the cast gets none."""
    if action.actor_id != state.player_id:
        return ()
    return sentence_of(ruleset, rolled.band, rolled.stat, rolled.total)


def minutes_of(action: Action, state: WorldState, ruleset: Ruleset) -> int:
    """Return the in-world minutes, which may depend on the way that is taken or on the time that is named."""
    own = ruleset.row(action.type).minutes
    verb = verb_of(action.type)
    return own if verb is None or verb.minutes is None else verb.minutes(action, state, own)


def is_rolled_for(check: Check | None, state: WorldState, *, who: str | None = None) -> bool:
    """Tell whether the check rolls dice now: it may wait for its condition, which is about the actor."""
    return check is not None and (check.when is None or holds(check.when, state, you=who))


def is_risky(action: Action, state: WorldState) -> bool:
    """Tell whether there is anything to roll for: a free attempt is rolled for where it has a target.

    A free attempt of the cast is rolled for where it calls for a trait: all else is a gesture. What one of them says to
    the player is never rolled for: the player decides whether to give way.
    """
    verb, is_players = verb_of(action.type), action.actor_id == state.player_id
    if verb is None:
        return True
    if verb.is_free:
        return action.target_id is not None and (is_players or action.metadata.get("trait") is not None)
    return is_players or not (verb.is_speech and action.target_id == state.player_id)


def enact_band(patch: Patch, attempt: Attempt, rolled: Rolled, answer: Answer, check: Check, ruleset: Ruleset) -> None:
    """Enact the effects of a check's band beside what the action did; `answer` is the result of the action. Where the
    ruleset has effects for the band, only those are enacted.
    """
    action, band = attempt.action, rolled.band
    verb = verb_of(action.type)
    if verb is not None and verb.is_violent:
        _enact_blows(patch, action, band)
        if band != "fail" and action.target_id == patch.state.player_id:
            patch.do(*_harm_ops(action.target_id, patch.state))
    enact_consequences(patch, ruleset, band, rolled.stat, action)
    if has_band_effects(ruleset, band):
        return
    match band:
        case "critical":
            _win_more(patch, attempt, answer)
        case "mixed":
            _enact_consequence(patch, "mixed", check, action)
        case "fail":
            _enact_consequence(patch, "fail", check, action)
        case "success":
            pass


def wins_more(action: Action, state: WorldState) -> bool:
    """Tell whether a critical has something more to win: somebody's regard, or a step down of the cost clock."""
    if _wins_regard(action) and turned_to(action, state) is not None:
        return True
    clock = _cost_clock_of(action, state)
    return clock is not None and clock.value > 0


def _enact_blows(patch: Patch, action: Action, band: BandName) -> None:
    """Lower regard after blows, whichever side won. The loser is publicly known as beaten, and never dead by this
    alone.
    """
    target = action.target_id
    if target is None:
        return
    patch.do(ChangeRelation(a=target, b=action.actor_id, trust=-1, tension=1))
    if band == "fail":
        return
    fact_id = f"{target}.beaten_by"
    if fact_id in patch.state.facts:
        patch.do(UpdateFact(fact_id=fact_id, object=action.actor_id))
    else:
        patch.do(AddFact(fact=Fact(id=fact_id, subject_id=target, predicate="beaten_by", object=action.actor_id)))


def _enact_consequence(patch: Patch, band: BandName, check: Check, action: Action) -> None:
    """Enact the consequence of the check's tier."""
    tier = TIERS[check.risk]
    patch.tell(ConsequenceEnacted(tier=tier, band=band))
    if tier == 0:
        patch.do(*_time_loss(action, patch))
        return
    due = _price if band == "mixed" else _setback
    patch.do(*due(action, patch.state, patch))
    if tier == 2 and band == "fail":
        patch.do(*_harm_ops(action.actor_id, patch.state))


def _harm_ops(who: str, state: WorldState) -> tuple[StateOp, ...]:
    """Return a step of the clock of harm, which is the player's, else a condition; no wound is added twice."""
    clock = harm_clock(state) if who == state.player_id else None
    if clock is not None:
        return (TickClock(clock_id=clock.id, delta=1),) if clock.value < clock.max else ()
    if WOUNDED in state.conditions_of(who):
        return ()
    return (AddCondition(who=who, condition=WOUNDED),)


def _win_more(patch: Patch, attempt: Attempt, answer: Answer) -> None:
    """Grant something more that they know, a step of their regard, or a step down of the cost clock."""
    action, state = attempt.action, patch.state
    if _is_pressing(action) and answer.code == "told":
        known = [i for i in attempt.grounding.items if i.holder_id == action.target_id and i.role == "knows"]
        new = first_new(known, action.actor_id, state)
        if new is not None:
            reveal(patch, new.id, action, how="told", others="overheard")
            return
    clock = _cost_clock_of(action, state)
    upon = turned_to(action, state)
    if _wins_regard(action) and upon is not None:
        patch.do(ChangeRelation(a=upon, b=action.actor_id, trust=1))
    elif clock is not None and clock.value > 0:
        patch.do(TickClock(clock_id=clock.id, delta=-1))


def _price(action: Action, state: WorldState, patch: Patch) -> tuple[StateOp, ...]:
    return _clock_up(action, state) or _regard_loss(action, state, tension=1) or _time_loss(action, patch)


def _setback(action: Action, state: WorldState, patch: Patch) -> tuple[StateOp, ...]:
    if _is_social(action) and turned_to(action, state) is not None:
        return _regard_loss(action, state, trust=-1, tension=_setback_tension(action))
    return _clock_up(action, state) or _regard_loss(action, state, tension=1) or _time_loss(action, patch)


def _cost_clock_of(action: Action, state: WorldState) -> Clock | None:
    """Return the clock that counts what goes wrong for the player; what the cast tries does not move it."""
    return cost_clock(state) if action.actor_id == state.player_id else None


def _clock_up(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    clock = _cost_clock_of(action, state)
    if clock is None or clock.value >= clock.max:
        return ()
    return (TickClock(clock_id=clock.id, delta=1),)


def _regard_loss(action: Action, state: WorldState, *, trust: int = 0, tension: int = 0) -> tuple[StateOp, ...]:
    """Return a loss of regard by the target, else by anyone who is there to see it."""
    upon = turned_to(action, state)
    aimed_at = [upon] if upon is not None else list(company(action.actor_id, state))[:1]
    return tuple(ChangeRelation(a=who, b=action.actor_id, trust=trust, tension=tension) for who in aimed_at)


def _time_loss(action: Action, patch: Patch) -> tuple[StateOp, ...]:
    """Return the loss of time; time that the cast lose is their own."""
    if action.actor_id != patch.state.player_id:
        return ()
    patch.tell(TimeLost(minutes=_LEAST_MINUTES))
    return (AdvanceTime(minutes=_LEAST_MINUTES),)


def _is_pressing(action: Action) -> bool:
    verb = verb_of(action.type)
    return verb is not None and verb.is_pressing


def _setback_tension(action: Action) -> int:
    verb = verb_of(action.type)
    return 0 if verb is None else verb.regard[1]


def _wins_regard(action: Action) -> bool:
    """Tell whether it can make somebody think better of the actor: nobody is won by a threat."""
    return _is_social(action) and _setback_tension(action) <= 0


def _is_social(action: Action) -> bool:
    return _is_pressing(action) or action.metadata.get("trait") == "charm"
