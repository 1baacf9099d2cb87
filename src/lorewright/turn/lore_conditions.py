"""A state -> what conditions in packs are judged against."""

from __future__ import annotations

from lorewright.ids import local
from lorewright.packs.conditions import LoreConditions
from lorewright.world.state import WorldState


def lore_conditions(state: WorldState) -> LoreConditions:
    """The statuses of the threads, the values of the clocks and every fact; the campaign's own subjects by bare ID."""
    return LoreConditions(
        threads={thread.id: thread.status for thread in state.threads.values()},
        clocks={clock.id: clock.value for clock in state.clocks.values()},
        facts=frozenset((fact.predicate, _subject(fact.subject_id, state)) for fact in state.facts.values()),
    )


def _subject(subject_id: str, state: WorldState) -> str:
    entity = state.entities.get(subject_id)
    return local(subject_id) if entity is not None and entity.origin == "campaign" else subject_id
