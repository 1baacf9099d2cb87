"""Extract: a narration -> its additions to the world, as proposals. Whether any of them is true is decided
elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorewright.llm.model import Narrow
from lorewright.turn.stages.extract.context import lore_extractor_context
from lorewright.turn.stages.stage import NONE_OF_THEM, Stage, one_of
from lorewright.values.proposals import ExtractorInput, ExtractorOutput

# An ID that an answer gives to what it introduces, as the prompt asks for it.
_NEW_ID = {"type": "string", "pattern": "^[a-z0-9_]{1,60}$"}


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

    def narrow(self, given: ExtractorInput) -> Narrow:
        """Return the IDs and paths of the input; lists that could only hold others are empty. A fact may also be about
        somebody or something that the answer introduces, under a new ID."""
        known, present = one_of(_in_scene(given)), one_of(given.present)
        threads = [str(thread["id"]) for thread in given.threads]
        paths = [name for path in given.writable for name in (path.removeprefix("scene."), path)]
        return {
            "established_facts.*.subject_id": {"anyOf": [{"type": "string", **known}, _NEW_ID]} if known else {},
            "introduced_items.*.location": known,
            "new_observations": {} if given.present else NONE_OF_THEM,
            "new_observations.*.character_id": present,
            "thread_updates": {} if threads else NONE_OF_THEM,
            "thread_updates.*.id": one_of(threads),
            "relation_changes": {} if given.moves_relations and len(given.present) > 1 else NONE_OF_THEM,
            "relation_changes.*.a_id": present,
            "relation_changes.*.b_id": present,
            "state_ops": {} if paths else NONE_OF_THEM,
            "state_ops.*.path": one_of(paths),
        }

    def wrong_with(self, answer: ExtractorOutput, given: ExtractorInput) -> str | None:
        """Return what is wrong: a subject, place, person or thread that was not in the input; else None."""
        known = set(_in_scene(given))
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


def _in_scene(given: ExtractorInput) -> tuple[str, ...]:
    """Return the IDs of the place and of all that is there."""
    return given.place_id, given.player_id, *given.present, *given.things
