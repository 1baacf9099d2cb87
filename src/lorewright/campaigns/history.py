"""A committed turn and the states around it -> the history records of what happened in it, with the witnesses of each.

A narration is recorded as it was told to its audience; what the rules did, in one plain sentence each. Moods, reveals
and the narrator's memory are not recorded: nobody sees them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from lorewright.errors import ReadOnly
from lorewright.ids import canonical_json, content_hash
from lorewright.index.generation import Generation, oldest_reading
from lorewright.index.history import HistoryIndex, HistoryRecord, TurnKey, TurnRecords, history_generation
from lorewright.index.vector_building import VectorBuilder
from lorewright.rules.patch import Outcome, Resolution
from lorewright.rules.verbs import verb_of
from lorewright.storage.database import delete_files_of
from lorewright.storage.enclosure import Enclosure
from lorewright.storage.sittings import session_summaries
from lorewright.turn.store.annotations import flagged_entries
from lorewright.turn.store.rows import LaterIds, later_ids
from lorewright.turn.store.store import CampaignStore
from lorewright.values.annotations import LorebookEntry
from lorewright.values.records import Message
from lorewright.visibility import FactKind, fact_sight
from lorewright.world import changes
from lorewright.world.apply import apply
from lorewright.world.events import ThreadChanged
from lorewright.world.ops import PlayAs, RenameIds
from lorewright.world.state import OFFSTAGE, Fact, WorldState
from lorewright.world.things import PREDICATES

# The sentences for the outcomes that neither a change of the state nor the narration tells.
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


def history_records(
    before: WorldState | None, after: WorldState, resolution: Resolution, messages: Sequence[Message]
) -> tuple[HistoryRecord, ...]:
    """Return the records of a turn, in order: attempts, changes, new facts, the narration.

    `before` is None for the first turn, whose state is where the story begins.
    """
    if before is None:
        return (*_facts({}, after), *_narrations(messages, after, after, resolution))
    if before.player_id != after.player_id:
        # The turn began with another persona, where that one is.
        before = apply(before, (PlayAs(who=after.player_id),)).state
    return (
        *_attempts(resolution.outcomes, before, after),
        *_changes(before, after, resolution),
        *_narrations(messages, before, after, resolution),
    )


def _narrations(
    messages: Sequence[Message], before: WorldState, after: WorldState, resolution: Resolution
) -> Iterator[HistoryRecord]:
    return (_telling(message, before, after, resolution) for message in messages if message.type == "narration")


def _telling(message: Message, before: WorldState, after: WorldState, resolution: Resolution) -> HistoryRecord:
    """Return the record of a narration; one without an audience was for the player alone."""
    people = message.audience or (after.player_id,)
    targets = [outcome.target_id for outcome in resolution.outcomes if outcome.target_id]
    return HistoryRecord(
        kind="narration",
        text=message.content,
        witnesses=_witnesses("narration", after, people),
        entity_ids=_once(*people, *targets),
        location_ids=_once(before.scene.location_id, after.scene.location_id),
    )


def _attempts(outcomes: Sequence[Outcome], before: WorldState, after: WorldState) -> Iterator[HistoryRecord]:
    place = before.scene.location_id
    for outcome in outcomes:
        if (sentence := _CAME_OF.get(outcome.code)) is not None:
            there = _once(outcome.actor_id, *_at(place, before), *_at(place, after))
            ends = _once(outcome.actor_id, *([outcome.target_id] if outcome.target_id else []))
            yield HistoryRecord(
                kind="event",
                text=_attempt(sentence, outcome, after),
                witnesses=_witnesses("whisper" if outcome.whispered else "event", after, there, ends),
                entity_ids=_once(outcome.actor_id, *([outcome.target_id] if outcome.target_id else [])),
                location_ids=(place,),
            )
        if outcome.code == "moved" and outcome.location_id is not None:
            place = outcome.location_id


def _attempt(sentence: str, outcome: Outcome, state: WorldState) -> str:
    if outcome.code == "acted":
        verb = verb_of(outcome.type)
        sentence = ("" if verb is None else verb.history) or sentence
    used = outcome.item_id or outcome.target_id
    text = sentence.format(
        item=in_a_sentence(state.name_of(used)) if used else "something",
        on=f" on {in_a_sentence(state.name_of(outcome.target_id))}" if outcome.item_id and outcome.target_id else "",
        type=outcome.type.replace("_", " "),
        target=in_a_sentence(state.name_of(outcome.target_id)) if outcome.target_id else "",
        words=outcome.words or "the place",
        about=f" about {outcome.words}" if outcome.words else "",
    )
    band = f": {outcome.band}" if outcome.band else ""
    return _sentence(f"{state.name_of(outcome.actor_id)} {' '.join(text.split())}{band}".replace(" ,", ","))


def _changes(before: WorldState, after: WorldState, resolution: Resolution) -> Iterator[HistoryRecord]:
    """Yield what each op changed, with those who were present just then as witnesses; then all other changes of the
    turn."""
    # Not of the recorded events: these have no witnesses, and nothing of possessions, doors and people elsewhere; and
    # turns of older versions have fewer kinds of them, while their ops are complete.
    states = [before]
    for op in resolution.ops:
        states.append(apply(states[-1], (op,)).state)
    for was, now in pairwise((*states, after)):
        if was != now:
            yield from _comings_and_goings(was, now)
            yield from _possessions(was, now)
            yield from _doors(was, now)
            yield from _course_of_things(was, now)
            yield from _facts(was.facts, now)


def _comings_and_goings(was: WorldState, now: WorldState) -> Iterator[HistoryRecord]:
    """Yield who came and went. A person who stays behind sees that somebody leaves, not where they go."""
    for move in changes.position_changes(was, now):
        person, left, reached = move.entity, move.from_id, move.to_id
        if left != OFFSTAGE:
            yield _event(
                now, f"{now.name_of(person)} left {in_a_sentence(now.name_of(left))}", _at(left, was), [person], left
            )
        if reached != OFFSTAGE:
            yield _event(
                now,
                f"{now.name_of(person)} came to {in_a_sentence(now.name_of(reached))}",
                _at(reached, now),
                [person],
                reached,
            )


def _possessions(was: WorldState, now: WorldState) -> Iterator[HistoryRecord]:
    for owner in sorted({*was.inventory, *now.inventory} & {*now.positions}):
        place = now.positions[owner]
        for change in changes.quantity_changes(was.held_by(owner), now.held_by(owner)):
            more = change.after - change.before
            verb = "got" if more > 0 else "gave up"
            count = f" ({abs(more)})" if abs(more) > 1 else ""
            text = f"{now.name_of(owner)} {verb} {in_a_sentence(now.name_of(change.item))}{count}"
            yield _event(now, text, (owner, *_at(place, now)), [owner, change.item], place)


def _doors(was: WorldState, now: WorldState) -> Iterator[HistoryRecord]:
    for change in changes.door_changes(was, now):
        before, door, name = change.before, change.after, in_a_sentence(now.name_of(change.door))
        if before.locked != door.locked:
            text = f"{name} was {'locked' if door.locked else 'unlocked'}"
            yield _event(now, text, now.present(), [change.door], now.scene.location_id)
        if door.shut_bars and before.open != door.open:
            text = f"{name} was {'opened' if door.open else 'shut'}"
            yield _event(now, text, now.present(), [change.door], now.scene.location_id)


def _course_of_things(was: WorldState, now: WorldState) -> Iterator[HistoryRecord]:
    """Yield changes of clocks and threads, and the end: the table's, so that players alone witness them."""
    place = now.scene.location_id
    for tick in changes.clock_changes(was, now):
        clock, verb = now.clocks[tick.clock], "rose" if tick.after > tick.before else "fell"
        text = f"{clock.name} {verb} from {tick.before} to {tick.after} of {clock.max}"
        yield _event(now, text, (), [], place, kind="clock")
    for change in changes.thread_changes(was, now):
        if isinstance(change, ThreadChanged):
            thread = now.threads[change.thread]
            yield HistoryRecord(
                kind="event",
                text=_sentence(f"The thread “{thread.title}” became {thread.status}"),
                witnesses=_witnesses("thread", now),
                entity_ids=thread.related_entity_ids,
                location_ids=(place,),
                thread_ids=(change.thread,),
            )
    end = changes.end_reached(was, now)
    if end is not None:
        yield _event(now, f"The story ended: {end.ending.replace('_', ' ')}", (), [], place, kind="clock")


def _facts(known: Mapping[str, Fact], now: WorldState) -> Iterator[HistoryRecord]:
    """Yield the facts that are new or changed. Their witnesses are the personas who know of them, and never a
    character."""
    for fact_id in changes.changed_facts(known, now.facts):
        fact = now.facts[fact_id]
        subject = [fact.subject_id] if fact.subject_id in now.entities else []
        yield HistoryRecord(
            kind="fact",
            text=_fact(fact, now),
            witnesses=tuple(who for who in _players(now) if fact.is_shown("player", who)),
            entity_ids=tuple(subject),
            location_ids=(now.scene.location_id,),
        )


def _fact(fact: Fact, state: WorldState) -> str:
    if fact.predicate in PREDICATES and isinstance(fact.object, Mapping):
        to, what = state.name_of(str(fact.object.get("to"))), fact.object.get("what")
        return _sentence(f"{state.name_of(fact.subject_id)} {fact.predicate} {to}: {what}".rstrip(". "))
    known = "" if fact.object is None or fact.object is True else fact.object
    shown = state.name_of(known) if isinstance(known, str) else canonical_json(known)
    return _sentence(f"{state.name_of(fact.subject_id)}: {fact.predicate.replace('_', ' ')} {shown}".rstrip())


def contradictions(flagged: Iterable[LorebookEntry], state: WorldState) -> tuple[HistoryRecord, ...]:
    """Return what a turn's narrations said against established facts. It has no witness, so only the game master finds
    it: it may contradict something that nobody knows."""
    return tuple(
        HistoryRecord(
            kind="contradiction",
            text=_sentence(
                f"{state.name_of(entry.subject_id)}: {entry.predicate.replace('_', ' ')} {entry.detail}".rstrip(".")
            ),
            witnesses=_witnesses("contradiction", state),
            entity_ids=(entry.subject_id,) if entry.subject_id in state.entities else (),
            location_ids=(state.scene.location_id,),
        )
        for entry in flagged
    )


def _players(state: WorldState) -> tuple[str, ...]:
    return state.personas or (state.player_id,)


def _witnesses(
    kind: FactKind, state: WorldState, there: Sequence[str] = (), ends: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return who may find a record of a kind, by the table `visibility.FACTS`: of those who were there, of the two ends
    of a whisper, and of the personas."""
    players = _players(state)

    def finds(who: str) -> bool:
        match fact_sight(kind, "player" if state.is_players(who) else "npc"):
            case "all":
                return True
            case "witness":
                return who in there
            case "party":
                return who in ends
            case _:
                return False

    others = sorted(state.positions) if fact_sight(kind, "npc") == "all" else ()
    return tuple(who for who in _once(*there, *players, *others) if finds(who))


def _event(
    state: WorldState,
    text: str,
    there: Sequence[str],
    entity_ids: Sequence[str],
    place: str,
    *,
    kind: FactKind = "event",
) -> HistoryRecord:
    places = (place,) if place in state.entities else ()
    return HistoryRecord("event", _sentence(text), _witnesses(kind, state, there), _once(*entity_ids), places)


def _at(place: str, state: WorldState) -> list[str]:
    """Return the IDs of those who are at a place, sorted; nobody is with anybody offstage."""
    return [] if place == OFFSTAGE else sorted(who for who, where in state.positions.items() if where == place)


def in_a_sentence(name: str) -> str:
    """Return the name of a thing or place for use inside a sentence."""
    bare = name[4:] if name.startswith(("the ", "The ")) else name
    return f"the {bare}" if bare != name or name[:1].islower() else name


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _once(*ids: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids))


# A campaign's turns up to a head -> what happened in them, as one viewer may search it.
#
# The first reader adds the turns that are missing in the index. The records that were read are used as they are, so it
# changes no answer when another process deletes or rebuilds the index meanwhile.

# Raised whenever the records of a turn would differ from before, so that old ones are made again.
# 2: of a whisper only its two ends find what it was about, all personas find what the table knows, and a turn that
# begins with another persona is witnessed where that one is. 3: an upgrade that names people anew moves nobody.
_FORMAT = 3


@dataclass(frozen=True, slots=True)
class Histories:
    """The histories of all campaigns of a workspace, one file each in `folder`, which can be deleted."""

    folder: Path
    vectors: VectorBuilder | None = None

    @contextmanager
    def read(
        self,
        store: CampaignStore,
        turns: Sequence[dict[str, Any]],
        generations: Sequence[Generation],
        *,
        witness: str | None,
    ) -> Iterator[Generation]:
        """Open a search generation of what happened in these turns (first turn first, as the store gives them), as
        `witness` saw it; without a witness, of everything. It is searched beside the campaign's packs and named by the
        campaign's ID."""
        records = self.records(store, turns)
        generation = history_generation(
            records,
            name=free_name(store.campaign_id, generations),
            witness=witness,
            language=language_of(generations),
            reading=oldest_reading(generations),
            vectors=self.vectors,
        )
        try:
            yield generation
        finally:
            generation.close()

    def records(
        self, store: CampaignStore, turns: Sequence[dict[str, Any]], *, seen_from: str | None = None
    ) -> dict[TurnKey, Sequence[HistoryRecord]]:
        """Return each turn's records, from the index or else made now and added to it; then the summary of the sitting
        that ended with the turn. Their IDs are those of the last turn, or of a later one that they are seen from."""
        index = self.index_of(store)
        keys = turn_keys(store.campaign().created_at, turns)
        known: Mapping[TurnKey, Sequence[HistoryRecord]] = {}
        # Where nothing can be written they are made anew each time.
        with suppress(ReadOnly):
            known = index.known(keys)
        made: dict[TurnKey, Sequence[HistoryRecord]] = {}
        before: WorldState | None = None
        for place, key in enumerate(keys):
            if key not in known:
                if before is None and place:
                    before = store.state_at(keys[place - 1].turn_id)
                after = store.state_at(key.turn_id) if before is None else store.state_after(before, key.turn_id)
                made[key] = turn_records(store, key.turn_id, before, after)
                before = after
            else:
                before = None
        if made:
            with suppress(ReadOnly):
                index.add(made)
        recaps = summaries(store, turns)
        told: dict[TurnKey, Sequence[HistoryRecord]]
        told = {key: (*(known.get(key) or made.get(key, ())), *recaps.get(key.turn_id, ())) for key in keys}
        last = seen_from or (keys[-1].turn_id if keys else None)
        return told if last is None else with_later_ids(told, later_ids(store.database, last))

    def index_of(self, store: CampaignStore) -> HistoryIndex:
        """Return the index that stores the records of a campaign.

        Raises:
            UnsafePath: the campaign's ID is invalid, or the path is a link.
        """
        return HistoryIndex(self._path(store.campaign_id))

    def forget(self, campaign_id: str) -> None:
        """Delete the index of a campaign that is gone."""
        delete_files_of(self._path(campaign_id))

    def _path(self, campaign_id: str) -> Path:
        return Enclosure(self.folder.parent).path(self.folder.name, f"{campaign_id}.db")


def with_later_ids(turns: TurnRecords, later: LaterIds) -> dict[TurnKey, Sequence[HistoryRecord]]:
    """Return records with the IDs that upgrades gave since: who saw a turn finds it by the name that they have now."""

    def named(turn_no: int, record: HistoryRecord) -> HistoryRecord:
        held = [list(record.witnesses), list(record.entity_ids), list(record.location_ids)]
        witnesses, entities, places = later.of(turn_no, held)
        return replace(record, witnesses=tuple(witnesses), entity_ids=tuple(entities), location_ids=tuple(places))

    last = max((upgraded for upgraded, _ in later.upgrades), default=-1)
    return {
        key: tuple(named(key.turn_no, record) for record in records) if key.turn_no < last else records
        for key, records in turns.items()
    }


def turn_keys(begun: str, turns: Sequence[dict[str, Any]]) -> list[TurnKey]:
    """Return the keys of turns of a campaign that was begun at a time. The time is part of them, because a campaign
    that was begun again under the same ID may have turns of the same IDs."""
    return [
        TurnKey(
            turn["turn_id"],
            turn["turn_no"],
            content_hash(canonical_json([_FORMAT, begun, turn["state_hash"], turn["result"]["final_text"]])),
        )
        for turn in turns
    ]


def summaries(store: CampaignStore, turns: Sequence[dict[str, Any]]) -> dict[str, list[HistoryRecord]]:
    """Return the recaps of the sittings that ended with one of these turns, by that turn. Their witness is the player
    alone; where there are several personas, a stored recap may tell of what one of them did not see, and only the game
    master finds it. They are not stored in the index, which has only turns."""
    ids = {turn["turn_id"] for turn in turns}
    found: dict[str, list[HistoryRecord]] = {}
    for end_turn_id, summary in session_summaries(store.database):
        if end_turn_id in ids:
            state = store.state_at(turns[0]["turn_id"])
            is_own = not state.personas and fact_sight("recap", "player") == "own"
            witnesses = (state.player_id,) if is_own else ()
            record = HistoryRecord("recap", summary, witnesses=witnesses, entity_ids=(state.player_id,))
            found.setdefault(end_turn_id, []).append(record)
    return found


def turn_records(
    store: CampaignStore, turn_id: str, before: WorldState | None, after: WorldState
) -> tuple[HistoryRecord, ...]:
    """Return the records of a turn, made from its stored messages and resolution and the states around it."""
    resolution = store.resolution(turn_id)
    if before is not None and not resolution.outcomes:
        # An upgrade gives IDs anew; what has another ID has not moved.
        turn_no, later = store.turn(turn_id).turn_no, later_ids(store.database, turn_id)
        before = apply(before, [RenameIds(ids=ids) for upgraded, ids in later.upgrades if upgraded == turn_no]).state
    messages = [message for _, message in store.messages(turn_id, last=1)]
    flagged = contradictions(flagged_entries(store.database, turn_id), after)
    return (*history_records(before, after, resolution, messages), *flagged)


def free_name(campaign_id: str, generations: Sequence[Generation]) -> str:
    """Return the name of a campaign's history beside its packs: the campaign's ID, unless a pack has the same ID."""
    taken = {generation.pack_id for generation in generations}
    name = campaign_id
    while name in taken:
        name += "_history"
    return name


def language_of(generations: Sequence[Generation]) -> str:
    """Return the language of a history: English if any pack is English, because the program's own sentences are."""
    foreign = [generation.manifest.language for generation in generations if not generation.english]
    return foreign[0] if foreign and not any(generation.english for generation in generations) else "en"
