"""Reasons: an action and a state -> the code of why it is not possible; None where it is. `sentence` puts a code into
words.
"""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.rules.actions import Action
from lorewright.rules.aiming import aimed_condition
from lorewright.rules.patch import ReasonCode
from lorewright.rules.reach import (
    barrier,
    exits_to,
    first_step,
    holds,
    holds_thing,
    in_sight,
    is_npc,
    is_person,
    place_of,
    way,
)
from lorewright.rules.rulesets import Ruleset
from lorewright.rules.verbs import verb_of
from lorewright.world.state import OFFSTAGE, WorldState

# Reasons beside place and possession: turns, conditions, facts, needs.

# Actions that take time or end a turn; looking about and taking stock is always possible.
ALL = "*"


def why_not_able(
    action: Action, state: WorldState, ruleset: Ruleset, *, acting: str | None = None
) -> ReasonCode | None:
    """Return a reason where it is somebody else's turn, or the actor's condition forbids it. `acting` is whose round it
    is, as in `why_not`.
    """
    if not _is_ones_turn(action, state, ruleset, acting):
        return "not_your_turn"
    if any(_forbids(ruleset, "conditions", name, action) for name in state.conditions_of(action.actor_id)):
        return "not_capable"
    wanted = ruleset.row(action.type).at_least
    return "not_capable" if any(_has(action.actor_id, name, state) < least for name, least in wanted.items()) else None


def why_not_now(action: Action, state: WorldState, ruleset: Ruleset) -> ReasonCode | None:
    """Return a reason where a known fact speaks against it, a circumstance forbids it, or a need of the action does not
    hold.
    """
    if any(_contradicted(action, state, ruleset)):
        return "contradicts_fact"
    if any(_forbids(ruleset, "situations", name, action) for name in state.situations):
        return "not_allowed_now"
    return None if unmet(action, state, ruleset) is None else "not_allowed_now"


def circumstance(action: Action, state: WorldState, ruleset: Ruleset) -> str | None:
    """Return the circumstance that forbids an action, in the ruleset's words (`the lights are out`); None where none
    does, or it has no words."""
    found = (name for name in sorted(state.situations) if _forbids(ruleset, "situations", name, action))
    return next((ruleset.situations[name].summary for name in found), None) or None


def unmet(action: Action, state: WorldState, ruleset: Ruleset) -> str | None:
    """Return the sentence of the first need of the action that does not hold; None where all do."""
    needs = ruleset.row(action.type).needs
    who = action.actor_id
    return next((need.say for need in needs if not holds(aimed_condition(need.when, action), state, you=who)), None)


def hindrance(who: str, state: WorldState, ruleset: Ruleset) -> int:
    """Return what somebody's conditions and the circumstances of the scene add to dice."""
    hindrances = [ruleset.conditions.get(name) for name in state.conditions_of(who)]
    hindrances += [ruleset.situations.get(name) for name in state.situations]
    return sum(found.modifier for found in hindrances if found is not None)


def _is_ones_turn(action: Action, state: WorldState, ruleset: Ruleset, acting: str | None) -> bool:
    """Tell whether the actor may act now: nobody acts in another's round. Without an order of turns only the player
    acts in the player's; with one, all in it may do what ends no turn.
    """
    order = state.turn_order
    if acting is not None and acting != state.player_id:
        if action.actor_id != acting or not is_npc(acting, state) or acting not in state.positions:
            return False
        return order is None or not ruleset.row(action.type).ends_turn or acting == order.current
    if order is None:
        return action.actor_id == state.player_id
    if ruleset.row(action.type).ends_turn:
        return action.actor_id == order.current
    return action.actor_id in (state.player_id, *order.actors)


def _forbids(ruleset: Ruleset, kind: str, name: str, action: Action) -> bool:
    held = (ruleset.conditions if kind == "conditions" else ruleset.situations).get(name)
    if held is None:
        return False
    type_ = ruleset.row(action.type)
    return ruleset.is_among(action.type, held.forbids) or (
        ALL in held.forbids and bool(type_.minutes or type_.ends_turn)
    )


def _has(who: str, name: str, state: WorldState) -> int | float:
    number = state.stat(who, name)
    if number is not None:
        return number
    entity = state.entities.get(who)
    return 0 if entity is None else entity.traits.get(name, 0)


def _contradicted(action: Action, state: WorldState, ruleset: Ruleset) -> Iterator[bool]:
    """Yield whether known facts speak against it; unknown ones are found out by trying."""
    about = {
        "target": action.target_id,
        "item": action.item_id,
        "place": action.location_id or place_of(action, state),
        "actor": action.actor_id,
    }
    for contradiction in ruleset.contradictions:
        subject = about[contradiction.about]
        if not ruleset.is_among(action.type, contradiction.forbids) or subject is None:
            continue
        yield any(
            fact.predicate == contradiction.fact
            and fact.is_shown("player", action.actor_id if state.is_players(action.actor_id) else None)
            and fact.object is not False
            and not fact.is_only_told
            for fact in state.facts_about(subject)
        )


# The reason: an action and a state -> the code of why it is not possible.

__all__ = ["is_person", "place_of", "way", "why_not"]


def why_not(action: Action, state: WorldState, ruleset: Ruleset, *, acting: str | None = None) -> ReasonCode | None:
    """Return the first reason against the action now.

    `acting` is whose round it is: one of the cast, who may do nothing that a player in their place could not; by
    default the player. A type that only the ruleset knows needs nothing but that its target, if it has one, is here.
    """
    if state.ended is not None:
        return "campaign_over"
    if ruleset.find_row(action.type) is None:
        return _why_not_in_prose(action, state, ruleset) or "unknown_action"
    return (
        why_not_able(action, state, ruleset, acting=acting)
        or _why_not_here(action, state)
        or why_not_now(action, state, ruleset)
    )


def _why_not_in_prose(action: Action, state: WorldState, ruleset: Ruleset) -> ReasonCode | None:
    """Return what is in the way of an attempt at something that only the prose shows, or that is not here; None where a
    verb of the ruleset's own was tried on it, and the words were not heard as another deed."""
    own = {word for row in ruleset.actions.values() for phrase in row.verbs for word in phrase.split()[:1]}
    verb = verb_of(action.type)
    is_prose = bool(action.metadata.get("detail_is")) and (action.metadata.get("verb") not in own or bool(action.form))
    return verb.requires(action, state) if is_prose and verb is not None and verb.requires is not None else None


def _why_not_here(action: Action, state: WorldState) -> ReasonCode | None:
    """Return the reason by place, presence or possession. Somebody who is nowhere can do nothing."""
    if place_of(action, state) == OFFSTAGE:
        return "not_present"
    verb = verb_of(action.type)
    return (why_not_reach if verb is None or verb.requires is None else verb.requires)(action, state)


def why_not_to_somebody(action: Action, state: WorldState) -> ReasonCode | None:
    """Return why it cannot be done to a person: nobody is named, or they are not here, or the thing is not in hand."""
    return why_no_person(action, state, nobody="nobody_named") or why_no_item(action, state)


def why_no_person(action: Action, state: WorldState, *, nobody: ReasonCode) -> ReasonCode | None:
    """Return why the target is nobody who can be addressed."""
    if action.target_id is None:
        return nobody
    if action.target_id == action.actor_id:
        return "not_to_oneself"
    if is_person(action.target_id, state):
        return None if in_sight(action.target_id, action, state) else "not_present"
    return "not_a_person" if in_sight(action.target_id, action, state) else "object_not_found"


def why_no_item(action: Action, state: WorldState) -> ReasonCode | None:
    """Return why the thing of the action is missing: it must be in hand."""
    if action.item_id is None or holds_thing(action.actor_id, action.item_id, state):
        return None
    return "not_in_inventory"


def why_not_go(action: Action, state: WorldState) -> ReasonCode | None:
    """Return why the actor cannot go to the action's place: no way leads there, or all are barred."""
    if not exits_to(action, state):
        return "no_such_exit" if first_step(action, state) is None else "too_far"
    barriers = [barrier(way_out, action.actor_id, state) for way_out in exits_to(action, state)]
    return None if None in barriers else barriers[0]


def why_not_reach(action: Action, state: WorldState) -> ReasonCode | None:
    """Return why the target or the thing of the action, if there are any, are out of reach."""
    if in_sight(action.target_id, action, state):
        return None if in_sight(action.item_id, action, state) else "not_in_inventory"
    return "not_present" if is_person(action.target_id, state) else "object_not_found"
