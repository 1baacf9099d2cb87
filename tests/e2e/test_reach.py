"""Every scenario that ships keeps what it promises: everybody can be met, everything found, every ending played to.

And where one does not, the player who tries everything says what is out of reach and how near one comes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.authoring.reach.played_plans import PlanFailed, PlayedPlans
from lorewright.authoring.reach.reached import ReachedGoals, reach_goals
from lorewright.campaigns.solver.goals import GoalKind
from lorewright.campaigns.solver.search import MOST_TURNS, GoalSearch, SearchNode
from lorewright.turn.run.dry_run import DryRun, Step
from support import harbour as h
from support.played_scenarios import begun
from support.scale import scaled
from support.searched_harbour import night_boat

# Those that take longest to search come last; all of them from CAMPAIGN_SCALE=2 on.
LONGEST = ("tic_tac_toe", "lost_property", "lamp_night", "dead_drop")
SCENARIOS = sorted(
    (Path(__file__).parents[2] / "scenarios").glob("*.yaml"),
    key=lambda path: (path.stem in LONGEST and LONGEST.index(path.stem) + 1, path.stem),
)[: scaled(4)]
# Things and rules are reported and not promised: a thing may stay in somebody's hand, a rule may be there to forbid.
PROMISED: tuple[GoalKind, ...] = ("ending", "discoverable", "find", "way of opening", "place", "person")


@pytest.mark.campaign
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_everything_in_a_scenario_is_reached_by_typed_lines(path: Path, tmp_path: Path) -> None:
    with begun(str(path), tmp_path) as campaign:
        found = reach_goals(campaign, kinds=PROMISED)
    assert [str(failure) for failure in found.failures] == []
    assert set(found.ways) == set(found.goals)
    assert {goal.kind for goal in found.goals} >= {"ending", "person", "place"}
    assert max(len(way) for way in found.ways.values()) <= MOST_TURNS


@pytest.mark.campaign
def test_every_kind_of_goal_is_looked_for(tmp_path: Path) -> None:
    found = night_boat(tmp_path)
    assert found.failures == []
    assert {f"{goal.kind} {goal.name}" for goal in found.goals} == {
        "ending fled",
        "way of opening owning_up (success)",
        "way of opening owning_up (mixed)",
        "find harbour:tavern:discoverable#letter",
        "discoverable harbour:tavern:discoverable#letter",
        "person Osk",
        "person Bea",
        "place The Tavern",
        "place The Quay",
        "rule owning_up",
        "thing lantern",
        "thing coil of rope",
        "thing rusty key",
    }


def only_failure(found: ReachedGoals, kind: str, name: str) -> str:
    """What is said of the goal, which must be the only one that was not reached."""
    assert [(failure.goal.kind, failure.goal.name) for failure in found.failures] == [(kind, name)]
    return str(found.failures[0])


CELLAR = ("quay: {exits: {tavern", "cellar: {name: the cellar}\n      quay: {exits: {tavern")


@pytest.mark.campaign
def test_a_place_behind_a_lock_without_a_key_is_named_with_what_it_needs(tmp_path: Path) -> None:
    locked = ("cellar: {to: quay, via: hatch}", "down: {to: cellar, via: hatch}")
    found = night_boat(tmp_path, CELLAR, locked, ("[{give: hatch_key}]", "[{clock: dread}]"), kinds=PROMISED)
    said = only_failure(found, "place", "the cellar")
    assert "nothing leads to it; it needs hatch being unlocked or having hatch_key" in said


@pytest.mark.campaign
def test_a_lock_whose_key_is_found_first_is_no_hindrance(tmp_path: Path) -> None:
    found = night_boat(tmp_path, CELLAR, ("cellar: {to: quay, via: hatch}", "down: {to: cellar, via: hatch}"))
    assert found.failures == []
    way = next(way for goal, way in found.ways.items() if goal.name == "the cellar")
    assert [step.line for step in way] == ["search under the counter", "go down"]


@pytest.mark.campaign
def test_an_ending_that_asks_for_what_excludes_itself_is_named_with_how_near_one_comes(tmp_path: Path) -> None:
    """Each half can be had, so that no estimate rules it out: it must be tried."""
    rules = "rules:\n      - {id: to, on: {act: go, target: quay}, success: [{thread: lost, status: warm}]}\n      - {id: back, on: {act: go, target: tavern}, success: [{thread: lost, status: cold}]}"
    both = (
        "endings:\n      both: {say: Both., when: {all: [{thread: lost, status: warm}, {thread: lost, status: cold}]}}"
    )
    said = only_failure(night_boat(tmp_path, ("rules:", rules), ("endings:", both)), "ending", "both")
    assert "about 1 step away; still missing: the thread lost being cold (nearest after: " in said


@pytest.mark.campaign
def test_an_ending_that_comes_too_late_is_out_of_reach(tmp_path: Path) -> None:
    """The story is over after two ways, and four are needed."""
    ticking = "rules:\n      - {id: walk, on: {act: go}, success: [{clock: dread}, {clock: steps}]}"
    clocks = ("dread: {name: Dread,", "steps: {max: 9}\n      dread: {name: Dread,")
    late = "endings:\n      late: {say: Late., when: {clock: steps, min: 4}}"
    found = night_boat(tmp_path, clocks, ("rules:", ticking), ("endings:", late))
    assert "2 steps away; still missing: the clock steps at 4" in only_failure(found, "ending", "late")


@pytest.mark.campaign
def test_each_act_and_each_reason_that_opens_a_secret_is_a_way_of_its_own(tmp_path: Path) -> None:
    reasons = "{any: [{has: rope}, {revealed: osk/knows#boat}, {has: hatch_key}]}"
    found = night_boat(
        tmp_path,
        ("when: {not: {revealed: osk/withholds#debt}}", f"when: {reasons}"),
        ("act: ask,", "act: [ask, persuade],"),
        ("[{give: hatch_key}]", "[{clock: dread}]"),
        kinds=PROMISED,
    )
    ways = {goal.name for goal in found.ways if goal.kind == "way of opening"}
    assert ways == {
        *("owning_up (success)", "owning_up (mixed)", "owning_up (by ask)", "owning_up (by persuade)"),
        *("owning_up (with having rope)", "owning_up (with knowing osk/knows#boat)"),
    }
    said = only_failure(found, "way of opening", "owning_up (with having hatch_key)")
    assert "nothing leads to it; it needs having hatch_key" in said


TIMES = """
    ---
    id: quay
    type: location
    ---
    # The Quay

    Wet stone and rope.

    ## Discoverable

    - {#feather} search the steps: A grey feather is stuck to the third step.
    - {#boot} (when clock dread >= MIN) search the chain: A boot hangs from the chain, laced.
"""


@pytest.mark.campaign
def test_what_is_there_at_times_only_is_found_at_its_time(tmp_path: Path) -> None:
    found = night_boat(tmp_path, quay=TIMES.replace("MIN", "2"))
    assert found.failures == []
    way = next(way for goal, way in found.ways.items() if goal.name == "harbour:quay:discoverable#boot")
    assert way[-1].line == "search the chain"
    assert len(way) >= 4


@pytest.mark.campaign
def test_what_is_there_when_the_story_is_over_is_out_of_reach(tmp_path: Path) -> None:
    found = night_boat(tmp_path, quay=TIMES.replace("MIN", "3"))
    assert "the clock dread at 3" in only_failure(found, "discoverable", "harbour:quay:discoverable#boot")


@pytest.mark.campaign
def test_what_no_dice_can_show_is_out_of_reach(tmp_path: Path) -> None:
    found = night_boat(tmp_path, ("traits: {charm: 1}", "traits: {charm: -4}"))
    said = only_failure(found, "way of opening", "owning_up (success)")
    assert "still missing: " in said


@pytest.mark.campaign
def test_an_item_that_its_own_words_do_not_find_is_named(tmp_path: Path) -> None:
    """Somebody who waits behind every search leaves nothing to be found."""
    guard = "rules:\n      - {id: guard, on: {act: search}, check: {dice: 2d6, add: wits}, success: [{end: fled}], mixed: [{end: fled}], fail: [{end: fled}]}"
    found = night_boat(tmp_path, ("rules:", guard), kinds=PROMISED)
    assert {failure.goal.name for failure in found.failures} == {"harbour:tavern:discoverable#letter"}


def test_a_plan_that_does_not_work_is_not_taken_for_proof(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as campaign:
        run = DryRun(campaign.setting.rules, campaign.setting.generations)
        plays = PlayedPlans(campaign, GoalSearch(run, campaign.store.head().state))
        assert [str(node.step) for node in plays.play((Step("go quay"), Step("go tavern")))] == ["go quay", "go tavern"]
        assert [str(node.step) for node in plays.play((Step("go quay"), Step("look")))] == ["go quay", "look"]
        assert campaign.store.head().turn_no == 2
        with pytest.raises(PlanFailed, match="asked back or refused"):
            plays.play((Step("go quay"), Step("fly to the moon")))


@pytest.mark.campaign
@pytest.mark.parametrize(
    "line", ["ask Osk about the boat", "ask Osk about the debt", "go quay", "search", "take the rope"]
)
def test_a_dry_run_comes_to_what_the_pipeline_comes_to(line: str, tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as campaign:
        search = GoalSearch(DryRun(campaign.setting.rules, campaign.setting.generations), campaign.store.head().state)
        wished = search.after(SearchNode(search.start), Step(line, "mixed"))
        assert wished is not None
        played = PlayedPlans(campaign, search).play((Step(line, "mixed"),))[-1]
        assert (played.state.truth_hash(), played.fired) == (wished.state.truth_hash(), wished.fired)
        assert played.state.truth_hash() == campaign.store.head().state.truth_hash()
