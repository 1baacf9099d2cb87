"""A prompt's file -> PromptTemplate: what its head says, and its three parts in the order in which they are sent.

---
name: narrator
version: v1
context: NarratorContext
tier: large
description: Tells what happened.
---
=== system ===
Plain text; it is the same for every request.
=== stable ===
{{…}} that hold for a scene.
=== changing ===
{{…}} of this turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lorewright.bounded_files import MAX_WRITTEN_BYTES, read_text
from lorewright.errors import PromptError
from lorewright.ids import canonical_json, content_hash

# Prompt: a versioned template -> the texts that a model is shown. The registry of templates is in another file.


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """A prompt as it is sent, in the order in which a provider's cache reads it.

    `system` is the same for every request of a stage and version; `stable` holds for a scene or longer; `changing` is
    this turn's. The `content_hash` is the template's.
    """

    name: str
    version: str
    content_hash: str
    system: str
    stable: str
    changing: str

    @property
    def text(self) -> str:
        """All parts as one text."""
        return "\n\n".join(part for part in (self.system, self.stable, self.changing) if part)


class Prompt(Protocol):
    """A template of one stage in one version."""

    @property
    def name(self) -> str:
        """Name of the stage, as in the file's name: `narrator`."""
        ...

    @property
    def version(self) -> str:
        """Version: `v1`, `v2`, …"""
        ...

    @property
    def content_hash(self) -> str:
        """Hash of the whole text."""
        ...

    @property
    def source(self) -> str:
        """Whole text, as it is stored with what was made from it."""
        ...

    def render(self, context: Mapping[str, Any]) -> RenderedPrompt:
        """Return the template filled in; values are data and never read as a template.

        Raises:
            PromptError: the template uses a name that the context does not have, or the result is too long.
        """
        ...


class Prompts(Protocol):
    """A source of prompts: one version of each name."""

    def prompt(self, name: str) -> Prompt:
        """Return the version in force.

        Raises:
            NotFound: there is no such prompt.
        """
        ...


@dataclass(frozen=True, slots=True)
class PlainPrompt:
    """A prompt that shows its whole context as JSON; for tests, and for tasks too small for a template."""

    name: str
    version: str = "plain"

    @property
    def source(self) -> str:
        """Empty text: the context is all there is."""
        return ""

    @property
    def content_hash(self) -> str:
        """Hash of the empty text."""
        return content_hash("")

    def render(self, context: Mapping[str, Any]) -> RenderedPrompt:
        """Return the context as canonical JSON."""
        return RenderedPrompt(self.name, self.version, self.content_hash, "", "", canonical_json(dict(context)))


class PlainPrompts:
    """A source of plain prompts for every name."""

    def prompt(self, name: str) -> PlainPrompt:
        """Return a plain prompt of that name."""
        return PlainPrompt(name)


# Handlebars: a template's text and a context -> the text that a model is shown. Values are always data in it.

# Longest request (characters); a context that exceeds it is a mistake.
MAX_OUTPUT = 400_000
# Message about blocks nested in a way that the library cannot iterate.
TOO_DEEP = "its blocks are nested too deeply"
# Our own helper beside Handlebars' `each`, `if`, `unless`, `with` and `lookup`.
LAST = "last"

# Text that could be read as the tag of a fence: `<lore>`, `</player>`, `< /lore >`, `<!-- -->`, also with zero-width
# characters inside.
_TAG = re.compile("<(?=[\\s\u200b-\u200f\u2060\ufeff]*(?:[/!?]|[^\\W\\d_]))")
# Control characters, which tell a terminal or a reader something other than text.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# A line with nothing but a block's tag or a comment leaves no empty line.
_ALONE = re.compile(r"^[ \t]*(\{\{[#/^!][^{}]*\}\}|\{\{else[^{}]*\}\})[ \t]*\n", re.MULTILINE)
_EMPTY_LINES = re.compile(r"\n[ \t]*(\n[ \t]*)+\n")


def escape_tags(value: Any) -> Any:
    """Return the context safe to be filled in: in every text, anything like a tag opens with `‹` instead, so that no
    value can close the fence around it; control characters are removed.
    """
    if isinstance(value, str):
        return _TAG.sub("‹", _CONTROLS.sub("", value))
    if isinstance(value, Mapping):
        return {key: escape_tags(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [escape_tags(part) for part in value]
    return value


def compiled(source: str) -> Callable[[Mapping[str, Any]], str]:
    """Return a function that fills in a template's part; its output never has two empty lines in a row.

    Raises:
        HandlebarsError: it is not a valid template. The function raises it where the template uses a name that is not
            there, or the output is too long.
    """
    template = _environment().compile(_ALONE.sub(r"\1", source + "\n"))

    def fill(context: Mapping[str, Any]) -> str:
        return _EMPTY_LINES.sub("\n\n", template.render(escape_tags(context))).strip()

    return fill


@lru_cache(maxsize=1)
def _environment() -> Any:
    # Imported late: play without a model has no use for it.
    from pydantic_handlebars import HandlebarsEnvironment

    environment = HandlebarsEnvironment(strict=True, max_output_size=MAX_OUTPUT)
    # It takes the options that the library passes to helpers, whose own type is imported late too.
    helper: Any = _last
    environment.register_helper(LAST, helper)
    return environment


def _last(context: Any, /, *given: Any, options: Any) -> str:
    """Render `{{#last msgs 20}}…{{/last}}`: the last so many of a list, in their order; `{{else}}` where there are
    none.
    """
    entries = given[0] if given and isinstance(given[0], list) else []
    wanted = int(given[1]) if len(given) > 1 and isinstance(given[1], int | float) else len(entries)
    shown = entries[-wanted:] if wanted > 0 else []
    if not shown:
        return str(options.inverse(context))
    marks = ({"index": at, "first": at == 0, "last": at == len(shown) - 1} for at in range(len(shown)))
    return "".join(str(options.fn(entry, data=data)) for entry, data in zip(shown, marks, strict=True))


# A prompt's file -> PromptTemplate: its head, and its parts in the order in which they are sent.

Part = Literal["system", "stable", "changing"]
PARTS: tuple[Part, ...] = ("system", "stable", "changing")
SUFFIX = ".hbs"
# Longest prompt; usual prompts have a page or two (characters).
MAX_SOURCE = 60_000
_MAX_HEAD = 4_000

FILE_NAME = re.compile(r"([a-z][a-z0-9_]*)_(v[1-9][0-9]{0,4})\.hbs")
_HEAD = re.compile(r"---\n(.*?\n)---\n", re.DOTALL)
_DIVIDER = re.compile(r"^=== *(\w+) *===[ \t]*$", re.MULTILINE)


class PromptHead(BaseModel):
    """The head of a prompt's file; `context` names the type that it is filled in with."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    name: str = Field(pattern="^[a-z][a-z0-9_]*$", max_length=60)
    version: str = Field(pattern="^v[1-9][0-9]{0,4}$")
    context: str = Field(pattern="^[A-Za-z][A-Za-z0-9]*$", max_length=80)
    tier: Literal["small", "large"]
    description: str = Field(min_length=1, max_length=400)


@dataclass(frozen=True, slots=True)
class PartText:
    """The text of a part, and the line of the file on which it begins."""

    text: str
    line: int


@dataclass(frozen=True)
class PromptTemplate:
    """A prompt of one name and version, read from a file or stored by a campaign; `where` says which."""

    head: PromptHead
    parts: Mapping[Part, PartText]
    source: str
    where: str

    @property
    def name(self) -> str:
        """Name of the stage."""
        return self.head.name

    @property
    def version(self) -> str:
        """Version: `v1`, `v2`, …"""
        return self.head.version

    @cached_property
    def content_hash(self) -> str:
        """Hash of the whole text."""
        return content_hash(self.source)

    def render(self, context: Mapping[str, Any]) -> RenderedPrompt:
        """Return the prompt filled in; values are data and never read as a template.

        Raises:
            PromptError: it uses a name that the context does not have, or the result is too long.
        """
        return RenderedPrompt(
            self.name,
            self.version,
            self.content_hash,
            system=self.parts["system"].text.strip(),
            stable=self._filled("stable", context),
            changing=self._filled("changing", context),
        )

    def _filled(self, part: Part, context: Mapping[str, Any]) -> str:
        # Imported late: play without a model has no use for it.
        from pydantic_handlebars import HandlebarsError

        try:
            return self._ready[part](context)
        except RecursionError:
            raise PromptError(f"{self.where}: {TOO_DEEP} (part {part})", hint="see: lorewright prompts check") from None
        except HandlebarsError as problem:
            raise PromptError(f"{self.where}: {problem} (part {part})", hint="see: lorewright prompts check") from None

    @cached_property
    def _ready(self) -> Mapping[Part, Callable[[Mapping[str, Any]], str]]:
        return {part: compiled(self.parts[part].text) for part in ("stable", "changing")}


def read_template(path: Path) -> PromptTemplate:
    """Read a prompt's file.

    Raises:
        PromptError: it cannot be read as a prompt; the message has file and line.
    """
    try:
        text = read_text(path, MAX_WRITTEN_BYTES, PromptError, encoding="utf-8", hint="a prompt is a page or two")
    except (OSError, UnicodeDecodeError) as problem:
        raise PromptError(f"{path}: {problem}", hint="a prompt is a text file in UTF-8") from None
    template = parse_template(text, where=str(path))
    expected = f"{template.name}_{template.version}{SUFFIX}"
    if path.name != expected:
        raise PromptError(f"{path}:2: the head names {expected}", hint="rename the file, or mend its head")
    return template


def parse_template(source: str, *, where: str) -> PromptTemplate:
    """Parse a prompt's text; `where` is named in errors.

    Raises:
        PromptError: it is not a valid prompt; the message has the line.
    """
    if len(source) > MAX_SOURCE:
        raise PromptError(f"{where}: it is longer than {MAX_SOURCE} characters", hint="a prompt is a page or two")
    found = _HEAD.match(source)
    if found is None or len(found.group(1)) > _MAX_HEAD:
        raise PromptError(f"{where}:1: there is no head", hint="begin with ---, name, version, context, tier, ---")
    head = _head(found.group(1), where)
    return PromptTemplate(head, _parts(source, found.end(), where), source, where)


def _head(text: str, where: str) -> PromptHead:
    try:
        # BaseLoader reads only texts, lists and maps, so that `version: v1` is always a text.
        return PromptHead.model_validate(yaml.load(text, Loader=yaml.BaseLoader))
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        line = 2
        if isinstance(problem, ValidationError):
            first = problem.errors(include_url=False)[0]
            told = f"{'.'.join(map(str, first['loc'])) or 'the head'}: {first['msg']}"
        else:
            mark = getattr(problem, "problem_mark", None)
            line = mark.line + 2 if mark is not None else 2
            told = str(getattr(problem, "problem", None) or "it is no YAML")
        raise PromptError(
            f"{where}:{line}: {told}", hint="the head has name, version, context, tier and description"
        ) from None


def _parts(source: str, start: int, where: str) -> Mapping[Part, PartText]:
    """Return the parts by name; text between the head and the first part belongs to none."""
    dividers = list(_DIVIDER.finditer(source, start))
    named = [divider.group(1) for divider in dividers]
    first = dividers[0].start() if dividers else len(source)
    line = source.count("\n", 0, first) + 1
    if named != list(PARTS) or source[start:first].strip():
        raise PromptError(
            f"{where}:{line}: its parts are {', '.join(named) or 'none'}",
            hint="three parts in this order: === system ===, === stable ===, === changing ===",
        )
    ends = [*(divider.start() for divider in dividers[1:]), len(source)]
    parts: dict[Part, PartText] = {}
    for part, divider, end in zip(PARTS, dividers, ends, strict=True):
        begins = min(divider.end() + 1, end)
        parts[part] = PartText(source[begins:end], source.count("\n", 0, begins) + 1)
    at = parts["system"].text.find("{{")
    if at >= 0:
        line = parts["system"].line + parts["system"].text.count("\n", 0, at)
        raise PromptError(
            f"{where}:{line}: the system part has a variable",
            hint="it is the same for every request: put what varies into the stable or the changing part",
        )
    return parts


# Check of a prompt against the JSON Schema of its context -> unknown names, with file and line.

_HELPERS = {"each", "if", "unless", "with", "lookup", "log"}
# The library's check does not look into custom blocks: this helper goes through a list as `each` does.
_OWN_BLOCK = re.compile(r"(\{\{~?#)\s*" + LAST + r"\s+(\S+?)\s+\d+\s*(~?\}\})")
_OWN_END = re.compile(r"(\{\{~?/)\s*" + LAST + r"\s*(~?\}\})")
_HANDLEBARS_TAG = re.compile(r"\{\{(?!!)[^{}]*\}\}")
# Block parameters escape the check, and triple braces are for HTML.
_UNCHECKED = re.compile(r"\{\{[^{}]*\bas\s*\|[^{}]*\}\}|\{\{\{|\{\{[~]?[>&*]")
_PROBE = "no_such_name_"


@dataclass(frozen=True, slots=True)
class PromptFault:
    """A fault of a prompt, with file and line."""

    where: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.where}:{self.line}: {self.message}"


def check_prompt(
    template: PromptTemplate, schema: Mapping[str, Any], *, stable: Collection[str] = ()
) -> list[PromptFault]:
    """Return the faults of a prompt, in the order of its lines. `schema` is that of its context in serialized form;
    `stable` are the context's keys that hold for a scene: no others may stand in the stable part.
    """
    return [
        *_faults(template, "stable", _only(schema, stable), _turns(schema, stable)),
        *_faults(template, "changing", schema, ()),
    ]


def _only(schema: Mapping[str, Any], keys: Collection[str]) -> dict[str, Any]:
    properties = {key: subschema for key, subschema in schema.get("properties", {}).items() if key in keys}
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
        paths = _find_unknown(plain, schema)
    except RecursionError:
        return [PromptFault(template.where, first, TOO_DEEP)]
    except HandlebarsParseError as problem:
        line = first + (problem.line or 1) - 1
        return [PromptFault(template.where, line, re.sub(r" at line .*", "", str(problem)))]
    faults = {
        PromptFault(template.where, first + plain.count("\n", 0, at), _told(path, message, turns))
        for path, message in dict.fromkeys(paths)
        for at in _find_places(plain, path, schema)
    }
    return sorted(faults, key=lambda fault: (fault.line, fault.message))


def _find_unknown(text: str, schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (path, message) of everything that a text uses and its context does not have."""
    # Imported late: play without a model has no use for it.
    from pydantic_handlebars import check_template_compatibility

    issues = check_template_compatibility(text, dict(schema), helpers=_HELPERS).issues
    return [(issue.field_path, issue.message) for issue in issues if issue.severity == "error"]


def _told(path: str, message: str, turns: Collection[str]) -> str:
    name = path.split(".")[0].removeprefix("../")
    if name in turns:
        return f"{path} is not the same for a whole scene: only the changing part may ask for it"
    return f"unknown variable {path} ({message[0].lower()}{message[1:]})"


def _find_places(text: str, path: str, schema: Mapping[str, Any]) -> list[int]:
    """Return the positions in a text at which a path is unknown; the same words may be known elsewhere. The library
    names no lines, so each place is tried: if another unknown name put there makes one complaint less about the path,
    it counts.
    """
    before = [unknown for unknown, _ in _find_unknown(text, schema)].count(path)
    found = []
    for at, end in _find_mentions(text, path):
        tried = f"{text[:at]}{_PROBE}{text[end:]}"
        if [unknown for unknown, _ in _find_unknown(tried, schema)].count(path) < before:
            found.append(at)
    return found or [0]


def _find_mentions(text: str, path: str) -> list[tuple[int, int]]:
    """Return (start, end) of a path, or of its other spellings, inside of tags."""
    written = re.compile(
        r"(?<![\w.@/])(?:this[./]|\./)?" + re.escape(path).replace(r"\.", r"[./]\[?") + r"\]?(?![\w.])"
    )
    return [
        (tag.start() + match.start(), tag.start() + match.end())
        for tag in _HANDLEBARS_TAG.finditer(text)
        for match in written.finditer(tag.group())
    ]
