"""A ruleset's schemas and a lot -> stat blocks and a scene to begin with that fit them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lorewright.errors import ScenarioError
from lorewright.generate.scenario.lot import Lot
from lorewright.rules.rulesets import Ruleset
from lorewright.world.schemas import clamped, filled, misfits, plain

# How far a number lies from where it begins; ordinary people are near the middle.
_SPREAD = (-1, 0, 0, 1, 1, 2)


def stat_block(ruleset: Ruleset, lot: Lot, who: str) -> dict[str, Any]:
    """Numbers near the middle of what the schema allows; what has a default and is no number keeps it.

    Raises:
        ScenarioError: the schema asks for what cannot be made up.
    """
    schema = ruleset.character_stat_schema
    block = dict(_numbers(schema, lot, who))
    return _fitting(block, schema, f"the stat block of {who}", ruleset)


def scene_seed(ruleset: Ruleset, *, place: str, pressure: str) -> dict[str, Any] | None:
    """The schema's own beginning, with the place and what presses where it has words for them; None without a schema.

    Raises:
        ScenarioError: the schema asks for what cannot be made up.
    """
    schema = ruleset.scene_state_schema
    if not schema:
        return None
    texts = {"location": place, "pressure": pressure}
    seed: dict[str, Any] = {}
    for name, part in schema.get("properties", {}).items():
        if name in texts and part.get("type") == "string" and "enum" not in part:
            seed[name] = texts[name][: part.get("maxLength", len(texts[name]))]
        elif name in schema.get("required", ()) and "default" not in part:
            seed[name] = _least(part)
    return _fitting(seed, schema, "the scene", ruleset)


def _numbers(schema: Mapping[str, Any], lot: Lot, who: str) -> Iterator[tuple[str, Any]]:
    for name, part in schema.get("properties", {}).items():
        if part.get("type") == "integer":
            yield name, int(clamped(_middle(part) + lot.pick(f"{who} {name}", _SPREAD), part))
        elif name in schema.get("required", ()) and "default" not in part:
            yield name, _least(part)


def _middle(part: Mapping[str, Any]) -> int:
    """Where an ordinary person stands: at the default, at 0 where that is within the bounds, else between them."""
    low, high = part.get("minimum"), part.get("maximum")
    if "default" in part:
        return int(part["default"])
    if low is not None and high is not None:
        return 0 if low <= 0 <= high and low < 0 else int(low + (high - low) // 2)
    return int(low if low is not None else min(high or 0, 0))


def _least(part: Mapping[str, Any]) -> Any:
    """The plainest value of a schema that has no default."""
    if "enum" in part:
        return plain(part["enum"][0])
    if "const" in part:
        return plain(part["const"])
    kinds = {"string": "unsaid", "boolean": False, "array": [], "object": {}, "number": part.get("minimum", 0)}
    return _middle(part) if part.get("type") == "integer" else kinds.get(str(part.get("type")))


def _fitting(value: dict[str, Any], schema: Mapping[str, Any], what: str, ruleset: Ruleset) -> dict[str, Any]:
    wrong = misfits(filled(value, schema), schema) if schema else []
    if wrong:
        hint = "give the field a `default` in the ruleset's schema, or write the scenario by hand"
        raise ScenarioError(f"{what} cannot be made up for the ruleset {ruleset.id}: {wrong[0]}", hint=hint)
    return value
