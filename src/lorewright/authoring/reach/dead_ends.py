"""The states that a search has seen -> dead ends: those from which no ending is reached any more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lorewright.campaigns.solver.distances import DistanceEstimator
from lorewright.campaigns.solver.goals import Goal
from lorewright.campaigns.solver.search import GoalSearch, SearchNode
from lorewright.packs.files import Progress, no_progress
from lorewright.world.state import WorldState

# From a state so many states are gone on from towards an ending.
_STATES = 40


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """A state from which no ending is reached, after the steps to it. With `exhaustive` nothing leads to an ending from
    there; else none was found within the bounds."""

    node: SearchNode
    exhaustive: bool


@dataclass(frozen=True, slots=True)
class DeadEnds:
    """Dead ends, those with the fewest steps first, and how many states were looked at for them, of how many that the
    search has seen."""

    found: tuple[DeadEnd, ...]
    looked_at: int
    seen: int


def find_dead_ends(
    search: GoalSearch, endings: Sequence[Goal], *, most_states: int, progress: Progress = no_progress
) -> DeadEnds:
    """Return the dead ends among so many of the states that a search has seen, within its budget.

    Of a dead end and the states after it only the first is returned. Without endings there are none.
    """
    states = {search.key(node.state): node for node, _ in reversed(search.known.values())}
    nodes = sorted(states.values(), key=lambda node: node.turns)
    alive: set[object] = {
        search.key(passed.state) for node in nodes if node.state.ended is not None for passed in node.path()
    }
    going_on = [node for node in nodes if node.state.ended is None]
    if not endings:
        return DeadEnds((), 0, len(going_on))
    chosen = _spread(going_on, most_states)
    dead: dict[object, DeadEnd] = {}
    looked_at = 0
    for number, node in enumerate(chosen):
        progress("looking for dead ends", number, len(chosen))
        if search.budget.is_spent:
            break
        looked_at += 1
        # The first dead state of the path is wanted, so its states are tried in their order.
        for passed in node.path():
            key = search.key(passed.state)
            if key in dead:
                break
            if key in alive or _leads_on(search, passed, endings, alive):
                continue
            if not search.budget.is_spent:
                dead[key] = DeadEnd(passed, _is_out_of_reach(search, passed.state, endings))
            break
    found = sorted(dead.values(), key=lambda dead_end: dead_end.node.turns)
    return DeadEnds(tuple(found), looked_at, len(going_on))


def _leads_on(search: GoalSearch, node: SearchNode, endings: Sequence[Goal], alive: set[object]) -> bool:
    """Tell whether a way leads from a node to an ending or a state that is alive; add the states on it to those that
    are alive."""
    way = search.find_way(
        node.state,
        endings,
        lambda child: child.state.ended is not None or search.key(child.state) in alive,
        states=_STATES,
    )
    if way is None:
        return False
    alive |= {search.key(passed.state) for passed in (node, *way.path())}
    return True


def _is_out_of_reach(search: GoalSearch, state: WorldState, endings: Sequence[Goal]) -> bool:
    """Tell whether nothing leads to an ending, even if all that is not searched for happens by itself."""
    distances = DistanceEstimator((*search.moves, *search.model.unsearched(state))).of(state)
    return all(distances.of(ending.atom) == math.inf for ending in endings)


def _spread(nodes: Sequence[SearchNode], most: int) -> list[SearchNode]:
    """Return so many nodes, evenly spread."""
    if len(nodes) <= most:
        return list(nodes)
    return [nodes[n * len(nodes) // most] for n in range(most)]
