"""A state -> what conditions in packs are judged against."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from lorewright.ids import local
from lorewright.packs.conditions import LoreConditions
from lorewright.values.same import Same
from lorewright.world.state import Entity, Fact, WorldState


def lore_conditions(state: WorldState) -> LoreConditions:
    """The statuses of the threads, the values of the clocks, every fact but what was only told; the campaign's own
    subjects by bare ID."""
    return LoreConditions(
        threads={thread.id: thread.status for thread in state.threads.values()},
        clocks={clock.id: clock.value for clock in state.clocks.values()},
        facts=_known(Same(state.facts), Same(state.entities)),
    )


# A few games are played side by side, each with some states on hand.
@lru_cache(maxsize=32)
def _known(facts: Same[Mapping[str, Fact]], entities: Same[Mapping[str, Entity]]) -> frozenset[tuple[str, str]]:
    own = {entity.id for entity in entities.value.values() if entity.origin == "campaign"}
    return frozenset(
        (fact.predicate, local(fact.subject_id) if fact.subject_id in own else fact.subject_id)
        for fact in facts.value.values()
        if not fact.is_only_told
    )
