"""Whatever is sent to the API, its answer is one that its OpenAPI document describes, and never an error of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lorewright.service.web.access import RateLimit, SignInLimit
from lorewright.service.web.accounts import Scope
from lorewright.service.web.api.accounts import accounts_api
from lorewright.service.web.api.desk import desk_api
from lorewright.service.web.api.lore import lore_api
from lorewright.service.web.api.play import play_api
from lorewright.service.web.api.tables import tables_api
from lorewright.service.web.client import LorewrightClient
from support import harbour as h
from support.scale import scaled
from support.table_service import URL, hall

schemathesis = pytest.importorskip("schemathesis", reason="make extras installs schemathesis")

pytestmark = pytest.mark.campaign

SCOPES: tuple[Scope, ...] = ("read", "play", "gm", "lore")
UNLIMITED: dict[str, Any] = {
    **{name: RateLimit(10**9, at_once=10**9) for name in ("turns", "requests")},
    "sign_ins": SignInLimit(of_address=10**9, of_name=10**9),
}
# What exists, and something that does not, so that what is sent gets past the first refusal.
KNOWN: dict[str, list[Any]] = {
    "campaign": ["game"],
    "campaign_id": ["game"],
    "scenario_id": ["night_boat", "nothing"],
    "entity": ["osk", "harbour:osk", "nothing"],
    "pack": ["harbour", "nothing"],
    "as": ["player", "gm", "pc:player", "nothing"],
    "viewer": ["player", "gm", "npc:osk", "pc:nothing"],
    "item": ["harbour:osk:withholds#debt", "harbour:osk:knows", "nothing"],
    "turn": [0, 1, 2, 1_000],
    "text": ["look around", "ask Osk about the boat", "go to the quay", "\x00 \u2028 \U0001f9ed", "wait " * 400],
    "name": ["main", "other", "Ada"],
    "role": ["player", "watcher", "gm", "pc:player", "king"],
    "revision": [],
    "whisper_to": ["osk", "harbour:osk"],
}
# What the fields of ops and actions that end in `_id` are taken from, and the people of them.
IDS = [
    *("game:player", "harbour:osk", "harbour:bea", "harbour:tavern", "harbour:quay", "game:lantern", "game:dread"),
    *("harbour:osk:withholds#debt", "nothing"),
]
PEOPLE = ("to", "target", "holder", "character", "a", "b")
# Not tried: what never ends, and what would take away the table that all others are asked about.
LEFT_OUT = {("GET", "/v1/campaigns/{campaign}/events"), ("DELETE", "/v1/campaigns/{campaign}")}
OPERATIONS = [
    (method, route.path)
    for router in (accounts_api, tables_api, play_api, lore_api, desk_api)
    for route in router.routes
    if isinstance(route, APIRoute)
    for method in sorted(route.methods)
    if (method, route.path) not in LEFT_OUT
]
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")


def narrowed(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with what exists in place of any text, and with ops and actions of the kinds that there
    are."""
    schemas, bodies = document["components"]["schemas"], {"LoreQuestion"}
    for operation in (found for operations in document["paths"].values() for found in operations.values()):
        for parameter in operation.get("parameters", ()):
            if parameter["name"] in KNOWN:
                parameter["schema"] = {"enum": KNOWN[parameter["name"]]}
        for body in operation.get("requestBody", {}).get("content", {}).values():
            bodies.add(body["schema"].get("$ref", "").rpartition("/")[2])
    for body in bodies & schemas.keys():
        fields = schemas[body]["properties"]
        for name in fields.keys() & KNOWN.keys():
            fields[name] = {"enum": [*KNOWN[name], *([None] if "anyOf" in fields[name] else [])]}
    schemas["NewOps"]["properties"]["ops"]["maxItems"] = 3
    schemas["NewTurn"]["required"] = ["text"]
    for actions in schemas["NewTurn"]["properties"]["actions"]["anyOf"]:
        actions["maxItems"] = 2
    # Those of what is sent alone: answers are held to the schemas as they are.
    for held, entry in (("NewOps", "Op"), ("NewTurn", "Action")):
        _aim(schemas, held, entry)
    return document


def _aim(schemas: dict[str, Any], holder: str, entry: str) -> None:
    """Have a body's ops or actions name what there is, in copies of their schemas."""
    reached, waiting = set[str](), {entry}
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(schemas[name]))) - reached
    for name in reached:
        schemas[f"Sent{name}"] = json.loads(_redirect(schemas[name], reached))
    schemas[holder] = json.loads(_redirect(schemas[holder], {entry}))
    for name in reached:
        fields = schemas[f"Sent{name}"].get("properties", {})
        for key, field in fields.items():
            if key.endswith("_id") or key in PEOPLE:
                fields[key] = {"enum": [*IDS, *([None] if "anyOf" in field else [])]}


def _redirect(schema: dict[str, Any], names: set[str]) -> str:
    return re.sub(
        r'"#/components/schemas/(\w+)"',
        lambda found: f'"#/components/schemas/{"Sent" if found[1] in names else ""}{found[1]}"',
        json.dumps(schema),
    )


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    app = h.harbour(tmp_path_factory.mktemp("fuzz"))
    with hall(app, **UNLIMITED) as room:
        accounts = room.service.accounts
        secret, _ = accounts.new_token(accounts.owner(), name="bot", scopes=SCOPES)
        client = room.stranger().client
        for line in ("ask Osk about the boat", "go to the quay"):
            LorewrightClient(URL, secret, http=client).play("game", line)
        document = narrowed(client.get("/openapi.json").json())
        schema = schemathesis.openapi.from_dict(document)
        schema.config.update(base_url=URL)
        client.headers["Authorization"] = f"Bearer {secret}"
        yield schema, client


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=[" ".join(operation) for operation in OPERATIONS])
def test_every_answer_is_one_that_the_document_describes(described: Any, method: str, path: str) -> None:
    schema, client = described
    operation = schema[path][method]
    sent = st.one_of(operation.as_strategy(generation_mode=mode) for mode in schemathesis.GenerationMode)
    checks = [getattr(schemathesis.checks, name) for name in CHECKS]

    @settings(max_examples=scaled(20), phases=[Phase.generate], suppress_health_check=list(HealthCheck), database=None)
    @given(sent)
    def answer_as_described(case: Any) -> None:
        # By our own client: the library's would start and stop the service for each request.
        given = case.as_transport_kwargs(base_url=URL)
        body = {"json": given["json"]} if "json" in given else {"content": given.get("data") or b""}
        kept = {name: given[name] for name in ("method", "url", "headers", "params") if name in given}
        case.validate_response(client.request(**kept, **body), checks=checks)

    answer_as_described()
