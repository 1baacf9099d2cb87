"""An action -> what it costs whoever tries it, whatever comes of it."""

from __future__ import annotations

from collections.abc import Mapping

from lorewright.ids import local
from lorewright.rules.actions import Action
from lorewright.rules.reach import way
from lorewright.rules.rulesets import Ruleset
from lorewright.world.ops import AdvanceTime, Decrement, Increment, StateOp, TickClock
from lorewright.world.state import WorldState

COST_KEYS = ("heat", "time", "cred", "harm", "rep")


def minutes_of(action: Action, state: WorldState, ruleset: Ruleset) -> int:
    """In-world minutes: for a `go` those of the way, for a `sneak` both those and its own, for a `wait` those named,
    else the type's own."""
    own = ruleset.actions[action.type].minutes
    exit_taken = way(action, state) if action.type in ("go", "sneak") else None
    if exit_taken is not None:
        return exit_taken.minutes + (own if action.type == "sneak" else 0)
    named = action.metadata.get("minutes") if action.type == "wait" else None
    return int(named) if named is not None else own


def costs_of(action: Action, state: WorldState, ruleset: Ruleset) -> dict[str, int]:
    """Every key of `COST_KEYS` and the type's own; `time` is minutes and nothing else.

    What one of the cast does goes on beside what the player does: it costs nothing unless the ruleset says so.
    """
    if action.actor_id != state.player_id and not ruleset.npcs_pay:
        return dict.fromkeys(COST_KEYS, 0)
    costs = ruleset.actions[action.type].costs
    return {**dict.fromkeys(COST_KEYS, 0), **costs, "time": minutes_of(action, state, ruleset)}


def cost_ops(costs: Mapping[str, int], state: WorldState) -> tuple[StateOp, ...]:
    """Time goes on, and of the other costs those fall due that have a clock of their name, qualified or not, or are a
    gauge of the ruleset's scene."""
    clocks = {local(clock_id): clock_id for clock_id in sorted(state.clocks)}
    ticks = [
        TickClock(clock_id=clocks[key], delta=delta)
        for key, delta in sorted(costs.items())
        if key != "time" and delta and key in clocks
    ]
    gauges = {gauge.id for gauge in state.gauges()} - clocks.keys()
    moved = [
        Increment(path=key, value=delta) if delta > 0 else Decrement(path=key, value=-delta)
        for key, delta in sorted(costs.items())
        if delta and key in gauges
    ]
    return (*([AdvanceTime(minutes=costs["time"])] if costs["time"] else []), *ticks, *moved)
