"""A campaign's turns up to a head -> what happened in them, as one viewer may search it.

Whoever reads first adds the turns that are missing in the index; nobody has to. What was made is used as it is, so that
an index which another process deletes or begins anew meanwhile changes no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lorewright.campaigns.happenings import contradictions, happenings
from lorewright.errors import EmbedderError
from lorewright.ids import canonical_json, content_hash
from lorewright.index.generation import Generation
from lorewright.index.history import GrowingHistory, HistoryIndex, HistoryRecord, TurnKey, history_generation
from lorewright.index.vector_building import VectorBuilder
from lorewright.storage.enclosure import Enclosure
from lorewright.storage.heads import ancestor
from lorewright.storage.sittings import session_summaries
from lorewright.turn.store.keeping import flagged_entries
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.draft import Head
from lorewright.world.state import WorldState

# Raised whenever the records of a turn would be others than before, so that old ones are made again.
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Histories:
    """The histories of all campaigns of a workspace: `folder` has a file for each, which can be deleted."""

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
        """What happened in these turns (the first one first, as the store gives them), as `witness` saw it; without
        one, everything. It stands beside the campaign's packs, named by the campaign's ID."""
        records = self.records(store, turns)
        generation = history_generation(
            records,
            name=free_name(store.campaign_id, generations),
            witness=witness,
            language=language_of(generations),
            vectors=self.vectors,
        )
        try:
            yield generation
        finally:
            generation.close()

    def records(self, store: CampaignStore, turns: Sequence[dict[str, Any]]) -> dict[TurnKey, Sequence[HistoryRecord]]:
        """Each turn's records: as they are kept, or made now and kept; then the summary of the sitting that ended with
        it."""
        index = self.index_of(store)
        keys = turn_keys(store.campaign().created_at, turns)
        known = index.known(keys)
        made: dict[TurnKey, Sequence[HistoryRecord]] = {}
        before: WorldState | None = None
        for place, key in enumerate(keys):
            if key not in known:
                if before is None and place:
                    before = store.state_at(keys[place - 1].turn_id)
                after = store.state_at(key.turn_id) if before is None else store.state_after(before, key.turn_id)
                made[key] = made_of(store, key.turn_id, before, after)
                before = after
            else:
                before = None
        if made:
            index.add(made)
        told = summaries(store, turns)
        return {key: (*(known.get(key) or made.get(key, ())), *told.get(key.turn_id, ())) for key in keys}

    def index_of(self, store: CampaignStore) -> HistoryIndex:
        """Where the records of a campaign are kept.

        Raises:
            UnsafePath: the campaign's own ID is none, or a link stands there.
        """
        return HistoryIndex(Enclosure(self.folder.parent).path(self.folder.name, f"{store.campaign_id}.db"))


def turn_keys(begun: str, turns: Sequence[dict[str, Any]]) -> list[TurnKey]:
    """The keys of turns of a campaign that was begun at a time: one that was begun again under the same ID may have
    turns of the same IDs."""
    return [
        TurnKey(
            turn["turn_id"],
            turn["turn_no"],
            content_hash(canonical_json([_FORMAT, begun, turn["state_hash"], turn["result"]["final_text"]])),
        )
        for turn in turns
    ]


def summaries(store: CampaignStore, turns: Sequence[dict[str, Any]]) -> dict[str, list[HistoryRecord]]:
    """What the sittings that ended with one of these turns amounted to, by that turn. The player sat there; nobody in
    the story did. It is not kept in the index, which knows turns alone."""
    ids = {turn["turn_id"] for turn in turns}
    found: dict[str, list[HistoryRecord]] = {}
    for end_turn_id, summary in session_summaries(store.database):
        if end_turn_id in ids:
            player = store.state_at(turns[0]["turn_id"]).player_id
            record = HistoryRecord("recap", summary, witnesses=(player,), entity_ids=(player,))
            found.setdefault(end_turn_id, []).append(record)
    return found


def made_of(
    store: CampaignStore, turn_id: str, before: WorldState | None, after: WorldState
) -> tuple[HistoryRecord, ...]:
    """The records of a turn, of what was written of it and of the states around it."""
    resolution = store.resolution(turn_id)
    messages = [message for _, message in store.messages(turn_id, last=1)]
    flagged = contradictions(flagged_entries(store.database, turn_id), after)
    return (*happenings(before, after, resolution, messages), *flagged)


def free_name(campaign_id: str, generations: Sequence[Generation]) -> str:
    """What a campaign's history is called beside its packs. A campaign may have the ID of one of them, and then cannot
    stand beside it under that name."""
    taken = {generation.pack_id for generation in generations}
    name = campaign_id
    while name in taken:
        name += "_history"
    return name


def language_of(generations: Sequence[Generation]) -> str:
    """The language of a history: English where any pack is: what the program itself tells is."""
    foreign = [one.manifest.language for one in generations if not one.english]
    return foreign[0] if foreign and not any(one.english for one in generations) else "en"


# An open campaign's path -> what the player saw happen on it, turn by turn as it is played.
#
# It gives what `Histories` would make of the same turns, and remembers what it has made: while the head goes forward, a
# turn adds what the last one left, and nothing is read or made twice. Whenever the head went another way it is made
# anew.

# So many new turns are kept in the index at once; the last few when the campaign is closed. Nobody needs them sooner:
# whoever misses some makes them.
_KEEP_EVERY = 25


class PlayedHistory:
    """The history of one campaign while it is open; `close` it with the campaign."""

    def __init__(self, histories: Histories, store: CampaignStore, generations: Sequence[Generation]) -> None:
        self._histories = histories
        self._store = store
        self._name = free_name(store.campaign_id, generations)
        self._language = language_of(generations)
        self._begun = store.campaign().created_at
        self._vectors = histories.vectors
        self._made: dict[TurnKey, Sequence[HistoryRecord]] = {}
        # What the rest is of: the last turn that is in it, the witness, the sittings' summaries; and the state there.
        self._last: str | None = None
        self._basis: tuple[object, ...] = ()
        self._state: WorldState | None = None
        self._growing: GrowingHistory | None = None
        self._generation: Generation | None = None
        self._readers = 0
        self._retired: list[GrowingHistory] = []

    @contextmanager
    def before(self, head: Head, leave_out: int) -> Iterator[tuple[Generation, ...]]:
        """What the player saw happen until so many turns before a head; nothing where there were no such turns. It
        holds until it is asked for again."""
        last = ancestor(self._store.database, head.turn_id, back=leave_out)
        found = () if last is None else (self._until(last, head.state.player_id),)
        self._readers += 1
        try:
            yield found
        finally:
            self._readers -= 1

    def close(self) -> None:
        """Keep what was made, and let go of it."""
        self._forget()
        for old in self._retired:
            old.close()
        if self._vectors is not None:
            self._vectors.cache.let_go()
        self._keep()

    def _until(self, turn_id: str, witness: str) -> Generation:
        basis = (witness, session_summaries(self._store.database))
        if basis != self._basis:
            self._forget()
        turns = self._store.turns(turn_id, after=self._last)
        if self._growing is not None and turns and turns[0]["turn_no"] == 0:
            self._forget()
        self._basis = basis
        if self._growing is None or self._generation is None:
            self._generation = self._begin(turns, witness)
        elif turns:
            self._generation = self._growing.grown(self._records(turns))
        self._last = turn_id
        return self._generation

    def _begin(self, turns: Sequence[dict[str, Any]], witness: str) -> Generation:
        self._hold_vectors()
        self._growing = GrowingHistory(name=self._name, witness=witness, language=self._language, vectors=self._vectors)
        return self._growing.grown(self._histories.records(self._store, turns))

    def _records(self, turns: Sequence[dict[str, Any]]) -> dict[TurnKey, Sequence[HistoryRecord]]:
        """Those of the turns that follow the last."""
        found: dict[TurnKey, Sequence[HistoryRecord]] = {}
        state = self._state if self._state is not None else self._store.state_at(str(self._last))
        for key in turn_keys(self._begun, turns):
            after = self._store.state_after(state, key.turn_id)
            found[key] = made_of(self._store, key.turn_id, state, after)
            state = after
        self._state = state
        self._made |= found
        if len(self._made) >= _KEEP_EVERY:
            self._keep()
        told = summaries(self._store, turns)
        return {key: (*records, *told.get(key.turn_id, ())) for key, records in found.items()}

    def _keep(self) -> None:
        if self._made:
            self._histories.index_of(self._store).add(self._made)
            self._made = {}

    def _hold_vectors(self) -> None:
        """Keep the file of the embeddings open: a turn adds a few of them."""
        shared = self._histories.vectors
        if shared is not None and self._vectors is shared:
            try:
                self._vectors = replace(shared, cache=shared.cache.held())
            except EmbedderError:
                self._vectors = shared

    def _forget(self) -> None:
        """Begin anew the next time. Whoever still thinks with what is forgotten is refused when they commit; until then
        they can read it."""
        if self._growing is not None and self._readers:
            self._retired.append(self._growing)
        elif self._growing is not None:
            self._growing.close()
        self._last = self._state = self._growing = self._generation = None
