"""A turn of a campaign's file -> the head as it was while that turn was it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorewright.storage.heads import is_on_path
from lorewright.storage.sittings import session_rows
from lorewright.turn.store.rows import summary_at, untold_at
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.draft import Head
from lorewright.values.entries import RECENT_TURNS, markers_of, options_of
from lorewright.world.state import WorldState


def head_at(store: CampaignStore, turn: Mapping[str, Any], state: WorldState, *, session_id: str | None) -> Head:
    """The head that the next turn began with, in the sitting that it was played in; without what was kept of the scene,
    which changes no answer. `turn` is as `CampaignStore.turns` gives it, and `state` the one after it."""
    turn_id, result = turn["turn_id"], dict(turn["result"])
    session = next((one for one in session_rows(store.database) if one.id == session_id), None)
    summary = summary_at(store.database, turn_id)
    known = session is not None and is_on_path(store.database, session.start_turn_id, to=turn_id)
    return Head(
        campaign_id=store.campaign_id,
        turn_id=turn_id,
        turn_no=turn["turn_no"],
        # Nothing is committed upon it.
        revision=0,
        state=state,
        options=options_of(result),
        recent=tuple(store.messages(turn_id, last=RECENT_TURNS)),
        markers=markers_of(result),
        session_id=session_id,
        # What a sitting began with does not go back with whoever went back before it.
        session_lore=session.session_lore if session is not None and known else {},
        upgrade_id=store.upgrade_id(turn_id),
        summary=summary,
        untold=untold_at(store.database, turn_id, turn["turn_no"], state, summary),
    )
