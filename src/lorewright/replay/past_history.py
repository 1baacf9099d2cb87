"""What the player saw happen before a replayed turn: as it was recorded, and where turns came out otherwise, as they
did."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from lorewright.campaigns.happenings import happenings
from lorewright.campaigns.history import Histories, free_name, language_of, summaries
from lorewright.index.generation import Generation
from lorewright.index.history import HistoryRecord
from lorewright.index.history_generation import history_generation
from lorewright.rules.outcomes import Resolution
from lorewright.storage.heads import ancestor
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.draft import Draft, Head, Setting
from lorewright.world.state import WorldState

# Turn ID -> what is told of a turn that came out otherwise. Turns keep their IDs in a replay.
Otherwise = Mapping[str, tuple[HistoryRecord, ...]]


class ReplayedHistory:
    """The history of one setting. Nothing of what came out otherwise gets into the index of the campaign's history."""

    def __init__(self, histories: Histories, store: CampaignStore, setting: Setting, otherwise: Otherwise) -> None:
        """`otherwise` may grow while this is used."""
        self._histories = histories
        self._store = store
        self._setting = setting
        self._otherwise = otherwise

    @contextmanager
    def before(self, head: Head, leave_out: int) -> Iterator[tuple[Generation, ...]]:
        """What the player saw happen until so many turns before a head."""
        last = ancestor(self._store.database, head.turn_id, back=leave_out) if self._otherwise else None
        turns = [] if last is None else self._store.turns(last)
        if all(turn["turn_id"] not in self._otherwise for turn in turns):
            with self._setting.history(head, leave_out) as recorded:
                yield recorded
            return
        told = summaries(self._store, turns)
        generations = self._setting.generations
        generation = history_generation(
            {
                key: (*self._otherwise[key.turn_id], *told.get(key.turn_id, ()))
                if key.turn_id in self._otherwise
                else records
                for key, records in self._histories.records(self._store, turns).items()
            },
            name=free_name(self._store.campaign_id, generations),
            witness=head.state.player_id,
            language=language_of(generations),
            vectors=self._histories.vectors,
        )
        try:
            yield (generation,)
        finally:
            generation.close()


def told_of(draft: Draft, after: WorldState) -> tuple[HistoryRecord, ...]:
    """What is told of a turn from its draft; `after` is the state that it led to."""
    resolved = [json.loads(one.output_json) for one in draft.records if one.stage == "resolve"]
    resolution = Resolution.model_validate(resolved[-1]) if resolved and resolved[-1] else Resolution()
    return happenings(draft.head.state, after, resolution, list(draft.messages))
