"""A campaign's rules and packs, and a state -> the step to take next towards what the scenario is about.

Nothing is searched for: the estimate of distances says which moves lead to a goal, and the first of them that the rules
allow is taken. So the same state always gives the same step, however fast the machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from lorewright.campaigns.solver.atoms import atoms, formula
from lorewright.campaigns.solver.goals import Goal, GoalKind
from lorewright.campaigns.solver.search import GoalSearch, SearchBudget, SearchNode
from lorewright.rules.effects import EndEffect
from lorewright.rules.rulesets import CampaignRules
from lorewright.turn.run.dry_run import DryRun, Step
from lorewright.world.state import WorldState

# So many lines are tried at most; each costs some milliseconds.
_MOST_LINES = 60
# What one looks for where no ending is in reach.
_BESIDE: tuple[GoalKind, ...] = ("discoverable", "place", "person")


def find_next_step(
    run: DryRun, state: WorldState, *, accepts: Callable[[Step], bool] = lambda step: True
) -> Step | None:
    """Return the step to take next towards the first ending that is in reach, in the scenario's order, else towards
    what is nearest of all that can be found, seen and met; None where nothing is.

    Endings that come by themselves, when a clock is full, are nobody's goal. `accepts` says which steps will do. Where
    a clock that counts to an hour is three quarters full, the nearest ending comes first.
    """
    if state.ended is not None:
        return None
    search = GoalSearch(run, state, SearchBudget(lines=_MOST_LINES))
    for goal in _in_order(search, state):
        step = next(filter(accepts, search.first_steps(goal)), None)
        if step is not None:
            return step
        if search.budget.is_spent:
            break
    return None


def _in_order(search: GoalSearch, state: WorldState) -> Iterator[Goal]:
    distances = search.estimator.of(state)
    wanted = _wanted_endings(search.run.rules)
    endings = [goal for goal in search.goals("ending") if goal.name in wanted]
    hours = (state.clocks[clock_id] for clock_id in search.run.rules.until if clock_id in state.clocks)
    is_late = any(4 * clock.value >= 3 * clock.max for clock in hours)
    yield from sorted(endings, key=lambda goal: distances.of(goal.atom)) if is_late else endings
    begin = SearchNode(state)
    others = [goal for goal in search.goals(*_BESIDE) if not search.is_reached(goal, begin)]
    nearest = sorted(others, key=lambda goal: distances.of(goal.atom))
    yield from (goal for goal in nearest if distances.of(goal.atom) < math.inf)


def _wanted_endings(rules: CampaignRules) -> frozenset[str]:
    """Return the IDs of the endings that are not merely what comes when a clock or a number of the scene runs out."""
    by_clock = {
        effect.end
        for at in rules.clock_effects.values()
        for effects in at.values()
        for effect in effects
        if isinstance(effect, EndEffect)
    }
    by_itself = {
        ending.id
        for ending in rules.endings
        if ending.when is not None and all(atom[0] in ("clock", "below") for atom in atoms(formula(ending.when)))
    }
    return frozenset(ending.id for ending in rules.endings) - by_clock - by_itself
