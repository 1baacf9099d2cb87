"""LoreRetriever: the one interface to lore, over installed packs, a campaign's packs, or an open view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from lorewright.packs.models import PackEntity
from lorewright.retrieval.entity_names import name_by_ids
from lorewright.retrieval.explain import ChunkTrace
from lorewright.retrieval.pack_views import EntityLore, LoreViews, entity_lore
from lorewright.retrieval.query import (
    DEFAULT_MAX_TOKENS,
    CorpusFilter,
    LoreRetrievalQuery,
    LoreRetrievalResult,
    scene_query,
)
from lorewright.retrieval.retriever import Retrieval, retrieve, retrieve_for_entity, why_not
from lorewright.retrieval.view import (
    LoreView,
    entity_for_viewer,
    find_same_things,
    hidden_entities,
    hidden_names,
    ids_of,
    merge_entity,
    qualified,
)
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.models import SceneFocus, SceneLore
from lorewright.scene_lore.retrieved import SceneRetrieval
from lorewright.settings import USUAL_LORE


@dataclass(frozen=True, slots=True)
class _OpenView:
    """A view that is open already and is given for every viewer."""

    view: LoreView

    @contextmanager
    def open(
        self,
        viewer: str,
        packs: Sequence[str] = (),
        *,
        campaign_id: str | None = None,
        corpus: CorpusFilter = "authored",
    ) -> Iterator[LoreView]:
        """Yield the view; it stays open."""
        yield self.view


class LoreRetriever:
    """Answers questions about lore: the seed's operations, and those that commands, service and tests need.

    Where a `campaign_id` is given, the packs that it pins are asked with what was revealed at its head; a player or
    character then sees what happened where they were. Without one, the installed packs are asked.
    """

    def __init__(self, views: LoreViews, *, viewer: str = "gm") -> None:
        """`viewer` is used where a call names none."""
        self._views = views
        self._viewer = viewer

    @classmethod
    def of(cls, view: LoreView) -> LoreRetriever:
        """Return a retriever for one open view and its viewer."""
        return cls(_OpenView(view), viewer=view.viewer)

    def view(
        self, viewer: str, packs: Sequence[str] = (), *, campaign_id: str | None = None
    ) -> AbstractContextManager[LoreView]:
        """Open what a viewer may read of packs; it is closed when the block ends.

        Raises:
            NotFound: no pack is installed, or a pack, campaign or character does not exist.
        """
        return self._views.open(viewer, packs, campaign_id=campaign_id)

    @contextmanager
    def asking(
        self, query: LoreRetrievalQuery, packs: Sequence[str] = (), *, campaign_id: str | None = None
    ) -> Iterator[tuple[LoreView, LoreRetrievalQuery]]:
        """Open the view of a query; yield it and the query as it is to be run. `packs` do not limit the history. What
        filters name may be IDs or names.

        Raises:
            NotFound: a pack, campaign, character or an entity of a filter does not exist for the viewer.
            SettingsError: history is asked for without a campaign.
        """
        with self._views.open(query.viewer, packs, campaign_id=campaign_id, corpus=query.corpus) as view:
            # A campaign's own people and things are in no pack.
            named = name_by_ids(query, view, lenient=campaign_id is not None)
            by_full_ids = query.corpus == "history" and campaign_id is not None
            yield view, _with_full_ids(named, view) if by_full_ids else named

    def retrieve(
        self,
        query: LoreRetrievalQuery,
        *,
        packs: Sequence[str] = (),
        campaign_id: str | None = None,
        explained: bool = True,
    ) -> Retrieval:
        """Ask with the query's viewer. An answer that need not be `explained` has no trace, which takes less time.

        Raises:
            NotFound: a pack, campaign or character that does not exist.
            SettingsError: history is asked for without a campaign.
        """
        with self.asking(query, packs, campaign_id=campaign_id) as (view, run_query):
            found = retrieve(view, run_query)
            if explained:
                # The trace is made while the view is open.
                _ = found.trace
            return found

    def query(
        self,
        signals: LoreRetrievalQuery,
        corpus: CorpusFilter = "all",
        max_tokens: int = DEFAULT_MAX_TOKENS,
    ) -> LoreRetrievalResult:
        """Return the best lore of a corpus that fits, best first.

        Raises:
            NotFound: a pack or character that does not exist.
            SettingsError: history is asked for without a campaign.
        """
        query = signals.model_copy(update={"corpus": corpus, "max_tokens": max_tokens})
        return self.retrieve(query, explained=False).result

    def why_not(
        self, query: LoreRetrievalQuery, chunk_id: str, *, packs: Sequence[str] = (), campaign_id: str | None = None
    ) -> ChunkTrace | None:
        """Return why a chunk is where it is in the answer to a query, or not in it; None where it does not exist for
        the query's viewer.

        Raises:
            NotFound: a pack, campaign or character that does not exist.
            SettingsError: history is asked for without a campaign.
        """
        with self.asking(query, packs, campaign_id=campaign_id) as (view, run_query):
            return why_not(view, run_query, chunk_id)

    def entity(
        self, entity_id: str, *, viewer: str | None = None, campaign_id: str | None = None, max_tokens: int
    ) -> EntityLore:
        """Return all that a viewer may read of an entity, by its name or its ID with or without its pack; its own file
        first.

        Raises:
            NotFound: there is none of that ID or name, or several are; or the viewer may read nothing of it.
        """
        with self.view(self._viewer if viewer is None else viewer, campaign_id=campaign_id) as view:
            return entity_lore(view, entity_id, max_tokens=max_tokens)

    def entities(
        self, *, viewer: str | None = None, packs: Sequence[str] = (), campaign_id: str | None = None
    ) -> list[PackEntity]:
        """Return the entities of which a viewer may read anything, by ID; an entity of several packs with the details
        of all of them.

        Raises:
            NotFound: a pack, campaign or character that does not exist.
        """
        with self.view(self._viewer if viewer is None else viewer, packs, campaign_id=campaign_id) as view:
            hidden = hidden_entities(view)
            known = {
                entity for generation in view.generations for entity in generation.entities() if entity not in hidden
            }
            merged = (merge_entity(entity_id, view.generations) for entity_id in sorted(known))
            secret = hidden_names(view.generations, hidden)
            return list(
                {entity.id: entity_for_viewer(entity, view, secret) for entity in merged if entity is not None}.values()
            )

    def build_query(
        self,
        scene: SceneFocus,
        entities: Mapping[str, str],
        threads: Mapping[str, str],
        player_input: str,
        recent_event: str = "",
    ) -> LoreRetrievalQuery:
        """Return the query of a scene, in the seed's words and with its filters.

        `entities` and `threads` give the names and titles for IDs; an ID without a name stands for itself.
        """
        return scene_query(
            scene.location_id,
            present_ids=scene.present_ids,
            thread_ids=scene.thread_ids,
            names={**entities, **threads},
            player_input=player_input,
            recent_event=recent_event,
            viewer=self._viewer,
        )

    def retrieve_for_scene(
        self, scene: SceneFocus, active_threads: Sequence[str] = (), max_tokens: int = USUAL_LORE.scene_tokens
    ) -> SceneLore:
        """Return everything in force on a scene, secrets included: its views decide what each stage may see of it.

        What belongs to the place and to those present comes by its ID; what a player may read besides is retrieved, as
        in play, up to `max_tokens`.
        """
        threads = tuple(dict.fromkeys((*scene.thread_ids, *active_threads)))
        focus = scene.model_copy(update={"thread_ids": threads})
        with self.view(self._viewer) as view:
            lore = gather(view.generations, focus, view.conditions)
            retrieval = SceneRetrieval(max_tokens, {thread_id: thread_id.replace("_", " ") for thread_id in threads})
            shown = {line.chunk_id for line in lore.sights()}
            found = retrieval.passages(focus, view.generations, view.conditions, known=shown)
            return lore.model_copy(update={"retrieved": found})

    def retrieve_for_session(
        self,
        threads: Mapping[str, str],
        entity_ids: Sequence[str],
        max_tokens: int = USUAL_LORE.session_tokens,
        *,
        limit: int = USUAL_LORE.session_limit,
    ) -> dict[str, Any]:
        """Return the seed's SessionLoreContext, `{threads, chunks, total_tokens}`, best first.

        `threads` gives the titles of the open threads by ID; `entity_ids` are the people and things to tell of.
        """
        query = LoreRetrievalQuery(
            keywords=" ".join(threads.values()),
            entity_ids=tuple(entity_ids),
            thread_ids=tuple(threads),
            corpus="authored",
            viewer=self._viewer,
            limit=limit,
            max_tokens=max_tokens,
        )
        with self.view(self._viewer) as view:
            # What is always there is told in every turn anyway.
            found = retrieve(view, query, takes_in=False).result
        return {
            "threads": sorted(threads),
            "chunks": [
                {"chunk_id": chunk.chunk_id, "section_path": chunk.section_path, "text": chunk.text}
                for chunk in found.chunks
            ],
            "total_tokens": found.total_tokens,
        }

    def retrieve_for_entity(self, entity_id: str, max_tokens: int = DEFAULT_MAX_TOKENS) -> LoreRetrievalResult:
        """Return what tells of an entity (by its qualified ID), its own file first."""
        with self.view(self._viewer) as view:
            return retrieve_for_entity(view, entity_id, max_tokens=max_tokens).result


def _with_full_ids(query: LoreRetrievalQuery, view: LoreView) -> LoreRetrievalQuery:
    """Return the query with full IDs, by which history is tied: bare IDs are looked up in the packs of the view."""
    same = find_same_things(view.generations)
    entities = {
        same_id for full_id in qualified(query.entity_ids, view.generations) for same_id in ids_of(full_id, same)
    }
    places = sorted(qualified([query.location_id], view.generations)) if query.location_id else []
    known = [place_id for place_id in places if any(pack.entity(place_id) is not None for pack in view.generations)]
    place = ids_of(known[0], same)[0] if known else query.location_id
    return query.model_copy(update={"entity_ids": tuple(sorted(entities)), "location_id": place})
