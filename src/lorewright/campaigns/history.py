"""A campaign's turns up to a head -> what happened in them, as one viewer may search it.

Whoever reads first adds the turns that are missing in the index; nobody has to. What was made is used as it is, so that
an index which another process deletes or begins anew meanwhile changes no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lorewright.campaigns.happenings import happenings
from lorewright.ids import canonical_json, content_hash
from lorewright.index.generation import Generation
from lorewright.index.history import HistoryIndex, HistoryRecord, TurnKey, history_generation
from lorewright.index.vector_building import VectorBuilder
from lorewright.rules.outcomes import Resolution
from lorewright.storage.sittings import session_rows
from lorewright.turn.draft import Head
from lorewright.turn.store import CampaignStore
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
        records = self._records(store, turns)
        generation = history_generation(
            records,
            name=_free_name(store.campaign_id, generations),
            witness=witness,
            language=_language(generations),
            vectors=self.vectors,
        )
        try:
            yield generation
        finally:
            generation.close()

    @contextmanager
    def before(
        self, store: CampaignStore, generations: Sequence[Generation], head: Head, leave_out: int
    ) -> Iterator[tuple[Generation, ...]]:
        """What the player saw happen until so many turns before a head; nothing where there were no such turns.

        Should the head have moved, then whatever is thought with this is refused anyway.
        """
        last = head.turn_no - leave_out
        turns = [turn for turn in store.turns() if turn["turn_no"] <= last] if last >= 0 else []
        if not turns:
            yield ()
            return
        with self.read(store, turns, generations, witness=head.state.player_id) as history:
            yield (history,)

    def _records(self, store: CampaignStore, turns: Sequence[dict[str, Any]]) -> dict[TurnKey, Sequence[HistoryRecord]]:
        """Each turn's records: as they are kept, or made now and kept."""
        index = HistoryIndex(self.folder / f"{store.campaign_id}.db")
        keys = _keys(store, turns)
        known = index.known(keys)
        made: dict[TurnKey, Sequence[HistoryRecord]] = {}
        before: WorldState | None = None
        for place, key in enumerate(keys):
            if key not in known:
                if before is None and place:
                    before = store.state_at(keys[place - 1].turn_id)
                after = store.state_at(key.turn_id)
                made[key] = _made(store, key.turn_id, before, after)
                before = after
            else:
                before = None
        if made:
            index.add(made)
        summaries = _summaries(store, turns)
        return {key: (*(known.get(key) or made.get(key, ())), *summaries.get(key.turn_id, ())) for key in keys}


def _keys(store: CampaignStore, turns: Sequence[dict[str, Any]]) -> list[TurnKey]:
    """A campaign that was begun again under the same ID may have turns of the same IDs."""
    begun = store.campaign().created_at
    return [
        TurnKey(
            turn["turn_id"],
            turn["turn_no"],
            content_hash(canonical_json([_FORMAT, begun, turn["state_hash"], turn["result"]["final_text"]])),
        )
        for turn in turns
    ]


def _summaries(store: CampaignStore, turns: Sequence[dict[str, Any]]) -> dict[str, list[HistoryRecord]]:
    """What the sittings that ended with one of these turns amounted to, by that turn. The player sat there; nobody in
    the story did. It is not kept in the index, which knows turns alone."""
    ids = {turn["turn_id"] for turn in turns}
    found: dict[str, list[HistoryRecord]] = {}
    for session in session_rows(store.database):
        if session.summary is not None and session.end_turn_id is not None and session.end_turn_id in ids:
            player = store.state_at(turns[0]["turn_id"]).player_id
            record = HistoryRecord("recap", session.summary, witnesses=(player,), entity_ids=(player,))
            found.setdefault(session.end_turn_id, []).append(record)
    return found


def _made(
    store: CampaignStore, turn_id: str, before: WorldState | None, after: WorldState
) -> tuple[HistoryRecord, ...]:
    resolved = [one["output"] for one in store.stage_records(turn_id) if one["stage"] == "resolve"]
    resolution = Resolution.model_validate(resolved[-1]) if resolved else Resolution()
    messages = [message for _, message in store.messages(turn_id, last=1)]
    return happenings(before, after, resolution, messages)


def _free_name(campaign_id: str, generations: Sequence[Generation]) -> str:
    """A campaign may have the ID of one of its packs, and then cannot stand beside it under that name."""
    taken = {generation.pack_id for generation in generations}
    name = campaign_id
    while name in taken:
        name += "_history"
    return name


def _language(generations: Sequence[Generation]) -> str:
    """English where any pack is: what the program itself tells is."""
    foreign = [one.manifest.language for one in generations if not one.english]
    return foreign[0] if foreign and not any(one.english for one in generations) else "en"
