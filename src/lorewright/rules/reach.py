"""What is where: the ways out, what is in sight, who holds what. Questions that reasons, costs and acts all ask."""

from __future__ import annotations

from collections import deque

from lorewright.rules.actions import Action
from lorewright.rules.outcomes import ReasonCode
from lorewright.world.state import OFFSTAGE, Door, Exit, WorldState


def way(action: Action, state: WorldState) -> Exit | None:
    """The exit by which a `go` or `sneak` leads to its place: the first that is not barred to the actor."""
    return next((e for e in exits_to(action, state) if not is_barred(e, action.actor_id, state)), None)


def exits_to(action: Action, state: WorldState) -> list[Exit]:
    """Every exit that leads to the action's place, barred or not."""
    return [e for e in state.exits.get(place_of(action, state), ()) if e.to == action.location_id]


def first_step(action: Action, state: WorldState) -> Exit | None:
    """The exit by which the shortest way begins that leads to the action's place, in steps, through places that the
    player has been to; None where no such way is known."""
    here = place_of(action, state)
    ways = deque((way_out, way_out) for way_out in state.exits.get(here, ()))
    seen = {here}
    while ways:
        first, last = ways.popleft()
        if last.to == action.location_id:
            return first
        if last.to not in seen and last.to in state.visits:
            seen.add(last.to)
            ways.extend((first, further) for further in state.exits.get(last.to, ()))
    return None


def is_barred(way_out: Exit, actor_id: str, state: WorldState) -> bool:
    """Whether a door is in the way that does not let the actor by as it is."""
    return barrier(way_out, actor_id, state) is not None


def barrier(way_out: Exit, actor_id: str, state: WorldState) -> ReasonCode | None:
    """Why the door in a way does not let the actor by: locked and no key in hand, bolted on its other side, or shut
    where one has to open it; None where nothing bars."""
    door = state.doors.get(way_out.via or "")
    if door is None or door.open:
        return None
    if door.locked and not can_turn(actor_id, door, state):
        return how_locked(door)
    return "door_closed" if door.shut_bars else None


def can_turn(actor_id: str, door: Door, state: WorldState) -> bool:
    """Whether somebody can lock and unlock the door: with the key in hand, or from the side that its bolt is on."""
    here = state.positions.get(actor_id, state.scene.location_id)
    return holds_thing(actor_id, door.key_id, state) or door.bolt_at == here


def how_locked(door: Door) -> ReasonCode:
    """What a locked door says to whoever cannot turn its lock."""
    return "door_bolted" if door.key_id is None and door.bolt_at is not None else "door_locked"


def place_of(action: Action, state: WorldState) -> str:
    """Where the actor stands; the scene's place for somebody who is nowhere."""
    return state.positions.get(action.actor_id, state.scene.location_id)


def is_person(entity_id: str | None, state: WorldState) -> bool:
    """Whether it is somebody: one of the cast, or whom a player plays."""
    entity = state.entities.get(entity_id or "")
    return entity is not None and entity.type in ("npc", "player")


def is_npc(entity_id: str | None, state: WorldState) -> bool:
    """Whether it is one of the cast, whom no player plays."""
    entity = state.entities.get(entity_id or "")
    return entity is not None and entity.type == "npc"


def turned_to(action: Action, state: WorldState) -> str | None:
    """Whom the action is aimed at: somebody other than whoever acts, here or not; None where it is about nobody."""
    target = action.target_id
    return target if target != action.actor_id and is_person(target, state) else None


def company(who: str, state: WorldState) -> tuple[str, ...]:
    """IDs of those who are where somebody is, but for themselves, by ID; whoever is nowhere has none."""
    if who == state.player_id:
        return state.present_npcs()
    place = state.positions.get(who, OFFSTAGE)
    if place == OFFSTAGE:
        return ()
    return tuple(sorted(other for other, where in state.positions.items() if where == place and other != who))


def holds_thing(owner_id: str, item_id: str | None, state: WorldState) -> bool:
    """Whether a character carries the thing, or it lies in the place."""
    return item_id is not None and state.inventory.get(owner_id, {}).get(item_id, 0) > 0


def in_sight(target_id: str | None, action: Action, state: WorldState) -> bool:
    """Whether it is the place, somebody or something there or carried, a way out, its door, or None."""
    here = place_of(action, state)
    if target_id is None or target_id == here or state.positions.get(target_id) == here:
        return True
    if holds_thing(here, target_id, state) or holds_thing(action.actor_id, target_id, state):
        return True
    return any(target_id in (way_out.to, way_out.via) for way_out in state.exits.get(here, ()))
