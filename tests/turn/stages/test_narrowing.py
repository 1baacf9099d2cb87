"""What the stages narrow the schemas of their answers to: nothing that they accept is ruled out, and what was made up
is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelRequest
from lorewright.llm.providers.messages import narrow_schema
from lorewright.turn.stages.stage import one_of
from support import harbour as h

REAL = ("game:player", "harbour:osk", "harbour:tavern")


def answers(request: ModelRequest) -> Any:
    """Return an answer of each stage that holds."""
    match request.stage:
        case "interpreter":
            return {"intent": "ask", "actions": [{"type": "ask", "target_id": "harbour:osk", "words": "the boat"}]}
        case "planner":
            return {"beats": ["Osk hears it."], "tension_move_type": "none"}
        case "narrator":
            return "It is quiet."
        case "lore_extractor":
            return {"new_observations": [{"character_id": "harbour:osk", "content": "It was quiet.", "importance": 2}]}
    raise AssertionError(request.stage)


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ModelRequest]:
    """Return the request of each stage in a turn."""
    model = ScriptedModel(answers)
    app = h.with_models(h.harbour(tmp_path_factory.mktemp("narrow")), dict.fromkeys(STAGES, model))
    h.say(app, "wamble about somebody or other, perhaps")
    return {request.stage: request for request in model.requests}


STAGES = ("interpreter", "planner", "narrator", "lore_extractor")


def schema_of(request: ModelRequest) -> dict[str, Any]:
    assert request.schema is not None
    return narrow_schema(request.schema, request.narrow)


@pytest.mark.parametrize("stage", [stage for stage in STAGES if stage != "narrator"])
def test_what_a_stage_accepts_fits_what_its_schema_is_narrowed_to(
    requests: dict[str, ModelRequest], stage: str
) -> None:
    assert requests[stage].narrow
    jsonschema.validate(answers(requests[stage]), schema_of(requests[stage]))


@pytest.mark.parametrize(
    ("stage", "answer"),
    [
        ("interpreter", {"intent": "x", "actions": [{"type": "levitate"}]}),
        ("interpreter", {"intent": "x", "actions": [{"type": "ask", "target_id": "h:assistant"}]}),
        ("planner", {"beats": ["ice"] * 9}),
        ("planner", {"beats": ["ice " * 200]}),
        ("lore_extractor", {"established_facts": [{"subject_id": "h:lamp", "predicate": "is", "detail": "lit"}]}),
        ("lore_extractor", {"new_observations": [{"character_id": "h:tove", "content": "x", "importance": 1}]}),
        ("lore_extractor", {"thread_updates": [{"id": "nothing", "status": "open"}]}),
    ],
)
def test_what_weak_models_made_up_does_not_fit(
    requests: dict[str, ModelRequest], stage: str, answer: dict[str, Any]
) -> None:
    jsonschema.validate(answer, requests[stage].schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(answer, schema_of(requests[stage]))


def test_a_fact_may_be_about_what_the_narration_brings_in(requests: dict[str, ModelRequest]) -> None:
    item = {"id": "brass_lamp", "name": "brass lamp", "location": "harbour:tavern"}
    fact = {"subject_id": "brass_lamp", "predicate": "state", "detail": "lit"}
    jsonschema.validate(
        {"introduced_items": [item], "established_facts": [fact]}, schema_of(requests["lore_extractor"])
    )


def test_a_schema_lists_no_id_that_the_prompt_does_not(requests: dict[str, ModelRequest]) -> None:
    for stage in ("interpreter", "lore_extractor"):
        listed = {name for name in texts_in(requests[stage].narrow) if ":" in name}
        assert listed and all(name in requests[stage].text for name in listed), stage


def texts_in(value: Any) -> Iterator[str]:
    """Yield all texts of enumerations in keywords."""
    yield from (text for part in json.loads(json.dumps(value)).values() for text in enums_in(part))


def enums_in(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from (text for text in part.get("enum", ()) if isinstance(text, str))
        for inner in part.values():
            yield from enums_in(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from enums_in(inner)


def test_of_too_many_ids_none_is_listed() -> None:
    assert one_of(f"town:{number}" for number in range(300)) == {}
    assert one_of(["b", "a", "b"]) == {"enum": ["b", "a"]}
