"""Consequences that a scenario defines: rules for attempts, thresholds of clocks, endings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from lorewright.ids import local, slug
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import Answer
from lorewright.rules.aiming import aimed
from lorewright.rules.checks import enact_consequences, is_rolled_for, minutes_of, roll_check, sentence_for
from lorewright.rules.dice import Dice, band_of
from lorewright.rules.effects import Effect, Learned
from lorewright.rules.patch import ActionResult, OutcomeCode, Patch, Roll, already_known
from lorewright.rules.reach import holds, is_npc, place_of, turned_to
from lorewright.rules.rulesets import ANY_NPC, BandName, CampaignRules, Owner, Rule, Ruleset
from lorewright.rules.verbs import verb_of
from lorewright.world.apply import Refusal, apply
from lorewright.world.changes import clock_changes
from lorewright.world.events import ClockTriggered
from lorewright.world.frozen import Frozen
from lorewright.world.ops import EndCampaign, PassTurn, PathOp, Recall, StateOp
from lorewright.world.state import WorldState

# Clocks may set off clocks; a circle of them ends after so many rounds.
_MAX_ROUNDS = 20
# Words of a topic that no question is about.
_SMALL = frozenset(("a", "an", "of", "the"))


def rule_for(attempt: Attempt, state: WorldState, rules: CampaignRules) -> Rule | None:
    """Return the first rule that is about the attempt, may still be used, and whose condition holds."""
    return next((rule for rule in rules.rules if _is_about(rule, attempt, state)), None)


def follow(patch: Patch, rule: Rule, action: Action, rules: CampaignRules, dice: Dice) -> Answer:
    """Roll where the rule has a check, and enact the band's effects; what the action does by itself comes after."""
    before = patch.state
    if rule.once:
        patch.do(Recall(key=_once_key(rule)))
    check = rule.check
    rolled = None if check is None else roll_check(patch, check, action, rules, dice, purpose=rule.id)
    band, roll = (None, None) if rolled is None else (rolled.band, len(patch.rolls) - 1)
    effects = _effects(rule, band)
    how: Learned = "found" if turned_to(action, before) is None else "told"
    patch.enact(effects, how=how)
    if rolled is not None:
        enact_consequences(patch, rules.ruleset, rolled.band, rolled.stat, action)
    code: OutcomeCode = how if patch.learned_since(before) else "acted"
    return Answer(
        code,
        known_item_ids=already_known(effects, before),
        band=band,
        roll=roll,
        say=_say(rule, band) or (sentence_for(rolled, action, before, rules.ruleset) if rolled else ()),
    )


def trigger_clocks(patch: Patch, before: WorldState, rules: CampaignRules) -> None:
    """Enact every threshold that clocks have risen to since `before`, and those that this makes them rise to.

    Stop once the campaign has ended. A clock that fell and rises again reaches its thresholds again.
    """
    for _ in range(_MAX_ROUNDS):
        reached = list(_reached(before, patch.state, rules))
        before = patch.state
        for clock_id, value in reached:
            if patch.state.ended is not None:
                return
            patch.tell(ClockTriggered(clock=clock_id, value=value))
            patch.enact(rules.clock_effects[clock_id][value], how="found")
        if not reached:
            return


def reach_ending(patch: Patch, rules: CampaignRules) -> None:
    """End the campaign by the first ending whose condition holds, unless it has ended already."""
    if patch.state.ended is not None:
        return
    for ending in rules.endings:
        if ending.when is not None and holds(ending.when, patch.state):
            patch.do(EndCampaign(ending_id=ending.id))
            return


def _is_about(rule: Rule, attempt: Attempt, state: WorldState) -> bool:
    on, action = rule.on, attempt.action
    return (
        action.type in on.acts
        and _is_about_actor(on.by, action.actor_id, state)
        and _target_id(on.target, state) in (None, action.target_id, action.location_id)
        and on.item in (None, action.item_id or action.target_id)
        and on.at in (None, place_of(action, state))
        and (not on.topics or _is_among(on.topics, _topics(attempt, state)))
        and not (rule.once and _once_key(rule) in state.recall)
        and (rule.when is None or holds(rule.when, state))
    )


def _target_id(target: str | None, state: WorldState) -> str | None:
    """Return the target's ID; `you` is the player in play, where there are several."""
    return state.player_id if target == "you" else target


def _is_about_actor(by: str | None, actor_id: str, state: WorldState) -> bool:
    """Tell whether a rule is about the actor: it is about the player's attempts, unless it names others."""
    if by == ANY_NPC:
        return is_npc(actor_id, state)
    return actor_id == (state.player_id if by is None else by)


def _is_among(wanted: Sequence[str], topics: Set[str]) -> bool:
    """Tell whether one of the wanted topics is there: as it is written, as a key, or by each of its words."""
    words = {topic: [slug(word) for word in topic.split() if word.lower() not in _SMALL] for topic in wanted}
    return any(topic in topics or (words[topic] and topics >= set(words[topic])) for topic in wanted)


def _topics(attempt: Attempt, state: WorldState) -> set[str]:
    """Return the topics of the words: the name of the first new item that they point at (one to tell before one
    withheld), and topic keys with and without their pack. An item that only shares a word with the question does not
    count.
    """
    grounding, who = attempt.grounding, attempt.action.actor_id
    new = [item for item in grounding.items if not state.has_learned(who, item.id)]
    free = [item for item in new if item.role != "withholds"]
    meant = (free or new or list(grounding.items))[:1]
    names = {item.id.rpartition("#")[2] for item in meant}
    return names | set(grounding.topics) | {local(topic) for topic in grounding.topics}


def _once_key(rule: Rule) -> str:
    return f"rule:{rule.id}"


def _effects(rule: Rule, band: BandName | None) -> tuple[Effect, ...]:
    match band:
        case "critical":
            return rule.critical or rule.success
        case "mixed":
            return rule.mixed
        case "fail":
            return rule.fail
        case _:
            return rule.success


def _say(rule: Rule, band: BandName | None) -> tuple[str, ...]:
    sentence = rule.say.get(band or "success")
    if sentence is None and band == "critical":
        sentence = rule.say.get("success")
    return () if sentence is None else (sentence,)


def _reached(before: WorldState, after: WorldState, rules: CampaignRules) -> Iterator[tuple[str, int]]:
    for tick in clock_changes(before, after):
        marks = sorted(rules.clock_effects.get(tick.clock, ()))
        yield from ((tick.clock, value) for value in marks if tick.before < value <= tick.after)


# Owners: ops that a stage proposes -> those that it may not propose, since each path and kind of op has its owner.


def not_theirs(ops: Sequence[StateOp], by: Owner, ruleset: Ruleset) -> list[Refusal]:
    """Return the ops that an owner may not propose: `op_not_allowed` by its kind, `not_its_path` by the path's owner.

    A ruleset that lists no ops for an owner allows only those on the owner's paths.
    """
    found = []
    for index, op in enumerate(ops):
        if isinstance(op, PathOp):
            field = f"{'scene' if op.of is None else 'stats'}.{op.path}"
            if ruleset.owner_of(field) != by:
                found.append(Refusal(index=index, reason="not_its_path", field=field))
                continue
        elif by not in ruleset.allowed_ops:
            found.append(Refusal(index=index, reason="op_not_allowed"))
            continue
        # Rules that may establish a fact may say it anew.
        kind = "fact_add" if op.op == "fact_update" and by == "extract" else op.op
        if by in ruleset.allowed_ops and kind not in ruleset.allowed_ops[by]:
            found.append(Refusal(index=index, reason="op_not_allowed"))
    return found


# Ruling: what a rulebook expert says about the result of an attempt that no rule in code decides, as data that code has
# judged. No prose decides: code rolls the dice, and each op is one that the ruleset lets a ruling propose.

# A ruling is about one attempt: it asks for the dice of a check, at most of an opposed one and a following one.
MAX_ROLLS = 3


class Ruling(Frozen):
    """The band that an attempt came to (None where nothing was rolled), the dice that were thrown for it, in order, and
    the changes that follow from the rulebook."""

    band: BandName | None = None
    rolls: tuple[Roll, ...] = ()
    ops: tuple[StateOp, ...] = ()


def is_for_the_rulebook(attempt: Attempt, judged: ActionResult, state: WorldState, rules: CampaignRules) -> bool:
    """Tell whether code has nothing to say on an attempt: a free attempt, possible, about which the scenario has no
    rule, and for which the ruleset rolls no dice. Where the rulebook decides, it is any attempt that takes time.
    """
    verb = verb_of(attempt.action.type)
    is_free = verb is not None and verb.is_free
    if not judged.success or rule_for(attempt, state, rules) is not None:
        return False
    if rules.ruleset.by_rulebook:
        return is_free or minutes_of(attempt.action, state, rules.ruleset) > 0
    if not is_free:
        return False
    check = rules.ruleset.row(attempt.action.type).check
    return check is None or attempt.action.target_id is None or not is_rolled_for(check, state)


def wrong_with(ruling: Ruling, state: WorldState, ruleset: Ruleset, *, actor_id: str | None = None) -> str | None:
    """Return the fault of a ruling by ruleset or state; None where it holds.

    Only the ruleset's own dice decide the band, unless the rulebook says what dice mean; and of several people's dice
    only those of `actor_id`, who acts.
    """
    if len(ruling.rolls) > MAX_ROLLS:
        return f"at most {MAX_ROLLS} rolls decide one attempt"
    theirs = [roll for roll in ruling.rolls if actor_id in (None, roll.actor_id)]
    own = [roll for roll in theirs if ruleset.by_rulebook or _is_of(roll, ruleset)]
    if own and ruleset.by_rulebook and ruling.band is None:
        return "dice were thrown: say what they come to"
    if own and not ruleset.by_rulebook and ruling.band != band_of(own[-1].total, ruleset):
        return f"a total of {own[-1].total} is {band_of(own[-1].total, ruleset)}, not {ruling.band or 'no roll'}"
    if ruling.band is not None and not own:
        dice = "dice" if ruleset.by_rulebook else ruleset.dice
        return f"without a throw of {dice} the outcome cannot be {ruling.band}: say 'no roll', or ask for dice"
    for refusal in not_theirs(ruling.ops, "resolve", ruleset):
        return f"state_ops[{refusal.index}]: {refusal.reason}: {refusal.field or ruling.ops[refusal.index].op}"
    refused = apply(state, ruling.ops).refusal
    if refused is not None:
        return f"state_ops[{refused.index}]: {refused.reason}: {refused.field or ruling.ops[refused.index].op}"
    return None


def _is_of(roll: Roll, ruleset: Ruleset) -> bool:
    """Tell whether a roll is of the dice that the ruleset's bands are for, whatever its modifier."""
    thrown = roll.expression.partition("+")[0].partition("-")[0]
    return thrown == ruleset.dice.partition("+")[0].partition("-")[0]


def enact_type_effects(patch: Patch, band: BandName | None, action: Action, ruleset: Ruleset) -> None:
    """Enact the ruleset's effects of the action's type by its band; without a check it succeeds."""
    effects = ruleset.row(action.type).effects
    of_band = effects.get(band or "success", effects.get("success", ()) if band == "critical" else ())
    patch.enact(aimed(of_band, patch.state, action), how="found")


def pass_turn(patch: Patch, action: Action, ruleset: Ruleset) -> None:
    """Pass the turn on, where there is an order of turns and the action ends one."""
    order = patch.state.turn_order
    if order is not None and ruleset.row(action.type).ends_turn and order.current == action.actor_id:
        patch.do(PassTurn())
