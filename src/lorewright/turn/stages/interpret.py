"""Interpret: the player's words -> actions. A model may read them; what it names must be in the scope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorewright.turn.prompting.interpreter import interpreter_context
from lorewright.turn.records import InterpreterInput, InterpreterOutput, Scope
from lorewright.turn.stages.stage import Stage
from lorewright.turn.twins.interpreter import interpret


class Interpret(Stage[InterpreterInput, InterpreterOutput, InterpreterOutput]):
    """Prose to typed actions."""

    name = "interpreter"
    answer_type = InterpreterOutput

    def twin(self, given: InterpreterInput) -> InterpreterOutput:
        """The grammar."""
        return interpret(given)

    def context(self, given: InterpreterInput) -> Mapping[str, Any]:
        """The scope by ID, and the words."""
        return interpreter_context(given).model_dump(mode="json")

    def made_of(self, answer: InterpreterOutput, given: InterpreterInput) -> InterpreterOutput:
        """The answer as it is."""
        return answer


def unknown_reference(output: InterpreterOutput, scope: Scope) -> str | None:
    """What is wrong with a reading: an actor other than the player, or an ID that is not in the scope."""
    named = (*scope.people, *scope.here, *scope.carried, *scope.doors, *scope.topics, scope.place, scope.player)
    known = {one.id for one in named} | {way.to for way in scope.exits}
    for action in output.proposed_actions:
        if action.actor_id != scope.player.id:
            return f"{action.actor_id} is not the player"
        for reference in (action.target_id, action.location_id, action.item_id):
            if reference is not None and reference not in known:
                return f"{reference} is not in the scope"
    return None
