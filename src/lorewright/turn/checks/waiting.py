"""An op that waits to be reviewed -> whom it is about, and what it says in words."""

from __future__ import annotations

from lorewright.world import ops as o
from lorewright.world.state import WorldState


def subject_of(op: o.StateOp) -> str:
    """Whom or what a review is about, by ID."""
    match op:
        case o.AddEntity():
            return op.entity.id
        case o.AddFact():
            return op.fact.subject_id
        case o.UpdateThread():
            return op.thread_id
        case o.Observe():
            return op.who
        case _:
            raise AssertionError(f"no proposal becomes {op.op}")


def in_words(op: o.StateOp, state: WorldState) -> str:
    """What waits, for whoever decides about it."""
    match op:
        case o.AddEntity():
            kind = "somebody new" if op.entity.type == "npc" else "something new"
            about = op.entity.attrs.get("description")
            return f"{kind} at {state.name_of(op.at or '')}: {op.entity.name}{f' ({about})' if about else ''}"
        case o.AddFact():
            return f"{state.name_of(op.fact.subject_id)}: {op.fact.predicate.replace('_', ' ')}: {op.fact.object}"
        case o.UpdateThread():
            return f"the thread “{state.threads[op.thread_id].title}” becomes {op.status}"
        case o.Observe():
            return f"{state.name_of(op.who)} remembers: {op.content}"
        case _:
            raise AssertionError(f"no proposal becomes {op.op}")
