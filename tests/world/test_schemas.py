"""Schemas: what does not fit is named by its field, defaults are filled in, and a keyword nobody reads is a fault."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.world.schemas import clamped, filled, is_json, misfits, part_of, schema_problems

SCENE: dict[str, Any] = {
    "type": "object",
    "required": ["minutes_left"],
    "additionalProperties": False,
    "properties": {
        "minutes_left": {"type": "integer", "minimum": 0, "maximum": 7, "default": 7},
        "weather": {"type": "object", "properties": {"wind": {"type": "number", "default": 0.5}}},
    },
}


def test_a_value_that_does_not_fit_is_named_by_its_field() -> None:
    (wrong,) = misfits({"minutes_left": 8}, SCENE)
    assert wrong.field == ("minutes_left",)
    assert "7" in wrong.message


def test_a_missing_value_and_an_unknown_one_do_not_fit() -> None:
    assert "required" in misfits({}, SCENE)[0].message
    assert "moon" in misfits({"minutes_left": 1, "moon": 1}, SCENE)[0].message


def test_what_is_not_given_is_filled_in_also_within() -> None:
    assert filled({"weather": {}}, SCENE) == {"minutes_left": 7, "weather": {"wind": 0.5}}
    assert filled({"minutes_left": 2}, SCENE) == {"minutes_left": 2}


def test_a_path_leads_to_its_schema_or_nowhere() -> None:
    assert part_of(SCENE, ["weather", "wind"]) == {"type": "number", "default": 0.5}
    assert part_of(SCENE, ["weather", "rain"]) is None
    assert part_of({"type": "object", "additionalProperties": {"type": "integer"}}, ["any"]) == {"type": "integer"}


@pytest.mark.parametrize(("value", "stands"), [(-1, 0), (3, 3), (9, 7)])
def test_a_number_stops_at_its_bounds(value: int, stands: int) -> None:
    assert clamped(value, {"minimum": 0, "maximum": 7}) == stands


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**16, {1: 2}, {"a": object()}])
def test_what_cannot_be_stored_is_no_json(value: object) -> None:
    assert not is_json(value)
    assert misfits({"minutes_left": value}, SCENE)


def test_the_keywords_min_and_max_are_faults_with_a_hint() -> None:
    schema = {"type": "object", "properties": {"shyness": {"type": "integer", "min": 0}}}
    ((path, message, hint),) = schema_problems(schema)
    assert path == ("properties", "shyness", "min")
    assert "min" in message
    assert "minimum" in hint


@pytest.mark.parametrize("schema", [{"type": "whole"}, {"type": "object", "required": "all"}, {"$ref": "http://x"}, []])
def test_what_is_no_schema_is_a_fault(schema: object) -> None:
    assert list(schema_problems(schema))


# Each of these takes an engine that backtracks longer than anyone waits.
HOSTILE = ["^(a+)+$", "^(a|aa)+$", "^(a|a?)+$", r"(.*)*x$", r"^((a+)*b?)*$", r"(\w+\s?)*$!"]


@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_pattern_that_would_backtrack_without_end_is_answered_at_once(pattern: str) -> None:
    schema = {"type": "object", "properties": {"mood": {"type": "string", "pattern": pattern}}}
    assert not list(schema_problems(schema))
    # With an engine that backtracks this line is never passed.
    misfits({"mood": "a" * 56 + "!"}, schema)


def test_a_pattern_is_looked_for_anywhere_in_the_text() -> None:
    schema = {"type": "object", "properties": {"code": {"pattern": "[0-9]{2}-[A-Z]"}}}
    assert misfits({"code": "see 12-B."}, schema) == []
    (wrong,) = misfits({"code": "12-b"}, schema)
    assert wrong.field == ("code",)
    assert "does not match" in wrong.message
    assert misfits({"code": 12}, schema) == []


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=a)b",
        r"(a)\1",
        "(",
        "(?<!x)y",
        "((a{30}){30}){30}",
        "(?:a?){60}a{60}$",
        "a{30}{30}{30}",
        "(?x)(a) {9999}",
        r"(\w{50}){19}",
        r"\w{200}",
        r"[\p{L}-]{200}",
    ],
)
def test_a_pattern_that_needs_backtracking_or_is_too_large_is_a_fault_of_the_schema(pattern: str) -> None:
    schema = {"type": "object", "properties": {"mood": {"type": "string", "pattern": pattern}}}
    ((path, message, hint),) = schema_problems(schema)
    assert path == ("properties", "mood", "pattern")
    assert "the pattern" in message
    assert hint


@pytest.mark.parametrize(
    "pattern",
    [
        r"^\d{1,3}(\.\d{1,3}){3}$",
        "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        r"^\p{Lu}\w* \w+$",
        "^$|x{3,}",
        r"^[\p{L}' -]{1,80}$",
    ],
)
def test_everyday_patterns_are_read(pattern: str) -> None:
    assert not list(schema_problems({"type": "string", "pattern": pattern}))


def patterns(pattern: str, count: int) -> dict[str, Any]:
    return {"type": "object", "properties": {f"k{at}": {"pattern": f"{pattern}{at}"} for at in range(count)}}


def test_a_schema_with_more_patterns_than_are_read_in_a_moment_is_a_fault_and_reads_none() -> None:
    schema = patterns(r"\w{150}", 100)
    ((path, message, hint),) = schema_problems(schema)
    assert path == ()
    assert "its patterns together" in message
    assert hint
    # A campaign that was stored with them goes on, and does not spend seconds on them.
    assert misfits({f"k{at}": "?" for at in range(100)}, schema) == []


def test_the_patterns_of_nested_parts_and_of_items_count_together() -> None:
    many = patterns("a{30}", 150)
    assert list(schema_problems({"type": "object", "properties": {"deep": {"items": many}}}))
    assert list(schema_problems({"type": "object", "additionalProperties": many}))
    assert not list(schema_problems(patterns("^[a-z]{1,40}", 60)))


def test_a_text_longer_than_a_pattern_is_looked_for_in_does_not_fit() -> None:
    (wrong,) = misfits("a" * 5_000, {"type": "string", "pattern": "b"})
    assert "too long" in wrong.message


def test_a_stored_pattern_that_is_no_longer_read_binds_nothing() -> None:
    assert misfits("b", {"type": "string", "pattern": "(?=a)(a+)+$"}) == []


def test_keywords_that_are_not_read_do_nothing_in_a_stored_schema() -> None:
    """A campaign's file brings its schemas along, and a stranger may have written it."""
    schema = {
        "type": "object",
        "patternProperties": {"^(a+)+$": False},
        "propertyNames": {"pattern": "^(a+)+$"},
        "allOf": [{"$ref": "http://127.0.0.1:9/schema.json"}],
        "properties": {"patternProperties": {"type": "integer"}},
        "additionalProperties": {"type": "string", "patternProperties": {"^(a+)+$": False}},
    }
    assert misfits({"a" * 56 + "!": "x"}, schema) == []
    assert misfits({"patternProperties": "no number"}, schema)
