"""Doors: why one does not open, close, lock or unlock, and the ops where it does.

A door that nobody opened is shut and still lets people by, unless it says that it bars when shut (`Door.shut_bars`); to
go never opens one. To open a locked door with its key in hand, or from the side of its bolt, unlocks it first.
"""

from __future__ import annotations

from lorewright.rules.actions import Action
from lorewright.rules.outcomes import ReasonCode
from lorewright.rules.reach import can_turn, holds_thing, how_locked, in_sight
from lorewright.world.ops import SetDoor, StateOp, SwingDoor
from lorewright.world.state import Door, WorldState


def why_not_open(action: Action, state: WorldState) -> ReasonCode | None:
    """It is no door here, stands open, or is locked and the key not at hand."""
    door = _door(action, state)
    if not isinstance(door, Door):
        return door
    if door.open:
        return "already_open"
    if not door.locked:
        return None
    if action.item_id is not None:
        return _why_not_key(action, door, state)
    return None if can_turn(action.actor_id, door, state) else how_locked(door)


def why_not_close(action: Action, state: WorldState) -> ReasonCode | None:
    """It is no door here, or is shut."""
    door = _door(action, state)
    if not isinstance(door, Door):
        return door
    return None if door.open else "already_closed"


def why_not_lock(action: Action, state: WorldState) -> ReasonCode | None:
    """It is no door here, is locked, has no lock on this side, or the key is not at hand."""
    door = _door(action, state)
    if not isinstance(door, Door):
        return door
    if door.locked:
        return "already_locked"
    if door.key_id is None and not can_turn(action.actor_id, door, state):
        return "no_lock"
    return _why_not_key(action, door, state)


def why_not_unlock(action: Action, state: WorldState) -> ReasonCode | None:
    """It is no door here, is not locked, is bolted on its other side, or the key is not at hand."""
    door = _door(action, state)
    if not isinstance(door, Door):
        return door
    return _why_not_key(action, door, state) if door.locked else "nothing_to_unlock"


def door_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    """The ops of a possible `open`, `close`, `lock` or `unlock`."""
    door_id = action.target_id
    door = state.doors.get(door_id or "")
    if door is None or door_id is None:
        return ()
    match action.type:
        case "open":
            unlocked = (SetDoor(door_id=door_id, locked=False),) if door.locked else ()
            return (*unlocked, SwingDoor(door_id=door_id, open=True))
        case "close":
            return (SwingDoor(door_id=door_id, open=False),)
        case "lock" | "unlock":
            return (SetDoor(door_id=door_id, locked=action.type == "lock"),)
        case _:
            return ()


def _door(action: Action, state: WorldState) -> Door | ReasonCode:
    """The door that is meant, where it is one and in sight."""
    if action.target_id is None or not in_sight(action.target_id, action, state):
        return "object_not_found"
    return state.doors.get(action.target_id) or "not_openable"


def _why_not_key(action: Action, door: Door, state: WorldState) -> ReasonCode | None:
    """The key that is named must be in hand and fit; where none is named, the right one must be in hand, or the bolt
    on this side."""
    if action.item_id is None:
        if can_turn(action.actor_id, door, state):
            return None
        return "no_key" if how_locked(door) == "door_locked" else "door_bolted"
    if not holds_thing(action.actor_id, action.item_id, state):
        return "not_in_inventory"
    return None if action.item_id == door.key_id else "wrong_key"
