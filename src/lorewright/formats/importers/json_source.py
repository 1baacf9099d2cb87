"""Bytes -> a JSON value that can be written anywhere: no controls, no half characters, no NaN, nothing too deep."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Iterable
from typing import Any

from lorewright.errors import PackError
from lorewright.formats.importers.bounds import MAX_JSON_DEPTH, MAX_JSON_VALUES, MAX_SOURCE_BYTES, too_large

# The categories Cc and Cs, but for tab and line feed.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

# Longer ones are not read back as numbers from YAML, and Python refuses to read the longest at all.
_MAX_DIGITS = 18


def read_json(data: bytes, *, what: str) -> Any:
    """Read one JSON text. Numbers that no pack can hold (NaN, 1e999, twenty digits) become texts, as they are written.

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
    """The text with line feeds for line ends, and without control characters and halves of surrogate pairs."""
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
    """A key that comes twice keeps its last value, as every reader has it; the earlier ones are listed beside it."""
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
    """The name, or the name with the first number that makes it new."""
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
