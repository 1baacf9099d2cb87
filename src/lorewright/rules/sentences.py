"""A reason and what it stands against -> a plain sentence with names and without IDs, for logs and for the model."""

from __future__ import annotations

from typing import assert_never

from lorewright.rules.actions import Action
from lorewright.rules.outcomes import ReasonCode
from lorewright.rules.reach import exits_to, first_step, is_barred, place_of
from lorewright.world.state import OFFSTAGE, WorldState

# Where neither the ruleset nor the scenario has words of its own for it.
NOT_NOW = "That cannot be done as things stand."


def sentence(reason: ReasonCode, action: Action, state: WorldState) -> str:
    """The reason in plain words."""
    target, item = the(action.target_id, state), the(action.item_id, state)
    match reason:
        case "unknown_action":
            return "That is nothing one can do here."
        case "not_your_turn":
            return f"{_capital(the(action.actor_id, state) or 'somebody else')} does not act now."
        case "object_not_found":
            return f"{_capital(target)} is not to be found here." if target else "Nothing like that is here."
        case "not_present":
            if place_of(action, state) == OFFSTAGE:
                return f"{_who(action, state, 'are', 'is')} not here."
            return f"{_capital(target or 'that person')} is not here."
        case "no_such_exit":
            return f"No way leads from here to {the(action.location_id, state) or 'such a place'}."
        case "too_far":
            first = first_step(action, state)
            by = f" One gets there by {first.name}." if first is not None else ""
            return f"{_capital(the(action.location_id, state) or 'that place')} is further than one step.{by}"
        case "not_capable":
            return f"{_who(action, state, 'are', 'is')} in no condition for that."
        case "not_known":
            return f"{_who(action, state, 'do', 'does')} not know that."
        case "kept_back":
            return f"{_who(action, state, 'keep', 'keeps')} that back."
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
            return f"{_who(action, state, 'carry', 'carries')} {target or 'that'} already."
        case "not_in_inventory":
            return f"{_who(action, state, 'do', 'does')} not have {item or target or 'that'}."
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
            return f"{_who(action, state, 'have', 'has')} no key to {target or 'that'}."
        case "wrong_key":
            return f"{_capital(item or 'that')} does not fit {target or 'the lock'}."
        case "campaign_over":
            return "The story has ended."
        case "depends_on_failed":
            return "That needed something that did not come off."
        case _:
            assert_never(reason)


def the(entity_id: str | None, state: WorldState) -> str:
    """The name as it stands within a sentence, `the steel door`, `Viktor`; empty where nothing has the ID."""
    entity = state.entities.get(entity_id or "")
    if entity is None:
        return ""
    is_common = entity.name[:1].islower() and not entity.name.startswith("the ")
    return f"the {entity.name}" if is_common else entity.name


def _barring_door(action: Action, state: WorldState) -> str:
    barred = (e.via for e in exits_to(action, state) if is_barred(e, action.actor_id, state))
    return the(next(barred, action.target_id), state)


def _who(action: Action, state: WorldState, of_the_player: str, of_others: str) -> str:
    """Whoever acts with what they are or do: the player is spoken to, others are spoken of."""
    if action.actor_id == state.player_id:
        return f"You {of_the_player}"
    return f"{_capital(the(action.actor_id, state) or 'somebody')} {of_others}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
