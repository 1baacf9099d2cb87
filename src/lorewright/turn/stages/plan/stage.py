"""Plan: judged actions -> the beats of the narration, and how the tension moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorewright.builtin.planner import plan
from lorewright.llm.model import Narrow
from lorewright.turn.stages.plan.context import planner_context
from lorewright.turn.stages.stage import Stage
from lorewright.values.records import PlannerInput, PlannerOutput

# The most notes of a plan, and the most characters of each, which is a sentence or two.
MAX_NOTES = 8
MAX_NOTE = 400


class Plan(Stage[PlannerInput, PlannerOutput, PlannerOutput]):
    """The stage that plans beats and tension."""

    name = "planner"
    answer_type = PlannerOutput
    made_type = PlannerOutput
    builtin_version = 1

    def builtin_answer(self, given: PlannerInput) -> PlannerOutput:
        """Return the plan from the table of beats."""
        return plan(given)

    def context(self, given: PlannerInput) -> Mapping[str, Any]:
        """Return the variables: who is here, what threatens, what will be tried."""
        return planner_context(given).model_dump(mode="json")

    def narrow(self, given: PlannerInput) -> Narrow:
        """Return the bounds to which an answer is cut."""
        notes, note = {"maxItems": MAX_NOTES}, {"maxLength": MAX_NOTE}
        return {
            "beats": notes,
            "beats.*": note,
            "tension_move": note,
            "tension_move_type": note,
            "clarification_question": note,
            "next_suggestions": notes,
            "next_suggestions.*": note,
        }

    def made_of(self, answer: PlannerOutput, given: PlannerInput) -> PlannerOutput:
        """Return the answer cut to its bounds: the narrator gets notes, not another story."""
        return PlannerOutput(
            beats=tuple(beat[:MAX_NOTE] for beat in answer.beats[:MAX_NOTES]),
            tension_move=answer.tension_move[:MAX_NOTE],
            tension_move_type=answer.tension_move_type[:MAX_NOTE],
            clarification_question=answer.clarification_question[:MAX_NOTE],
            next_suggestions=tuple(line[:MAX_NOTE] for line in answer.next_suggestions[:MAX_NOTES]),
        )
