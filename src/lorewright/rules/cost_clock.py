"""Which of a state's clocks counts what goes wrong."""

from __future__ import annotations

from lorewright.ids import local
from lorewright.world.state import Clock, WorldState

# A clock of one of these names, or one with this tag, counts what goes wrong.
COST_CLOCKS = ("heat", "trouble", "alarm", "suspicion", "danger", "attention", "noise")
COST_TAG = "cost"
# A clock of this name counts harm that was done to whoever acts.
HARM_CLOCK = "harm"


def cost_clock(state: WorldState) -> Clock | None:
    """The clock that counts what goes wrong: a tagged one before a named one, then in the order of the names."""
    tagged = [clock for _, clock in sorted(state.clocks.items()) if COST_TAG in clock.tags]
    named = [clock for name in COST_CLOCKS for key, clock in sorted(state.clocks.items()) if local(key) == name]
    return next(iter([*tagged, *named]), None)


def harm_clock(state: WorldState) -> Clock | None:
    """The clock that counts harm, or None."""
    return next((clock for key, clock in sorted(state.clocks.items()) if local(key) == HARM_CLOCK), None)
