"""What follows from an attempt beside its own outcome: rows of failures, people who go further, what falls due, what
has been found out. Each adds to the patch and gives back the sentences that are to be told."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.rules.actions import Action
from lorewright.rules.aiming import aimed
from lorewright.rules.hardships import ESCALATION_STEPS, EscalationStep
from lorewright.rules.judge import holds
from lorewright.rules.mechanics import BandName
from lorewright.rules.patch import Patch
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.world.ops import EndSituation, EndThreat, Escalate, Investigate, PassTurn, SetStreak
from lorewright.world.state import WorldState

# A threat may announce another; a circle of them ends here.
_MAX_ROUNDS = 20


def count_failures(patch: Patch, band: BandName, action: Action, ruleset: Ruleset) -> tuple[str, ...]:
    """A failed check lengthens the row of whoever tried, any other ends it. At the ruleset's threshold, where it has
    one, its consequence binds: it comes on top of whatever the check brought, and the row begins anew.
    It is told to the player and costs the player, so that nobody counts the failures of the cast."""
    who = action.actor_id
    if who != patch.state.player_id:
        return ()
    failures = patch.state.streaks.get(who, 0) + 1 if band == "fail" else 0
    if ruleset.streak is None or failures < ruleset.streak.threshold:
        if failures != patch.state.streaks.get(who, 0):
            patch.do(SetStreak(who=who, failures=failures))
        return ()
    patch.do(SetStreak(who=who, failures=0))
    patch.tell("streak_broke", entity=who, failures=failures)
    patch.enact(aimed(ruleset.streak.effects, patch.state, action), how="found")
    return (ruleset.streak.say,) if ruleset.streak.say else ()


def provoke(patch: Patch, band: BandName | None, action: Action, rules: CampaignRules) -> tuple[str, ...]:
    """Whoever the attempt was aimed at, and is still there, goes a step further where its type provokes by that band:
    soft, hard, lethal.

    Nobody goes further than their profile has steps; without a profile of theirs or of the ruleset's, not at all. It is
    the player against whom they go further, so that nothing that one of the cast does drives another to it.
    """
    who = action.target_id
    if action.actor_id != patch.state.player_id:
        return ()
    if band not in rules.ruleset.actions[action.type].provokes or who not in patch.state.present_npcs():
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
    """Circumstances whose time is over end; threats are averted by what averts them, or come to pass when they are due.

    Stops once the campaign has ended.
    """
    said: list[str] = []
    for situation_id, situation in sorted(patch.state.situations.items()):
        if situation.until is not None and situation.until <= patch.state.minutes:
            patch.do(EndSituation(situation_id=situation_id))
    for _ in range(_MAX_ROUNDS):
        if patch.state.ended is not None or not _come_to_pass(patch, rules, said):
            break
    return tuple(said)


def _come_to_pass(patch: Patch, rules: CampaignRules, said: list[str]) -> bool:
    """Deal with the first threat that is averted or due; whether there was one."""
    for threat_id, threat in sorted(patch.state.threats.items(), key=lambda one: (one[1].due, one[0])):
        rule = rules.threats.get(threat_id)
        if rule is not None and rule.unless is not None and holds(rule.unless, patch.state):
            patch.do(EndThreat(threat_id=threat_id))
            patch.tell("threat_averted", threat=threat_id)
            said += [rule.averted] if rule.averted else []
            return True
        if threat.due <= patch.state.minutes:
            patch.do(EndThreat(threat_id=threat_id))
            patch.tell("threat_came", threat=threat_id)
            if rule is not None:
                patch.enact(rule.effects, how="found")
                said += [rule.say] if rule.say else []
            return True
    return False


def comes_over(before: WorldState, after: WorldState, rules: CampaignRules) -> tuple[str, ...]:
    """What is told of what has come over the player since `before`: conditions, circumstances, threats by their
    title."""
    who, ruleset = after.player_id, rules.ruleset
    gained = [one for one in after.conditions_of(who) if one not in before.conditions_of(who)]
    begun = sorted(after.situations.keys() - before.situations.keys())
    said = [held.say for one in gained if (held := ruleset.conditions.get(one)) is not None]
    said += [held.say for one in begun if (held := ruleset.situations.get(one)) is not None]
    announced = sorted(after.threats.keys() - before.threats.keys())
    said += [rules.threats[one].title for one in announced if one in rules.threats]
    return tuple(filter(None, said))


def look_into(patch: Patch, learned: Sequence[str], rules: CampaignRules) -> None:
    """What was learned brings the inquiries further whose clues it is."""
    for thread_id, inquiry in sorted(rules.inquiries.items()):
        found = len(set(learned) & set(inquiry.clues))
        if found and thread_id in patch.state.threads:
            patch.do(Investigate(thread_id=thread_id, delta=found))


def bear_fruit(patch: Patch, before: WorldState, rules: CampaignRules) -> tuple[str, ...]:
    """What comes of every inquiry that has what it needs now and did not before."""
    said: list[str] = []
    for thread_id, inquiry in sorted(rules.inquiries.items()):
        was, now = before.threads.get(thread_id), patch.state.threads.get(thread_id)
        if was is None or now is None or not was.progress < inquiry.needed <= now.progress:
            continue
        patch.tell("inquiry_complete", thread=thread_id)
        patch.enact(inquiry.effects, how="found")
        said += [inquiry.say] if inquiry.say else []
    return tuple(said)


def have_its_effects(patch: Patch, band: BandName | None, action: Action, ruleset: Ruleset) -> None:
    """What the ruleset says that an action of the type brings by its band; without a check it succeeds."""
    effects = ruleset.actions[action.type].effects
    of_band = effects.get(band or "success", effects.get("success", ()) if band == "critical" else ())
    patch.enact(aimed(of_band, patch.state, action), how="found")


def pass_turn(patch: Patch, action: Action, ruleset: Ruleset) -> None:
    """Whoever acted has acted, where there is an order of turns and their action ends one."""
    order = patch.state.turn_order
    if order is not None and ruleset.actions[action.type].ends_turn and order.current == action.actor_id:
        patch.do(PassTurn())
