"""Plan: what was judged -> the beats of the telling and how the pressure moves."""

from __future__ import annotations

from lorewright.turn.records import PlannerInput, PlannerOutput
from lorewright.turn.stages.stage import Stage
from lorewright.turn.twins.planner import plan


class Plan(Stage[PlannerInput, PlannerOutput]):
    """Beats and tension."""

    name = "planner"
    output_type = PlannerOutput

    def twin(self, given: PlannerInput) -> PlannerOutput:
        """The table of beats."""
        return plan(given)
