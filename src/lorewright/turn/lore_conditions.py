"""A state -> what conditions in packs are judged against."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from lorewright.ids import local
from lorewright.packs.conditions import LoreConditions
from lorewright.world.state import Entity, Fact, WorldState


def lore_conditions(state: WorldState) -> LoreConditions:
    """The statuses of the threads, the values of the clocks and every fact; the campaign's own subjects by bare ID."""
    return LoreConditions(
        threads={thread.id: thread.status for thread in state.threads.values()},
        clocks={clock.id: clock.value for clock in state.clocks.values()},
        facts=_known(_Same(state.facts, state.entities)),
    )


class _Same:
    """The facts and entities of a state, told from others by being the same objects: most turns leave both as they are,
    and a long game has thousands of facts."""

    def __init__(self, facts: Mapping[str, Fact], entities: Mapping[str, Entity]) -> None:
        self.facts = facts
        self.entities = entities

    def __hash__(self) -> int:
        return hash((id(self.facts), id(self.entities)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.facts is other.facts and self.entities is other.entities


@lru_cache(maxsize=4)
def _known(of: _Same) -> frozenset[tuple[str, str]]:
    own = {entity.id for entity in of.entities.values() if entity.origin == "campaign"}
    return frozenset(
        (fact.predicate, local(fact.subject_id) if fact.subject_id in own else fact.subject_id)
        for fact in of.facts.values()
    )
