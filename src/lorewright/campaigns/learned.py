"""A campaign and one of its packs -> the pack's text as it is pinned, and what the campaign's player has learned."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lorewright.campaigns.campaigns import Campaigns
from lorewright.errors import NotFound
from lorewright.formats.exports.audience import Audience
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Pack
from lorewright.retrieval.desk import opened
from lorewright.retrieval.in_force import in_force
from lorewright.retrieval.view import LoreView
from lorewright.turn.views.player_ids import readable
from lorewright.values.lore_conditions import lore_conditions


@contextmanager
def learned_pack(campaigns: Campaigns, campaign_id: str, pack_id: str) -> Iterator[tuple[Pack, Audience]]:
    """The pack that a campaign pins, and its player at the head as the audience. The text lies in a folder of the
    moment, which is gone when the block ends.

    Raises:
        NotFound: there is no such campaign, or it has no such pack.
    """
    with ExitStack() as stack:
        store = stack.enter_context(campaigns.reading(campaign_id))
        row, state = store.campaign(), store.head().state
        pin = next((one for one in row.pins if one.pack_id == pack_id), None)
        if pin is None:
            has = ", ".join(one.pack_id for one in row.pins) or "no pack"
            raise NotFound(f"the campaign {campaign_id} has no pack {pack_id}", hint=f"it has {has}")
        root = Path(stack.enter_context(tempfile.TemporaryDirectory())) / pack_id
        root.mkdir()
        campaigns.kept.unpack(pin.content_hash, root)
        generations = tuple(opened(stack, one) for one in campaigns.generations(row))
        conditions, revealed = lore_conditions(state), readable(state, generations)
        told = in_force(LoreView(generations, viewer="player", revealed=revealed, conditions=conditions))
        there = {chunk.id for generation in told.view.generations for chunk in generation.all_chunks()}
        pack = load_pack(root)
        gone = frozenset(chunk.id for chunk in pack.chunks) - there
        view = LoreView((), viewer="player", revealed=revealed, conditions=conditions)
        yield pack, Audience(view, not_in_force=gone, story=campaign_id)
