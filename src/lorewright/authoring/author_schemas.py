"""The JSON Schemas of everything that authors write: packs, frontmatter, golden queries, scenarios, rulesets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from lorewright.authoring.golden import golden_schema
from lorewright.campaigns.scenarios.rulesets import load_ruleset, ruleset_names
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.packs.bounded_yaml import load_yaml
from lorewright.packs.schemas import DIALECT, Schema, frontmatter_schema, pack_schema
from lorewright.rules.rulesets import Ruleset
from lorewright.rules.verbs import verbs

_SCENARIO = {
    "id": "The scenario's ID.",
    "name": "What it is called.",
    "summary": "What it is about, in a sentence or two; players read it.",
    "stakes": "What is at stake.",
    "goals": "What the player and each of the cast is after; a player is told their own.",
    "tone": "How it is told.",
    "intro_seed": "The first narration.",
    "begins": "The time of day at the start, as in 21:30, for the status line.",
    "pace": "How long a turn takes at least, as in 2 minutes; the clocks with `until` then rise as the minutes pass.",
    "content_packs": "The packs that it is made from, by ID; none: nothing is quoted.",
    "ruleset": "How attempts are resolved; freeform where it is not said.",
    "profile": "Which rounds a turn has, where it is another than the ruleset's.",
    "start": "The place where the story begins.",
    "player": "The player's character.",
    "personas": "Others whom the player may play, by a name of their own.",
    "places": "Locations of the packs with their exits; a place with a name of its own belongs to the scenario.",
    "map": "Ways with both ends, instead of exits per place.",
    "things": "Things and doors.",
    "cast": "Who is where, how much they trust the player, what they do.",
    "entities": "Others that are known, of a pack or the scenario's own.",
    "deeds": "Effects by name, for agendas.",
    "threads": "Open questions.",
    "threats": "What may be announced and falls due.",
    "situations": "Circumstances that hold for a while.",
    "ties": "What people are to each other.",
    "turn_order": "Who acts in turn, for what the ruleset says ends a turn.",
    "clocks": "What builds up, and what happens when it has.",
    "gauges": "What the numbers that the ruleset shows of its scene mean to the player, by name.",
    "rules": "What an attempt does beside what it does by itself.",
    "finds": "What else happens when a discoverable item is found.",
    "endings": "How it may end.",
    "nudges": "What leads on to an ending, the most pressing first: while `when` holds, `line` is offered before the "
    "other suggestions and `hint` answers a call for a hint; `say` is told once, when it comes to hold.",
    "grammar": "Sentences for the narrator of this scenario, by group.",
    "demo": "Lines to play when there is nobody to ask.",
    "demo_seed": "The dice of the demo.",
    "stat_blocks": "The stats of the player, the personas and the cast, as the ruleset describes them.",
    "scene_seed": "The scene to begin with, as the ruleset describes it.",
    "calibration": "Wishes to the narrator: tone, lethality, pace, lines, veils.",
}
_RULESET = {
    "id": "The ruleset's ID, in kebab-case: its file's name.",
    "name": "What it is called.",
    "profile": "Which rounds a turn has.",
    "summary": "How it is played, in a sentence or two.",
    "rulebook_text": "The rules, in words.",
    "extends": "The ruleset that this one is based on; keys written here replace its keys.",
}


def author_schemas(rulesets: Path | None = None) -> Mapping[str, Callable[[], Schema]]:
    """Return the name of each schema with a function that makes it; a scenario may also have the acts of a folder of
    rulesets."""
    return {
        "pack": pack_schema,
        "frontmatter": frontmatter_schema,
        "golden": lambda: _with_dialect(golden_schema()),
        "scenario": lambda: scenario_schema(rulesets),
        "ruleset": ruleset_schema,
    }


def schema_text(name: str, rulesets: Path | None = None) -> str:
    """Return a schema by its name as the text of a file."""
    return json.dumps(author_schemas(rulesets)[name](), indent=2, ensure_ascii=False) + "\n"


def scenario_schema(rulesets: Path | None = None) -> Schema:
    """Return the schema of a scenario, with the shorter ways to write it that its reader understands, and the acts of a
    folder of rulesets beside those that ship."""
    schema = Scenario.model_json_schema(by_alias=True, mode="validation")
    properties = _describe(schema, _SCENARIO)
    properties["content_pack"] = {"type": ["string", "null"], "description": "The one pack that it is made from."}
    properties["content_packs"] = _any_of(properties["content_packs"], {"type": "null"})
    rows = properties["grammar"].get("additionalProperties")
    if isinstance(rows, dict):
        rows["items"] = _any_of(rows["items"], {"type": "string"})
    for definition in schema["$defs"].values():
        said = definition.get("properties", {}).get("say")
        if isinstance(said, dict) and said.get("type") == "array":
            definition["properties"]["say"] = _any_of(said, {"type": "string"})
    _describe_all(schema, "scenario")
    _name_acts(schema, rulesets)
    every = schema["$defs"]["ScenarioClock"]["properties"]["every"]
    schema["$defs"]["ScenarioClock"]["properties"]["every"] = _any_of(every, {"type": "string"})
    schema["properties"]["pace"] = _any_of(schema["properties"]["pace"], {"type": "string"})
    return _with_dialect({**schema, "title": "Scenario of Lorewright"})


def ruleset_schema() -> Schema:
    """Return the schema of a ruleset; a ruleset that `extends` another needs only the keys that differ."""
    schema = Ruleset.model_json_schema(by_alias=True, mode="validation")
    properties = _describe(schema, _RULESET)
    properties["extends"] = {"type": "string", "description": _RULESET["extends"]}
    traits = properties["traits"].get("additionalProperties")
    if isinstance(traits, dict):
        properties["traits"]["additionalProperties"] = _any_of(traits, {"type": "string"})
    required = schema.pop("required")
    whole = {"if": {"required": ["extends"]}, "then": {"required": ["id"]}, "else": {"required": required}}
    _describe_all(schema, "ruleset")
    return _with_dialect({**schema, **whole, "title": "Ruleset of Lorewright"})


@cache
def descriptions() -> Mapping[str, Mapping[str, str]]:
    """Return what each key of a scenario and a ruleset means, by the name of its model."""
    text = (files("lorewright") / "authoring" / "descriptions.yaml").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, str]] = load_yaml(text).data
    return found


def _describe_all(schema: Schema, name: str) -> None:
    """Give each key a description, and the keys that hold an act the acts that ship."""
    for model, part in ((name, schema), *schema["$defs"].items()):
        for key, said in descriptions().get(model, {}).items():
            if key in part.get("properties", {}):
                part["properties"][key].setdefault("description", said)


def _name_acts(schema: Schema, rulesets: Path | None) -> None:
    """Have the keys that hold an act take the acts of the verbs and rulesets that ship, and of those in a folder."""
    of_rulesets = {kind for name in ruleset_names(rulesets) for kind in load_ruleset(name, rulesets)[0].kinds()}
    act = {"type": "string", "enum": sorted({*verbs(), *of_rulesets})}
    trigger, deed = schema["$defs"]["RuleTrigger"]["properties"], schema["$defs"]["Deed"]["properties"]
    said = {key: value for key, value in trigger["act"].items() if key in ("title", "description")}
    trigger["act"] = {**said, "anyOf": [act, {"type": "array", "items": act}]}
    deed["type"] = {**deed["type"], **act}


def _describe(schema: Schema, said: Mapping[str, str]) -> Schema:
    properties: Schema = schema["properties"]
    for key, description in said.items():
        if key in properties:
            properties[key] = {**properties[key], "description": description}
    return properties


def _any_of(schema: Schema, other: Schema) -> Schema:
    notes: Schema = {key: value for key, value in schema.items() if key in ("description", "title", "default")}
    return {**notes, "anyOf": [{key: value for key, value in schema.items() if key not in notes}, other]}


def _with_dialect(schema: dict[str, Any]) -> Schema:
    return {"$schema": DIALECT, **schema}
