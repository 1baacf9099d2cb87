"""A prompt and the JSON Schema of its context -> what the prompt asks for that is not in it, with file and line."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from lorewright.llm.prompts.template import LAST, TOO_DEEP, Part, PromptTemplate

_HELPERS = {"each", "if", "unless", "with", "lookup", "log"}
# The check of the library does not look into blocks of one's own: this one goes through a list as `each` does.
_OWN_BLOCK = re.compile(r"(\{\{~?#)\s*" + LAST + r"\s+(\S+?)\s+\d+\s*(~?\}\})")
_OWN_END = re.compile(r"(\{\{~?/)\s*" + LAST + r"\s*(~?\}\})")
_TAG = re.compile(r"\{\{(?!!)[^{}]*\}\}")
# Names given to what a block goes through escape the check, and triple braces are HTML's.
_UNCHECKED = re.compile(r"\{\{[^{}]*\bas\s*\|[^{}]*\}\}|\{\{\{|\{\{[~]?[>&*]")
_PROBE = "no_such_name_"


@dataclass(frozen=True, slots=True)
class PromptFault:
    """Something wrong with a prompt: on which line of which file."""

    where: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.where}:{self.line}: {self.message}"


def check_prompt(
    template: PromptTemplate, schema: Mapping[str, Any], *, stable: Collection[str] = ()
) -> list[PromptFault]:
    """What is wrong with a prompt, in the order of its lines. `schema` is of its context as it is written out; `stable`
    are the context's keys that hold for a scene, which alone may stand in the stable part."""
    return [
        *_faults(template, "stable", _only(schema, stable), _turns(schema, stable)),
        *_faults(template, "changing", schema, ()),
    ]


def _only(schema: Mapping[str, Any], keys: Collection[str]) -> dict[str, Any]:
    properties = {key: one for key, one in schema.get("properties", {}).items() if key in keys}
    return {**schema, "properties": properties, "required": list(properties)}


def _turns(schema: Mapping[str, Any], stable: Collection[str]) -> set[str]:
    return set(schema.get("properties", {})) - set(stable)


def _faults(
    template: PromptTemplate, part: Part, schema: Mapping[str, Any], turns: Collection[str]
) -> list[PromptFault]:
    # Imported late: play without a model has no use for it.
    from pydantic_handlebars import HandlebarsParseError

    text, first = template.parts[part].text, template.parts[part].line
    unchecked = [
        PromptFault(template.where, first + text.count("\n", 0, found.start()), f"{found.group()} cannot be checked")
        for found in _UNCHECKED.finditer(text)
    ]
    if unchecked:
        return unchecked
    plain = _OWN_END.sub(r"\1each\2", _OWN_BLOCK.sub(r"\1each \2\3", text))
    try:
        paths = _unknown(plain, schema)
    except RecursionError:
        return [PromptFault(template.where, first, TOO_DEEP)]
    except HandlebarsParseError as problem:
        line = first + (problem.line or 1) - 1
        return [PromptFault(template.where, line, re.sub(r" at line .*", "", str(problem)))]
    faults = {
        PromptFault(template.where, first + plain.count("\n", 0, at), _told(path, message, turns))
        for path, message in dict.fromkeys(paths)
        for at in _places(plain, path, schema)
    }
    return sorted(faults, key=lambda fault: (fault.line, fault.message))


def _unknown(text: str, schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(path, message) of everything that a text asks for and its context has not."""
    # Imported late: play without a model has no use for it.
    from pydantic_handlebars import check_template_compatibility

    issues = check_template_compatibility(text, dict(schema), helpers=_HELPERS).issues
    return [(issue.field_path, issue.message) for issue in issues if issue.severity == "error"]


def _told(path: str, message: str, turns: Collection[str]) -> str:
    name = path.split(".")[0].removeprefix("../")
    if name in turns:
        return f"{path} is not the same for a whole scene: only the changing part may ask for it"
    return f"unknown variable {path} ({message[0].lower()}{message[1:]})"


def _places(text: str, path: str, schema: Mapping[str, Any]) -> list[int]:
    """Where in a text a path stands that is unknown there; the same words may be known elsewhere. The library names no
    lines, so each place is tried: with another unknown name in it, one complaint less is about the path."""
    before = [one for one, _ in _unknown(text, schema)].count(path)
    found = []
    for at, end in _mentions(text, path):
        tried = f"{text[:at]}{_PROBE}{text[end:]}"
        if [one for one, _ in _unknown(tried, schema)].count(path) < before:
            found.append(at)
    return found or [0]


def _mentions(text: str, path: str) -> list[tuple[int, int]]:
    """(start, end) of a path, or of what it can be written as, inside of tags."""
    written = re.compile(
        r"(?<![\w.@/])(?:this[./]|\./)?" + re.escape(path).replace(r"\.", r"[./]\[?") + r"\]?(?![\w.])"
    )
    return [
        (tag.start() + one.start(), tag.start() + one.end())
        for tag in _TAG.finditer(text)
        for one in written.finditer(tag.group())
    ]
