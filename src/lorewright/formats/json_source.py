"""Bytes -> a JSON value that can be written anywhere: no controls, no lone surrogates, no NaN, bounded in depth."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Iterable
from typing import Any

import yaml

from lorewright.errors import PackError
from lorewright.formats.mark import MAX_JSON_DEPTH, MAX_JSON_VALUES, MAX_SOURCE_BYTES, too_large
from lorewright.packs.bounded_yaml import YamlProblem, load_yaml
from lorewright.packs.files import MAX_YAML_DEPTH, MAX_YAML_NODES

# Plain data -> YAML that our own bounded loader reads back as equal data.

# Plain scalars with this beginning may be numbers for our loader that PyYAML would not quote: `1e5`, `08`.
_LIKE_A_NUMBER = re.compile(r"[-+.]?[.0-9]")
_LIKE_A_WORD = frozenset({"null", "true", "false", "~", ""})
_NOT_A_BLOCK = re.compile(r"\A[ \t\n]|[ \t](?:\n|\Z)")


class _Dumper(yaml.SafeDumper):
    """A dumper without anchors that quotes texts which look like other scalars and writes long texts as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if _LIKE_A_NUMBER.match(text) or text.casefold() in _LIKE_A_WORD:
        style = '"'
    elif "\n" in text:
        style = '"' if _NOT_A_BLOCK.search(text) else "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def dump(data: dict[str, Any]) -> str:
    """Return the YAML of a mapping, with its keys in their order."""
    text = yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, default_flow_style=False, width=1_000)
    return str(text)


def fit_yaml(head: dict[str, Any], extra: dict[str, Any], *, max_bytes: int) -> tuple[str, dict[str, Any]]:
    """Return the YAML of `head`, which must be small, and of `extra`, and the extras for which there is no room.

    The largest extras are left out first, so that as many as possible stay.
    """
    kept = _affordable(extra, max_bytes=max_bytes * 3 // 4)
    while not reads_back(text := dump({**head, **kept}), {**head, **kept}, max_bytes=max_bytes) and kept:
        smallest = sorted(kept, key=lambda key: len(_canonical(kept[key])))[: len(kept) // 2]
        kept = {key: value for key, value in kept.items() if key in set(smallest)}
    return text, {key: value for key, value in extra.items() if key not in kept}


def reads_back(text: str, data: dict[str, Any], *, max_bytes: int) -> bool:
    """Tell whether our loader, with its limits, reads the text as equal data."""
    if len(text.encode()) > max_bytes:
        return False
    try:
        return _canonical(load_yaml(text).data) == _canonical(data)
    except YamlProblem:
        return False


def _affordable(extra: dict[str, Any], *, max_bytes: int) -> dict[str, Any]:
    """Return as many of the extras as fit the loader's limits, in their order."""
    costs = {
        key: (len(_canonical(value).encode()) + len(key), *_nodes_and_depth(value)) for key, value in extra.items()
    }
    nodes = MAX_YAML_NODES * 3 // 4
    kept: set[str] = set()
    for key in sorted(extra, key=lambda key: costs[key][0]):
        size, count, depth = costs[key]
        if size <= max_bytes and count < nodes and depth < MAX_YAML_DEPTH - 1:
            max_bytes -= size
            nodes -= count + 1
            kept.add(key)
    return {key: value for key, value in extra.items() if key in kept}


def _nodes_and_depth(value: Any) -> tuple[int, int]:
    if isinstance(value, dict):
        inner = [_nodes_and_depth(member) for member in value.values()]
        return 1 + len(inner) + sum(count for count, _ in inner), 1 + max((depth for _, depth in inner), default=1)
    if isinstance(value, list):
        inner = [_nodes_and_depth(member) for member in value]
        return 1 + sum(count for count, _ in inner), 1 + max((depth for _, depth in inner), default=0)
    return 1, 1


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# Bytes -> a JSON value that can be written anywhere, bounded in depth.

# The categories Cc and Cs, but for tab and line feed.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

# Longer numbers are not read back from YAML as numbers, and Python refuses to read the longest.
_MAX_DIGITS = 18


def read_json(data: bytes, *, what: str) -> Any:
    """Return the value of a JSON text. Numbers that no pack can hold (NaN, 1e999, twenty digits) become texts,
    unchanged.

    Raises:
        PackError: it is too large, not UTF-8, not JSON, or nested too deeply; `what` is named in the message.
    """
    if len(data) > MAX_SOURCE_BYTES:
        raise too_large(what, MAX_SOURCE_BYTES)
    text = _decoded(data, what)
    if text.count(",") + text.count("[") > MAX_JSON_VALUES:
        raise PackError(f"{what} holds too many values", hint="split the book into several files")
    try:
        value = json.loads(text, parse_int=_integer, parse_float=_number, parse_constant=str, object_pairs_hook=_object)
    except json.JSONDecodeError as problem:
        place = f"line {problem.lineno}, column {problem.colno}"
        message = f"{what} is not JSON: {problem.msg}, {place}"
        raise PackError(message, hint="export the file again, as JSON, from the tool that made it") from None
    except RecursionError:
        raise _too_deep(what) from None
    return _cleaned(value, what, depth=0)


def clean(text: str) -> str:
    """Return the text with line feeds as line ends, and without control characters and lone surrogates."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _decoded(data: bytes, what: str) -> str:
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as problem:
        message = f"{what} is not text: byte {problem.start} is not UTF-8"
        raise PackError(message, hint="import .json, .png, .charx, .lorebook or .scenario files") from None


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits.lstrip("-")) <= _MAX_DIGITS else digits


def _number(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


def _object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. A repeated key has its last value, as in every reader; the earlier values are listed under
    another key."""
    built: dict[str, Any] = {}
    earlier: dict[str, list[Any]] = {}
    for key, value in pairs:
        name = clean(key)
        if name in built:
            earlier.setdefault(name, []).append(built[name])
        built[name] = value
    for name, values in earlier.items():
        built[free_key(f"{name}_earlier", built)] = values
    return built


def free_key(name: str, taken: dict[str, Any]) -> str:
    """Return the name, or the name with the first number that makes it new."""
    if name not in taken:
        return name
    number = next(n for n in range(2, len(taken) + 3) if f"{name}_{n}" not in taken)
    return f"{name}_{number}"


def _cleaned(value: Any, what: str, *, depth: int) -> Any:
    if depth > MAX_JSON_DEPTH:
        raise _too_deep(what)
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(member, what, depth=depth + 1) for member in value]
    if isinstance(value, dict):
        return {key: _cleaned(member, what, depth=depth + 1) for key, member in value.items()}
    return value


def _too_deep(what: str) -> PackError:
    return PackError(f"{what} is nested deeper than {MAX_JSON_DEPTH} levels", hint="this is no lorebook or card")
