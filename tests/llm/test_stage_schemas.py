"""The answers of every stage, as each provider is asked for them: no field is lost on the way, and no warning is given."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from lorewright.generate.scenario.sentences import Outline
from lorewright.llm.model import ModelRequest
from lorewright.turn.stages.stages import STAGE_TYPES
from support.model_apis import ModelServer
from support.model_requests import KEYS, PROMPT, asked_at

ANSWERS: dict[str, type[BaseModel]] = {
    **{stage: types["output"] for stage, types in STAGE_TYPES.items() if "output" in types},
    "scenario_generator": Outline,
}
# Where something in an answer may have any shape, or names of its own, no provider guarantees it.
IN_WORDS = {"persona_extractor", "character_extractor", "scenario_generator"}


def fields_in(schema: Any) -> set[str]:
    """The names of all fields at any depth."""
    if isinstance(schema, list):
        return {name for one in schema for name in fields_in(one)}
    if not isinstance(schema, dict):
        return set()
    return {*schema.get("properties", {}), *(name for one in schema.values() for name in fields_in(one))}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("stage", ANSWERS)
def test_a_provider_is_asked_for_every_field_of_a_stage(server: ModelServer, stage: str, key: str) -> None:
    server._answer = lambda asked: {"anything": 1}
    schema = ANSWERS[stage].model_json_schema()
    asyncio.run(asked_at(server, key).complete(ModelRequest(stage, PROMPT, schema)))
    (asked,) = server.asked
    if stage in IN_WORDS:
        assert asked.schema is None
        assert all(f'"{name}"' in asked.system for name in fields_in(schema))
    else:
        assert fields_in(asked.schema) == fields_in(schema)
