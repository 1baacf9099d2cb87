"""Plans of the solver -> turns of the real pipeline: a plan proves nothing until it is played.

Nobody chooses the dice: a line is submitted with other action IDs until its dice fall as in the plan, as they may for
any player who takes a turn back and says it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.solver.search import GoalSearch, SearchNode
from lorewright.rules.dice import SeededDice
from lorewright.rules.patch import Patch
from lorewright.turn.run.dry_run import Step
from lorewright.turn.store.turn_store import undo
from lorewright.turn.views.draft import Head
from lorewright.values.records import TurnResult

# A line is tried so often until its dice come to the band of the plan: 2d6 come to twelve once in 36.
_THROWS = 400
# So often until they lead to the very state of the plan; then the band is enough.
_EXACT_THROWS = 60


class PlanFailed(Exception):
    """A plan that cannot be played as it was found."""


@dataclass(slots=True)
class PlayedPlans:
    """A campaign in which plans are played, each after the turns of the last are taken back as far as they differ."""

    campaign: OpenCampaign
    search: GoalSearch
    played: list[SearchNode] = field(default_factory=list)
    throws: int = 0

    def play(self, plan: Sequence[Step]) -> list[SearchNode]:
        """Play a plan and return the nodes on the way; the start is not among them.

        Raises:
            PlanFailed: a line was asked back or refused, led to another state than without the pipeline, or its dice
                never fell as in the plan.
        """
        shared = 0
        while shared < min(len(plan), len(self.played)) and self.played[shared].step == plan[shared]:
            shared += 1
        if shared < len(self.played):
            undo(self.campaign.store, turns=self.campaign.store.position().turn_no - shared)
            del self.played[shared:]
        for step in plan[shared:]:
            self.played.append(self._submit(step))
        return list(self.played)

    def _submit(self, step: Step) -> SearchNode:
        head = self.campaign.store.head()
        node = self.played[-1] if self.played else SearchNode(head.state)
        action_id, wanted = self._throw(head, step)
        result_json = asyncio.run(self.campaign.submit(step.line, action_id=action_id, builtin=True))
        result = TurnResult.model_validate_json(result_json)
        after = self.campaign.store.head().state
        if after.truth_hash() != wanted.state.truth_hash():
            raise PlanFailed(f"{step.line!r} led to another state when it was played")
        return self.search.node_after(node, step, after, result.rolls, result.engine_events)

    def _throw(self, head: Head, step: Step) -> tuple[str, Patch]:
        """Return the first action ID whose dice lead to the state of the plan, else to its bands, and the patch."""
        run, state, seed = self.search.run, head.state, self.campaign.setting.seed
        attempts, wished = run.attempts(state, step.line), run.try_step(state, step)
        if attempts is None or wished is None:
            raise PlanFailed(f"{step.line!r} is asked back or refused")
        bands, key = [roll.band for roll in wished.rolls], self.search.key(wished.state)
        alike: tuple[str, Patch] | None = None
        for number in range(_THROWS):
            self.throws += 1
            action_id = f"try-{self.throws}"
            dice = SeededDice(seed, state.truth_hash(), action_id)
            patch = run.play(state, attempts, dice, turn_no=head.turn_no + 1)
            if [roll.band for roll in patch.rolls] == bands:
                if self.search.key(patch.state) == key:
                    return action_id, patch
                alike = alike or (action_id, patch)
            if alike is not None and number >= _EXACT_THROWS:
                return alike
        if alike is not None:
            return alike
        raise PlanFailed(f"{step.line!r} never came to {step.band} in {_THROWS} throws")
