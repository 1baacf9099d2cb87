"""Lore for authors and players: a query over installed packs, or with a character's eyes in a campaign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.history import Histories
from lorewright.errors import NotFound, SettingsError
from lorewright.ids import local
from lorewright.index.damage import blaming_damage
from lorewright.index.generation import Generation
from lorewright.index.library import Library
from lorewright.packs.models import Entity
from lorewright.retrieval.explain import ChunkTrace
from lorewright.retrieval.overrides import ids_of, things, told_entity
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve, retrieve_for_entity, why_not
from lorewright.retrieval.view import LoreView, hidden_entities, qualified
from lorewright.turn.lore_conditions import lore_conditions
from lorewright.world.state import WorldState


class LoreDesk:
    """Answers lore queries."""

    def __init__(self, library: Library, campaigns: Campaigns, histories: Histories) -> None:
        self._library = library
        self._campaigns = campaigns
        self._histories = histories

    def query(
        self, query: LoreRetrievalQuery, *, packs: Sequence[str] = (), campaign_id: str | None = None
    ) -> Retrieval:
        """Ask the packs named (all that are installed, or those that the campaign pins), with the query's viewer.

        In a campaign a player or character sees besides what was revealed to them at its head, and what happened in it
        where they were.

        Raises:
            NotFound: a pack, campaign or character that does not exist.
            SettingsError: history is asked for without a campaign.
        """
        with self._asking(query, packs, campaign_id) as (view, asked):
            return retrieve(view, asked)

    def why_not(
        self, query: LoreRetrievalQuery, chunk_id: str, *, packs: Sequence[str] = (), campaign_id: str | None = None
    ) -> ChunkTrace | None:
        """Why a chunk is where it is in the answer to a query, or not in it; None where it does not exist for the
        query's viewer.

        Raises:
            NotFound: a pack, campaign or character that does not exist.
            SettingsError: history is asked for without a campaign.
        """
        with self._asking(query, packs, campaign_id) as (view, asked):
            return why_not(view, asked, chunk_id)

    def entity(
        self, entity_id: str, *, viewer: str = "gm", campaign_id: str | None = None, max_tokens: int
    ) -> EntityLore:
        """All that a viewer may read of an entity, by its ID with or without its pack: what tells of it, its own file
        first.

        Raises:
            NotFound: there is none of that ID, or the viewer may read nothing of it.
        """
        with self._view(viewer, (), campaign_id) as view:
            found = [one for one in sorted(qualified([entity_id], view.generations)) if _told(view, one)]
            if not found:
                raise NotFound(f"there is no entity {entity_id}", hint="see: lorewright pack show PACK")
            entity = _told(view, found[0])
            assert entity is not None
            return EntityLore(entity, retrieve_for_entity(view, entity.id, max_tokens=max_tokens))

    @contextmanager
    def _asking(
        self, query: LoreRetrievalQuery, packs: Sequence[str], campaign_id: str | None
    ) -> Iterator[tuple[LoreView, LoreRetrievalQuery]]:
        """The view of a query, and the query with the IDs that the view has. Which packs are asked is no matter to what
        happened."""
        if campaign_id is None:
            if query.corpus == "history":
                raise SettingsError("what happened is known of a campaign only", hint="name it: --campaign CAMPAIGN")
            with self._view(query.viewer, packs, None) as view:
                yield view, query
        elif query.corpus == "authored":
            with self._view(query.viewer, packs, campaign_id) as view:
                yield view, query
        else:
            with self._view(query.viewer, packs if query.corpus == "all" else (), campaign_id, history=True) as view:
                yield view, query if query.corpus == "all" else _with_full_ids(query, view)

    @contextmanager
    def _view(
        self, viewer: str, packs: Sequence[str], campaign_id: str | None, *, history: bool = False
    ) -> Iterator[LoreView]:
        """The packs, and with `history` what happened in the campaign; closed when the block ends."""
        with ExitStack() as stack:
            if campaign_id is None:
                names = packs or [pack.id for pack in self._library.packs()]
                generations = tuple(self._library.open(self._library.get(name).key) for name in names)
                stack.callback(_close, generations)
                stack.enter_context(blaming_damage(one.folder for one in generations))
                if not generations:
                    raise NotFound("no pack is installed", hint="run: lorewright pack install FOLDER")
                yield LoreView(generations, viewer=_qualified_viewer(viewer, generations))
                return
            with self._campaigns.reading(campaign_id) as store:
                turns = store.turns()
                state = store.state_at(turns[-1]["turn_id"])
                generations = self._campaigns.generations(store.campaign())
                stack.callback(_close, generations)
                stack.enter_context(blaming_damage(one.folder for one in generations))
                asked = tuple(one for one in generations if not packs or one.pack_id in packs)
                who = _qualified_viewer(viewer, asked, state)
                witness = _witness(who, state, generations)
                if history:
                    read = self._histories.read(store, turns, generations, witness=witness)
                    asked += (stack.enter_context(read),)
            revealed = state.learned_by(state.player_id if who == "player" else who.removeprefix("npc:"))
            yield LoreView(asked, viewer=who, revealed=revealed, conditions=lore_conditions(state))


@dataclass(frozen=True, slots=True)
class EntityLore:
    """An entity as all packs together tell of it, and the chunks that do."""

    entity: Entity
    lore: Retrieval


def _told(view: LoreView, entity_id: str) -> Entity | None:
    """An entity, where the viewer may read anything of it."""
    return None if entity_id in hidden_entities(view) else told_entity(entity_id, view.generations)


def _close(generations: Sequence[Generation]) -> None:
    for generation in generations:
        generation.close()


def _qualified_viewer(viewer: str, generations: Sequence[Generation], state: WorldState | None = None) -> str:
    """`npc:viktor` -> `npc:neo_seattle:viktor`; or somebody who came into the world in play.

    Raises:
        NotFound: there is no such character.
    """
    if not viewer.startswith("npc:"):
        return viewer
    name = viewer.removeprefix("npc:")
    for generation in generations:
        entity_id = name if ":" in name else f"{generation.pack_id}:{name}"
        if generation.entity(entity_id) is not None:
            return f"npc:{entity_id}"
    for entity in state.entities.values() if state is not None else ():
        if entity.type == "npc" and entity.origin == "campaign" and name in (entity.id, local(entity.id)):
            return f"npc:{entity.id}"
    raise NotFound(f"no pack that is asked has a character {name}", hint="name it as npc:ID")


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
