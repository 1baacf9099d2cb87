"""An open campaign -> its history as the player saw it, extended turn by turn.

It gives the same records as `Histories` and remembers them: while the head goes forward, a turn adds only what is new.
When the head moves in any other way, it is made anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from lorewright.campaigns.history import (
    Histories,
    free_name,
    language_of,
    summaries,
    turn_keys,
    turn_records,
    with_later_ids,
)
from lorewright.errors import EmbedderError
from lorewright.index.generation import Generation, oldest_reading
from lorewright.index.history import GrowingHistory, HistoryRecord, TurnKey
from lorewright.retrieval.view import has_entry_rules
from lorewright.storage.heads import ancestor
from lorewright.storage.sittings import session_summaries
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.draft import EntriesOf, Head, no_entries
from lorewright.values.entries import entry_history
from lorewright.world.state import WorldState

# The index is written after this many new turns, and when the campaign is closed. A reader that misses some turns makes
# them itself.
_KEEP_EVERY = 25


class PlayedHistory:
    """The history of one campaign while it is open; `close` it with the campaign."""

    def __init__(self, histories: Histories, store: CampaignStore, generations: Sequence[Generation]) -> None:
        self._histories = histories
        self._store = store
        self._name = free_name(store.campaign_id, generations)
        self._language = language_of(generations)
        self._reading = oldest_reading(generations)
        self._begun = store.campaign().created_at
        self._vectors = histories.vectors
        self._made: dict[TurnKey, Sequence[HistoryRecord]] = {}
        # The basis of what was made: the last turn in it, the witness, the sittings' summaries and the IDs of later
        # upgrades; and the state at that turn.
        self._last: str | None = None
        self._basis: tuple[object, ...] = ()
        self._state: WorldState | None = None
        self._growing: GrowingHistory | None = None
        self._generation: Generation | None = None
        self._readers = 0
        self._retired: list[GrowingHistory] = []

    @contextmanager
    def before(self, head: Head, leave_out: int) -> Iterator[tuple[Generation, ...]]:
        """Open what the player saw happen until this many turns before a head; empty where there were no such turns. It
        is valid until the next call."""
        if not self._readers:
            self._close_retired()
        last = ancestor(self._store.database, head.turn_id, back=leave_out)
        found = () if last is None else (self._until(last, head),)
        self._readers += 1
        try:
            yield found
        finally:
            self._readers -= 1

    def close(self) -> None:
        """Write what was made to the index and release everything."""
        self._forget()
        self._close_retired()
        if self._vectors is not None:
            self._vectors.cache.let_go()
        self._keep()

    def _until(self, turn_id: str, head: Head) -> Generation:
        witness = head.state.player_id
        later = self._store.later_ids(head.turn_id)
        basis = (witness, session_summaries(self._store.database), later)
        if basis != self._basis:
            self._forget()
        turns = self._store.turns(turn_id, after=self._last)
        if self._growing is not None and turns and turns[0]["turn_no"] == 0:
            self._forget()
        self._basis = basis
        try:
            if self._growing is None or self._generation is None:
                self._generation = self._begin(turns, witness, seen_from=head.turn_id)
            elif turns:
                self._generation = self._growing.grown(with_later_ids(self._records(turns), later))
        except BaseException:
            # Some of the turns may be in it.
            self._forget()
            raise
        self._last = turn_id
        return self._generation

    def _begin(self, turns: Sequence[dict[str, Any]], witness: str, *, seen_from: str) -> Generation:
        self._hold_vectors()
        self._growing = GrowingHistory(
            name=self._name,
            witness=witness,
            language=self._language,
            reading=self._reading,
            vectors=self._vectors,
        )
        return self._growing.grown(self._histories.records(self._store, turns, seen_from=seen_from))

    def _records(self, turns: Sequence[dict[str, Any]]) -> dict[TurnKey, Sequence[HistoryRecord]]:
        """Return the records of the turns that follow the last."""
        found: dict[TurnKey, Sequence[HistoryRecord]] = {}
        state = self._state if self._state is not None else self._store.state_at(str(self._last))
        for key in turn_keys(self._begun, turns):
            after = self._store.state_after(state, key.turn_id)
            found[key] = turn_records(self._store, key.turn_id, state, after)
            state = after
        self._state = state
        self._made |= found
        if len(self._made) >= _KEEP_EVERY:
            self._keep()
        recaps = summaries(self._store, turns)
        return {key: (*records, *recaps.get(key.turn_id, ())) for key, records in found.items()}

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

    def _close_retired(self) -> None:
        for old in self._retired:
            old.close()
        self._retired = []

    def _forget(self) -> None:
        """Forget what was made, so that the next call begins anew. A reader that still uses it can read it until it
        commits, which is refused."""
        if self._growing is not None and self._readers:
            self._retired.append(self._growing)
        elif self._growing is not None:
            self._growing.close()
        self._last = self._state = self._growing = self._generation = None


def entries_of(store: CampaignStore, seed: int, generations: tuple[Generation, ...]) -> EntriesOf:
    """Return a reader of what the rules of entries depend on; it reads nothing where there are no such rules."""
    if not has_entry_rules(generations):
        return no_entries
    return lambda head: entry_history(store.database, seed, head.turn_id, head.state)
