"""The schemas that servers make grammars of: their bounds, and the IDs in sight."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from lorewright.llm.gateway import estimated_input
from lorewright.llm.model import ModelRequest, Narrow
from lorewright.llm.providers.messages import narrow_schema
from lorewright.settings import ModelSettings, ModelsSettings
from support.model_apis import ModelServer
from support.model_requests import KEYS, PROMPT, asked_at


class Deed(BaseModel):
    target_id: str | None = None
    words: str = Field(default="", max_length=40)


class Deeds(BaseModel):
    first: Deed | None = None
    deeds: list[Deed] = Field(max_length=3)
    place_id: Annotated[str, Field(min_length=1, max_length=9)]
    strength: int = Field(ge=1, le=5)


NARROW: Narrow = {
    "place_id": {"enum": ["town:bar", "town:quay"]},
    "deeds.*.target_id": {"enum": ["town:mira"]},
    "deeds": {"maxItems": 2},
}


def sent(server: ModelServer, key: str, settings: ModelsSettings | None = None, narrow: Narrow = NARROW) -> Any:
    server._answer = lambda asked: {"anything": 1}
    request = ModelRequest("planner", PROMPT, Deeds.model_json_schema(), narrow=narrow)
    asyncio.run(asked_at(server, key, settings).complete(request))
    return server.asked[-1].schema


def test_a_server_of_ones_own_is_sent_bounds_and_the_ids_in_sight(server: ModelServer) -> None:
    fields = sent(server, "ollama/some-model")["properties"]
    assert fields["place_id"] == {"type": "string", "enum": ["town:bar", "town:quay"]}
    assert (fields["strength"]["minimum"], fields["strength"]["maximum"]) == (1, 5)
    assert fields["deeds"]["maxItems"] == 2
    deed = fields["deeds"]["items"]["properties"]
    assert deed["words"]["maxLength"] == 40
    assert deed["target_id"]["anyOf"] == [{"type": "string", "enum": ["town:mira"]}, {"type": "null"}]


@pytest.mark.parametrize("key", [key for key in KEYS if not key.startswith("ollama")])
def test_a_vendor_is_sent_the_same_schema_in_every_turn(server: ModelServer, key: str) -> None:
    assert sent(server, key) == sent(server, key, narrow={})


def test_a_gateway_to_a_vendor_that_refuses_lengths_is_sent_none(server: ModelServer) -> None:
    row = ModelSettings(provider="openai-compatible", model="openai/gpt-5.2", base_url=f"{server.url}/v1")
    fields = sent(server, "gate", ModelsSettings(keys={"gate": row}))["properties"]
    assert fields["deeds"]["maxItems"] == 2
    assert "maxLength=40" in fields["deeds"]["items"]["properties"]["words"]["description"]


def test_what_is_narrowed_in_one_place_stays_as_it_is_in_others() -> None:
    schema = Deeds.model_json_schema()
    narrowed = narrow_schema(schema, NARROW)
    assert schema == Deeds.model_json_schema()
    assert narrowed["properties"]["first"] == schema["properties"]["first"]
    assert narrowed["$defs"] == schema["$defs"]


def test_where_there_is_nothing_to_choose_from_what_may_be_null_is_null() -> None:
    narrowed = narrow_schema(Deeds.model_json_schema(), {"first.target_id": {"enum": []}, "place_id": {"enum": []}})
    (first, _) = narrowed["properties"]["first"]["anyOf"]
    assert first["properties"]["target_id"]["anyOf"] == [{"type": "null"}]
    assert narrowed["properties"]["place_id"]["maxLength"] == 9


def test_the_ids_in_sight_are_counted_before_a_call() -> None:
    schema = Deeds.model_json_schema()
    bare, narrowed = (ModelRequest("planner", PROMPT, schema, narrow=narrow) for narrow in ({}, NARROW))
    assert estimated_input(narrowed) > estimated_input(bare)
