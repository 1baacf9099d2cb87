"""Lore for authors and players: a query over installed packs, or with a character's eyes in a campaign."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.history import Histories
from lorewright.errors import NotFound
from lorewright.formats.exports.shown import Audience
from lorewright.index.generation import Generation
from lorewright.index.library import Library, blaming_damage
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Entity, Pack
from lorewright.retrieval.desk import EntityLore, PackDesk, entity_lore, explained_now, opened, qualified_viewer
from lorewright.retrieval.explain import ChunkTrace
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve, why_not
from lorewright.retrieval.view import (
    EntryHistory,
    LoreView,
    as_told,
    has_entry_rules,
    hidden_entities,
    hidden_names,
    ids_of,
    in_force,
    qualified,
    things,
    told_entity,
)
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.player_ids import readable
from lorewright.values.entries import entry_history
from lorewright.values.known_facts import lore_conditions
from lorewright.world.state import WorldState

# A campaign and one of its packs -> the pack's text as it is pinned, and what the campaign's player has learned.


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


class LoreDesk:
    """Answers lore queries; without a campaign as the `PackDesk` does."""

    def __init__(self, library: Library, campaigns: Campaigns, histories: Histories) -> None:
        self._packs = PackDesk(library)
        self._campaigns = campaigns
        self._histories = histories

    def query(
        self,
        query: LoreRetrievalQuery,
        *,
        packs: Sequence[str] = (),
        campaign_id: str | None = None,
        explained: bool = True,
    ) -> Retrieval:
        """Ask the packs named (all that are installed, or those that the campaign pins), with the query's viewer.
        Where the answer need not be `explained`, it has no trace.

        In a campaign a player or character sees besides what was revealed to them at its head, and what happened in it
        where they were.

        Raises:
            NotFound: a pack, campaign or character that does not exist.
            SettingsError: history is asked for without a campaign.
        """
        if campaign_id is None:
            return self._packs.query(query, packs=packs, explained=explained)
        with self.asking(query, packs, campaign_id=campaign_id) as (view, asked):
            return explained_now(retrieve(view, asked)) if explained else retrieve(view, asked)

    def why_not(
        self, query: LoreRetrievalQuery, chunk_id: str, *, packs: Sequence[str] = (), campaign_id: str | None = None
    ) -> ChunkTrace | None:
        """Why a chunk is where it is in the answer to a query, or not in it; None where it does not exist for the
        query's viewer.

        Raises:
            NotFound: a pack, campaign or character that does not exist.
            SettingsError: history is asked for without a campaign.
        """
        if campaign_id is None:
            return self._packs.why_not(query, chunk_id, packs=packs)
        with self.asking(query, packs, campaign_id=campaign_id) as (view, asked):
            return why_not(view, asked, chunk_id)

    def entity(
        self, entity_id: str, *, viewer: str = "gm", campaign_id: str | None = None, max_tokens: int
    ) -> EntityLore:
        """All that a viewer may read of an entity, by its ID with or without its pack: what tells of it, its own file
        first.

        Raises:
            NotFound: there is none of that ID, or the viewer may read nothing of it.
        """
        if campaign_id is None:
            return self._packs.entity(entity_id, viewer=viewer, max_tokens=max_tokens)
        with self.view(viewer, (), campaign_id) as view:
            return entity_lore(view, entity_id, max_tokens=max_tokens)

    def entities(
        self, *, viewer: str = "gm", packs: Sequence[str] = (), campaign_id: str | None = None
    ) -> list[Entity]:
        """Everybody and everything that packs tell of and a viewer may read anything of, by ID; where several packs
        tell of one, as all of them together do.

        Raises:
            NotFound: a pack, campaign or character that does not exist.
        """
        asked = self._packs.view(viewer, packs) if campaign_id is None else self.view(viewer, packs, campaign_id)
        with asked as view:
            hidden = hidden_entities(view)
            known = {one for generation in view.generations for one in generation.entities() if one not in hidden}
            told = (told_entity(one, view.generations) for one in sorted(known))
            secret = hidden_names(view.generations, hidden)
            return list({one.id: as_told(one, view, secret) for one in told if one is not None}.values())

    @contextmanager
    def asking(
        self, query: LoreRetrievalQuery, packs: Sequence[str] = (), *, campaign_id: str
    ) -> Iterator[tuple[LoreView, LoreRetrievalQuery]]:
        """The view of a query, and the query with the IDs that the view has. Which packs are asked is no matter to what
        happened.

        Raises:
            NotFound: a pack, campaign or character that does not exist.
        """
        if query.corpus == "authored":
            with self.view(query.viewer, packs, campaign_id) as view:
                yield view, query
        else:
            with self.view(query.viewer, packs if query.corpus == "all" else (), campaign_id, history=True) as view:
                yield view, query if query.corpus == "all" else _with_full_ids(query, view)

    @contextmanager
    def view(self, viewer: str, packs: Sequence[str], campaign_id: str, *, history: bool = False) -> Iterator[LoreView]:
        """The packs that a campaign pins, and with `history` what happened in it; closed when the block ends.

        Raises:
            NotFound: a campaign or character that does not exist.
        """
        with ExitStack() as stack:
            with self._campaigns.reading(campaign_id) as store:
                turns = store.turns()
                state = store.state_at(turns[-1]["turn_id"])
                generations = tuple(opened(stack, one) for one in self._campaigns.generations(store.campaign()))
                stack.enter_context(blaming_damage(one.folder for one in generations))
                asked = tuple(one for one in generations if not packs or one.pack_id in packs)
                who = qualified_viewer(viewer, asked, _people_of_no_pack(state))
                witness = _witness(who, state, generations)
                if history:
                    read = self._histories.read(store, turns, generations, witness=witness)
                    asked += (stack.enter_context(read),)
                entries = _entries(store, turns[-1]["turn_id"], state, asked, viewer=who)
            is_player = who == "player"
            revealed = readable(state, generations) if is_player else state.learned_by(who.removeprefix("npc:"))
            conditions = lore_conditions(state)
            everything = LoreView(generations, viewer=who, revealed=revealed, conditions=conditions, entries=entries)
            # What happened is tied to whom it was about, whichever packs are asked.
            unknown = hidden_entities(everything) if history else frozenset()
            yield replace(everything, generations=asked, unknown=unknown)


def _entries(
    store: CampaignStore, turn_id: str, state: WorldState, generations: Sequence[Generation], *, viewer: str
) -> EntryHistory | None:
    """What the rules of entries go by in the turn to come, as it will be told; what was found in others' words is no
    matter to one of the cast."""
    if not has_entry_rules(generations):
        return None
    found = entry_history(store.database, store.campaign().seed, turn_id, state)
    return replace(found, found={}) if viewer.startswith("npc:") else found


def _people_of_no_pack(state: WorldState) -> list[str]:
    return [one.id for one in state.entities.values() if one.type == "npc" and one.origin == "campaign"]


def _witness(viewer: str, state: WorldState, generations: Sequence[Generation]) -> str | None:
    """Who of the story has the viewer's eyes; None for the game master, who saw everything."""
    if viewer == "gm":
        return None
    if viewer == "player":
        return state.player_id
    npc_id = viewer.removeprefix("npc:")
    return next((one for one in ids_of(npc_id, things(generations)) if one in state.entities), npc_id)


def _with_full_ids(query: LoreRetrievalQuery, view: LoreView) -> LoreRetrievalQuery:
    """What happened is tied to the IDs of the packs, of which none is asked: so a bare ID is looked up in them."""
    same = things(view.generations)
    entities = {told_as for one in qualified(query.entity_ids, view.generations) for told_as in ids_of(one, same)}
    places = sorted(qualified([query.location_id], view.generations)) if query.location_id else []
    known = [one for one in places if any(pack.entity(one) is not None for pack in view.generations)]
    place = ids_of(known[0], same)[0] if known else query.location_id
    return query.model_copy(update={"entity_ids": tuple(sorted(entities)), "location_id": place})
