"""Lore for authors and players: a query over installed packs, or with a character's eyes in a campaign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lorewright.campaigns.campaigns import Campaigns
from lorewright.errors import NotFound
from lorewright.index.generation import Generation
from lorewright.index.library import Library
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve
from lorewright.retrieval.view import LoreView
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
