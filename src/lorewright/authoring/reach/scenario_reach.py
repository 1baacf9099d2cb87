"""A scenario -> a report for its author: endings, discoverables, dead ends, and what is not reached."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from lorewright.authoring.reach.dead_ends import DeadEnds, find_dead_ends
from lorewright.authoring.reach.reached import ReachedGoals, reach_goals
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.scenarios.scenario import load_scenario
from lorewright.campaigns.solver.goals import Goal, GoalKind
from lorewright.campaigns.solver.search import MOST_TURNS, GoalSearch, SearchBudget, SearchNode
from lorewright.generate.explore.explorer import Explorer
from lorewright.index.library import Library
from lorewright.packs.files import Progress, no_progress

# Dice are thrown from this seed; a plan's dice are found by trying again, so the report does not depend on it.
_SEED = 1
# The kinds of goals of a report, in the order in which they are searched for.
_KINDS: tuple[GoalKind, ...] = ("ending", "discoverable", "place", "person", "thing", "rule")

# `not found` says nothing but that the search, within its bounds, found no way; `out of reach` that nothing in the
# scenario's rules, its ruleset and its packs leads there.
ReachStatus = Literal["reached", "not found", "out of reach"]


@dataclass(frozen=True, slots=True)
class ReachLine:
    """A line to type, and the band that its dice have to come to; None where none are thrown or any will do."""

    line: str
    dice: str | None = None

    def __str__(self) -> str:
        return self.line if self.dice is None else f"{self.line} [{self.dice}]"


@dataclass(frozen=True, slots=True)
class GoalReport:
    """A goal of a report: its ID or name, whether it was reached, and the shortest lines that were found and played.

    `trigger` are the words by which the author has a discoverable found, `as_written` tells whether they were typed as
    they stand. Of a goal that was not reached `missing` says what it needs and `lines` lead to the nearest state.
    """

    id: str
    status: ReachStatus
    lines: tuple[ReachLine, ...] = ()
    missing: str = ""
    trigger: str | None = None
    as_written: bool | None = None


@dataclass(frozen=True, slots=True)
class DeadEndReport:
    """Lines after which no ending was found; with `exhaustive` nothing leads to one any more."""

    lines: tuple[ReachLine, ...]
    exhaustive: bool


@dataclass(frozen=True, slots=True)
class ReachReport:
    """What a player can reach in a scenario by typed lines with the built-in stages, while the cast sits still.

    `others_doing` are endings that wait for an act of one of the cast: they are not searched for. `in_time` tells
    whether the search came to its end before the seconds were used up.
    """

    scenario: str
    seconds: float
    states: int
    most_lines: int
    in_time: bool
    lines_tried: int
    states_seen: int
    endings: tuple[GoalReport, ...]
    discoverables: tuple[GoalReport, ...]
    places: tuple[GoalReport, ...]
    people: tuple[GoalReport, ...]
    things: tuple[GoalReport, ...]
    rules: tuple[GoalReport, ...]
    dead_ends: tuple[DeadEndReport, ...]
    dead_ends_looked_at: int
    others_doing: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Tell whether every ending and every discoverable was reached."""
        return all(goal.status == "reached" for goal in (*self.endings, *self.discoverables))

    def as_json(self) -> dict[str, Any]:
        """Return the report for programs."""
        return {**asdict(self), "is_whole": self.is_whole}


class ScenarioReach:
    """Searches scenarios in campaigns that are thrown away; no model is asked and nothing is embedded."""

    def __init__(self, library: Library, explorer: Explorer, trial: Callable[[Path], Campaigns]) -> None:
        self._library = library
        self._explorer = explorer
        self._trial = trial

    def report(self, path: Path, *, seconds: float, states: int, progress: Progress = no_progress) -> ReachReport:
        """Search a scenario's file within so many seconds, going on from so many states for each goal. Plans that were
        found are played even when the seconds are used up.

        Raises:
            NotFound: there is no such file, ruleset or pack.
            ScenarioError: the scenario has errors; see `Scenarios.findings`.
        """
        with self._explorer.trying(), tempfile.TemporaryDirectory() as folder:
            scenario = load_scenario(path)
            packs = [self._explorer.pack_of_id(pack_id, progress=progress)[0] for pack_id in scenario.content_packs]
            campaigns = self._trial(Path(folder))
            row = campaigns.begin(scenario, packs, self._library, source=str(path), campaign_id="reach", seed=_SEED)
            with campaigns.open(row.id) as campaign:
                budget = SearchBudget(seconds=seconds, states=states)
                return report_of(campaign, scenario.id, budget, progress=progress)


def report_of(
    campaign: OpenCampaign, scenario_id: str, budget: SearchBudget, *, progress: Progress = no_progress
) -> ReachReport:
    """Return the report of a campaign that stands at its beginning; its head is moved."""
    reached = reach_goals(campaign, kinds=_KINDS, budget=budget, progress=progress)
    search = reached.search
    # Where no time is left for it the search for dead ends looks at nothing, and says so.
    dead_ends = find_dead_ends(search, search.goals("ending"), most_states=budget.states, progress=progress)
    rows = {kind: tuple(_row(reached, goal) for goal in reached.goals if goal.kind == kind) for kind in _KINDS}
    return ReachReport(
        scenario=scenario_id,
        seconds=budget.seconds or 0.0,
        states=budget.states,
        most_lines=MOST_TURNS,
        in_time=not budget.is_spent,
        lines_tried=budget.lines_tried,
        states_seen=len(search.known),
        endings=rows["ending"],
        discoverables=rows["discoverable"],
        places=rows["place"],
        people=rows["person"],
        things=rows["thing"],
        rules=rows["rule"],
        dead_ends=_dead_ends(dead_ends),
        dead_ends_looked_at=dead_ends.looked_at,
        others_doing=tuple(search.model.others_doing()),
    )


def _row(reached: ReachedGoals, goal: Goal) -> GoalReport:
    trigger = _trigger(reached.search, goal) if goal.kind == "discoverable" else None
    if goal in reached.nodes:
        lines = _lines(reached.nodes[goal])
        as_written = None if trigger is None or not lines else lines[-1].line == trigger.lower()
        return GoalReport(goal.name, "reached", lines, trigger=trigger, as_written=as_written)
    failure = next(failure for failure in reached.failures if failure.goal == goal)
    status: ReachStatus = "out of reach" if failure.exhaustive else "not found"
    nearest = tuple(ReachLine(step.line, None if step.band == "success" else step.band) for step in failure.nearest)
    return GoalReport(goal.name, status, nearest, failure.missing, trigger)


def _trigger(search: GoalSearch, goal: Goal) -> str | None:
    items = (item for found in search.model.found_at.values() for item in found)
    return next((item.trigger for item in items if item.id == goal.atom[1]), None)


def _lines(nodes: Sequence[SearchNode]) -> tuple[ReachLine, ...]:
    """Return the lines that led to each of the nodes."""
    return tuple(
        ReachLine(node.step.line, node.step.band if node.rolled else None) for node in nodes if node.step is not None
    )


def _dead_ends(found: DeadEnds) -> tuple[DeadEndReport, ...]:
    return tuple(DeadEndReport(_lines(dead_end.node.path()), dead_end.exhaustive) for dead_end in found.found)
