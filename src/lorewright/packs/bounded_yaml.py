"""YAML text -> plain data, for files of unknown origin.

PyYAML's safe loader is safe against code, not against size: aliases multiply, merge keys multiply faster, deep nesting
recurses. So: no anchors, aliases, merges or tags; bounds on size, depth and nodes; keys are strings; and the scalars
are YAML 1.2's (`no` is a string, and so is what looks like a date).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import yaml

from lorewright.packs.files import MAX_YAML_DEPTH, MAX_YAML_NODES

_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\b")
_NULL = re.compile(r"~|null|Null|NULL|")
_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_INT = re.compile(r"[-+]?[0-9]{1,18}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")


class YamlProblem(Exception):
    """An error in a YAML text: code `invalid-yaml`, `yaml-alias-bomb` or `unsafe-yaml-tag`; line from 1."""

    def __init__(self, code: str, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """The data, the line (from 1) of each top-level key, the top-level keys whose unquoted value looks like a date, and
    the keys at any depth that occur twice, with their lines, and with the values that the later ones replaced."""

    data: Any
    key_lines: dict[str, int] = field(default_factory=dict)
    dates: frozenset[str] = frozenset()
    duplicates: tuple[tuple[str, int], ...] = ()
    replaced: tuple[tuple[str, Any], ...] = ()


def load_yaml(text: str, *, max_nodes: int = MAX_YAML_NODES) -> YamlDocument:
    """Return the YAML document in a text; the data of an empty text is None.

    Raises:
        YamlProblem: the text is not valid within our bounds; it has the line and column.
    """
    try:
        node = _compose(text, max_nodes)
        builder = _Builder()
        data = None if node is None else builder.build(node)
        lines, dates = _key_lines(node), _dates(node)
    except yaml.MarkedYAMLError as problem:
        raise _problem(problem) from None
    except (yaml.YAMLError, ValueError, RecursionError, IndexError) as problem:
        raise YamlProblem("invalid-yaml", str(problem).split("\n")[0] or "not YAML", 1, 1) from None
    return YamlDocument(data, lines, dates, tuple(builder.duplicates), tuple(builder.replaced))


def lines_of_yaml(text: str, *, max_nodes: int = MAX_YAML_NODES) -> dict[tuple[str, ...], int]:
    """Return the line (from 1) of each key and list entry, by its path of keys (`("rules", "0", "on")`).

    Raises:
        YamlProblem: as in `load_yaml`; the text should have been read by that before.
    """
    node = _compose(text, max_nodes)
    return dict(_lines(node, ())) if node is not None else {}


def line_of(lines: Mapping[tuple[str, ...], int], path: Iterable[object]) -> int:
    """Return the line of a path of keys, or of the longest part of it that exists; 1 if none does. Steps that are no
    key of the file (the kind of an effect, say) are skipped."""
    found: tuple[str, ...] = ()
    for part in path:
        if (*found, str(part)) in lines:
            found = (*found, str(part))
    return lines.get(found, 1)


def _lines(node: yaml.Node, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*path, _clean(str(key.value)))
            yield inner, key.start_mark.line + 1
            yield from _lines(value, inner)
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            inner = (*path, str(number))
            yield inner, value.start_mark.line + 1
            yield from _lines(value, inner)


# A text is needed for its data and then for its lines, and composed once; a few texts, as a ruleset extends others.
@lru_cache(maxsize=4)
def _compose(text: str, max_nodes: int) -> yaml.Node | None:
    loader = _Loader(text, max_nodes)
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


def _problem(problem: yaml.MarkedYAMLError) -> YamlProblem:
    # A quotation mark that is never closed is told where it is opened.
    is_open = "end of stream" in (problem.problem or "") and problem.context_mark is not None
    mark = problem.context_mark if is_open else problem.problem_mark or problem.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return YamlProblem("invalid-yaml", problem.problem or "not YAML", line, column)


def _key_lines(node: yaml.Node | None) -> dict[str, int]:
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {_clean(key.value): key.start_mark.line + 1 for key, _ in node.value if isinstance(key, yaml.ScalarNode)}


def _dates(node: yaml.Node | None) -> frozenset[str]:
    """Return the top-level keys whose values other YAML readers take for dates; here they stay texts."""
    if not isinstance(node, yaml.MappingNode):
        return frozenset()
    return frozenset(
        str(key.value)
        for key, value in node.value
        if isinstance(value, yaml.ScalarNode) and value.style is None and _DATE.match(str(value.value))
    )


class _Loader(yaml.SafeLoader):
    """A loader that composes nodes within bounds; it refuses anchors, aliases and tags."""

    def __init__(self, text: str, max_nodes: int) -> None:
        super().__init__(text)
        self._max_nodes = max_nodes
        self._depth = 0
        self._nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        mark = event.start_mark
        line, column = mark.line + 1, mark.column + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise YamlProblem("yaml-alias-bomb", "anchors and aliases are not read", line, column)
        if getattr(event, "tag", None):
            raise YamlProblem("unsafe-yaml-tag", f"the tag {event.tag} is not read", line, column)
        self._depth += 1
        self._nodes += 1
        if self._depth > MAX_YAML_DEPTH:
            raise YamlProblem("invalid-yaml", f"nested deeper than {MAX_YAML_DEPTH} levels", line, column)
        if self._nodes > self._max_nodes:
            raise YamlProblem("invalid-yaml", f"more than {self._max_nodes} values", line, column)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


class _Builder:
    """A converter of nodes to dict, list, str, int, float, bool and None."""

    def __init__(self) -> None:
        self.duplicates: list[tuple[str, int]] = []
        self.replaced: list[tuple[str, Any]] = []

    def build(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(child) for child in node.value]
        return _scalar(node)

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        built: dict[str, Any] = {}
        for key_node, value_node in node.value:
            mark = key_node.start_mark
            if not isinstance(key_node, yaml.ScalarNode):
                raise YamlProblem("invalid-yaml", "a key must be text", mark.line + 1, mark.column + 1)
            key = _clean(key_node.value)
            if key in built:
                self.duplicates.append((key, mark.line + 1))
                self.replaced.append((key, built[key]))
            built[key] = self.build(value_node)
        return built


def _scalar(node: yaml.Node) -> Any:
    text = _clean(node.value)
    if getattr(node, "style", None) is not None:
        return text
    if _NULL.fullmatch(text):
        return None
    if _BOOL.fullmatch(text):
        return text.lower() == "true"
    if _INT.fullmatch(text):
        return int(text)
    number = float(text) if _FLOAT.fullmatch(text) else math.inf
    return number if math.isfinite(number) else text


def _clean(text: str) -> str:
    """Return a text without controls and lone surrogates, which only an escape (`"\\e"`, `"\\ud800"`) can produce."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs"))
