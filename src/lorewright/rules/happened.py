"""Two states -> the events of what lies between: threads, facts, conditions, threats, circumstances, people who went
further. Only what the player may know of is an event.

An event is `world_affecting` where it would matter beyond the campaign: a thread that got another status, something
that became established about what a pack tells of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lorewright.rules.outcomes import EngineEvent
from lorewright.rules.record import PREDICATES
from lorewright.world.pressures import ESCALATION
from lorewright.world.state import WorldState


def happened(before: WorldState, after: WorldState) -> Iterator[EngineEvent]:
    """The events, in a fixed order."""
    if before.threads is not after.threads:
        yield from _threads(before, after)
    if before.facts is not after.facts:
        yield from _facts(before, after)
    if before.characters is not after.characters:
        yield from _conditions(before, after)
    if before.escalation is not after.escalation:
        for who, level, was in _changed(before.escalation, after.escalation):
            yield _event("escalated", entity=who, before=ESCALATION[was], after=ESCALATION[level])
    for kind, field in (("threat", "threats"), ("situation", "situations")):
        was, now = getattr(before, field), getattr(after, field)
        if was is not now:
            yield from (_event(f"{kind}_began", **{kind: one}) for one in sorted(now.keys() - was.keys()))
            yield from (_event(f"{kind}_ended", **{kind: one}) for one in sorted(was.keys() - now.keys()))
    if before.turn_order is not after.turn_order and after.turn_order is not None:
        yield _event("turn_passed", to=after.turn_order.current)


def _threads(before: WorldState, after: WorldState) -> Iterator[EngineEvent]:
    for thread_id, thread in sorted(after.threads.items()):
        was = before.threads.get(thread_id)
        if was is None:
            continue
        if was.status != thread.status:
            details = {"thread": thread_id, "before": was.status, "after": thread.status}
            yield EngineEvent(type="thread_changed", details=details, scope="world_affecting")
        if was.progress != thread.progress:
            yield _event("progress_made", thread=thread_id, before=was.progress, after=thread.progress)


def _facts(before: WorldState, after: WorldState) -> Iterator[EngineEvent]:
    """What was promised, threatened or is owed has its own place on the record."""
    # Looked through before they are sorted: a long game has thousands, of which a turn touches a few.
    touched = [fact_id for fact_id, fact in after.facts.items() if before.facts.get(fact_id) is not fact]
    for fact_id in sorted(touched):
        was, fact = before.facts.get(fact_id), after.facts[fact_id]
        if fact.visibility != "player" or fact.predicate in PREDICATES or was == fact:
            continue
        subject = after.entities.get(fact.subject_id)
        is_of_a_pack = subject is not None and subject.origin == "pack"
        details = {"fact": fact_id, "subject": fact.subject_id, "predicate": fact.predicate}
        scope = "world_affecting" if is_of_a_pack else "campaign"
        yield EngineEvent.model_validate({"type": "fact_established", "details": details, "scope": scope})


def _conditions(before: WorldState, after: WorldState) -> Iterator[EngineEvent]:
    """Of whoever is there to be seen."""
    for who in after.present():
        was, now = before.conditions_of(who), after.conditions_of(who)
        yield from (_event("condition_gained", entity=who, condition=one) for one in now if one not in was)
        yield from (_event("condition_lost", entity=who, condition=one) for one in was if one not in now)


def _changed(before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[tuple[str, int, int]]:
    """(key, value now, value before) of what differs, by key; what is not there is 0."""
    for key in sorted(before.keys() | after.keys()):
        was, now = before.get(key, 0), after.get(key, 0)
        if was != now:
            yield key, now, was


def _event(kind: str, **details: Any) -> EngineEvent:
    return EngineEvent(type=kind, details=details)
