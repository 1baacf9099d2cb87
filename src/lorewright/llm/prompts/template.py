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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lorewright.bounded_files import MAX_WRITTEN_BYTES, read_text
from lorewright.errors import PromptError
from lorewright.ids import content_hash
from lorewright.llm.prompt import RenderedPrompt
from lorewright.llm.prompts.engine import TOO_DEEP, compiled

Part = Literal["system", "stable", "changing"]
PARTS: tuple[Part, ...] = ("system", "stable", "changing")
SUFFIX = ".hbs"
# A prompt is a page or two (characters).
MAX_SOURCE = 60_000
_MAX_HEAD = 4_000

FILE_NAME = re.compile(r"([a-z][a-z0-9_]*)_(v[1-9][0-9]{0,4})\.hbs")
_HEAD = re.compile(r"---\n(.*?\n)---\n", re.DOTALL)
_DIVIDER = re.compile(r"^=== *(\w+) *===[ \t]*$", re.MULTILINE)


class Head(BaseModel):
    """What stands at the top of a prompt's file; `context` names the type that it is filled in with."""

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
    """A prompt of one name and version, read from a file or kept by a campaign; `where` says which."""

    head: Head
    parts: Mapping[Part, PartText]
    source: str
    where: str

    @property
    def name(self) -> str:
        """The stage's."""
        return self.head.name

    @property
    def version(self) -> str:
        """`v1`, `v2`, …"""
        return self.head.version

    @cached_property
    def content_hash(self) -> str:
        """The hash of the whole text."""
        return content_hash(self.source)

    def render(self, context: Mapping[str, Any]) -> RenderedPrompt:
        """The prompt filled in; values are data and never read as a template.

        Raises:
            PromptError: it asks for what the context does not have, or what comes of it is too long.
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
    """A prompt's file.

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
        raise PromptError(f"{path}:2: it says that it is {expected}", hint="rename the file, or mend its head")
    return template


def parse_template(source: str, *, where: str) -> PromptTemplate:
    """A prompt's text; `where` is named in errors.

    Raises:
        PromptError: it is no prompt; the message has the line.
    """
    if len(source) > MAX_SOURCE:
        raise PromptError(f"{where}: it is longer than {MAX_SOURCE} characters", hint="a prompt is a page or two")
    found = _HEAD.match(source)
    if found is None or len(found.group(1)) > _MAX_HEAD:
        raise PromptError(f"{where}:1: there is no head", hint="begin with ---, name, version, context, tier, ---")
    head = _head(found.group(1), where)
    return PromptTemplate(head, _parts(source, found.end(), where), source, where)


def _head(text: str, where: str) -> Head:
    try:
        # BaseLoader knows texts, lists and maps alone, so that `version: v1` can be nothing else.
        return Head.model_validate(yaml.load(text, Loader=yaml.BaseLoader))
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
    """The parts by name; what stands between the head and the first of them belongs to none."""
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
