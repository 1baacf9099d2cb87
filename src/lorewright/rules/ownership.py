"""Ops that a stage proposes -> those that are not its to propose: each path and kind of op has its owner."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.rules.mechanics import Owner
from lorewright.rules.rulesets import Ruleset
from lorewright.world.apply import Refusal
from lorewright.world.ops import PathOp, StateOp


def not_theirs(ops: Sequence[StateOp], by: Owner, ruleset: Ruleset) -> list[Refusal]:
    """The ops that an owner may not propose: `op_not_allowed` by its kind, `not_its_path` by the path's owner.

    A ruleset that lists no ops for an owner allows it none of its own but those on its paths.
    """
    found = []
    for index, op in enumerate(ops):
        if isinstance(op, PathOp):
            field = f"{'scene' if op.of is None else 'stats'}.{op.path}"
            if ruleset.owner_of(field) != by:
                found.append(Refusal(index=index, reason="not_its_path", field=field))
                continue
        elif by not in ruleset.allowed_ops:
            found.append(Refusal(index=index, reason="op_not_allowed"))
            continue
        if by in ruleset.allowed_ops and op.op not in ruleset.allowed_ops[by]:
            found.append(Refusal(index=index, reason="op_not_allowed"))
    return found
