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
        "bool_parsing": "write true or false",
    }
)
# At most this many faults are printed.
_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class FileFault:
    """A fault of a file: its line (from 1), the message, and what to do about it."""

    line: int
    message: str
    hint: str


def faults_of(
    problem: ValidationError, lines: Mapping[tuple[str, ...], int], *, data: Any, model: type[BaseModel], hint: str
) -> list[FileFault]:
    """Return the faults that a model finds in the data of a file whose keys stand on these lines, in the model's
    order."""
    return [
        FileFault(line_of(lines, error["loc"]), f"{_where(error['loc'], data)}: {_said(error, model)}", hint)
        for error in problem.errors(include_url=False)
    ]


def yaml_fault(problem: YamlProblem) -> FileFault:
    """Return the fault of a text that is no YAML."""
    quotes = '; a value with a colon needs quotes: key: "a: b"' if "mapping values" in problem.message else ""
    return FileFault(problem.line, f"column {problem.column}: {problem.message}", f"mend the YAML{quotes}")


def _where(path: Sequence[str | int], data: Any) -> str:
    """Return a path of keys; an entry of a list that has an ID is named by it."""
    named: list[str] = []
    for part in path:
        inner = dict(enumerate(data)) if isinstance(data, list) else data
        data = inner.get(part) if isinstance(inner, dict) else None
        entry = data.get("id") if isinstance(part, int) and isinstance(data, dict) else None
        named.append(entry if entry and isinstance(entry, str) else str(part))
    return ".".join(named)


def _said(error: ErrorDetails, model: type[BaseModel]) -> str:
    if error["type"] == "extra_forbidden":
        key = str(error["loc"][-1])
        known = {name for schema in _schemas_at(model, error["loc"][:-1]) for name in schema.get("properties", ())}
        unquoted = "; a text with a comma or a colon needs quotes" if " " in key else remark(key, known)
        return f"{_IN_PLAIN_WORDS['extra_forbidden']}{unquoted}"
    if error["type"] == "union_tag_not_found":
        kinds = sorted({name for schema in _schemas_at(model, error["loc"]) for name in schema.get("required", ())[:1]})
        there = f"(there are {', '.join(kinds)})"
        if not isinstance(error["input"], Mapping):
            return f"write `{{key: value}}`, with a key that says the kind {there}"
        keys = list(map(str, error["input"]))
        near = remark(keys[0], kinds) if keys else ""
        return f"there is nothing of the kind {{{', '.join(keys)}}} {there}{near}"
    return _IN_PLAIN_WORDS.get(error["type"], error["msg"])


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
