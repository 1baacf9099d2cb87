"""What somebody of the cast is after, and at which marks of which clocks they act: for the planner, never a player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lorewright.world.state import WorldState


@dataclass(frozen=True, slots=True)
class Agenda:
    """A goal in the author's words (empty where none is written), and the marks (clock, value) at which they act."""

    goal: str = ""
    marks: tuple[tuple[str, int], ...] = ()

    def shown(self, state: WorldState) -> dict[str, Any]:
        """`{goal, next: {clock_id, at}}`, the next step being the one that fewest ticks lead to; what there is none of
        is left out."""
        found: dict[str, Any] = {"goal": goal} if (goal := " ".join(self.goal.split())) else {}
        clocks = state.clocks
        ahead = [
            (at - clocks[one].value, one, at) for one, at in self.marks if one in clocks and at > clocks[one].value
        ]
        if ahead:
            _, clock_id, at = min(ahead)
            found["next"] = {"clock_id": clock_id, "at": at}
        return found
