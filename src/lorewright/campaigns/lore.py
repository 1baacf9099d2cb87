"""Lore for authors and players: a query over installed packs, or with a character's eyes in a campaign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from lorewright.campaigns.campaigns import Campaigns
from lorewright.errors import NotFound
from lorewright.index.generation import Generation
from lorewright.index.library import Library
from lorewright.packs.models import Entity
from lorewright.retrieval.explain import ChunkTrace
from lorewright.retrieval.overrides import told_entity
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve, retrieve_for_entity, why_not
from lorewright.retrieval.view import LoreView, hidden_entities, qualified
from lorewright.turn.lore_conditions import lore_conditions


class LoreDesk:
    """Answers lore queries."""

    def __init__(self, library: Library, campaigns: Campaigns) -> None:
        self._library = library
        self._campaigns = campaigns

    def query(
        self, query: LoreRetrievalQuery, *, packs: Sequence[str] = (), campaign_id: str | None = None
    ) -> Retrieval:
        """Ask the packs named (all that are installed, or those that the campaign pins), with the query's viewer.

        In a campaign a player or character sees besides what was revealed to them at its head.

        Raises:
            NotFound: a pack, campaign or character that does not exist.
        """
        with self._view(query.viewer, packs, campaign_id) as view:
            return retrieve(view, query)

    def why_not(
        self, query: LoreRetrievalQuery, chunk_id: str, *, packs: Sequence[str] = (), campaign_id: str | None = None
    ) -> ChunkTrace | None:
        """Why a chunk is where it is in the answer to a query, or not in it; None where it does not exist for the
        query's viewer.

        Raises:
            NotFound: a pack, campaign or character that does not exist.
        """
        with self._view(query.viewer, packs, campaign_id) as view:
            return why_not(view, query, chunk_id)

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
    def _view(self, viewer: str, packs: Sequence[str], campaign_id: str | None) -> Iterator[LoreView]:
        generations: tuple[Generation, ...]
        learned: dict[str, frozenset[str]] = {}
        player_id, conditions = "", None
        if campaign_id is not None:
            with self._campaigns.reading(campaign_id) as store:
                state = store.head().state
                generations = self._campaigns.generations(store.campaign())
                learned = {who: state.learned_by(who) for who in state.reveals}
                player_id, conditions = state.player_id, lore_conditions(state)
        else:
            names = packs or [pack.id for pack in self._library.packs()]
            generations = tuple(self._library.open(self._library.get(name).key) for name in names)
        if not generations:
            raise NotFound("no pack is installed", hint="run: lorewright pack install FOLDER")
        try:
            asked = tuple(g for g in generations if not packs or g.pack_id in packs)
            who = _qualified_viewer(viewer, asked)
            revealed = learned.get(player_id if who == "player" else who.removeprefix("npc:"), frozenset())
            yield LoreView(asked, viewer=who, revealed=revealed, conditions=conditions)
        finally:
            for generation in generations:
                generation.close()


@dataclass(frozen=True, slots=True)
class EntityLore:
    """An entity as all packs together tell of it, and the chunks that do."""

    entity: Entity
    lore: Retrieval


def _told(view: LoreView, entity_id: str) -> Entity | None:
    """An entity, where the viewer may read anything of it."""
    return None if entity_id in hidden_entities(view) else told_entity(entity_id, view.generations)


def _qualified_viewer(viewer: str, generations: Sequence[Generation]) -> str:
    """`npc:viktor` -> `npc:neo_seattle:viktor`.

    Raises:
        NotFound: none of the packs has such a character.
    """
    if not viewer.startswith("npc:"):
        return viewer
    name = viewer.removeprefix("npc:")
    for generation in generations:
        entity_id = name if ":" in name else f"{generation.pack_id}:{name}"
        if generation.entity(entity_id) is not None:
            return f"npc:{entity_id}"
    raise NotFound(f"no pack that is asked has a character {name}", hint="name it as npc:ID")
