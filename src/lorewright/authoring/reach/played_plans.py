"""What can be reached in a scenario, proven by playing it: plans of the breadth-first player -> turns of the real pipeline.

Nobody chooses the dice: a line is said on the same state until they fall as the plan has it, as they may for whoever
takes a turn back and says it again. `python tests/reach.py [SCENARIO]` prints what was reached, and how.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lorewright.bootstrap import open_app
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.lore_bootstrap import make_workspace
from lorewright.rules.dice import SeededDice
from lorewright.rules.patch import Patch
from lorewright.turn.store.turn_store import undo
from lorewright.turn.views.draft import Head
from lorewright.values.records import TurnResult
from support.breadth_first_player import Failure, Goal, Node, Search
from support.dry_run import DryRun, Step

# A line is said so often until its dice fall as the plan has it: 2d6 come to twelve once in 36.
_THROWS = 400


@dataclass(slots=True)
class Proof:
    """Plans played through the real pipeline in one campaign, whose turns are taken back between them."""

    campaign: OpenCampaign
    search: Search
    played: list[Node] = field(default_factory=list)
    throws: int = 0

    def play(self, plan: Sequence[Step]) -> list[Node]:
        """The nodes on the way, as they were played.

        Raises:
            AssertionError: a line was asked back or refused, came to something else than without the pipeline, or no dice fell so.
        """
        shared = 0
        while shared < min(len(plan), len(self.played)) and self.played[shared].step == plan[shared]:
            shared += 1
        if shared < len(self.played):
            undo(self.campaign.store, turns=self.campaign.store.position().turn_no - shared)
            del self.played[shared:]
        for step in plan[shared:]:
            self.played.append(self._say(step))
        return list(self.played)

    def _say(self, step: Step) -> Node:
        head = self.campaign.store.head()
        node = self.played[-1] if self.played else Node(head.state)
        action_id, wanted = self._throw(head, step)
        result = TurnResult.model_validate_json(asyncio.run(self.campaign.submit(step.line, action_id=action_id)))
        after = self.campaign.store.head().state
        if after.truth_hash() != wanted.state.truth_hash():
            raise AssertionError(f"{step.line!r} came to something else when it was played")
        return self.search.node_after(node, step, after, result.rolls, result.engine_events)

    def _throw(self, head: Head, step: Step) -> tuple[str, Patch]:
        """The ID of the first submission whose dice come to the band, and what it will come to."""
        run, state, seed = self.search.run, head.state, self.campaign.setting.seed
        attempts, wished = run.attempts(state, step.line), run.try_step(state, step)
        if attempts is None or wished is None:
            raise AssertionError(f"{step.line!r} is asked back or refused")
        bands = [roll.band for roll in wished.rolls]
        for _ in range(_THROWS):
            self.throws += 1
            action_id = f"try-{self.throws}"
            dice = SeededDice(seed, state.truth_hash(), action_id)
            patch = run.play(state, attempts, dice, turn_no=head.turn_no + 1)
            if [roll.band for roll in patch.rolls] == bands:
                return action_id, patch
        raise AssertionError(f"{step.line!r} never came to {step.band} in {_THROWS} throws")


@dataclass(frozen=True, slots=True)
class Reach:
    """What was reached by which lines, played, and what was not."""

    goals: tuple[Goal, ...]
    ways: dict[Goal, tuple[Step, ...]]
    failures: tuple[Failure, ...]


def reach(campaign: OpenCampaign) -> Reach:
    """Plan for every goal, then play the plans, the longest first: what one shows on its way need not be played again.

    Everybody else sits still: what can be reached is reached by what the player does, whatever people do of themselves.
    """
    campaign.change_setting(rules=campaign.setting.rules.model_copy(update={"profile": "freeform"}))
    run = DryRun(campaign.setting)
    start = campaign.store.head().state
    search = Search(run, start)
    goals = search.goals()
    plans: dict[Goal, tuple[Step, ...]] = {}
    failures: list[Failure] = []
    for goal in goals:
        found = search.plan(goal)
        if isinstance(found, Failure):
            failures.append(found)
        else:
            plans[goal] = found.plan()
    return _played(campaign, search, goals, plans, failures)


def _played(
    campaign: OpenCampaign,
    search: Search,
    goals: Sequence[Goal],
    plans: dict[Goal, tuple[Step, ...]],
    failures: list[Failure],
) -> Reach:
    proof = Proof(campaign, search)
    ways: dict[Goal, tuple[Step, ...]] = {}
    _note(search, goals, [Node(search.start)], ways)
    for goal, plan in sorted(plans.items(), key=lambda one: (-len(one[1]), [step.line for step in one[1]])):
        if goal in ways:
            continue
        try:
            nodes = proof.play(plan)
        except AssertionError as problem:
            failures.append(Failure(goal, str(problem), plan))
            continue
        _note(search, goals, nodes, ways)
        if goal not in ways:
            failures.append(Failure(goal, "the plan was played and did not reach it", plan))
    return Reach(tuple(goals), ways, tuple(failures))


def _note(search: Search, goals: Iterable[Goal], nodes: Sequence[Node], ways: dict[Goal, tuple[Step, ...]]) -> None:
    """Note each goal that is reached on the way, with the steps to it, where it was not reached before."""
    steps = tuple(node.step for node in nodes if node.step is not None)
    offset = len(nodes) - len(steps)
    for number, node in enumerate(nodes):
        for goal in goals:
            if goal not in ways and search.is_reached(goal, node):
                ways[goal] = steps[: number + 1 - offset]


def reach_of(scenario: str, folder: Path, *, seed: int = 1) -> Reach:
    """What can be reached in a scenario of the checkout, or in a file, in a workspace below the folder."""
    make_workspace(folder / "workspace")
    app = open_app(folder / "workspace")
    app.campaigns.new(scenario, campaign_id="game", seed=seed)
    with app.campaigns.open("game") as campaign:
        return reach(campaign)


def main() -> None:
    """Print for a scenario what was reached and how."""
    os.environ.update(LOREWRIGHT_EMBEDDER="none", LOREWRIGHT_CHROMA="never")
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        found = reach_of(sys.argv[1] if len(sys.argv) > 1 else "dead_drop", Path(folder))
    for goal, way in found.ways.items():
        sys.stdout.write(f"{goal.kind} {goal.name} ({len(way)}): {'; '.join(map(str, way))}\n")
    for failure in found.failures:
        sys.stdout.write(f"NOT {failure}\n")
    sys.stdout.write(f"{len(found.ways)} of {len(found.goals)} in {time.monotonic() - began:.1f} s\n")


if __name__ == "__main__":
    main()
