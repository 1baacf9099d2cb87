"""What a reader found wrong with a file that an author wrote -> its faults: line, message, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from lorewright.ids import did_you_mean
from lorewright.packs.bounded_yaml import YamlProblem, line_of

# Messages for authors in place of pydantic's own, which speak of Python.
_IN_PLAIN_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "missing": "is missing, and must be there",
        "extra_forbidden": "there is no such key",
        "string_type": "write text; in quotation marks where it is a number or begins with a bracket",
        "string_pattern_mismatch": "is empty; write text",
        "dict_type": "write `key: value` lines",
        "model_type": "write `key: value` lines",
        "tuple_type": "write a list: [one, another]",
        "int_type": "write a whole number",
        "int_parsing": "write a whole number",
        "int_from_float": "write a whole number",
        "float_type": "write a number",
        "float_parsing": "write a number",
        "bool_parsing": "write true or false",
        "bool_type": "write true or false",
        "invalid_key": "write a word as the key",
    }
)
# How a key of a scenario is written, for a value that is none.
SCENARIO_EXAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "content_packs": "content_packs: [my_town]",
        "player": "player: {name: the stranger, traits: {charm: 1}}",
        "items": "items: [lamp_oil]",
        "traits": "traits: {charm: 1}",
        "places": "places: {tavern: {}, quay: {}}",
        "exits": "exits: {door: {to: quay, minutes: 2}}",
        "map": "map: [{from: tavern, to: quay, minutes: 2}]",
        "things": "things: {rope: {name: rope, at: quay}}",
        "cast": "cast: {ilse: {at: quay, trust: 1}}",
        "goals": "goals: {player: Find out who took the oil.}",
        "threads": "threads: {missing: {title: Where is the oil?}}",
        "clocks": "clocks: {storm: {max: 6, every: 10 minutes}}",
        "every": "every: 10 minutes",
        "begins": 'begins: "21:30"',
        "rules": "rules: [{on: {act: ask, target: ilse}, success: [{give: rope}]}]",
        "on": "on: {act: ask, target: ilse, topic: bridge}",
        "check": "check: {dice: 2d6, add: charm}",
        "success": "success: [{reveal: ilse/withholds#bridge}]",
        "mixed": "mixed: [{clock: storm, by: 1}]",
        "fail": "fail: [{clock: storm, by: 1}]",
        "critical": "critical: [{give: rope}]",
        "effects": "effects: [{arrive: ilse}]",
        "finds": "finds: {quay/discoverable#cask: [{put: oil, at: quay}]}",
        "deeds": "deeds: {close_the_bar: [{depart: ilse, to: offstage}]}",
        "when": "when: {clock: storm, min: 6}",
        "all": "all: [{at: quay}, {has: rope}]",
        "any": "any: [{at: quay}, {has: rope}]",
        "endings": "endings: {lit: {say: The lamp burns., when: {has: oil}}}",
        "say": "say: The lamp burns.",
        "agenda": "agenda: [{when: {clock: storm, min: 3}, do: [{arrive: ilse}]}]",
        "acts": "acts: [{do: {type: wait}, say: Ilse coils a rope.}]",
        "at": "at: {3: [{arrive: ilse}]}",
        "grammar": "grammar: {pressure: [{text: The sea is louder.}]}",
        "demo": "demo: [look, ask Ilse about the toll]",
    }
)
_BRACKETS = "a bracket is not closed, a comma is missing, or a text in brackets has a sign that YAML reads"
_IN_BRACKETS = (
    'mend the brackets; a text in them that has one of ? : , [ ] { } needs quotes: {success: "Who told you?"}'
)
# What a reader of YAML says, and what an author does about it.
_YAML_HINTS: tuple[tuple[str, str, str], ...] = (
    ("could not find expected ':'", "this line, or the one before it, has no colon", "write `key: value`"),
    ("found character '\\t'", "a line is indented with a tab", "indent with spaces"),
    ("found unexpected end of stream", "a quotation mark is opened and never closed", "close it"),
    ("did not find expected ',' or", _BRACKETS, _IN_BRACKETS),
    ("expected ',' or", _BRACKETS, _IN_BRACKETS),
    ("expected <block end>", "this line is indented otherwise than its neighbours", "align it with them"),
    ("mapping values are not allowed", "a value has a colon in it", 'a text with a colon needs quotes: key: "a: b"'),
    ("that cannot start any token", "a value begins with a sign that YAML reserves", 'put it in quotes: key: "…"'),
)
# At most this many faults are printed.
_MOST_TOLD = 5
_KINDS_OF_CONDITIONS = frozenset(
    {"has", "at", "present", "visited", "clock", "thread", "revealed", "minutes", "all", "any", "not", "regard", "fact"}
)
_OF_A_TRIGGER = frozenset({"act", "target", "topic", "item"})
# So many keys are named where one is not known; of more only the nearest.
_MOST_KEYS = 16


@dataclass(frozen=True, slots=True)
class FileFault:
    """A fault of a file: its line (from 1), the message, and what to do about it."""

    line: int
    message: str
    hint: str


def faults_of(
    problem: ValidationError,
    lines: Mapping[tuple[str, ...], int],
    *,
    data: Any,
    model: type[BaseModel],
    hint: str,
    examples: Mapping[str, str] = MappingProxyType({}),
) -> list[FileFault]:
    """Return the faults that a model finds in the data of a file whose keys stand on these lines, in the model's
    order. `examples` show how keys of such a file are written; where there is none for a fault, `hint` says what to
    do."""
    found = (
        FileFault(
            line_of(lines, error["loc"]),
            ": ".join(filter(None, (_where(_in_mapping(error["loc"]), data), _said(error, model)))),
            _hint(error, hint, examples),
        )
        for error in problem.errors(include_url=False)
    )
    return list(dict.fromkeys(found))


def _in_mapping(path: Sequence[str | int]) -> Sequence[str | int]:
    """Return a path of keys up to the first that is a sentence: the rest of a text that YAML cut at a comma."""
    cut = next((place for place, part in enumerate(path) if _is_sentence(part)), len(path))
    return path[:cut]


def _is_sentence(part: str | int) -> bool:
    return isinstance(part, str) and part.count(" ") > 1


def yaml_fault(problem: YamlProblem) -> FileFault:
    """Return the fault of a text that is no YAML."""
    found = next((row for row in _YAML_HINTS if row[0] in problem.message), None)
    said, hint = (problem.message, "mend the YAML") if found is None else found[1:]
    return FileFault(problem.line, f"column {problem.column}: {said}", hint)


def _hint(error: ErrorDetails, hint: str, examples: Mapping[str, str]) -> str:
    """Return what to do: an example of the nearest key that has one, where the value is wrong."""
    if any(map(_is_sentence, error["loc"])):
        return 'write it as in `success: "You say it, and he lets go."`'
    if error["type"] == "extra_forbidden":
        return hint
    if error["loc"][:1] == ("rules",) and "say" in error["loc"]:
        return 'write it as in `say: {success: "The lamp burns.", fail: "It stays dark."}`'
    key = next((part for part in reversed(error["loc"]) if isinstance(part, str) and part in examples), None)
    return hint if key is None else f"write it as in `{examples[key]}`"


def _where(path: Sequence[str | int], data: Any) -> str:
    """Return a path of keys; an entry of a list that has an ID is named by it."""
    named: list[str] = []
    for place, part in enumerate(path):
        # The kind of an effect or a condition is a part of the path, and no key that the author wrote.
        if place < len(path) - 1 and isinstance(part, str) and isinstance(data, dict) and part not in data:
            continue
        if place < len(path) - 1 and isinstance(part, str) and path[place + 1] == part:
            continue
        inner = dict(enumerate(data)) if isinstance(data, list) else data
        data = inner.get(part) if isinstance(inner, dict) else None
        entry = data.get("id") if isinstance(part, int) and isinstance(data, dict) else None
        number = f"rule_{part + 1}" if named == ["rules"] and isinstance(part, int) else _number(part)
        named.append(entry if entry and isinstance(entry, str) else number)
    return ".".join(named)


def _number(part: str | int) -> str:
    """Return a key, or the number of an entry of a list as people count."""
    return str(part + 1 if isinstance(part, int) else part)


def _said(error: ErrorDetails, model: type[BaseModel]) -> str:
    if any(map(_is_sentence, error["loc"])):
        return "a text with a comma or a colon needs quotes"
    if error["type"] == "extra_forbidden":
        key = str(error["loc"][-1])
        known = {name for schema in _schemas_at(model, error["loc"][:-1]) for name in schema.get("properties", ())}
        kind = error["loc"][-2] if len(error["loc"]) > 1 else ""
        if key in _KINDS_OF_CONDITIONS and kind in _KINDS_OF_CONDITIONS:
            return f"there are two conditions in one: write {{all: [{{{kind}: …}}, {{{key}: …}}]}}"
        if key in _OF_A_TRIGGER and "rules" in error["loc"][:1] and len(error["loc"]) == 3:
            return f"{_IN_PLAIN_WORDS['extra_forbidden']} here: it belongs below `on:`, as in {SCENARIO_EXAMPLES['on']}"
        if " " in key:
            return f"{_IN_PLAIN_WORDS['extra_forbidden']}; a text with a comma or a colon needs quotes"
        there = f"; there are {', '.join(sorted(known))}" if 0 < len(known) <= _MOST_KEYS else ""
        return f"{_IN_PLAIN_WORDS['extra_forbidden']}{remark(key, known) or there}"
    if error["type"] == "literal_error":
        expected = str(error.get("ctx", {}).get("expected", "")).replace("'", "")
        known = set(expected.replace(" or ", ", ").split(", "))
        return f"write {expected}, not {error['input']}{remark(str(error['input']), known)}"
    if error["type"] == "union_tag_not_found":
        kinds = sorted({name for schema in _schemas_at(model, error["loc"]) for name in schema.get("required", ())[:1]})
        there = f"(there are {', '.join(kinds)})"
        if not isinstance(error["input"], Mapping):
            shown = f", not {error['input']}" if len(str(error["input"])) <= 60 else ""
            return f"write `{{key: value}}`, with a key that says the kind{shown} {there}"
        keys = list(map(str, error["input"]))
        near = remark(keys[0], kinds) if keys else ""
        return f"there is nothing of the kind {{{', '.join(keys)}}} {there}{near}"
    context = error.get("ctx", {})
    match error["type"]:
        case "greater_than_equal" | "less_than_equal":
            least = "ge" if "ge" in context else "le"
            return f"write a number of at {'least' if least == 'ge' else 'most'} {context.get(least)}"
        case "string_too_long" | "too_long":
            return f"is too long: at most {context.get('max_length')}"
        case "string_too_short" | "too_short":
            return "is empty: write something"
        case "string_pattern_mismatch" if str(error["input"]).strip():
            return f"cannot be read: {error['input']}"
        case "int_type" | "int_parsing" | "int_from_float" | "float_type" | "float_parsing":
            given = error["input"]
            shown = f", not {given}" if isinstance(given, str | float | bool) and len(str(given)) <= 40 else ""
            return f"{_IN_PLAIN_WORDS[error['type']]}{shown}"
    return _IN_PLAIN_WORDS.get(error["type"], error["msg"].removeprefix("Value error, "))


def _schemas_at(model: type[BaseModel], path: Sequence[str | int]) -> list[dict[str, Any]]:
    """Return the JSON Schemas that hold at a path of a model's error; of a union those of the kind that the path
    names."""
    whole = model.model_json_schema(by_alias=True)
    found = list(_choices(whole, whole))
    for part in path:
        objects = [schema for schema in found if "properties" in schema]
        of_kind = [schema for schema in objects if part in schema.get("required", ())[:1]]
        below = [inner for schema in found for inner in _below(schema, part)]
        if len(objects) > 1:
            found = of_kind or found
        elif below:
            found = [choice for inner in below for choice in _choices(inner, whole)]
    return found


def _choices(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if "$ref" in schema:
        yield from _choices(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
        return
    choices = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    for choice in choices:
        yield from _choices(choice, whole)
    if not choices:
        yield dict(schema)


def _below(schema: Mapping[str, Any], part: str | int) -> Iterator[Mapping[str, Any]]:
    inner = schema.get("items") if isinstance(part, int) else schema.get("properties", {}).get(part)
    inner = schema.get("additionalProperties") if inner is None else inner
    if isinstance(inner, Mapping):
        yield inner


def faults_in_lines(path: Path, faults: Sequence[FileFault]) -> str:
    """Return the first faults as `file:line: message`, a line each."""
    return "\n".join(f"{path}:{fault.line}: {fault.message}" for fault in faults[:_MOST_TOLD])


def remark(word: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown word, with the nearest of those that are known; or nothing."""
    near = did_you_mean(word, known, most=1)
    return f"; {near}" if near else ""
