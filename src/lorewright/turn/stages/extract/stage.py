"""Extract: a narration -> its additions to the world, as proposals. Whether any of them is true is decided
elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorewright.turn.stages.extract.context import lore_extractor_context
from lorewright.turn.stages.stage import Stage
from lorewright.values.proposals import ExtractorInput, ExtractorOutput


class Extract(Stage[ExtractorInput, ExtractorOutput, ExtractorOutput]):
    """The stage that reads what a model's narration has established. A built-in narration adds nothing to what the
    rules did."""

    name = "lore_extractor"
    answer_type = ExtractorOutput
    made_type = ExtractorOutput
    builtin_version = 1

    def builtin_answer(self, given: ExtractorInput) -> ExtractorOutput:
        """Return an empty output."""
        return ExtractorOutput()

    def context(self, given: ExtractorInput) -> Mapping[str, Any]:
        """Return the variables: the narration, and what is on record."""
        return lore_extractor_context(given).model_dump(mode="json")

    def wrong_with(self, answer: ExtractorOutput, given: ExtractorInput) -> str | None:
        """Return what is wrong: a subject, place, person or thread that was not in the input; else None."""
        known = {given.place_id, given.player_id, *given.present, *given.things}
        new = {npc.id for npc in answer.introduced_npcs} | {item.id for item in answer.introduced_items}
        for fact in answer.established_facts:
            if fact.subject_id not in known | new:
                return f"established_facts: {fact.subject_id} is neither in the scene nor introduced"
        for item in answer.introduced_items:
            if item.location not in known:
                return f"introduced_items: {item.location} is not in the scene"
        for observation in answer.new_observations:
            if observation.character_id not in given.present:
                return f"new_observations: {observation.character_id} is not there to remember anything"
        threads = {str(thread["id"]) for thread in given.threads}
        for update in answer.thread_updates:
            if update.id not in threads:
                return f"thread_updates: {update.id} is not an open thread"
        for step in answer.relation_changes:
            if not {step.a_id, step.b_id} <= set(given.present):
                return f"relation_changes: {step.a_id} and {step.b_id} are not both there"
        for change in answer.state_ops:
            if f"scene.{change.path.removeprefix('scene.')}" not in given.writable:
                paths = ", ".join(path.removeprefix("scene.") for path in given.writable) or "nothing"
                return f"state_ops: {change.path} is not a narration's to change, {paths} is"
        return None

    def made_of(self, answer: ExtractorOutput, given: ExtractorInput) -> ExtractorOutput:
        """Return the answer as it is."""
        return answer
