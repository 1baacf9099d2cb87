"""Promises, threats and debts as facts: who, to whom, what. Written by effects and by the player's words, read back."""

from __future__ import annotations

from collections.abc import Mapping

from lorewright.ids import content_hash, slug
from lorewright.world.ops import AddFact
from lorewright.world.state import Fact, WorldState

PREDICATES = ("promised", "threatened", "owes")


def record_op(state: WorldState, *, by: str, to: str, predicate: str, what: str) -> tuple[str, AddFact | None]:
    """The ID of the fact that says so, and the op that adds it; None where it stands on the record already.

    Only what the player is party to is the player's to see.
    """
    fact_id = f"{by}.{predicate}.{slug(what, fallback='something')[:40]}-{content_hash(f'{to} {what}')[:8]}"
    if fact_id in state.facts:
        return fact_id, None
    is_party = state.player_id in (by, to)
    fact = Fact(
        id=fact_id,
        subject_id=by,
        predicate=predicate,
        object={"to": to, "what": what},
        visibility="player" if is_party else "gm",
        discovery_method="told" if is_party else None,
    )
    return fact_id, AddFact(fact=fact)


def recorded(state: WorldState, *, by: str, to: str, predicate: str | None = None) -> tuple[str, ...]:
    """IDs of what the one has promised to, owes or has threatened the other with, in the order in which it was said."""
    wanted = PREDICATES if predicate is None else (predicate,)
    facts = [
        fact
        for fact in state.facts_about(by)
        if fact.predicate in wanted and _to(fact) == to and fact.visibility == "player"
    ]
    return tuple(fact.id for fact in sorted(facts, key=lambda fact: (fact.discovered_turn or 0, fact.id)))


def _to(fact: Fact) -> str | None:
    return fact.object.get("to") if isinstance(fact.object, Mapping) else None
