"""The report of what a player can reach in a scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.authoring.reach.dead_ends import find_dead_ends
from lorewright.authoring.reach.reached import reach_goals
from lorewright.authoring.reach.scenario_reach import ReachReport, report_of
from lorewright.campaigns.solver.search import SearchBudget
from support import harbour as h
from support.searched_harbour import LOST_LANTERN, begun


def report(folder: Path, *changes: tuple[str, str], budget: SearchBudget | None = None) -> ReachReport:
    """Return the report of the harbour's scenario with some words changed."""
    with begun(folder, *changes) as campaign:
        return report_of(campaign, "night_boat", budget or SearchBudget(states=100))


@pytest.mark.campaign
def test_endings_and_discoverables_are_told_with_the_lines_that_reach_them(tmp_path: Path) -> None:
    found = report(tmp_path)
    assert found.is_whole
    (fled,) = found.endings
    assert (fled.id, fled.status) == ("fled", "reached")
    assert all(line.dice in ("mixed", "fail") for line in fled.lines if line.line.startswith("ask Osk"))
    (letter,) = found.discoverables
    assert [str(line) for line in letter.lines] == ["search under the counter"]
    assert (letter.trigger, letter.as_written) == ("search under the counter", True)
    assert [goal.status for goal in (*found.places, *found.people, *found.rules)] == ["reached"] * 5


@pytest.mark.campaign
def test_no_step_of_the_way_to_an_ending_can_be_left_out(tmp_path: Path) -> None:
    with begun(tmp_path) as campaign:
        reached = reach_goals(campaign, kinds=("ending",))
    (goal,) = reached.goals
    steps = reached.ways[goal]
    assert len(steps) == 3
    node = reached.search.known[reached.search.key(reached.search.start)][0]
    assert reached.search.shorten(goal, reached.nodes[goal][-1]).plan() == steps
    assert not reached.search.is_reached(goal, node)


@pytest.mark.campaign
def test_where_nothing_leads_to_it_an_ending_is_out_of_reach_and_else_only_not_found(tmp_path: Path) -> None:
    endings = (
        "endings:\n      rich: {say: Rich., when: {all: [{has: hatch_key}, {thread: lost, status: found}]}}\n"
        "      late: {say: Late., when: {all: [{clock: dread, min: 3}, {clock: dread, max: 2}]}}"
    )
    found = report(tmp_path, ("endings:", endings))
    assert {goal.id: goal.status for goal in found.endings} == {
        "fled": "reached",
        "rich": "out of reach",
        "late": "not found",
    }
    assert not found.is_whole
    assert "the thread lost being found" in next(goal.missing for goal in found.endings if goal.id == "rich")


@pytest.mark.campaign
def test_what_a_threat_may_bring_is_not_said_to_be_out_of_reach(tmp_path: Path) -> None:
    """No search makes a threat fall due; so that nothing else leads there proves nothing."""
    threats = (
        "clocks:",
        "threats:\n      storm: {title: A storm, effects: [{thread: lost, status: found}]}\n    clocks:",
    )
    ending = ("endings:", "endings:\n      calm: {say: Calm., when: {thread: lost, status: found}}")
    found = report(tmp_path, threats, ending)
    assert {goal.id: goal.status for goal in found.endings} == {"fled": "reached", "calm": "not found"}


@pytest.mark.campaign
def test_a_step_after_which_no_ending_is_reached_is_a_dead_end(tmp_path: Path) -> None:
    found = report(tmp_path, *LOST_LANTERN)
    assert found.is_whole
    assert found.dead_ends_looked_at > 0
    lost = found.dead_ends[0]
    assert [line.line for line in lost.lines] == ["go door"]
    assert lost.exhaustive
    assert all(dead_end.lines[-1].line != "drop the lantern" for dead_end in found.dead_ends)


def test_without_endings_there_are_no_dead_ends(tmp_path: Path) -> None:
    with begun(tmp_path) as campaign:
        search = reach_goals(campaign, kinds=()).search
    assert find_dead_ends(search, [], most_states=10).found == ()


def test_a_search_whose_time_is_up_says_so_and_calls_nothing_out_of_reach(tmp_path: Path) -> None:
    found = report(tmp_path, budget=SearchBudget(lines=0))
    assert not found.in_time
    assert {goal.status for goal in (*found.endings, *found.discoverables)} == {"not found"}
    assert (found.lines_tried, found.dead_ends_looked_at) == (0, 0)


@pytest.mark.campaign
def test_an_ending_that_waits_for_one_of_the_cast_is_named_and_not_searched_for(tmp_path: Path) -> None:
    acts = ("osk: {at: tavern}", "osk: {at: tavern, acts: [{id: leave, do: {type: wait}}]}")
    ending = ("endings:", "endings:\n      left: {say: Left., when: {did: leave, by: osk}}")
    found = report(tmp_path, acts, ending)
    assert found.others_doing == ("left",)
    assert [goal.id for goal in found.endings] == ["fled"]
    assert found.is_whole


@pytest.mark.campaign
def test_the_campaigns_of_the_workspace_are_left_alone(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    before = sorted(path.name for path in app.campaigns_folder.iterdir())
    path = app.campaigns.scenario_path("night_boat")
    assert app.scenario_reach.report(path, seconds=60, states=50).is_whole
    assert sorted(path.name for path in app.campaigns_folder.iterdir()) == before
