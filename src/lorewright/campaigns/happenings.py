"""A committed turn and the states around it -> what happened in it, and who was there to see each thing.

What somebody saw is told as it was told to them (a narration); what the rules did, in one plain sentence each. Moods,
reveals and the narrator's memory are no happenings: nobody sees them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from lorewright.ids import canonical_json
from lorewright.index.history import HistoryRecord
from lorewright.rules.effects import PREDICATES
from lorewright.rules.patch import Outcome, Resolution
from lorewright.values.kept import LorebookEntry
from lorewright.values.records import Message
from lorewright.world.apply import apply
from lorewright.world.state import OFFSTAGE, Fact, WorldState

# What came of an attempt, where the change of the state or the telling does not say it.
_CAME_OF = {
    "told": "asked {target}{about}, and was answered",
    "told_before": "asked {target}{about}, and heard the same again",
    "deflected": "asked {target}{about}, and got no answer",
    "does_not_know": "asked {target}{about}, who did not know",
    "found": "searched {words}, and found something",
    "found_before": "searched {words}, and found what was found before",
    "nothing_found": "searched {words}, and found nothing",
    "acted": "tried to {type} {target}{about}",
    "heard": "told {target}{about}, who had not known",
    "heard_before": "told {target}{about}, who knew already",
    "recalled": "asked {target} what stands between them, and was told",
    "used": "tried to use {item}{on}",
}
# The same where the player's own words say it better.
_IN_WORDS = {"attempt": "tried to {words} {target}", "tell": "told {target}{about}", "sneak": "tried not to be seen"}


def happenings(
    before: WorldState | None, after: WorldState, resolution: Resolution, messages: Sequence[Message]
) -> tuple[HistoryRecord, ...]:
    """The records of a turn, in order: attempts, changes, what became established, the telling.

    `before` is None for the first turn, whose state is where the story begins.
    """
    told = [
        _telling(message, before or after, after, resolution) for message in messages if message.type == "narration"
    ]
    if before is None:
        return (*_facts({}, after), *told)
    return (*_attempts(resolution.outcomes, before, after), *_changes(before, after, resolution), *told)


def _telling(message: Message, before: WorldState, after: WorldState, resolution: Resolution) -> HistoryRecord:
    """A narration without an audience was for the player's ears."""
    people = message.audience or (after.player_id,)
    targets = [one.target_id for one in resolution.outcomes if one.target_id]
    return HistoryRecord(
        kind="narration",
        text=message.content,
        witnesses=people,
        entity_ids=_once(*people, *targets),
        location_ids=_once(before.scene.location_id, after.scene.location_id),
    )


def _attempts(outcomes: Sequence[Outcome], before: WorldState, after: WorldState) -> Iterator[HistoryRecord]:
    place = before.scene.location_id
    for outcome in outcomes:
        if (sentence := _CAME_OF.get(outcome.code)) is not None:
            yield HistoryRecord(
                kind="event",
                text=_attempt(sentence, outcome, after),
                witnesses=_once(outcome.actor_id, *_at(place, before), *_at(place, after)),
                entity_ids=_once(outcome.actor_id, *([outcome.target_id] if outcome.target_id else [])),
                location_ids=(place,),
            )
        if outcome.code == "moved" and outcome.location_id is not None:
            place = outcome.location_id


def _attempt(sentence: str, outcome: Outcome, state: WorldState) -> str:
    if outcome.code == "acted":
        sentence = _IN_WORDS.get(outcome.type, sentence)
    used = outcome.item_id or outcome.target_id
    said = sentence.format(
        item=in_a_sentence(state.name_of(used)) if used else "something",
        on=f" on {in_a_sentence(state.name_of(outcome.target_id))}" if outcome.item_id and outcome.target_id else "",
        type=outcome.type.replace("_", " "),
        target=in_a_sentence(state.name_of(outcome.target_id)) if outcome.target_id else "",
        words=outcome.words or "the place",
        about=f" about {outcome.words}" if outcome.words else "",
    )
    band = f": {outcome.band}" if outcome.band else ""
    return _sentence(f"{state.name_of(outcome.actor_id)} {' '.join(said.split())}{band}".replace(" ,", ","))


def _changes(before: WorldState, after: WorldState, resolution: Resolution) -> Iterator[HistoryRecord]:
    """What each op changed, seen by those who were there just then; then whatever else has changed at the end."""
    states = [before]
    for op in resolution.ops:
        states.append(apply(states[-1], (op,)).state)
    for was, now in pairwise((*states, after)):
        if was != now:
            yield from _seen(was, now)
            yield from _facts(was.facts, now)


def _seen(was: WorldState, now: WorldState) -> Iterator[HistoryRecord]:
    yield from _comings_and_goings(was, now)
    yield from _possessions(was, now)
    yield from _doors(was, now)
    yield from _course_of_things(was, now)


def _comings_and_goings(was: WorldState, now: WorldState) -> Iterator[HistoryRecord]:
    """Who stays behind sees that somebody leaves, not where they come to."""
    for who in sorted({*was.positions, *now.positions}):
        left, reached = was.positions.get(who, OFFSTAGE), now.positions.get(who, OFFSTAGE)
        if left == reached:
            continue
        if left != OFFSTAGE:
            yield _event(
                now, f"{now.name_of(who)} left {in_a_sentence(now.name_of(left))}", _at(left, was), [who], left
            )
        if reached != OFFSTAGE:
            yield _event(
                now,
                f"{now.name_of(who)} came to {in_a_sentence(now.name_of(reached))}",
                _at(reached, now),
                [who],
                reached,
            )


def _possessions(was: WorldState, now: WorldState) -> Iterator[HistoryRecord]:
    for owner in sorted({*was.inventory, *now.inventory} & {*now.positions}):
        had, has, place = was.held_by(owner), now.held_by(owner), now.positions[owner]
        for item in sorted({*had, *has}):
            if change := has.get(item, 0) - had.get(item, 0):
                verb = "got" if change > 0 else "gave up"
                count = f" ({abs(change)})" if abs(change) > 1 else ""
                text = f"{now.name_of(owner)} {verb} {in_a_sentence(now.name_of(item))}{count}"
                yield _event(now, text, (owner, *_at(place, now)), [owner, item], place)


def _doors(was: WorldState, now: WorldState) -> Iterator[HistoryRecord]:
    for door_id, door in sorted(now.doors.items()):
        before = was.doors.get(door_id)
        if before is not None and before.locked != door.locked:
            text = f"{in_a_sentence(now.name_of(door_id))} was {'locked' if door.locked else 'unlocked'}"
            yield _event(now, text, now.present(), [door_id], now.scene.location_id)
        if before is not None and door.shut_bars and before.open != door.open:
            text = f"{in_a_sentence(now.name_of(door_id))} was {'opened' if door.open else 'shut'}"
            yield _event(now, text, now.present(), [door_id], now.scene.location_id)


def _course_of_things(was: WorldState, now: WorldState) -> Iterator[HistoryRecord]:
    """Clocks, threads and the end: the player is told of them, and no one in the story is."""
    player, place = [now.player_id], now.scene.location_id
    for clock_id, clock in sorted(now.clocks.items()):
        value = was.clocks[clock_id].value if clock_id in was.clocks else clock.value
        if clock.value != value:
            verb = "rose" if clock.value > value else "fell"
            yield _event(now, f"{clock.name} {verb} from {value} to {clock.value} of {clock.max}", player, [], place)
    for thread_id, thread in sorted(now.threads.items()):
        if thread_id in was.threads and was.threads[thread_id].status != thread.status:
            yield HistoryRecord(
                kind="event",
                text=_sentence(f"The thread “{thread.title}” became {thread.status}"),
                witnesses=(now.player_id,),
                entity_ids=thread.related_entity_ids,
                location_ids=(place,),
                thread_ids=(thread_id,),
            )
    if now.ended is not None and was.ended is None:
        yield _event(now, f"The story ended: {now.ended.replace('_', ' ')}", player, [], place)


def _facts(known: Any, now: WorldState) -> Iterator[HistoryRecord]:
    """What became established, or became another. It is the player's where they may know it, and no character's."""
    if known is now.facts:
        return  # most changes leave the facts as they are, and there may be thousands of them
    for fact_id, fact in sorted(now.facts.items()):
        before = known.get(fact_id)
        if before is not fact and before != fact:
            subject = [fact.subject_id] if fact.subject_id in now.entities else []
            yield HistoryRecord(
                kind="fact",
                text=_fact(fact, now),
                witnesses=(now.player_id,) if fact.visibility == "player" else (),
                entity_ids=tuple(subject),
                location_ids=(now.scene.location_id,),
            )


def _fact(fact: Fact, state: WorldState) -> str:
    if fact.predicate in PREDICATES and isinstance(fact.object, Mapping):
        to, what = state.name_of(str(fact.object.get("to"))), fact.object.get("what")
        return _sentence(f"{state.name_of(fact.subject_id)} {fact.predicate} {to}: {what}".rstrip(". "))
    known = "" if fact.object is None or fact.object is True else fact.object
    told = state.name_of(known) if isinstance(known, str) else canonical_json(known)
    return _sentence(f"{state.name_of(fact.subject_id)}: {fact.predicate.replace('_', ' ')} {told}".rstrip())


def contradictions(flagged: Iterable[LorebookEntry], state: WorldState) -> tuple[HistoryRecord, ...]:
    """What a turn's narrations said against what is established: nobody's knowledge but the game master's, since it may
    speak against what nobody knows."""
    return tuple(
        HistoryRecord(
            kind="contradiction",
            text=_sentence(
                f"{state.name_of(one.subject_id)}: {one.predicate.replace('_', ' ')} {one.detail}".rstrip(".")
            ),
            entity_ids=(one.subject_id,) if one.subject_id in state.entities else (),
            location_ids=(state.scene.location_id,),
        )
        for one in flagged
    )


def _said(entry: LorebookEntry, state: WorldState) -> str:
    what = entry.predicate.replace("_", " ")
    return _sentence(f"Told otherwise than it is: {state.name_of(entry.subject_id)}: {what} {entry.detail}".rstrip("."))


def _event(
    state: WorldState, text: str, witnesses: Sequence[str], entity_ids: Sequence[str], place: str
) -> HistoryRecord:
    places = (place,) if place in state.entities else ()
    return HistoryRecord("event", _sentence(text), _once(*witnesses), _once(*entity_ids), places)


def _at(place: str, state: WorldState) -> list[str]:
    """Who is at a place, by ID; nobody is with anybody offstage."""
    return [] if place == OFFSTAGE else sorted(who for who, where in state.positions.items() if where == place)


def in_a_sentence(name: str) -> str:
    """A thing's or a place's name inside a sentence."""
    bare = name[4:] if name.startswith(("the ", "The ")) else name
    return f"the {bare}" if bare != name or name[:1].islower() else name


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _once(*ids: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids))
