"""The ops that other programs may propose: as a list that a model reads, as a JSON Schema, and from JSON to values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticUndefined

from lorewright.errors import EditRefused
from lorewright.turn.checks.tools import OUTSIDE_OPS
from lorewright.world.ops import StateOp

_OPS: TypeAdapter[tuple[StateOp, ...]] = TypeAdapter(tuple[StateOp, ...], config=ConfigDict(defer_build=True))
_KINDS: dict[str, type[BaseModel]] = {kind.model_fields["op"].default: kind for kind in get_args(get_args(StateOp)[0])}

# What nests is said in so many words: a model should not have to look it up.
_NESTED = {
    "entity_add": "{id: CAMPAIGN:NAME, type: npc|item|door|location|faction|other, name, aliases?, pronoun?, tags?}",
    "fact_add": "{id: CAMPAIGN:NAME, subject_id, predicate, object?, visibility?: player|gm}",
    "relationship": "{a, b, rel_type, intensity?}",
}
_FIELDS = {"entity_add": "entity", "fact_add": "fact", "relationship": "relationship"}


def op_lines() -> str:
    """Every kind of op in a line: its fields, those that may be left out with a question mark, and what it does."""
    return "\n".join(f"- {kind} {{{_fields(kind)}}}: {_told(_KINDS[kind])}" for kind in OUTSIDE_OPS)


def op_schema() -> dict[str, Any]:
    """The JSON Schema of a list of ops, with all that they hold."""
    schema = TypeAdapter(tuple[StateOp, ...]).json_schema()
    items = schema["items"]
    kinds = {kind: ref for kind, ref in items["discriminator"]["mapping"].items() if kind in OUTSIDE_OPS}
    items["discriminator"]["mapping"] = kinds
    items["oneOf"] = [{"$ref": ref} for ref in kinds.values()]
    return schema


def ops_of(given: Sequence[Any]) -> tuple[StateOp, ...]:
    """What a client sent -> ops.

    Raises:
        EditRefused: one of them is no op; the message says which, and what is wrong with it.
    """
    try:
        return _OPS.validate_python([dict(one) if isinstance(one, dict) else one for one in given], strict=False)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = first["loc"]
        index = where[0] if where and isinstance(where[0], int) else 0
        kind = given[index].get("op") if index < len(given) and isinstance(given[index], dict) else None
        path = ".".join(str(part) for part in where[1:] if part != kind)
        hint = f"{kind} {{{_fields(kind)}}}" if kind in OUTSIDE_OPS else f"kinds of ops: {', '.join(OUTSIDE_OPS)}"
        raise EditRefused(
            f"op {index}{f' ({kind})' if isinstance(kind, str) else ''}{f' at {path}' if path else ''}: {first['msg']};"
            " nothing was changed",
            hint=hint,
            index=index,
            reason="no_such_op",
            field=path or None,
        ) from None


def _fields(kind: str) -> str:
    if kind in _NESTED:
        rest = ", at?: ID of the place" if kind == "entity_add" else ""
        return f"{_FIELDS[kind]}: {_NESTED[kind]}{rest}"
    fields = {name: one for name, one in _KINDS[kind].model_fields.items() if name != "op"}
    return ", ".join(
        name if one.default is PydanticUndefined and one.default_factory is None else f"{name}?"
        for name, one in fields.items()
    )


def _told(kind: type[BaseModel]) -> str:
    return " ".join((kind.__doc__ or "").split())
