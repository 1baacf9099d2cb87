"""The extractors of inner life: an intention -> changes of the actor's own states. They run concurrently with the
narrator and do not know the outcome: a theft was attempted, whether it succeeded or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorewright.builtin.inner import change_states
from lorewright.turn.stages.inner.context import character_extractor_context, persona_extractor_context
from lorewright.turn.stages.stage import Stage
from lorewright.values.inner import NEW_AT_ONCE, InnerInput, StateChange, StateExtractorOutput, can_be_opened, kind_of


class _InnerExtractor(Stage[InnerInput, StateExtractorOutput, StateExtractorOutput]):
    answer_type = StateExtractorOutput
    made_type = StateExtractorOutput
    builtin_version = 1

    def builtin_answer(self, given: InnerInput) -> StateExtractorOutput:
        """Return the changes of the table for the typed actions; none for most."""
        return change_states(given)

    def answer_without_model(self, given: InnerInput) -> StateExtractorOutput | None:
        """Return an empty output if there is no state that could move."""
        return None if given.all_states else StateExtractorOutput()

    def wrong_with(self, answer: StateExtractorOutput, given: InnerInput) -> str | None:
        """Return what is wrong: a state that they do not have and that cannot be opened, or a value of another kind
        than the current one; else None."""
        known = {state.name: state.value for state in given.all_states}
        opened = [change.name for change in answer.changes if change.name not in known and can_be_opened(change)]
        for change in answer.changes:
            if change.name in opened[: min(given.new_states, NEW_AT_ONCE)]:
                continue
            if change.name not in known:
                return f"changes: {_cut(change.name)} is none of the listed states: {', '.join(known)}"
            if not _is_of_its_kind(change, known[change.name]):
                return f"changes: {change.name} is a {kind_of(known[change.name])}; give its new value as one"
        return None

    def made_of(self, answer: StateExtractorOutput, given: InnerInput) -> StateExtractorOutput:
        """Return the answer as it is."""
        return answer


class PersonaExtract(_InnerExtractor):
    """The stage for the inner life of the player's character."""

    name = "persona_extractor"

    def context(self, given: InnerInput) -> Mapping[str, Any]:
        """Return the variables of the persona's own view."""
        return persona_extractor_context(given).model_dump(mode="json")


class CharacterExtract(_InnerExtractor):
    """The stage for the inner life of a character of the cast."""

    name = "character_extractor"

    def context(self, given: InnerInput) -> Mapping[str, Any]:
        """Return the variables of the character's own view."""
        return character_extractor_context(given).model_dump(mode="json")


def _is_of_its_kind(change: StateChange, was: Any) -> bool:
    return change.value is None or was is None or kind_of(change.value) == kind_of(was)


def _cut(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:39]}…"
