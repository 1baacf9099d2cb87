"""Known keys of `pack.yaml` and of frontmatter -> their JSON Schemas, for editors and checks.

They allow everything that the reader accepts, even with a warning, and refuse what it refuses. Other keys are allowed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lorewright.packs.entry_rules import FILE_KEY, MAX_GROUP_CHARS, MAX_GROUPS, MAX_PRIORITY, MAX_TURNS, SECTION_KEY
from lorewright.packs.files import MAX_CHUNK_TOKENS
from lorewright.packs.key_patterns import MAX_KEY_CHARS, MAX_KEYS
from lorewright.packs.models import ALL_ROLES, ENTITY_TYPES, LAYERS

# An NPC's keys for acting of its own accord; their values are in the `attrs` of its entity.

BAKED, CHATTINESS, AGENDA = "baked", "chattiness", "agenda"
CHARACTER_KEYS = (BAKED, CHATTINESS, AGENDA)
# In characters. A goal is a sentence or two; a page of it would fill every prompt.
LONGEST_AGENDA = 600


@dataclass(frozen=True, slots=True)
class NpcInitiative:
    """An NPC's readiness to act of its own accord, and its agenda; None or "" where its file does not say."""

    baked: bool | None = None
    chattiness: float | None = None
    agenda: str = ""


def read_npc_initiative(attrs: Mapping[str, Any]) -> NpcInitiative:
    """Return the own will that an entity's `attrs` give; a value of the wrong type counts as missing."""
    wrong = {key for key, _, _ in wrong_of_character(attrs)}
    said = {key: attrs[key] for key in CHARACTER_KEYS if attrs.get(key) is not None and key not in wrong}
    return NpcInitiative(
        baked=said.get(BAKED),
        chattiness=float(said[CHATTINESS]) if CHATTINESS in said else None,
        agenda=" ".join(str(said.get(AGENDA, "")).split()),
    )


def wrong_of_character(attrs: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (key, problem, hint) for each of the keys whose value cannot be used."""
    baked, chattiness, agenda = (attrs.get(key) for key in CHARACTER_KEYS)
    if baked is not None and not isinstance(baked, bool):
        yield BAKED, "baked must be true or false", "write baked: true"
    if chattiness is not None and not _is_share(chattiness):
        yield CHATTINESS, "chattiness must be a number from 0 to 1; it is left out", "write chattiness: 0.5"
    if agenda is not None and not isinstance(agenda, str):
        yield AGENDA, "agenda must be text", "write agenda: Find out who took the lamp."
    elif agenda is not None and len(agenda) > LONGEST_AGENDA:
        yield AGENDA, f"an agenda over {LONGEST_AGENDA} characters is left out", "say what they are after in a sentence"


def _is_share(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return math.isfinite(value) and 0 <= value <= 1


Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ID = r"^[^\W_][\w-]*$"
_ROLES = sorted(ALL_ROLES)


def pack_schema() -> Schema:
    """Return the JSON Schema of `pack.yaml`."""
    depends = {
        "anyOf": [
            {"type": "string"},
            _object(
                {
                    "id": _text("The pack's ID."),
                    "version": _text("A range of versions; any where it is not said.", ">=1.0,<2"),
                },
                required=["id"],
            ),
        ]
    }
    return _schema(
        "pack.yaml of a Lorewright pack",
        "What a pack is called, what it builds on, and which of its files are content.",
        {
            "id": {
                "type": "string",
                "pattern": _ID,
                "maxLength": 120,
                "description": "The pack's ID, best its folder's name: letters, digits, _ and -.",
                "examples": ["neo_seattle"],
            },
            "name": _scalar("What people call it; the ID where it is not said.", "Neo-Seattle Sourcebook"),
            "version": _scalar("Its version; quote it, so that 1.10 stays 1.10.", "1.0.0"),
            "genre": _scalar("Its genre, for people.", "cyberpunk"),
            "layer": {
                "type": "string",
                "enum": list(LAYERS),
                "default": "setting",
                "description": "Where it stands among packs: a later layer may override an earlier one.",
            },
            "depends_on": {
                "type": "array",
                "items": depends,
                "description": "Packs that it builds on, by ID, with a range of versions.",
                "examples": [[{"id": "cyberpunk_core", "version": ">=1.0,<2"}]],
            },
            "provides": {
                "type": ["object", "array"],
                "description": "Kinds of content that are in it, for people. Not paths.",
                "examples": [{"locations": 12, "npcs": 9}],
            },
            "license": {
                "type": ["object", "string"],
                "properties": {
                    "type": _text("The license, free text.", "cc-by-4.0"),
                    "publisher": _text("Whose it is."),
                },
                "description": "Under which license it is, and whose it is.",
            },
            "language": _scalar("Its language; words of any but English are looked up as written.", "en"),
            "description": _scalar("What it is, for people; players may read it."),
            "chunk_tokens": {
                "type": "integer",
                "minimum": 50,
                "maximum": 5000,
                "default": MAX_CHUNK_TOKENS,
                "description": "A section that is longer is split at a paragraph's end.",
            },
            "exclude": {
                "type": ["array", "string"],
                "items": {"type": "string"},
                "description": "Files that are no content, as globs and tags.",
                "examples": [["templates/*", "*_log.md", "#draft"]],
            },
            "include": {
                "type": ["array", "string"],
                "items": {"type": "string"},
                "description": "With it only these files are content: globs and tags.",
                "examples": [["#lorebook"]],
            },
            "open_sections": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["file", "title"],
                    "properties": {
                        "file": _text("The file's path in the pack.", "places/sky.md"),
                        "title": _text("The title of the section, callout or label.", "Secret Garden"),
                    },
                },
                "description": "What looks like a secret and is none.",
            },
            "types": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": f"What a folder's files are, by its name: one of {', '.join(ENTITY_TYPES)}.",
                "examples": [{"Cast": "npc"}],
            },
            "synonyms": {
                "type": ["array", "null"],
                "items": {"type": ["array", "string"], "items": {"type": ["string", "number", "boolean"]}},
                "description": "Groups of words with the same meaning: a query for one of them finds all of its group.",
                "examples": [[["comm unit", "comlink"]]],
            },
        },
        required=["id"],
    )


def frontmatter_schema() -> Schema:
    """Return the JSON Schema of the frontmatter of a pack's markdown files."""
    properties: Schema = {
        "id": _scalar("The entity's ID: letters, digits, _ and -; without one the path gives it.", "viktor"),
        "type": {
            "type": ["string", "number", "boolean", "null"],
            "description": f"What the file is about: {', '.join(ENTITY_TYPES)}; without one the folder gives it.",
            "anyOf": [{"enum": list(ENTITY_TYPES)}, {}],
        },
        "name": _scalar("Its name, where the file has no H1."),
        "title": _scalar("As name."),
        "aliases": _texts("What it is called, too; links and questions find it so.", ["the barman", "the fixer"]),
        "tags": _texts("Words to filter by.", ["fixer", "bartender"]),
        "image": _scalar("Its picture: a PNG, JPEG or WebP file of the pack, at most 4 MiB.", "images/viktor.png"),
        "related_entities": _texts("Whom and what it has to do with: IDs or names.", ["jin"]),
        "related_factions": _texts("Groups it has to do with.", ["night_market_guild"]),
        "related_locations": _texts("Places it has to do with.", ["neon_dragon"]),
        "related_threads": _texts("Threads of scenarios it has to do with.", ["main_case"]),
        "section_roles": {
            "type": ["object", "null"],
            "additionalProperties": {"type": "string", "anyOf": [{"enum": _ROLES}, {}]},
            "description": f"What a section is for, where its title says otherwise: {', '.join(_ROLES)}.",
            "examples": [{"Regulars": "lore"}],
        },
        "visibility": {
            "description": "gm keeps the whole file from players; whatever is not plainly open does.",
            "examples": ["gm", "public"],
        },
        "cut": {
            "type": ["integer", "null"],
            "minimum": 1,
            "maximum": 6,
            "description": "The level of the deepest headings that cut the file; without it they decide themselves.",
        },
        "overrides": _scalar("The entity of an earlier pack that this one tells of.", "core:guard"),
        "when": {
            "$ref": "#/$defs/when",
            "description": "When the whole file holds; outside of a campaign players see none of it.",
        },
        "section_when": {
            "type": ["object", "null"],
            "additionalProperties": {"$ref": "#/$defs/when"},
            "description": "When a section holds, by its title.",
            "examples": [{"Withholds": {"clock": "heat", "min": 3}}],
        },
        FILE_KEY: {
            "$ref": "#/$defs/rules",
            "description": "When the file's sections stand in an answer, beside what finds them.",
        },
        SECTION_KEY: {
            "type": ["object", "null"],
            "additionalProperties": {"$ref": "#/$defs/rules"},
            "description": "The same for a section, by its title; its keys go before the file's.",
        },
        "exits": {
            "type": ["array", "object", "null"],
            "items": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/exit"}]},
            "additionalProperties": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/exit"}]},
            "description": "Of a location: where one can go from it. A list of {to: …}, or `name: target` lines.",
            "examples": [{"street": "night_market"}],
        },
        "pronoun": _scalar("Of an npc: he, she, they or it.", "she"),
        BAKED: {"description": "Of an npc: true where it acts in every turn in which it is there.", "examples": [True]},
        CHATTINESS: {"description": "Of an npc: how readily it acts of its own accord, 0 to 1.", "examples": [0.5]},
        AGENDA: {"description": f"Of an npc: what it is after, in at most {LONGEST_AGENDA} characters."},
    }
    schema = _schema(
        "Frontmatter of a Lorewright pack's file",
        "What the file is about, and when it is told. All of it is optional; other keys are kept for the game master.",
        properties,
    )
    return {**schema, "$defs": {"when": _when(), "whenPart": _when_part(), "rules": _rules(), "exit": _exit()}}


def _when() -> Schema:
    return {
        "description": "All of a list must hold.",
        "anyOf": [
            {"$ref": "#/$defs/whenPart"},
            {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/whenPart"}},
            {
                "type": "string",
                "description": "In words: thread ID is STATUS, clock ID >= N, fact PREDICATE of ID; `and` between.",
                "examples": ["thread main_case is open", "clock heat >= 3 and fact burned of pier_9"],
            },
        ],
    }


def _when_part() -> Schema:
    word = {"type": "string", "minLength": 1}
    number = {"type": ["integer", "null"]}
    return {
        "anyOf": [
            _closed({"thread": word, "status": word}, ["thread", "status"]),
            {**_closed({"clock": word, "min": number, "max": number}, ["clock"]), "minProperties": 2},
            _closed({"fact": word, "subject": word}, ["fact", "subject"]),
        ],
        "examples": [
            {"thread": "main_case", "status": "open"},
            {"clock": "heat", "min": 3},
            {"fact": "burned", "subject": "pier_9"},
        ],
    }


def _rules() -> Schema:
    turns = {"type": ["integer", "null"], "minimum": 0, "maximum": MAX_TURNS}
    group = {"type": "string", "maxLength": MAX_GROUP_CHARS}
    return {
        "type": ["object", "null"],
        "properties": {
            "always": {"type": ["boolean", "null"], "description": "In every answer, found or not, before all others."},
            "priority": {
                "type": ["integer", "null"],
                "minimum": -MAX_PRIORITY,
                "maximum": MAX_PRIORITY,
                "description": "Among what is found it goes before what has less; 0 if not said.",
            },
            "sticky": {**turns, "description": "Once found in a turn it stays for so many turns."},
            "cooldown": {**turns, "description": "After that it is not there for so many turns."},
            "requires": {**_texts("Only where something of each of these is there, too."), "examples": [["viktor"]]},
            "excludes": {**_texts("Never together with these."), "examples": [["old_bridge"]]},
            "group": {
                "anyOf": [group, {"type": "array", "items": group, "maxItems": MAX_GROUPS}, {"type": "null"}],
                "description": "Of all entries of a group only the best one is in an answer.",
                "examples": ["weather"],
            },
            "probability": {
                "type": ["number", "null"],
                "exclusiveMinimum": 0,
                "maximum": 1,
                "description": "The share of turns in which it may be found: rolled once a turn by the campaign.",
            },
            "keys": {**_keys("Named by a question that says one of these."), "examples": [["/dragons?/i"]]},
            "any": _keys("Only where the question says one of these, too."),
            "all": _keys("Only where the question says all of these, too."),
            "not any": _keys("Only where the question says none of these."),
            "not all": _keys("Only where the question does not say all of these."),
        },
    }


def _keys(description: str) -> Schema:
    key = {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARS}
    listed = {"type": "array", "items": key, "minItems": 1, "maxItems": MAX_KEYS}
    return {"anyOf": [key, listed, {"type": "null"}], "description": f"{description} Words, or patterns: /…/i."}


def _exit() -> Schema:
    return _closed(
        {
            "to": _text("Where it leads: an ID or name."),
            "name": _text("What it is called; its target where it is not said."),
            "minutes": {"type": "integer", "minimum": 0, "default": 1, "description": "How long it takes."},
            "door": _text("The scenario's thing that is its door."),
            "key": _text("The scenario's thing that opens the door."),
            "one_way": {"type": "boolean", "description": "True where there is no way back."},
        },
        ["to"],
    )


def _schema(title: str, description: str, properties: Schema, *, required: list[str] | None = None) -> Schema:
    found: Schema = {"$schema": DIALECT, "title": title, "description": description, "type": "object"}
    found |= {"properties": properties, "additionalProperties": True}
    return found | ({"required": required} if required else {})


def _object(properties: Schema, *, required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required}


def _closed(properties: Schema, required: list[str]) -> Schema:
    return {**_object(properties, required=required), "additionalProperties": False}


def _text(description: str, *examples: str) -> Schema:
    return {"type": "string", "description": description, **({"examples": list(examples)} if examples else {})}


def _scalar(description: str, *examples: str) -> Schema:
    """Return the schema of a text, or of what YAML makes of an unquoted text."""
    return {**_text(description, *examples), "type": ["string", "number", "boolean", "null"]}


def _texts(description: str, example: list[str] | None = None) -> Schema:
    """Return the schema of a list of texts or of a single text; `[[Name]]`, which YAML nests, is accepted."""
    return {
        "type": ["array", "string", "null"],
        "items": {"type": ["string", "number", "array"]},
        "description": description,
        **({"examples": [example]} if example else {}),
    }
