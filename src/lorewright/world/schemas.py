"""JSON Schema and data -> misfits, defaults for missing values, and the bounds of a number.

Schemas are a ruleset's: objects whose properties are values, lists or objects again, without references.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

from pydantic_core import SchemaError, SchemaValidator, core_schema

from lorewright.ids import canonical_json

# The allowed keywords. JSON Schema ignores unknown keywords, so that an author would not notice a typo.
KEYWORDS = frozenset(
    (
        *("type", "properties", "required", "additionalProperties", "minProperties", "maxProperties"),
        *("items", "minItems", "maxItems", "uniqueItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "pattern", "enum", "const", "default"),
        *("title", "description", "examples"),
    )
)
_MEANT = {"min": "minimum", "max": "maximum", "optional": "leave it out of required", "values": "enum"}
# Beyond this a float no longer tells whole numbers apart.
LARGEST = 10**15
_DEEPEST = 20
# Each level of a schema is several levels of calls in the validator, and an object within an object is two levels.
_DEEPEST_SCHEMA = 2 * _DEEPEST + 4

# No author writes as many. Parts that YAML aliases repeat count each time.
_MOST_PARTS = 20_000

_TOO_DEEP = f"the schema is nested over {_DEEPEST_SCHEMA} levels deep, or has over {_MOST_PARTS:,} parts"
_NUMBER = (int, float)
# Keyword -> the types that the library accepts; a value of another type is ignored, as unknown keywords are.
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "type": (str, list),
    "properties": dict,
    **dict.fromkeys(("items", "additionalProperties"), (dict, bool)),
    **dict.fromkeys(("required", "enum"), list),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), _NUMBER),
    **dict.fromkeys(("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"), _NUMBER),
    "pattern": str,
}

# Searching for a pattern takes time proportional to its size with every repetition written out, times the length of the
# text: these two bounds keep it to some hundredths of a second for each text.
_MOST_PATTERN_SIZE = 1_000
_MOST_PATTERN_TEXT = 1_000
# Compiling a pattern takes time and memory too, and a schema can have thousands: one of the largest takes a tenth of a
# second and 20 MB, all that a schema may have half a second.
_MOST_PATTERNS_SIZE = 5_000
# These classes have some hundred ranges each; compared to them a character costs nothing.
_WIDE = re.compile(r"\\[wWpP]")
_WIDE_PARTS = 5
# A counted repetition and the character before it, with the blanks that the engine ignores; and the characters after
# which it multiplies earlier counts.
_COUNTED = re.compile(r"(?<=(.))\{\s*(\d+)\s*(?:,\s*(\d*)\s*)?\}", re.DOTALL)
_MANY = ")}?*+"
_SPACED_OUT_FLAG = "x"
_SPACED_OUT = re.compile(r"\(\?[A-Za-z-]*x")
_PATTERN_HINT = (
    "write it without lookaround, backreferences and flags like (?x), its counted repetitions small;"
    " \\z is the end of the text"
)


@dataclass(frozen=True, slots=True)
class Misfit:
    """A value that does not fit a schema: the path of keys, and the reason."""

    field: tuple[str, ...]
    message: str

    def __str__(self) -> str:
        where = ".".join(self.field)
        return f"{where}: {self.message}" if where else self.message


def plain(value: Any) -> Any:
    """Return a deep copy of the value as plain dicts and lists."""
    if isinstance(value, Mapping):
        return {key: plain(member) for key, member in value.items()}
    return [plain(member) for member in value] if isinstance(value, (list, tuple)) else value


def is_json(value: Any, *, depth: int = 0) -> bool:
    """Tell whether a value may be in a state: JSON of bounded depth, with finite numbers up to `LARGEST`."""
    if depth > _DEEPEST:
        return False
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and is_json(member, depth=depth + 1) for key, member in value.items())
    if isinstance(value, (list, tuple)):
        return all(is_json(member, depth=depth + 1) for member in value)
    if isinstance(value, (int, float)):
        return -LARGEST <= value <= LARGEST
    return value is None or isinstance(value, str)


def misfits(value: Any, schema: Mapping[str, Any]) -> list[Misfit]:
    """Return everything in the value that the schema does not allow, by path; an empty list if it fits. For an invalid
    schema, that is the only misfit."""
    if not is_json(value):
        return [Misfit((), "it is no JSON, or holds a number that is too large")]
    if _is_too_deep(schema):
        return [Misfit((), _TOO_DEEP)]
    if not is_json(schema, depth=_DEEPEST - _DEEPEST_SCHEMA):
        return [Misfit((), "the schema is no JSON, or holds a number that is too large")]
    given = plain(value)
    validator, problem = _validator(canonical_json(plain(schema)))
    if problem is not None:
        return [Misfit((), problem)]
    found = [
        Misfit(tuple(map(str, iter_error.absolute_path)), _shortened_message(iter_error))
        for iter_error in validator.iter_errors(given)
    ]
    return sorted(found, key=lambda misfit: (misfit.field, misfit.message))


def schema_problems(schema: Any, *, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield (path of keys, problem, hint) for each fault of a schema itself; an unknown keyword is a fault."""
    if not isinstance(schema, Mapping):
        yield path, "a schema is `keyword: value` lines", "write for example {type: integer, minimum: 0, maximum: 10}"
        return
    if not path and _is_too_deep(schema):
        yield path, _TOO_DEEP, "keep objects within objects few"
        return
    if not path and _patterns_size(schema) > _MOST_PATTERNS_SIZE:
        message = f"its patterns together have over {_MOST_PATTERNS_SIZE:,} parts with their repetitions written out"
        yield path, message, "write fewer or shorter ones, or an enum"
        return
    for keyword, value in schema.items():
        if keyword not in KEYWORDS:
            meant = _MEANT.get(str(keyword))
            hint = f"{keyword} is {meant} in JSON Schema" if meant else f"there are {', '.join(sorted(KEYWORDS))}"
            yield (*path, str(keyword)), f"the keyword {keyword} is not supported", hint
        elif keyword == "properties" and isinstance(value, Mapping):
            for name, part in value.items():
                yield from schema_problems(part, path=(*path, "properties", str(name)))
        elif keyword == "items" or (keyword == "additionalProperties" and not isinstance(value, bool)):
            yield from schema_problems(value, path=(*path, keyword))
        elif keyword == "pattern" and isinstance(value, str) and (problem := pattern_problem(value)) is not None:
            yield (*path, keyword), problem, _PATTERN_HINT
    yield from _refused_by_metaschema(schema, path)


def pattern_problem(pattern: str) -> str | None:
    """Return the reason why a regular expression is refused, or None if it is accepted.

    Patterns are an author's, and a hostile ruleset must not stop the program: only patterns are accepted that an engine
    without backtracking can read, and that stay small when their repetitions are written out.
    """
    if _SPACED_OUT.search(pattern):
        return f"the pattern has the flag {_SPACED_OUT_FLAG}, which is not read"
    if _size(pattern) > _MOST_PATTERN_SIZE:
        return f"the pattern repeats too much: over {_MOST_PATTERN_SIZE} parts when it is written out"
    return _searched(pattern)[1]


def filled(given: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given values with the schema's defaults for missing ones, also in nested objects."""
    found = plain(given)
    for name, part in schema.get("properties", {}).items():
        if name not in found and "default" in part:
            found[name] = plain(part["default"])
        elif isinstance(found.get(name), dict):
            found[name] = filled(found[name], part)
    return dict(found)


def part_of(schema: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any] | None:
    """Return the schema of the value at a path; None if the schema has no such path."""
    part: Mapping[str, Any] = schema
    for step in path:
        more = part.get("additionalProperties")
        within = part.get("properties", {}).get(step, {} if more is True else more)
        if not isinstance(within, Mapping):
            return None
        part = within
    return part


def clamped(value: float, part: Mapping[str, Any]) -> float:
    """Return the value, or the bound that it exceeds."""
    low, high = part.get("minimum"), part.get("maximum")
    if low is not None and value < low:
        return float(low) if isinstance(value, float) else int(low)
    if high is not None and value > high:
        return float(high) if isinstance(value, float) else int(high)
    return value


def _is_too_deep(schema: Any) -> bool:
    """Tell whether a schema is nested deeper than its validator can follow, or has more parts than any author writes.
    It is traversed level by level up to the bounds, so that the traversal of a schema which contains itself ends
    too."""
    level, counted = [schema], 0
    for _ in range(_DEEPEST_SCHEMA):
        below: list[Any] = []
        for part in level:
            for value in part.values() if isinstance(part, Mapping) else part:
                if isinstance(value, (Mapping, list, tuple)):
                    below.append(value)
            if counted + len(below) > _MOST_PARTS:
                return True
        counted += len(below)
        level = below
        if not level:
            return False
    return True


def _shortened_message(problem: Any) -> str:
    """Return the library's message, truncated, because it may contain a long value."""
    text = str(problem.message)
    return text if len(text) <= 160 else f"{text[:157]}…"


def _refused_by_metaschema(
    schema: Mapping[str, Any], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str, str]]:
    if path:
        return  # the whole schema was checked at the root
    validator = _metaschema()
    for iter_error in sorted(
        validator.iter_errors(plain(schema)), key=lambda problem: list(map(str, problem.absolute_path))
    ):
        yield (
            tuple(map(str, iter_error.absolute_path)),
            _shortened_message(iter_error),
            "see docs/rulesets.md for what a schema may say",
        )


def _size(pattern: str) -> int:
    """Return an upper bound of the parts of a pattern when its counted repetitions are written out; more for a pattern
    with a wide class."""
    counts = [(before, int((most or least)[:6])) for before, least, most in _COUNTED.findall(pattern)]
    repeated = prod(max(1, count) for before, count in counts if before in _MANY)
    size = (len(pattern) + sum(count for before, count in counts if before not in _MANY)) * repeated
    return int(size * _WIDE_PARTS if _WIDE.search(pattern) else size)


def _patterns_size(schema: Any) -> int:
    """Return the sum of the sizes of all patterns in a schema that is not too deep, without those that are too large to
    be read."""
    if not isinstance(schema, Mapping):
        return 0
    pattern, properties = schema.get("pattern"), schema.get("properties")
    parts = [schema.get("items"), schema.get("additionalProperties")]
    parts += properties.values() if isinstance(properties, Mapping) else ()
    own = _size(pattern) if isinstance(pattern, str) else 0
    return (own if own <= _MOST_PATTERN_SIZE else 0) + sum(map(_patterns_size, parts))


@lru_cache(maxsize=256)
def _searched(pattern: str) -> tuple[SchemaValidator | None, str | None]:
    """Return a validator that searches a text for the pattern in linear time, or the reason why the pattern is
    refused."""
    try:
        found = SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex", strict=True))
    except SchemaError as problem:
        lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
        reason = lines[-1].removeprefix("error: ").removeprefix("SchemaError: ") if lines else ""
        return None, f"the pattern cannot be read: {reason[:160] or 'it is no regular expression'}"
    return found, None


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """Yield the errors of the keyword `pattern`, in place of the library's own check, which may backtrack endlessly."""
    if not isinstance(instance, str) or not isinstance(pattern, str):
        return
    from jsonschema import ValidationError  # late: see below

    if pattern_problem(pattern) is not None:
        return  # New rulesets with it are refused; a campaign of an earlier version may have it and still works.
    if len(instance) > _MOST_PATTERN_TEXT:
        yield ValidationError(f"it is longer than {_MOST_PATTERN_TEXT} characters, too long for a pattern")
        return
    search, _ = _searched(pattern)
    if search is not None and not search.isinstance_python(instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _known_part(schema: Any) -> Any:
    """Return a schema with only the allowed keywords, so that others in a file of unknown origin have no effect."""
    if not isinstance(schema, dict):
        return schema
    known = {
        keyword: value
        for keyword, value in schema.items()
        if keyword in KEYWORDS and isinstance(value, _TYPES.get(keyword, object))
    }
    for keyword in ("items", "additionalProperties"):
        if keyword in known:
            known[keyword] = _known_part(known[keyword])
    properties = known.get("properties")
    if isinstance(properties, dict):
        parts = properties.items()
        known["properties"] = {name: _known_part(part) for name, part in parts if isinstance(part, (dict, bool))}
    return known


@lru_cache(maxsize=64)
def _validator(schema_json: str) -> tuple[Any, str | None]:
    """Return a validator for a schema, and the reason if the schema is invalid: some values would stop the library with
    an error."""
    import jsonschema  # late: importing it takes as long as a lore query, and freeform does not need it

    known = _known_part(json.loads(schema_json))
    # As with a single pattern that is too large: new rulesets with so many are refused, and a campaign that has them
    # ignores them.
    keyword = _pattern if _patterns_size(known) <= _MOST_PATTERNS_SIZE else None
    ours = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"pattern": keyword})
    wrong = next(_metaschema().iter_errors(known), None)
    if wrong is None:
        return ours(known), None
    where = ".".join(map(str, wrong.absolute_path)) or "it"
    return None, f"the schema is none: {where}: {_shortened_message(wrong)}"


@lru_cache(maxsize=1)
def _metaschema() -> Any:
    import jsonschema  # late: see above

    return jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA)
