"""A campaign's setting and a state -> the lines to type next, one suggestion for each goal that is within reach.

For the game master alone: a suggestion names goals, items and people that the player may not know of, and its lines
tell how to find them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from lorewright.campaigns.solver.goals import Goal, GoalKind
from lorewright.campaigns.solver.search import GoalSearch, SearchBudget, SearchNode
from lorewright.turn.run.dry_run import DryRun, Step
from lorewright.turn.views.draft import Setting
from lorewright.world.state import WorldState

# The kinds of goals that a game master asks for in play.
_KINDS: tuple[GoalKind, ...] = ("ending", "discoverable", "person", "place")


@dataclass(frozen=True, slots=True)
class NextLines:
    """A goal that is not reached yet, and the steps that lead there from the state; for the game master alone."""

    goal: Goal
    steps: tuple[Step, ...]


def find_next_lines(
    setting: Setting,
    state: WorldState,
    *,
    kinds: tuple[GoalKind, ...] = _KINDS,
    seconds: float = 1.0,
    lines: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[NextLines, ...]:
    """Return steps towards the goals of some kinds that the state has not reached, those with the fewest steps first;
    a goal to which none are found in time is left out. Game-master-only: see the module.

    The search stops after `seconds` by `clock`, or after so many `lines` were tried; nothing is written, and nobody of
    the cast acts in it. The dice of a step fall as its band says, so a step may have to be tried more than once.
    """
    budget = SearchBudget(seconds=seconds, lines=lines, clock=clock)
    if state.ended is not None or budget.is_spent:
        return ()
    search = GoalSearch(DryRun(setting.rules, setting.generations), state, budget)
    begin = SearchNode(state)
    goals = [goal for goal in search.goals(*kinds) if not search.is_reached(goal, begin)]
    distances = search.estimator.of(state)
    found = []
    for goal in sorted(goals, key=lambda goal: distances.of(goal.atom)):
        if budget.is_spent or distances.of(goal.atom) == math.inf:
            break
        node = search.plan(goal)
        if isinstance(node, SearchNode):
            found.append(NextLines(goal, node.plan()))
    return tuple(sorted(found, key=lambda suggestion: len(suggestion.steps)))
