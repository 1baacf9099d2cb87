"""Ops on threats, situations, the progress of threads and the order of turns -> the state after one, or why not."""

from __future__ import annotations

from typing import assert_never

from lorewright.world import ops as o
from lorewright.world.frozen import with_entry, without_entry
from lorewright.world.pressures import PendingThreat, Situation, TurnOrder
from lorewright.world.state import WorldState

PressureOp = o.Announce | o.EndThreat | o.BeginSituation | o.EndSituation | o.Investigate | o.SetTurnOrder | o.PassTurn


def pressed(state: WorldState, op: PressureOp) -> WorldState | str:
    """The state after the op, or the reason why it does not fit."""
    match op:
        case o.Announce():
            if op.threat_id in state.threats:
                return "already_exists"
            threat = PendingThreat(since=state.minutes, due=state.minutes + op.minutes)
            return state.with_fields(threats=with_entry(state.threats, op.threat_id, threat))
        case o.EndThreat():
            if op.threat_id not in state.threats:
                return "unknown_threat"
            return state.with_fields(threats=without_entry(state.threats, op.threat_id))
        case o.BeginSituation():
            held = state.situations.get(op.situation_id)
            until = None if op.minutes is None else state.minutes + op.minutes
            situation = Situation(since=held.since if held else state.minutes, until=until)
            return state.with_fields(situations=with_entry(state.situations, op.situation_id, situation))
        case o.EndSituation():
            if op.situation_id not in state.situations:
                return "unknown_situation"
            return state.with_fields(situations=without_entry(state.situations, op.situation_id))
        case o.Investigate():
            return _investigate(state, op)
        case o.SetTurnOrder():
            return _set_order(state, op)
        case o.PassTurn():
            if state.turn_order is None:
                return "no_turn_order"
            return state.with_fields(turn_order=state.turn_order.passed())
        case _:
            assert_never(op)


def _investigate(state: WorldState, op: o.Investigate) -> WorldState | str:
    thread = state.threads.get(op.thread_id)
    if thread is None:
        return "unknown_thread"
    progress = max(thread.progress + op.delta, 0)
    progress = min(progress, thread.needed) if thread.needed else progress
    updated = thread.model_copy(update={"progress": progress})
    return state.with_fields(threads=with_entry(state.threads, op.thread_id, updated))


def _set_order(state: WorldState, op: o.SetTurnOrder) -> WorldState | str:
    if len(set(op.actors)) != len(op.actors):
        return "same_entity"
    if any(who not in state.positions for who in op.actors):
        return "unknown_entity"
    return state.with_fields(turn_order=TurnOrder(actors=op.actors) if op.actors else None)
