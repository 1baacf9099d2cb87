"""An author's condition and a state -> whether it holds. One about a thing that is not there does not."""

from __future__ import annotations

from typing import assert_never

from lorewright.rules import conditions as c
from lorewright.world.state import WorldState


def holds(condition: c.Condition, state: WorldState) -> bool:
    """Whether the condition holds now; an empty `all` does, an empty `any` does not."""
    match condition:
        case c.Has():
            return condition.has in state.held_by(state.player_id)
        case c.At():
            return state.scene.location_id == condition.at
        case c.Present():
            return condition.present in state.present()
        case c.Visited():
            return state.scene.location_id == condition.visited or condition.visited in state.visits
        case c.ClockIs():
            return _clock_is(condition, state)
        case c.ThreadIs():
            thread = state.threads.get(condition.thread)
            return thread is not None and thread.status == condition.status
        case c.Revealed():
            return state.has_learned(state.player_id, condition.revealed)
        case c.TimeIs():
            return state.minutes >= condition.minutes
        case c.PathIs():
            return _path_is(condition, state)
        case c.Company():
            return bool(state.present_npcs()) == condition.company
        case c.AllOf():
            return all(holds(part, state) for part in condition.all)
        case c.AnyOf():
            return any(holds(part, state) for part in condition.any)
        case c.Not():
            return not holds(condition.not_, state)
        case _:
            assert_never(condition)


def _clock_is(condition: c.ClockIs, state: WorldState) -> bool:
    clock = state.clocks.get(condition.clock)
    if clock is None or clock.value < condition.min:
        return False
    return condition.max is None or clock.value <= condition.max


def _path_is(condition: c.PathIs, state: WorldState) -> bool:
    if state.ruleset is None:
        return False
    of = state.player_id if condition.of == "you" else condition.of
    value = state.ruleset.value(condition.path, of=of)
    if condition.is_ is not None:
        return bool(value == condition.is_)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return (condition.min is None or value >= condition.min) and (condition.max is None or value <= condition.max)
