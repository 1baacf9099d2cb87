"""The models of ops and actions -> what the OpenAPI document says of them: a union of all kinds, told apart by one key,
with a description of every key and an example of every kind.

The models are those that the engine checks with; the texts are in `descriptions.yaml`. A request holds what was sent
until the engine has read it, so that what does not fit is refused by the op or action, its field and the kinds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from lorewright.packs.bounded_yaml import load_yaml
from lorewright.rules.actions import Action, metadata_of
from lorewright.rules.verbs import Verb, verbs
from lorewright.service.web.shapes import Problem
from lorewright.turn.checks.tools import OUTSIDE_OPS
from lorewright.world.ops import StateOp

Schema = dict[str, Any]

_AT = "#/components/schemas/"
_REFERENCE = re.compile(rf'"{_AT}(\w+)"')
# The keys of bodies and answers that hold them, and the schema of an entry.
_HOLDERS = {
    ("NewOps", "ops"): "Op",
    ("EditDone", "followed"): "StateOp",
    ("EditPreview", "followed"): "StateOp",
    ("NewTurn", "actions"): "Action",
    ("TurnPlayed", "actions"): "Action",
}
# Stand in the examples for whom and what an action is about.
_SOMEBODY, _SOMEWHERE, _WORDS = "neo_seattle:viktor", "neo_seattle:neon_dragon", "the crate"
_SOMETHING, _IN_HAND = "neo_seattle:crate", "dead_drop:credstick"


def describe_app(app: FastAPI) -> None:
    """Have an app's OpenAPI document say what ops and actions are."""

    plain = app.openapi

    def document() -> Schema:
        if app.openapi_schema is None:
            app.openapi_schema = _fill_in(plain())
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _fill_in(document: Schema) -> Schema:
    """Return a document with the schemas of ops and actions at every place that holds some."""
    schemas = document["components"]["schemas"]
    for (holder, key), entry in _HOLDERS.items():
        if holder in schemas:
            held = schemas[holder]["properties"][key]
            for listed in (held, *held.get("anyOf", ())):
                if listed.get("type") == "array":
                    listed["items"] = {"$ref": f"{_AT}{entry}"}
    # Refusals are answered by handlers, so that no operation has their model.
    found = {**schemas, **op_schemas(), **action_schemas(), "Problem": Problem.model_json_schema()}
    used = _used_by(document["paths"], found)
    document["components"]["schemas"] = {name: found[name] for name in sorted(used)}
    return document


def _used_by(paths: Schema, schemas: Mapping[str, Schema]) -> set[str]:
    """Return the names of the schemas that operations refer to, by way of others too."""
    found: set[str] = set()
    waiting = _names_in(paths)
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= _names_in(schemas[name]) - found
    return found


def _names_in(schema: Schema) -> set[str]:
    return set(_REFERENCE.findall(json.dumps(schema)))


@cache
def descriptions() -> Mapping[str, Any]:
    """Return the texts: of the keys of ops by their model, of actions and their metadata by key; examples of ops."""
    text = (files("lorewright") / "service" / "web" / "descriptions.yaml").read_text(encoding="utf-8")
    found: Mapping[str, Any] = load_yaml(text).data
    return found


# Ops.


def op_schemas() -> dict[str, Schema]:
    """Return the schemas of ops by name: `Op` of those that may be sent, `StateOp` of all, and one of each kind."""
    whole = TypeAdapter(StateOp).json_schema(ref_template=f"{_AT}{{model}}")
    examples = {example["op"]: example for example in descriptions()["examples"]}
    names = {ref.removeprefix(_AT): kind for kind, ref in whole["discriminator"]["mapping"].items()}
    made = {}
    for model, schema in whole["$defs"].items():
        schema = _described(schema, descriptions()["ops"].get(model, {}))
        if model in names:
            schema["properties"]["op"]["description"] = "The kind of op."
            schema["required"] = ["op", *schema.get("required", ())]
            schema["examples"] = [examples[names[model]]]
        made[f"{model}Op" if model in names else model] = schema
    refs = {kind: f"{ref}Op" for kind, ref in whole["discriminator"]["mapping"].items()}
    sent = {kind: ref for kind, ref in refs.items() if kind in OUTSIDE_OPS}
    said = "A change of the world that a game master may make; `op` says of which kind."
    made["Op"] = _union(sent, "op", said)
    made["StateOp"] = _union(refs, "op", "A change of the world; `op` says of which kind.")
    return made


# Actions.


def action_schemas() -> dict[str, Schema]:
    """Return the schemas of actions by name: `Action` of all, one of each verb, `RulesetAction` of those that only a
    ruleset knows, and of their metadata."""
    plain = _described(Action.model_json_schema(), descriptions()["action"])
    made: dict[str, Schema] = {}
    refs = {}
    for verb in verbs().values():
        metadata = verb.metadata.__name__
        schema = verb.metadata.model_json_schema()
        made[metadata] = _described(schema, descriptions()["metadata"])
        name = f"{verb.name.title().replace('_', '')}Action"
        fields = {
            "type": {"const": verb.name, "type": "string", "description": "The verb."},
            "metadata": {"$ref": f"{_AT}{metadata}", "description": descriptions()["action"]["metadata"]},
        }
        made[name] = _action(plain, name, f"{verb.summary[:1].upper()}{verb.summary[1:]}.", fields, example_of(verb))
        refs[verb.name] = f"{_AT}{name}"
    made["VerbAction"] = _union(refs, "type", "An action of a verb that every ruleset has; `type` says of which.")
    others = {
        "type": {
            "type": "string",
            "not": {"enum": list(refs)},
            "description": "The type, as the ruleset of the campaign names it.",
        }
    }
    made["RulesetAction"] = _action(
        plain,
        "RulesetAction",
        "An action of a type that only a ruleset knows; of a type that it does not know it is refused in the story.",
        others,
        {"type": "hack", "target_id": "neo_seattle:terminal"},
    )
    made["Action"] = {
        "title": "Action",
        "description": "An attempt as data. Its keys may be given in camelCase (`targetId`) too.",
        "anyOf": [{"$ref": f"{_AT}VerbAction"}, {"$ref": f"{_AT}RulesetAction"}],
    }
    return made


def example_of(verb: Verb) -> dict[str, Any]:
    """Return an action of a verb as it is sent: with all that the verb needs."""
    words = f"shake {_WORDS}" if verb.is_free else _WORDS
    wanted = {*verb.needs, *verb.needs_one_of[0][-1:]}
    item = _IN_HAND if "item" in wanted else None
    metadata = metadata_of(verb.name, words=words if "topic" in wanted else "", item=item)
    target = _SOMETHING if verb.aim == "any" else _SOMEBODY
    return {
        "type": verb.name,
        **({"target_id": target} if "target" in wanted else {}),
        **({"location_id": _SOMEWHERE} if "to" in wanted else {}),
        **({"metadata": metadata} if metadata else {}),
    }


def _action(plain: Schema, name: str, description: str, fields: Schema, example: dict[str, Any]) -> Schema:
    return {
        "title": name,
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "properties": {**json.loads(json.dumps(plain["properties"])), **fields},
        "required": ["type"],
        "examples": [example],
    }


def _union(refs: Mapping[str, str], key: str, description: str) -> Schema:
    return {
        "description": description,
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": key, "mapping": dict(refs)},
    }


def _described(schema: Schema, said: Mapping[str, str]) -> Schema:
    """Return a copy of a schema in which every key that something is said of has it as its description, and the
    model's own description stands in one line."""
    made: Schema = json.loads(json.dumps(schema))
    made["description"] = " ".join(made.get("description", "").split())
    for key, field in made.get("properties", {}).items():
        if key in said:
            field["description"] = said[key]
    return made


# For the page of the API.


def op_rows() -> Iterator[tuple[str, Schema]]:
    """Yield the kinds of ops that may be sent, each with its schema, by name."""
    made = op_schemas()
    for kind, ref in made["Op"]["discriminator"]["mapping"].items():
        yield kind, made[ref.removeprefix(_AT)]


def action_rows() -> Iterator[tuple[str, Schema]]:
    """Yield the verbs, each with the schema of its action, with its metadata written out in it."""
    made = action_schemas()
    for kind, ref in made["VerbAction"]["discriminator"]["mapping"].items():
        schema = made[ref.removeprefix(_AT)]
        metadata = made[schema["properties"]["metadata"]["$ref"].removeprefix(_AT)]
        yield kind, {**schema, "properties": {**schema["properties"], "metadata": metadata}}
