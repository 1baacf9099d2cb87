"""A campaign -> its goals: the lines to each that was reached, planned by the solver and then played; and the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lorewright.authoring.reach.played_plans import PlanFailed, PlayedPlans
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.solver.goals import Goal, GoalKind
from lorewright.campaigns.solver.search import GoalSearch, SearchBudget, SearchNode, Unreached
from lorewright.packs.files import Progress, no_progress
from lorewright.turn.run.dry_run import DryRun, Step

# All kinds of goals, in the order in which they are searched for.
ALL_KINDS: tuple[GoalKind, ...] = (
    "ending", "discoverable", "find", "way of opening", "place", "person", "thing", "rule"
)  # fmt: skip
# Goals of these kinds get the shortest plan that is found, without the steps that can be left out.
_SHORTENED: tuple[GoalKind, ...] = ("ending", "discoverable")


@dataclass(slots=True)
class ReachedGoals:
    """Goals of one campaign, the played steps to each, as nodes, and the goals that were not reached."""

    search: GoalSearch
    goals: list[Goal] = field(default_factory=list)
    nodes: dict[Goal, tuple[SearchNode, ...]] = field(default_factory=dict)
    failures: list[Unreached] = field(default_factory=list)

    @property
    def ways(self) -> dict[Goal, tuple[Step, ...]]:
        """Return the steps to each goal that was reached."""
        return {goal: tuple(node.step for node in nodes if node.step is not None) for goal, nodes in self.nodes.items()}

    def note(self, goals: Iterable[Goal], played: Sequence[SearchNode]) -> None:
        """Note each goal that is reached on a way from the start, where none as short was noted before."""
        for goal in goals:
            number = next((n for n, node in enumerate(played) if self.search.is_reached(goal, node)), None)
            if number is not None and (goal not in self.nodes or number < len(self.nodes[goal])):
                self.nodes[goal] = tuple(played[1 : number + 1])


def reach_goals(
    campaign: OpenCampaign,
    *,
    kinds: Sequence[GoalKind] = ALL_KINDS,
    budget: SearchBudget | None = None,
    progress: Progress = no_progress,
) -> ReachedGoals:
    """Search for every goal of these kinds, one kind after the other, and play each plan that is found.

    The cast sits still meanwhile: a goal is reached by what the player does. The campaign's head is moved.
    """
    campaign.change_setting(rules=campaign.setting.rules.model_copy(update={"profile": "freeform"}))
    start = campaign.store.head().state
    search = GoalSearch(DryRun(campaign.setting.rules, campaign.setting.generations), start, budget or SearchBudget())
    reached = ReachedGoals(search)
    plays = PlayedPlans(campaign, search)
    for kind in kinds:
        goals = search.goals(kind)
        reached.goals += goals
        reached.note(goals, [SearchNode(start), *plays.played])
        _play(reached, plays, _plan(reached, goals, progress), progress)
    reached.failures = [failure for failure in reached.failures if failure.goal not in reached.nodes]
    return reached


def _plan(reached: ReachedGoals, goals: Sequence[Goal], progress: Progress) -> dict[Goal, SearchNode]:
    """Return a plan for each goal for which one is found."""
    plans: dict[Goal, SearchNode] = {}
    for number, goal in enumerate(goals):
        progress(f"searching: {goal.kind}", number, len(goals))
        found = reached.search.plan(goal)
        if isinstance(found, Unreached):
            reached.failures.append(found)
        else:
            plans[goal] = reached.search.shorten(goal, found) if goal.kind in _SHORTENED else found
    return plans


def _play(reached: ReachedGoals, plays: PlayedPlans, plans: dict[Goal, SearchNode], progress: Progress) -> None:
    """Play plans, the longest first: a goal that is met on the way of another need not be played again, unless its own
    plan is shorter."""
    start = SearchNode(reached.search.start)
    ordered = sorted(plans.items(), key=lambda planned: (-planned[1].turns, [step.line for step in planned[1].plan()]))
    for number, (goal, node) in enumerate(ordered):
        progress("playing", number, len(ordered))
        if goal in reached.nodes and len(reached.nodes[goal]) <= node.turns:
            continue
        try:
            played = plays.play(node.plan())
        except PlanFailed as problem:
            reached.failures.append(Unreached(goal, str(problem), node.plan()))
            continue
        reached.note(reached.goals, [start, *played])
        if goal not in reached.nodes:
            reached.failures.append(Unreached(goal, "the plan was played and did not reach it", node.plan()))
