"""Reach: an action and a state -> exits, people and things in reach, possessions. Read by reasons, costs and acts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import assert_never

from lorewright.rules import conditions as c
from lorewright.rules.actions import Action, done_key, tried_key
from lorewright.rules.patch import ReasonCode
from lorewright.world.state import CHARTED_TAG, OFFSTAGE, Door, Exit, WorldState, relation_key
from lorewright.world.things import ESCALATION


def way(action: Action, state: WorldState) -> Exit | None:
    """Return the exit by which a `go` or `sneak` leads to its place: the first that is not barred to the actor."""
    return next((e for e in exits_to(action, state) if not is_barred(e, action.actor_id, state)), None)


def exits_to(action: Action, state: WorldState) -> list[Exit]:
    """Return every exit that leads to the action's place, barred or not."""
    return [e for e in state.exits.get(place_of(action, state), ()) if e.to == action.location_id]


def first_step(action: Action, state: WorldState) -> Exit | None:
    """Return the first exit of the shortest way to the action's place, in steps, through places that the player has
    been to; None where no such way is known.
    """
    places = _known_way(action, state, barred=True)
    exits = state.exits.get(place_of(action, state), ())
    return next((way_out for way_out in exits if places and way_out.to == places[0]), None)


def known_way(action: Action, state: WorldState) -> tuple[str, ...]:
    """Return the places of the shortest way to the action's place, in steps, its own last, through places that the
    player has been to or that are charted; one without a barred door where there is one. Empty where no such way is
    known.
    """
    return _known_way(action, state, barred=False) or _known_way(action, state, barred=True)


def _known_way(action: Action, state: WorldState, *, barred: bool) -> tuple[str, ...]:
    start = place_of(action, state)
    ways: deque[tuple[str, ...]] = deque([()])
    seen = {start}
    while ways:
        passed = ways.popleft()
        for way_out in state.exits.get(passed[-1] if passed else start, ()):
            if way_out.to in seen or (not barred and is_barred(way_out, action.actor_id, state)):
                continue
            if way_out.to == action.location_id:
                return (*passed, way_out.to)
            seen.add(way_out.to)
            if way_out.to in state.visits or CHARTED_TAG in state.entities[way_out.to].tags:
                ways.append((*passed, way_out.to))
    return ()


def way_towards(place: str, state: WorldState) -> str:
    """Return what the way out of the scene's place is called by which people get to another place, in steps and through
    whatever door; empty where there is none."""
    here = state.scene.location_id
    ways = deque((way.name, way.to) for way in state.exits.get(here, ()))
    seen = {here}
    while ways:
        first, at = ways.popleft()
        if at == place:
            return first
        if at not in seen:
            seen.add(at)
            ways += [(first, way.to) for way in state.exits.get(at, ())]
    return ""


def is_barred(way_out: Exit, actor_id: str, state: WorldState) -> bool:
    """Tell whether a door in the way keeps the actor out as it is."""
    return barrier(way_out, actor_id, state) is not None


def barrier(way_out: Exit, actor_id: str, state: WorldState) -> ReasonCode | None:
    """Return why the door in a way keeps the actor out: locked without the key in hand, bolted on its other side, or
    shut where it has to be opened; None where nothing bars.
    """
    door = state.doors.get(way_out.via or "")
    if door is None or door.open:
        return None
    if door.locked and not can_turn(actor_id, door, state):
        return how_locked(door)
    return "door_closed" if door.shut_bars else None


def can_turn(actor_id: str, door: Door, state: WorldState) -> bool:
    """Tell whether somebody can lock and unlock the door: with the key in hand, or from the side of its bolt."""
    place = state.positions.get(actor_id, state.scene.location_id)
    return holds_thing(actor_id, door.key_id, state) or door.bolt_at == place


def how_locked(door: Door) -> ReasonCode:
    """Return the reason code of a locked door for those who cannot turn its lock."""
    return "door_bolted" if door.key_id is None and door.bolt_at is not None else "door_locked"


def place_of(action: Action, state: WorldState) -> str:
    """Return where the actor stands; the scene's place for somebody who is nowhere."""
    return state.positions.get(action.actor_id, state.scene.location_id)


def is_person(entity_id: str | None, state: WorldState) -> bool:
    """Tell whether it is a person: one of the cast, or a player's character."""
    entity = state.entities.get(entity_id or "")
    return entity is not None and entity.type in ("npc", "player")


def is_npc(entity_id: str | None, state: WorldState) -> bool:
    """Tell whether it is one of the cast, whom no player plays."""
    entity = state.entities.get(entity_id or "")
    return entity is not None and entity.type == "npc"


def turned_to(action: Action, state: WorldState) -> str | None:
    """Return the person whom the action is aimed at, here or not; None where it is about nobody but the actor."""
    target = action.target_id
    return target if target != action.actor_id and is_person(target, state) else None


def company(who: str, state: WorldState) -> tuple[str, ...]:
    """Return IDs of the others at somebody's place, by ID; somebody who is nowhere has none."""
    if who == state.player_id:
        return state.present_npcs()
    place = state.positions.get(who, OFFSTAGE)
    if place == OFFSTAGE:
        return ()
    return tuple(sorted(other for other, where in state.positions.items() if where == place and other != who))


def holds_thing(owner_id: str, item_id: str | None, state: WorldState) -> bool:
    """Tell whether a character carries the thing, or it lies in the place."""
    return item_id is not None and state.inventory.get(owner_id, {}).get(item_id, 0) > 0


def in_sight(target_id: str | None, action: Action, state: WorldState) -> bool:
    """Tell whether it is the place, somebody or something there or carried, a way out, its door, or None."""
    place = place_of(action, state)
    if target_id is None or target_id == place or state.positions.get(target_id) == place:
        return True
    if holds_thing(place, target_id, state) or holds_thing(action.actor_id, target_id, state):
        return True
    return any(target_id in (way_out.to, way_out.via) for way_out in state.exits.get(place, ()))


# Doors: why one does not open, close, lock or unlock, and the ops where it does. A door that nobody opened is shut and
# still lets people by, unless it bars when shut (`Door.shut_bars`); going never opens a door. Opening a locked door
# with its key in hand, or from the side of its bolt, unlocks it first.


def why_not_open(action: Action, state: WorldState) -> ReasonCode | None:
    """Return why it cannot be opened: it is no door here, stands open, or is locked without its key in hand."""
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
    """Return why it cannot be closed: it is no door here, or is shut."""
    door = _door(action, state)
    if not isinstance(door, Door):
        return door
    return None if door.open else "already_closed"


def why_not_lock(action: Action, state: WorldState) -> ReasonCode | None:
    """Return why it cannot be locked: it is no door here, is locked, has no lock on this side, or its key is not in
    hand.
    """
    door = _door(action, state)
    if not isinstance(door, Door):
        return door
    if door.locked:
        return "already_locked"
    if door.key_id is None and not can_turn(action.actor_id, door, state):
        return "no_lock"
    return _why_not_key(action, door, state)


def why_not_unlock(action: Action, state: WorldState) -> ReasonCode | None:
    """Return why it cannot be unlocked: it is no door here, is not locked, is bolted on its other side, or its key is
    not in hand.
    """
    door = _door(action, state)
    if not isinstance(door, Door):
        return door
    return _why_not_key(action, door, state) if door.locked else "nothing_to_unlock"


def _door(action: Action, state: WorldState) -> Door | ReasonCode:
    """Return the door that is meant, where it is one and in sight."""
    if action.target_id is None or not in_sight(action.target_id, action, state):
        return "object_not_found"
    return state.doors.get(action.target_id) or "not_openable"


def _why_not_key(action: Action, door: Door, state: WorldState) -> ReasonCode | None:
    """Return why the lock cannot be turned: a named key must be in hand and fit; where none is named, the right one
    must be in hand, or the bolt on this side.
    """
    if action.item_id is None:
        if can_turn(action.actor_id, door, state):
            return None
        return "no_key" if how_locked(door) == "door_locked" else "door_bolted"
    if not holds_thing(action.actor_id, action.item_id, state):
        return "not_in_inventory"
    return None if action.item_id == door.key_id else "wrong_key"


# Conditions: an author's condition and a state -> whether it holds. A condition on a missing thing does not.


def holds(condition: c.Condition, state: WorldState, *, you: str | None = None) -> bool:
    """Tell whether the condition holds now; an empty `all` does, an empty `any` does not. `you` is the person meant by
    that word and where nobody is named (to carry a thing, to be at a place, to have learned something): by default the
    player.
    """
    you = state.player_id if you is None else you
    match condition:
        case c.Has():
            return condition.has in state.held_by(_who(condition.of, you))
        case c.At():
            return _place_of(you, state) == condition.at
        case c.Present():
            return condition.present == you or condition.present in company(you, state)
        case c.Visited():
            return _place_of(you, state) == condition.visited or condition.visited in state.visits
        case c.ClockIs():
            return _clock_is(condition, state)
        case c.ThreadIs():
            thread = state.threads.get(condition.thread)
            return thread is not None and thread.status == condition.status
        case c.Revealed():
            return state.has_learned(_who(condition.to, you), condition.revealed)
        case c.TimeIs():
            return state.minutes >= condition.minutes
        case c.PathIs():
            return _path_is(condition, state, you)
        case c.Company():
            return bool(company(you, state)) == condition.company
        case c.ConditionIs():
            return condition.condition in state.conditions_of(_who(condition.of, you))
        case c.StateIs():
            return _state_is(condition, state, you)
        case c.FactIs():
            return _fact_is(condition, state, you)
        case c.Announced():
            return condition.announced in state.threats
        case c.SituationIs():
            return condition.situation in state.situations
        case c.ProgressIs():
            thread = state.threads.get(condition.progress)
            return thread is not None and thread.progress >= condition.min
        case c.EscalationIs():
            return state.escalation.get(condition.escalation, 0) >= ESCALATION.index(condition.min)
        case c.TurnIs():
            acting = state.player_id if state.turn_order is None else state.turn_order.current
            return acting == _who(condition.turn, you)
        case c.RelationIs():
            return _relation_is(condition, state, you)
        case c.Did():
            return done_key(condition.by, condition.did) in state.recall
        case c.Tried():
            return tried_key(condition.by, condition.tried) in state.recall
        case c.AllOf():
            return all(holds(part, state, you=you) for part in condition.all)
        case c.AnyOf():
            return any(holds(part, state, you=you) for part in condition.any)
        case c.Not():
            return not holds(condition.not_, state, you=you)
        case _:
            assert_never(condition)


def open_nudges(nudges: Sequence[c.Nudge], state: WorldState) -> Iterator[c.Nudge]:
    """Yield the nudges whose conditions hold, the most pressing first."""
    yield from (nudge for nudge in nudges if state.ended is None and holds(nudge.when, state))


def _clock_is(condition: c.ClockIs, state: WorldState) -> bool:
    clock = state.clocks.get(condition.clock)
    if clock is None or clock.value < condition.min:
        return False
    return condition.max is None or clock.value <= condition.max


def _path_is(condition: c.PathIs, state: WorldState, you: str) -> bool:
    if state.ruleset is None:
        return False
    of = None if condition.of is None else _who(condition.of, you)
    value = state.ruleset.value(condition.path, of=of)
    if condition.is_ is not None:
        return bool(value == condition.is_)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return (condition.min is None or value >= condition.min) and (condition.max is None or value <= condition.max)


def _state_is(condition: c.StateIs, state: WorldState, you: str) -> bool:
    """Tell whether the inner state holds; one that is not manifest never does."""
    character = state.characters.get(_who(condition.of, you))
    inner = None if character is None else character.states.get(condition.state)
    if inner is None or not inner.is_manifest:
        return False
    return condition.is_ is None or bool(inner.value == condition.is_)


def _fact_is(condition: c.FactIs, state: WorldState, you: str) -> bool:
    return any(
        fact.predicate == condition.fact
        and not fact.is_only_told
        and (fact.object is not False if condition.is_ is None else fact.object == condition.is_)
        for fact in state.facts_about(_who(condition.subject, you))
    )


def _relation_is(condition: c.RelationIs, state: WorldState, you: str) -> bool:
    between = relation_key(_who(condition.regard, you), _who(condition.to, you))
    relation = state.relations.get(between)
    stands = 0 if relation is None else getattr(relation, condition.in_)
    return (condition.min is None or stands >= condition.min) and (condition.max is None or stands <= condition.max)


def _who(name: str, you: str) -> str:
    return you if name == "you" else name


def _place_of(you: str, state: WorldState) -> str:
    """Return where somebody is; the player is where the scene is."""
    return state.scene.location_id if you == state.player_id else state.positions.get(you, OFFSTAGE)
