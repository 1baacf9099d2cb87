"""Whoever changes the answers of a built-in stage raises its version."""

from __future__ import annotations

import pytest

from lorewright.turn.stages.narrate.stage import Narrate
from lorewright.values.records import NarratorInput, NarratorOutput
from support.builtin_answers import MOST, answer_hash, kept_answers, renewed, stages


class Shouting(Narrate):
    def builtin_answer(self, given: NarratorInput) -> NarratorOutput:
        told = super().builtin_answer(given)
        return told.model_copy(update={"final_text": told.final_text.upper()})


@pytest.mark.parametrize("name", MOST)
def test_a_built_in_stage_answers_as_its_version_did(name: str) -> None:
    """If this fails: raise `builtin_version` beside the stage, then run tests/support/builtin_answers.py. Where inputs
    cannot be read any more, that is enough."""
    stage, kept = stages()[name], kept_answers()[name]
    assert kept["answers"]
    assert kept["version"] == stage.builtin_version, "run: PYTHONPATH=tests python -m support.builtin_answers"
    changed = [input_json for input_json, answer in kept["answers"].items() if answer_hash(stage, input_json) != answer]
    assert len(changed) == 0, f"the {name} answers {len(changed)} inputs otherwise than version {kept['version']} did"


def test_another_answer_is_noticed_and_the_kept_ones_of_a_version_are_not_replaced() -> None:
    kept = kept_answers()
    input_json, answer = next(iter(kept["narrator"]["answers"].items()))
    assert answer_hash(Shouting(), input_json) not in (answer, None)
    only = {"narrator": {**kept["narrator"], "answers": {input_json: answer_hash(Shouting(), input_json)}}}
    with pytest.raises(SystemExit, match="raise its builtin_version"):
        renewed(only, {})
    older = {"narrator": {**only["narrator"], "version": 0}}
    assert renewed(older, {})["narrator"]["answers"] == {input_json: answer}
