"""The part of a state that a ruleset defines: stat blocks and the ruleset's scene, validated by its JSON Schemas.

It is always valid: reading validates it, and each op is tried on a copy first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

from pydantic import Field, model_validator

from lorewright.world.frozen import Frozen, FrozenMap, with_entry
from lorewright.world.ops import AppendTo, Decrement, Increment, PathOp, RemoveFrom, Reshape, SetPath
from lorewright.world.schemas import Misfit, clamped, filled, misfits, part_of, plain, schema_problems


class Gauge(Frozen):
    """A whole number of the scene with both bounds, as everyone may see it."""

    id: str
    name: str
    value: int
    max: int


class RulesetState(Frozen):
    """`stats[character][stat]` and `scene[path]`, with their schemas.

    The schemas are those of the campaign's ruleset; they are copied here so that `apply` needs only the state.
    """

    stat_schema: FrozenMap[str, Any]
    scene_schema: FrozenMap[str, Any]
    stats: FrozenMap[str, FrozenMap[str, Any]] = Field(default_factory=dict)
    scene: FrozenMap[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        """Refuse values that do not fit the schemas, naming the field."""
        problem = next(self.misfits(), None)
        if problem is not None:
            raise ValueError(str(problem))
        return self

    def misfits(self) -> Iterator[Misfit]:
        """Yield the misfits, each with its whole path: `stats.lena.shyness`, `scene.minutes_left`."""
        for misfit in misfits(self.scene, self.scene_schema):
            yield Misfit(("scene", *misfit.field), misfit.message)
        for who, block in self.stats.items():
            for misfit in misfits(block, self.stat_schema):
                yield Misfit(("stats", who, *misfit.field), misfit.message)

    def value(self, path: str, *, of: str | None = None) -> Any:
        """Return the value at a path of the scene, or of a character's stat block; None if there is none."""
        found: Any = self.scene if of is None else self.stats.get(of, {})
        for step in path.split("."):
            found = found.get(step) if isinstance(found, Mapping) else None
        return found

    def gauges(self) -> tuple[Gauge, ...]:
        """Return the scene's whole numbers with a lower and an upper bound, in the order of the schema."""
        found = []
        for name, part in self.scene_schema.get("properties", {}).items():
            value = self.scene.get(name)
            if isinstance(value, int) and "minimum" in part and "maximum" in part:
                title = part.get("title") or name.replace("_", " ").capitalize()
                found.append(Gauge(id=name, name=title, value=value, max=part["maximum"]))
        return tuple(found)


def apply_to_path(held: RulesetState | None, op: PathOp) -> RulesetState | str:
    """Return the ruleset state after an op on a path, or the reason why the op does not fit. Numbers stop at their
    bounds, as clocks do."""
    if held is None:
        return "no_ruleset_state"
    if op.of is not None and op.of not in held.stats:
        return "unknown_character"
    schema = held.scene_schema if op.of is None else held.stat_schema
    path = op.path.split(".")
    part = part_of(schema, path)
    if part is None:
        return "unknown_path"
    before = held.scene if op.of is None else held.stats[op.of]
    after = plain(before)
    reason = _change(after, path, op, part)
    if reason is not None:
        return reason
    if misfits(after, schema):
        return "breaks_schema"
    if op.of is None:
        return held.model_copy(update={"scene": MappingProxyType(after)})
    return held.model_copy(update={"stats": with_entry(held.stats, op.of, MappingProxyType(after))})


def reshaped(held: RulesetState | None, op: Reshape) -> RulesetState | str:
    """Return the ruleset state with other schemas, or the reason why it cannot be: there is none, or it does not
    fit."""
    if held is None:
        return "no_ruleset_state"
    if any(True for schema in (op.stat_schema, op.scene_schema) for _ in schema_problems(plain(schema))):
        return "breaks_schema"
    other = held.model_copy(
        update={
            "stat_schema": op.stat_schema,
            "scene_schema": op.scene_schema,
            "stats": MappingProxyType(
                {who: MappingProxyType(filled(block, op.stat_schema)) for who, block in held.stats.items()}
            ),
            "scene": MappingProxyType(filled(held.scene, op.scene_schema)),
        }
    )
    return "breaks_schema" if next(other.misfits(), None) is not None else other


def _change(root: dict[str, Any], path: Sequence[str], op: PathOp, part: Mapping[str, Any]) -> str | None:
    """Change the plain copy in place; return None, or the reason why it cannot be."""
    inner: Any = root
    for step in path[:-1]:
        inner = inner.setdefault(step, {})
        if not isinstance(inner, dict):
            return "unknown_path"
    name = path[-1]
    match op:
        case SetPath():
            inner[name] = plain(op.value)
        case Increment():
            return _count(inner, name, op.value, part)
        case Decrement():
            return _count(inner, name, -op.value, part)
        case AppendTo():
            return _append(inner, name, plain(op.value), part)
        case RemoveFrom():
            return _remove(inner, name, plain(op.value))
    return None


def _count(inner: dict[str, Any], name: str, by: float, part: Mapping[str, Any]) -> str | None:
    before = inner.get(name)
    if isinstance(before, bool) or not isinstance(before, (int, float)):
        return "not_a_number"
    inner[name] = clamped(before + by, part)
    return None


def _append(inner: dict[str, Any], name: str, value: Any, part: Mapping[str, Any]) -> str | None:
    """Append a value to a list, which is made if it is missing; return None, or the reason why it cannot be."""
    if part.get("type", "array") != "array":
        return "not_a_list"
    before = inner.get(name, [])
    if not isinstance(before, list):
        return "not_a_list"
    inner[name] = [*before, value]
    return None


def _remove(inner: dict[str, Any], name: str, value: Any) -> str | None:
    """Remove the first equal value of a list, or without a value everything at the path; return None, or the reason why
    it cannot be."""
    if name not in inner:
        return "not_there"
    if value is None:
        del inner[name]
        return None
    if not isinstance(inner[name], list):
        return "not_a_list"
    found = next((at for at, entry in enumerate(inner[name]) if _same(entry, value)), None)
    if found is None:
        return "not_there"
    inner[name] = [entry for at, entry in enumerate(inner[name]) if at != found]
    return None


def _same(value: Any, other: Any) -> bool:
    """Tell whether two values are equal in JSON, where `true` is not 1."""
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)
