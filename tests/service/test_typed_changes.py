"""What the OpenAPI document says of ops and actions is what the engine takes, and answers have them typed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from fastapi import FastAPI

from lorewright.errors import CampaignError, EditRefused
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verbs
from lorewright.service.web.access import Scope
from lorewright.service.web.api.desk import desk_api
from lorewright.service.web.api.play import play_api
from lorewright.service.web.client import LorewrightClient
from lorewright.service.web.openapi import action_schemas, describe_app, descriptions, op_schemas
from lorewright.service.write_tools import ops_of
from lorewright.turn.checks.tools import OUTSIDE_OPS
from lorewright.world.ops import OP_KINDS, AdvanceTime, Move
from support import harbour as h
from support.table_service import URL, Hall, hall

SCOPES: tuple[Scope, ...] = ("read", "play", "gm")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Hall]:
    with hall(h.harbour(tmp_path)) as opened:
        yield opened


def client_in(room: Hall) -> LorewrightClient:
    accounts = room.service.accounts
    secret, _ = accounts.new_token(accounts.owner(), name="bot", scopes=SCOPES)
    return LorewrightClient(URL, secret, http=room.stranger().client)


def document() -> dict[str, Any]:
    app = FastAPI(title="Lorewright")
    for router in (play_api, desk_api):
        app.include_router(router)
    describe_app(app)
    return app.openapi()


def checker(entry: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{entry}", **document()})


def test_the_document_is_the_same_each_time_and_refers_to_nothing_that_is_not_there() -> None:
    made = document()
    assert json.dumps(made) == json.dumps(document())
    schemas = made["components"]["schemas"]
    referred = {part.partition('"')[0] for part in json.dumps(made).split("#/components/schemas/")[1:]}
    assert referred == schemas.keys()


def test_bodies_and_answers_hold_unions_that_are_told_apart_by_a_key() -> None:
    schemas = document()["components"]["schemas"]
    assert schemas["NewOps"]["properties"]["ops"]["items"] == {"$ref": "#/components/schemas/Op"}
    assert schemas["EditDone"]["properties"]["followed"]["items"] == {"$ref": "#/components/schemas/StateOp"}
    assert schemas["TurnPlayed"]["properties"]["actions"]["items"] == {"$ref": "#/components/schemas/Action"}
    assert schemas["Op"]["discriminator"]["mapping"].keys() == set(OUTSIDE_OPS)
    assert schemas["StateOp"]["discriminator"]["mapping"].keys() == set(OP_KINDS)
    assert schemas["VerbAction"]["discriminator"]["mapping"].keys() == verbs().keys()


def test_every_key_of_an_op_and_an_action_is_described_and_every_text_is_of_a_key() -> None:
    for name, schema in {**op_schemas(), **action_schemas()}.items():
        for key, field in schema.get("properties", {}).items():
            assert field.get("description"), (name, key)
    said = descriptions()
    keys = {
        name.removesuffix("Op"): schema.get("properties", {}).keys() - {"op"} for name, schema in op_schemas().items()
    }
    assert {model: set(texts) for model, texts in said["ops"].items()} == {
        model: keys[model] for model in keys.keys() - {"", "State"}
    }
    assert said["action"].keys() == Action.model_fields.keys()
    assert said["metadata"].keys() == {key for verb in verbs().values() for key in verb.metadata.model_fields}


def test_every_example_of_an_op_is_one_that_the_engine_and_the_document_take() -> None:
    examples = descriptions()["examples"]
    assert [example["op"] for example in examples] == list(OP_KINDS)
    assert [op.op for op in ops_of(examples)] == list(OP_KINDS)
    check = checker("StateOp")
    for example in examples:
        check.validate(example)
    assert not checker("Op").is_valid({"op": "turn_pass"})


@pytest.mark.parametrize("kind", verbs())
def test_the_example_of_a_verb_is_an_action_of_it(kind: str) -> None:
    name = f"{kind.title().replace('_', '')}Action"
    (example,) = action_schemas()[name]["examples"]
    action = Action.model_validate({"actor_id": "game:player", **example})
    assert action.type == kind
    for given in (example, action.model_dump(mode="json")):
        checker("Action").validate(given)


@pytest.mark.parametrize(
    "action",
    [
        {},
        {"type": 3},
        {"type": "ask", "metadata": {"colour": "red"}},
        {"type": "take", "metadata": {"quantity": "many"}},
        {"type": "look", "mood": "glum"},
    ],
)
def test_what_is_no_action_fits_neither_the_document_nor_the_engine(room: Hall, action: dict[str, Any]) -> None:
    assert not checker("Action").is_valid(action)
    with pytest.raises(CampaignError) as refused:
        client_in(room).play("game", actions=[action])
    assert "action 0" in refused.value.message
    assert "metadata?" in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("op", "field", "hint"),
    [
        ({"op": "move", "entity_id": "harbour:osk"}, "to", "move {entity_id, to}"),
        ({"op": "advance_time", "minutes": -1}, "minutes", "advance_time {minutes}"),
        ({"op": "dance"}, None, "kinds of ops: advance_time, move"),
        ({}, None, "kinds of ops: advance_time, move"),
        ({"op": "fact_add", "fact": {"id": 3}}, "fact.id", "fact_add {fact: {id"),
    ],
)
def test_what_is_no_op_fits_not_the_document_and_is_refused_by_field_with_the_choice(
    room: Hall, op: dict[str, Any], field: str | None, hint: str
) -> None:
    assert not checker("Op").is_valid(op)
    for path in ("ops", "ops:preview"):
        answer = room.owner().post(f"/v1/campaigns/game/{path}", {"ops": [{"op": "advance_time", "minutes": 1}, op]})
        problem = answer.json()
        assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
        assert (problem["code"], problem["index"], problem.get("field")) == ("edit_refused", 1, field)
        assert problem["hint"].startswith(hint)


def test_the_client_sends_and_gets_ops_and_actions_as_values(room: Hall) -> None:
    client = client_in(room)
    asked = Action(actor_id="game:player", type="ask", target_id="harbour:osk", metadata={"topic": "the boat"})
    played = client.play("game", actions=[asked])
    assert played.actions == (asked,)
    checker("Action").validate(played.actions[0].model_dump(mode="json"))
    ops = [Move(entity_id="game:player", to="harbour:quay"), AdvanceTime(minutes=5)]
    previewed = client.preview_ops("game", ops)
    done = client.apply_ops("game", ops, note="On they go.")
    assert done.followed == previewed.followed != ()
    for op in done.followed:
        checker("StateOp").validate(op.model_dump(mode="json"))
    with pytest.raises(EditRefused):
        client.apply_ops("game", [Move(entity_id="game:nobody", to="harbour:quay")])
