"""Resolution: an attempt that no rule in code decides, and the rulebook -> a ruling. Code throws the dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorewright.llm.model import Narrow
from lorewright.turn.stages.resolution.context import resolution_context
from lorewright.turn.stages.stage import NONE_OF_THEM, Stage, one_of
from lorewright.values.proposals import ResolutionInput, ResolutionOutput

# The outcome where the rulebook asks for no dice.
NO_ROLL = "no roll"


class Resolve(Stage[ResolutionInput, ResolutionOutput, ResolutionOutput]):
    """The stage that rules by the rulebook. The built-in counterpart rules nothing: an attempt that code does not
    decide succeeds."""

    name = "resolution"
    answer_type = ResolutionOutput
    made_type = ResolutionOutput
    builtin_version = 1
    # Where a model rules nothing valid, the attempt is decided as without one, which is not the built-in answer.
    falls_back_on = ()

    def builtin_answer(self, given: ResolutionInput) -> ResolutionOutput:
        """Return a ruling without dice and changes."""
        return ResolutionOutput(resolved_outcome=NO_ROLL)

    def context(self, given: ResolutionInput) -> Mapping[str, Any]:
        """Return the variables: the rulebook, the paths that may change, and the attempt."""
        return resolution_context(given).model_dump(mode="json")

    def narrow(self, given: ResolutionInput) -> Narrow:
        """Return the outcomes, people and paths of the input."""
        paths = [name for path in given.writable for name in (path, path.removeprefix("scene."))]
        return {
            "resolved_outcome": one_of((*given.bands, NO_ROLL)),
            "new_observations": {} if given.names else NONE_OF_THEM,
            "new_observations.*.character_id": one_of(given.names),
            "state_ops": {} if paths else NONE_OF_THEM,
            "state_ops.*.path": one_of(paths),
            "state_ops.*.character_id": one_of(given.stat_blocks),
        }

    def wrong_with(self, answer: ResolutionOutput, given: ResolutionInput) -> str | None:
        """Return what is wrong: people or paths that were not in the input, or an outcome that the ruleset does not
        know; else None."""
        if answer.resolved_outcome not in (*given.bands, NO_ROLL):
            known = ", ".join((*given.bands, NO_ROLL))
            return f"resolved_outcome: {answer.resolved_outcome} is none of: {known}"
        for observation in answer.new_observations:
            if observation.character_id not in given.names:
                return f"new_observations: {observation.character_id} is not in the scene"
        for op in answer.state_ops:
            # A path without `scene` or `stats` is the scene's.
            if op.path not in given.writable and f"scene.{op.path}" not in given.writable:
                return f"state_ops: {op.path} is none of the paths that may be changed"
            if op.character_id is not None and op.character_id not in given.stat_blocks:
                return f"state_ops: {op.character_id} has no stat block here"
        return None

    def made_of(self, answer: ResolutionOutput, given: ResolutionInput) -> ResolutionOutput:
        """Return the answer as it is."""
        return answer
