"""An action and a state -> why it is not possible, as a code; None where it is. What a code says is in `sentences`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from lorewright.rules.actions import Action
from lorewright.rules.capability import why_not_able, why_not_now
from lorewright.rules.outcomes import ReasonCode
from lorewright.rules.reach import (
    barrier,
    exits_to,
    first_step,
    holds_thing,
    in_sight,
    is_person,
    place_of,
    way,
    why_not_close,
    why_not_lock,
    why_not_open,
    why_not_unlock,
)
from lorewright.rules.rulesets import Ruleset
from lorewright.world.state import OFFSTAGE, WorldState

__all__ = ["is_person", "place_of", "way", "why_not"]

# What somebody is needed for: to be worked on, told, attacked, given something, held to their word.
_TO_SOMEBODY = frozenset(("tell", "persuade", "threaten", "attack", "promise", "recall"))


def why_not(action: Action, state: WorldState, ruleset: Ruleset, *, acting: str | None = None) -> ReasonCode | None:
    """The first thing that stands against the action now.

    `acting` is whose round it is: one of the cast, who may do nothing that a player in their place could not; without
    it the player's. A type that only the ruleset knows needs nothing but that its target, if it has one, is here.
    """
    if state.ended is not None:
        return "campaign_over"
    if action.type not in ruleset.actions:
        return "unknown_action"
    return (
        why_not_able(action, state, ruleset, acting=acting)
        or _why_not_here(action, state)
        or why_not_now(action, state, ruleset)
    )


def _why_not_here(action: Action, state: WorldState) -> ReasonCode | None:
    """Why place, presence or possession stand against it. Whoever is nowhere does nothing."""
    if place_of(action, state) == OFFSTAGE:
        return "not_present"
    if action.type in _TO_SOMEBODY:
        return _somebody(action, state, nobody="nobody_named") or _without_item(action, state)
    return _CHECKS.get(action.type, _why_not_other)(action, state)


def _somebody(action: Action, state: WorldState, *, nobody: ReasonCode) -> ReasonCode | None:
    """Why the target is nobody that one could turn to."""
    if action.target_id is None:
        return nobody
    if action.target_id == action.actor_id:
        return "not_to_oneself"
    if is_person(action.target_id, state):
        return None if in_sight(action.target_id, action, state) else "not_present"
    return "not_a_person" if in_sight(action.target_id, action, state) else "object_not_found"


def _without_item(action: Action, state: WorldState) -> ReasonCode | None:
    """Why the thing that is to go along does not: it must be in hand."""
    if action.item_id is None or holds_thing(action.actor_id, action.item_id, state):
        return None
    return "not_in_inventory"


def _why_not_go(action: Action, state: WorldState) -> ReasonCode | None:
    if not exits_to(action, state):
        return "no_such_exit" if first_step(action, state) is None else "too_far"
    barriers = [barrier(way_out, action.actor_id, state) for way_out in exits_to(action, state)]
    return None if None in barriers else barriers[0]


def _why_not_sneak(action: Action, state: WorldState) -> ReasonCode | None:
    """Somewhere, past somebody, or neither; both must be possible."""
    past = _why_not_other(action, state)
    if past is not None or action.location_id is None:
        return past
    return _why_not_go(action, state)


def _why_not_ask(action: Action, state: WorldState) -> ReasonCode | None:
    return _somebody(action, state, nobody="nobody_to_ask")


def _why_not_take(action: Action, state: WorldState) -> ReasonCode | None:
    item = state.entities.get(action.target_id or "")
    if item is None:
        return "object_not_found"
    if item.type in ("npc", "player"):
        return "cannot_take_person"
    if item.type != "item":
        return "not_takeable"
    if holds_thing(place_of(action, state), item.id, state):
        return None
    return "already_carried" if holds_thing(action.actor_id, item.id, state) else "object_not_found"


def _why_not_drop(action: Action, state: WorldState) -> ReasonCode | None:
    if action.target_id is None:
        return "object_not_found"
    return None if holds_thing(action.actor_id, action.target_id, state) else "not_in_inventory"


def _why_not_give(action: Action, state: WorldState) -> ReasonCode | None:
    whom = _somebody(action, state, nobody="nobody_named")
    if whom is not None:
        return whom
    return "object_not_found" if action.item_id is None else _without_item(action, state)


def _why_not_use(action: Action, state: WorldState) -> ReasonCode | None:
    """The thing must be within reach: carried, or lying here."""
    if action.target_id is None and action.item_id is None:
        return "object_not_found"
    if not in_sight(action.item_id, action, state):
        return "not_in_inventory"
    return _why_not_other(action, state)


def _why_not_other(action: Action, state: WorldState) -> ReasonCode | None:
    if in_sight(action.target_id, action, state):
        return None if in_sight(action.item_id, action, state) else "not_in_inventory"
    return "not_present" if is_person(action.target_id, state) else "object_not_found"


def _nothing(action: Action, state: WorldState) -> None:
    """These can always be done."""


_CHECKS: Mapping[str, Callable[[Action, WorldState], ReasonCode | None]] = MappingProxyType(
    {
        "go": _why_not_go,
        "sneak": _why_not_sneak,
        "ask": _why_not_ask,
        "take": _why_not_take,
        "drop": _why_not_drop,
        "give": _why_not_give,
        "use": _why_not_use,
        "open": why_not_open,
        "close": why_not_close,
        "lock": why_not_lock,
        "unlock": why_not_unlock,
        "search": _nothing,
        "wait": _nothing,
        "inventory": _nothing,
    }
)
