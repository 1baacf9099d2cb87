"""Two states -> the changes between them. No other module compares states to find out about a change.

`events_between` makes the events that a turn's result and records have; the functions below it give single kinds of
change to those who need them of other states than a turn's, such as a recap of many turns. What no event exists for
(possessions, positions, doors, what was learned, the minutes) has a value or a number of its own here: these would tell
of people elsewhere and of what is known to others, so they are never stored.

A turn's ops in the shape that other programs read are another thing: see `state_diff`.

A change is the net one of all ops between the states. An event of every single op would tell more: `+2 -2` of a clock
would be two events in place of none, and a threshold that is reached twice would fire twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lorewright.world.events import (
    Arrived,
    CampaignEnded,
    ClockTicked,
    ConditionGained,
    ConditionLost,
    Departed,
    EngineEvent,
    Escalated,
    FactEstablished,
    PathChanged,
    ProgressMade,
    SceneChanged,
    SituationBegan,
    SituationEnded,
    ThreadChanged,
    ThreatBegan,
    ThreatEnded,
    TurnPassed,
)
from lorewright.world.state import OFFSTAGE, Door, Fact, WorldState
from lorewright.world.things import ESCALATION, PREDICATES


def events_between(before: WorldState, after: WorldState) -> Iterator[EngineEvent]:
    """Yield what the player may know of, in a fixed order: clocks, the ruleset's values, threads, facts, conditions,
    escalations, threats, circumstances, the turn, another scene or else who came and went, the end.

    Left out are new threads, facts that the player does not know, others' stats, and conditions of people elsewhere.
    """
    yield from clock_changes(before, after)
    yield from _path_changes(before, after)
    yield from thread_changes(before, after)
    yield from _facts_established(before, after)
    if before.characters is not after.characters:
        yield from condition_changes(before, after, after.present())
    yield from _escalations(before, after)
    yield from threat_changes(before, after)
    yield from situation_changes(before, after)
    if before.turn_order is not after.turn_order and after.turn_order is not None:
        yield TurnPassed(to=after.turn_order.current)
    scene = scene_change(before, after)
    yield from _comings_and_goings(before, after) if scene is None else (scene,)
    end = end_reached(before, after)
    yield from () if end is None else (end,)


def clock_changes(before: WorldState, after: WorldState) -> Iterator[ClockTicked]:
    """Yield the clocks that have another value, by ID; a new clock has not moved."""
    if before.clocks is not after.clocks:
        for clock_id, clock in sorted(after.clocks.items()):
            was = before.clocks.get(clock_id, clock).value
            if clock.value != was:
                yield ClockTicked(clock=clock_id, before=was, after=clock.value)


def thread_changes(before: WorldState, after: WorldState) -> Iterator[ThreadChanged | ProgressMade]:
    """Yield other statuses and progress of threads, by ID; a new thread is no change."""
    if before.threads is after.threads:
        return
    for thread_id, thread in sorted(after.threads.items()):
        was = before.threads.get(thread_id, thread)
        if was.status != thread.status:
            yield ThreadChanged(thread=thread_id, before=was.status, after=thread.status)
        if was.progress != thread.progress:
            yield ProgressMade(thread=thread_id, before=was.progress, after=thread.progress)


def progress_changes(before: WorldState, after: WorldState) -> list[ProgressMade]:
    """Return the progress of threads, by ID."""
    return [change for change in thread_changes(before, after) if isinstance(change, ProgressMade)]


def changed_facts(before: Mapping[str, Fact], after: Mapping[str, Fact]) -> list[str]:
    """Return the IDs of the facts that are new or other than before, sorted, including facts that nobody knows."""
    if before is after:
        return []
    # Compared before sorting, and by identity first: a long game has thousands, of which a turn touches a few.
    touched = [fact_id for fact_id, fact in after.items() if before.get(fact_id) is not fact]
    return sorted(fact_id for fact_id in touched if before.get(fact_id) != after[fact_id])


def condition_changes(
    before: WorldState, after: WorldState, people: Collection[str]
) -> Iterator[ConditionGained | ConditionLost]:
    """Yield the conditions that some people gained and lost, each in the order in which they were added."""
    for who in people:
        was, now = before.conditions_of(who), after.conditions_of(who)
        yield from (ConditionGained(entity=who, condition=condition) for condition in now if condition not in was)
        yield from (ConditionLost(entity=who, condition=condition) for condition in was if condition not in now)


def threat_changes(before: WorldState, after: WorldState) -> Iterator[ThreatBegan | ThreatEnded]:
    """Yield the threats that began, then those that ended, by ID."""
    yield from (ThreatBegan(threat=threat) for threat in sorted(after.threats.keys() - before.threats.keys()))
    yield from (ThreatEnded(threat=threat) for threat in sorted(before.threats.keys() - after.threats.keys()))


def situation_changes(before: WorldState, after: WorldState) -> Iterator[SituationBegan | SituationEnded]:
    """Yield the circumstances that began, then those that ended, by ID; a prolonged one is no change."""
    was, now = before.situations.keys(), after.situations.keys()
    yield from (SituationBegan(situation=situation) for situation in sorted(now - was))
    yield from (SituationEnded(situation=situation) for situation in sorted(was - now))


def scene_change(before: WorldState, after: WorldState) -> SceneChanged | None:
    """Return the change to another scene, which may be in the same place; None in the same scene."""
    if after.scene.number == before.scene.number:
        return None
    return SceneChanged(from_id=before.scene.location_id, to_id=after.scene.location_id)


def end_reached(before: WorldState, after: WorldState) -> CampaignEnded | None:
    """Return the end of the story, if it was reached; None where it goes on, or was over before."""
    if after.ended is None or after.ended == before.ended:
        return None
    return CampaignEnded(ending=after.ended)


def items_learned(before: WorldState, after: WorldState) -> tuple[str, ...]:
    """Return the IDs of the lore items that the player knows now and did not then, in the order of their telling."""
    known = before.learned_by(before.player_id)
    return tuple(item for item in after.reveals.get(after.player_id, {}) if item not in known)


def minutes_passed(before: WorldState, after: WorldState) -> int:
    """Return the in-world minutes from one state to the other."""
    return after.minutes - before.minutes


@dataclass(frozen=True, slots=True)
class QuantityChange:
    """An owner has another number of a thing; 0 stands for none."""

    item: str
    before: int
    after: int


def quantity_changes(had: Mapping[str, int], has: Mapping[str, int]) -> Iterator[QuantityChange]:
    """Yield the things of which there is another number, by ID."""
    for item in sorted({*had, *has}):
        if had.get(item, 0) != has.get(item, 0):
            yield QuantityChange(item, had.get(item, 0), has.get(item, 0))


@dataclass(frozen=True, slots=True)
class PositionChange:
    """A character is at another place; either may be `OFFSTAGE`."""

    entity: str
    from_id: str
    to_id: str


def position_changes(before: WorldState, after: WorldState) -> Iterator[PositionChange]:
    """Yield the characters who are at another place, by ID."""
    if before.positions is after.positions:
        return
    for who in sorted({*before.positions, *after.positions}):
        left, reached = before.positions.get(who, OFFSTAGE), after.positions.get(who, OFFSTAGE)
        if left != reached:
            yield PositionChange(who, left, reached)


@dataclass(frozen=True, slots=True)
class DoorChange:
    """A door was locked, unlocked, opened or shut."""

    door: str
    before: Door
    after: Door


def door_changes(before: WorldState, after: WorldState) -> Iterator[DoorChange]:
    """Yield the doors that are other than before, by ID; a new door is no change."""
    if before.doors is not after.doors:
        for door_id, door in sorted(after.doors.items()):
            was = before.doors.get(door_id, door)
            if was != door:
                yield DoorChange(door_id, was, door)


def _path_changes(before: WorldState, after: WorldState) -> Iterator[PathChanged]:
    """Yield what changed in the ruleset's scene and in the player's own stats, by path. Others' stats stay hidden."""
    if before.ruleset is None or after.ruleset is None or before.ruleset is after.ruleset:
        return
    own = after.player_id
    yield from _differences("scene", before.ruleset.scene, after.ruleset.scene)
    yield from _differences("stats", before.ruleset.stats.get(own, {}), after.ruleset.stats.get(own, {}))


def _differences(part: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[PathChanged]:
    for path in sorted(was.keys() | now.keys()):
        if was.get(path) != now.get(path):
            yield PathChanged(path=f"{part}.{path}", before=was.get(path), after=now.get(path))


def _facts_established(before: WorldState, after: WorldState) -> Iterator[FactEstablished]:
    """Yield the facts that the player may know, except promises, threats and debts, which are recorded separately."""
    for fact_id in changed_facts(before.facts, after.facts):
        fact = after.facts[fact_id]
        if not fact.is_shown("player", after.player_id) or fact.predicate in PREDICATES:
            continue
        subject = after.entities.get(fact.subject_id)
        is_of_a_pack = subject is not None and subject.origin == "pack"
        yield FactEstablished(
            fact=fact_id,
            subject=fact.subject_id,
            predicate=fact.predicate,
            scope="world_affecting" if is_of_a_pack else "campaign",
        )


def _escalations(before: WorldState, after: WorldState) -> Iterator[Escalated]:
    if before.escalation is after.escalation:
        return
    for who in sorted(before.escalation.keys() | after.escalation.keys()):
        was, now = before.escalation.get(who, 0), after.escalation.get(who, 0)
        if was != now:
            yield Escalated(entity=who, before=ESCALATION[was], after=ESCALATION[now])


def _comings_and_goings(before: WorldState, after: WorldState) -> Iterator[Arrived | Departed]:
    was, now = set(before.present_npcs()), set(after.present_npcs())
    yield from (Departed(entity=who) for who in sorted(was - now))
    yield from (Arrived(entity=who) for who in sorted(now - was))
