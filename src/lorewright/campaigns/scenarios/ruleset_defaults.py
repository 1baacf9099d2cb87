"""A ruleset's data as an author or another program wrote it -> the same with all that it may leave out.

A record with a rulebook and two schemas alone is a ruleset: a model applies the rulebook to whatever takes time, and
without a model two dice decide what freeform rolls for. What is written holds, key by key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lorewright.rules.dice import parse_dice, parse_formula
from lorewright.rules.verbs import verb_of

# What freeform gives where a ruleset does not say it, and with its types of action.
_ALWAYS = ("allowed_ops", "decay_lambda", "states", "new_states")
_WITH_ACTIONS = ("actions", "conditions", "contradictions")
_D20 = 20
# What paths of the two schemas need, which freeform does without.
_PATH_OPS = {"resolve": ["set", "increment", "decrement", "append", "remove"], "extract": ["set"]}
_SCHEMAS = ("character_stat_schema", "scene_state_schema")
# A store's own columns, which are no rules.
_OF_A_STORE = frozenset({"created_at", "updated_at"})
_BOUNDS = {"min": "minimum", "max": "maximum"}
_LONGEST_SUMMARY = 200

Shipped = Callable[[str], Mapping[str, Any]]


def with_defaults(data: Mapping[str, Any], shipped: Shipped) -> dict[str, Any]:
    """Return the data of a ruleset with what it leaves out; `shipped` gives the data of a ruleset that ships."""
    found = {key: value for key, value in data.items() if key not in _OF_A_STORE}
    freeform = shipped("freeform")
    for name in _SCHEMAS:
        if name in found:
            found[name] = _in_our_keywords(found[name])
    for key in _ALWAYS:
        found.setdefault(key, freeform[key])
    if "allowed_ops" not in data:
        found["allowed_ops"] = {by: [*ops, *_PATH_OPS[by]] for by, ops in freeform["allowed_ops"].items()}
    if "owners" not in data and any(_paths(found, name) for name in _SCHEMAS):
        parts = zip(("stats.*", "scene.*"), _SCHEMAS, strict=True)
        found["owners"] = {part: "resolve" for part, name in parts if _paths(found, name)}
    if "actions" not in data:
        found = {**{key: freeform[key] for key in _WITH_ACTIONS}, "by_rulebook": True, **found}
        found["actions"] = {kind: _without_check(row) for kind, row in freeform["actions"].items()}
    if found.get("by_rulebook") is True and isinstance(found["actions"], Mapping):
        found["actions"] = {kind: _rolled(kind, row, freeform) for kind, row in found["actions"].items()}
    found.setdefault("dice", _dice_of(found.get("roll")))
    found.setdefault("bands", shipped("freeform-d20" if _is_d20(found["dice"]) else "freeform")["bands"])
    found.setdefault("profile", "ensemble")
    found.setdefault("summary", _summary(found))
    return found


def _in_our_keywords(schema: Any) -> Any:
    """Return a schema with `minimum` for `min` and `maximum` for `max`, which are no keywords of JSON Schema; a
    property may be called so."""
    if not isinstance(schema, Mapping):
        return schema
    found: dict[str, Any] = {}
    for key, value in schema.items():
        known = _BOUNDS.get(str(key), str(key))
        if key == "properties" and isinstance(value, Mapping):
            value = {name: _in_our_keywords(part) for name, part in value.items()}
        elif key in ("items", "additionalProperties"):
            value = _in_our_keywords(value)
        if known == key or known not in schema:
            found[known] = value
    return found


def _paths(data: Mapping[str, Any], name: str) -> bool:
    schema = data.get(name)
    return isinstance(schema, Mapping) and bool(schema.get("properties"))


def _without_check(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in ("summary", "minutes") if key in row}


def _rolled(kind: str, row: Any, freeform: Mapping[str, Any]) -> Any:
    """Return a type of action with dice of its own where no model applies the rulebook: what freeform rolls for, and
    whatever is the ruleset's own."""
    risky = verb_of(kind) is None or "check" in freeform["actions"].get(kind, {})
    return {**row, "check": {}} if risky and isinstance(row, Mapping) and "check" not in row else row


def _dice_of(roll: Any) -> str:
    """Return the dice of a formula; two of six sides without one."""
    try:
        return parse_formula(roll).dice if isinstance(roll, str) else "2d6"
    except ValueError:
        return "2d6"


def _is_d20(dice: Any) -> bool:
    try:
        throw = parse_dice(str(dice))
    except ValueError:
        return False
    return (throw.dice, throw.sides) == (1, _D20)


def _summary(data: Mapping[str, Any]) -> str:
    """Return the first sentence of the rulebook, else the name."""
    first = " ".join(str(data.get("rulebook_text", "")).split()).partition(". ")[0].rstrip(".")
    return f"{first}."[:_LONGEST_SUMMARY] if first else str(data.get("name", ""))
