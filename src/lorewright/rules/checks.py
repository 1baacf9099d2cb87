"""Checks that an action's type brings along: the dice, and what a band means where no rule of the scenario speaks.

Critical wins something more; mixed has a price; after a fail something has changed, and never nothing. Each picks the
first that there is: a clock that counts what goes wrong, somebody's regard, time. How much follows is the tier of the
check: where it is safe (tier 0) nothing but time is lost; where it is risky (1) the price or setback falls due; where
it is dangerous (2) a fail harms whoever tried as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lorewright.rules.actions import Action, Attempt
from lorewright.rules.answers import Answer
from lorewright.rules.capability import hindrance
from lorewright.rules.cost_clock import cost_clock, harm_clock
from lorewright.rules.dice import Dice, band_of
from lorewright.rules.formula import parse_formula
from lorewright.rules.judge import holds
from lorewright.rules.mechanics import Risk
from lorewright.rules.numbers import louder, numbers_for, stat_for
from lorewright.rules.patch import Patch
from lorewright.rules.reach import is_person
from lorewright.rules.rulesets import BandName, CampaignRules, Check, Ruleset
from lorewright.rules.ruling import enact_consequences, rules_by_itself
from lorewright.rules.talk import first_new, reveal
from lorewright.world.ops import AddCondition, AddFact, AdvanceTime, ChangeRelation, StateOp, TickClock, UpdateFact
from lorewright.world.state import Fact, WorldState

TIERS: Mapping[Risk, int] = MappingProxyType({"safe": 0, "risky": 1, "dangerous": 2})
# The condition of whoever was harmed where no clock counts it.
WOUNDED = "wounded"
# Where nothing else can be the price, a thing takes at least so long again.
_LEAST_MINUTES = 5
_SOCIAL = frozenset(("persuade", "threaten"))


@dataclass(frozen=True, slots=True)
class Rolled:
    """What the dice came to: the band, the stat that spoke where there are stat blocks, the total."""

    band: BandName
    stat: str | None
    total: int


def roll_check(patch: Patch, check: Check, action: Action, rules: CampaignRules, dice: Dice, *, purpose: str) -> Rolled:
    """Throw the dice of a check; the roll and its band stand in the patch.

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
    spoke = _speaks_up(patch, band, stat, actor.id, ruleset)
    if spoke is not None and ruleset.clearly_higher is not None:
        stat, band = spoke, ruleset.clearly_higher.band
    of = {} if stat is None else {"stat": stat}
    patch.tell("check_rolled", rule=purpose, roll=len(patch.rolls), total=roll.total, band=band, **of)
    patch.rolls.append(roll.model_copy(update={"band": band}))
    return Rolled(band, stat, roll.total)


def _throw(check: Check, stat: str | None, action: Action, state: WorldState, ruleset: Ruleset) -> tuple[str, int]:
    """The dice and what is added to them: by a formula, else the trait or stat that is called for."""
    text = check.roll or (None if check.dice else ruleset.roll)
    if text is not None:
        formula = parse_formula(text)
        return formula.dice, formula.modifier(numbers_for(formula, stat, action, state))
    name = stat or str(action.metadata.get("trait") or check.add or "")
    number = state.stat(action.actor_id, name)
    added = state.entities[action.actor_id].traits.get(name, 0) if number is None else int(number)
    return check.dice or ruleset.dice, added


def _speaks_up(patch: Patch, band: BandName, stat: str | None, who: str, ruleset: Ruleset) -> str | None:
    """Another stat that takes over after a fail, being clearly higher."""
    if band != "fail" or stat is None or ruleset.clearly_higher is None:
        return None
    other = louder(ruleset.clearly_higher, stat, who, patch.state, ruleset)
    if other is not None:
        patch.tell("stat_spoke_up", stat=other, over=stat)
    return other


def is_rolled_for(check: Check | None, state: WorldState) -> bool:
    """Whether there are dice now: a check may wait for its condition."""
    return check is not None and (check.when is None or holds(check.when, state))


def fall_out(patch: Patch, attempt: Attempt, rolled: Rolled, answer: Answer, check: Check, ruleset: Ruleset) -> None:
    """What the band of a check brings beside what the action did; `answer` is what it came to. Where the ruleset says
    what a band brings, that is all."""
    action, band = attempt.action, rolled.band
    if action.type == "attack":
        _come_to_blows(patch, action, band)
    enact_consequences(patch, ruleset, band, rolled.stat, action)
    if rules_by_itself(ruleset, band):
        return
    match band:
        case "critical":
            _win_more(patch, attempt, answer)
        case "mixed":
            _fall_due(patch, "mixed", check, action)
        case "fail":
            _fall_due(patch, "fail", check, action)
        case "success":
            pass


def wins_more(action: Action, state: WorldState) -> bool:
    """Whether a critical has something more to win: somebody's regard, or less of what counts against one."""
    if _is_social(action) and is_person(action.target_id, state):
        return True
    clock = cost_clock(state)
    return clock is not None and clock.value > 0


def _come_to_blows(patch: Patch, action: Action, band: BandName) -> None:
    """Blows cost regard whoever wins. Whoever was beaten is so for all to know, and never dead by this alone."""
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


def _fall_due(patch: Patch, band: BandName, check: Check, action: Action) -> None:
    """The consequence of the check's tier."""
    tier = TIERS[check.risk]
    patch.tell("consequence", tier=tier, band=band)
    if tier == 0:
        patch.do(*_time_lost(action, patch))
        return
    due = _price if band == "mixed" else _setback
    patch.do(*due(action, patch.state, patch))
    if tier == 2 and band == "fail":
        patch.do(*_harmed(action, patch.state))


def _harmed(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    """A step of the clock that counts harm, else a condition; whoever is wounded already is not wounded twice."""
    clock = harm_clock(state)
    if clock is not None:
        return (TickClock(clock_id=clock.id, delta=1),) if clock.value < clock.max else ()
    if WOUNDED in state.conditions_of(action.actor_id):
        return ()
    return (AddCondition(who=action.actor_id, condition=WOUNDED),)


def _win_more(patch: Patch, attempt: Attempt, answer: Answer) -> None:
    """Something more that they know, a step of their regard, or less of what counts against one."""
    action, state = attempt.action, patch.state
    if action.type in _SOCIAL and answer.code == "told":
        known = [i for i in attempt.grounding.items if i.holder_id == action.target_id and i.role == "knows"]
        new = first_new(known, state)
        if new is not None:
            reveal(patch, new.id, how="told", others="overheard", but=action.target_id)
            return
    clock = cost_clock(state)
    if _is_social(action) and action.target_id and is_person(action.target_id, state):
        patch.do(ChangeRelation(a=action.target_id, b=action.actor_id, trust=1))
    elif clock is not None and clock.value > 0:
        patch.do(TickClock(clock_id=clock.id, delta=-1))


def _price(action: Action, state: WorldState, patch: Patch) -> tuple[StateOp, ...]:
    return _clock_up(state) or _regard_down(action, state, tension=1) or _time_lost(action, patch)


def _setback(action: Action, state: WorldState, patch: Patch) -> tuple[StateOp, ...]:
    if _is_social(action) and is_person(action.target_id, state):
        return _regard_down(action, state, trust=-1, tension=int(action.type == "threaten"))
    return _clock_up(state) or _regard_down(action, state, tension=1) or _time_lost(action, patch)


def _clock_up(state: WorldState) -> tuple[StateOp, ...]:
    clock = cost_clock(state)
    if clock is None or clock.value >= clock.max:
        return ()
    return (TickClock(clock_id=clock.id, delta=1),)


def _regard_down(action: Action, state: WorldState, *, trust: int = 0, tension: int = 0) -> tuple[StateOp, ...]:
    """The one it was aimed at takes it ill, else whoever is there to see it."""
    aimed_at = [action.target_id] if is_person(action.target_id, state) else list(state.present_npcs())[:1]
    return tuple(
        ChangeRelation(a=who, b=action.actor_id, trust=trust, tension=tension) for who in aimed_at if who is not None
    )


def _time_lost(action: Action, patch: Patch) -> tuple[StateOp, ...]:
    patch.tell("time_lost", minutes=_LEAST_MINUTES)
    return (AdvanceTime(minutes=_LEAST_MINUTES),)


def _is_social(action: Action) -> bool:
    return action.type in _SOCIAL or action.metadata.get("trait") == "charm"
