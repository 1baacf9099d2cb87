"""An action and a state -> why it is not possible, as a code and as a sentence; None where it is."""

from __future__ import annotations

from typing import assert_never

from lorewright.rules.actions import Action
from lorewright.rules.outcomes import ReasonCode
from lorewright.rules.rulesets import Ruleset
from lorewright.world.state import Exit, WorldState


def why_not(action: Action, state: WorldState, ruleset: Ruleset) -> ReasonCode | None:
    """The first thing that stands against the action now.

    A type that only the ruleset knows needs nothing but that its target, if it has one, is here.
    """
    if state.ended is not None:
        return "campaign_over"
    if action.type not in ruleset.actions:
        return "unknown_action"
    if action.actor_id != state.player_id:
        return "not_your_turn"
    match action.type:
        case "go":
            return _why_not_go(action, state)
        case "ask":
            return _why_not_ask(action, state)
        case "take":
            return _why_not_take(action, state)
        case "look":
            return None if _in_sight(action.target_id, action, state) else "object_not_found"
        case "search" | "wait":
            return None
        case _:
            return _why_not_other(action, state)


def way(action: Action, state: WorldState) -> Exit | None:
    """The exit by which a `go` leads to its place: the first that is not barred to the actor."""
    return next((e for e in _exits(action, state) if not _is_barred(e, action.actor_id, state)), None)


def place_of(action: Action, state: WorldState) -> str:
    """Where the actor stands; the scene's place for somebody who is nowhere."""
    return state.positions.get(action.actor_id, state.scene.location_id)


def is_person(entity_id: str | None, state: WorldState) -> bool:
    """Whether it is somebody other than the player."""
    entity = state.entities.get(entity_id or "")
    return entity is not None and entity.type == "npc"


def _exits(action: Action, state: WorldState) -> list[Exit]:
    return [e for e in state.exits.get(place_of(action, state), ()) if e.to == action.location_id]


def _is_barred(way_out: Exit, actor_id: str, state: WorldState) -> bool:
    door = state.doors.get(way_out.via or "")
    return door is not None and door.locked and door.key_id not in state.held_by(actor_id)


def _why_not_go(action: Action, state: WorldState) -> ReasonCode | None:
    if not _exits(action, state):
        return "no_such_exit"
    return "door_locked" if way(action, state) is None else None


def _why_not_ask(action: Action, state: WorldState) -> ReasonCode | None:
    if action.target_id is None:
        return "nobody_to_ask"
    if not is_person(action.target_id, state):
        return "object_not_found"
    return None if _in_sight(action.target_id, action, state) else "not_present"


def _why_not_take(action: Action, state: WorldState) -> ReasonCode | None:
    item = state.entities.get(action.target_id or "")
    if item is None:
        return "object_not_found"
    if item.type != "item":
        return "not_takeable"
    if item.id in state.held_by(place_of(action, state)):
        return None
    return "already_carried" if item.id in state.held_by(action.actor_id) else "object_not_found"


def _why_not_other(action: Action, state: WorldState) -> ReasonCode | None:
    if _in_sight(action.target_id, action, state):
        return None
    return "not_present" if is_person(action.target_id, state) else "object_not_found"


def _in_sight(target_id: str | None, action: Action, state: WorldState) -> bool:
    """Whether it is the place, somebody or something there or carried, a way out, its door, or None."""
    here = place_of(action, state)
    if target_id is None or target_id == here or state.positions.get(target_id) == here:
        return True
    if target_id in state.held_by(here) or target_id in state.held_by(action.actor_id):
        return True
    return any(target_id in (way_out.to, way_out.via) for way_out in state.exits.get(here, ()))


def sentence(reason: ReasonCode, action: Action, state: WorldState) -> str:
    """The reason in plain words, with names and without IDs."""
    target = _the(action.target_id, state)
    match reason:
        case "unknown_action":
            return "That is nothing one can do here."
        case "not_your_turn":
            return f"{_capital(_the(action.actor_id, state) or 'somebody else')} does not act now."
        case "object_not_found":
            return f"{_capital(target)} is not to be found here." if target else "Nothing like that is here."
        case "not_present":
            return f"{_capital(target or 'that person')} is not here."
        case "no_such_exit":
            return f"No way leads from here to {_the(action.location_id, state) or 'such a place'}."
        case "door_locked":
            return f"{_capital(_the(_locked_door(action, state), state) or 'the door')} is locked."
        case "not_takeable":
            return f"{_capital(target or 'that')} cannot be taken."
        case "already_carried":
            return f"You carry {target or 'that'} already."
        case "nobody_to_ask":
            return "It is not clear whom to ask."
        case "campaign_over":
            return "The story has ended."
        case "depends_on_failed":
            return "That needed something that did not come off."
        case _:
            assert_never(reason)


def _locked_door(action: Action, state: WorldState) -> str | None:
    return next((e.via for e in _exits(action, state) if _is_barred(e, action.actor_id, state)), None)


def _the(entity_id: str | None, state: WorldState) -> str:
    """The name as it stands within a sentence, `the steel door`, `Viktor`; empty where nothing has the ID."""
    entity = state.entities.get(entity_id or "")
    if entity is None:
        return ""
    is_common = entity.name[:1].islower() and not entity.name.startswith("the ")
    return f"the {entity.name}" if is_common else entity.name


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
