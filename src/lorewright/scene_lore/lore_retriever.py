"""LoreRetriever: the seed's operations on lore, under Python names, for one view of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from lorewright.retrieval.query import DEFAULT_MAX_TOKENS, LoreRetrievalQuery, LoreRetrievalResult, scene_query
from lorewright.retrieval.retriever import retrieve, retrieve_for_entity
from lorewright.retrieval.view import LoreView
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.models import SceneFocus, SceneLore

# A view, threads and a cast -> what a sitting begins with: the lore of what is open and of whom it is about.

SESSION_TOKENS = 1_200
_SECTIONS = 8


def session_lore(
    view: LoreView, *, threads: Mapping[str, str], entity_ids: Sequence[str], max_tokens: int = SESSION_TOKENS
) -> dict[str, Any]:
    """The seed's SessionLoreContext for whoever has the view: `{threads, chunks, total_tokens}`, best first.

    `threads` gives the titles of the open threads by ID; `entity_ids` are the people and things to tell of.
    """
    query = LoreRetrievalQuery(
        keywords=" ".join(threads.values()),
        entity_ids=tuple(entity_ids),
        thread_ids=tuple(threads),
        corpus="authored",
        viewer=view.viewer,
        limit=_SECTIONS,
        max_tokens=max_tokens,
    )
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


class LoreRetriever:
    """Answers for whoever looks: a game master, a player, a character."""

    def __init__(self, view: LoreView) -> None:
        self._view = view

    def query(
        self,
        signals: LoreRetrievalQuery,
        corpus: Literal["authored", "history", "all"] = "all",
        max_tokens: int = DEFAULT_MAX_TOKENS,
    ) -> LoreRetrievalResult:
        """The best lore of a corpus that fits, best first."""
        asked = signals.model_copy(update={"corpus": corpus, "max_tokens": max_tokens})
        return retrieve(self._view, asked).result

    def build_query(
        self,
        scene: SceneFocus,
        entities: Mapping[str, str],
        threads: Mapping[str, str],
        player_input: str,
        recent_event: str = "",
    ) -> LoreRetrievalQuery:
        """What a scene asks for, in the seed's words and with its filters.

        `entities` and `threads` give the names and titles for IDs; an ID without one stands for itself.
        """
        return scene_query(
            scene.location_id,
            present_ids=scene.present_ids,
            thread_ids=scene.thread_ids,
            names={**entities, **threads},
            player_input=player_input,
            recent_event=recent_event,
            viewer=self._view.viewer,
        )

    def retrieve_for_scene(self, scene: SceneFocus, active_threads: Sequence[str] = ()) -> SceneLore:
        """Everything in force on a scene, secrets included: what of it a stage may see is its view's to say."""
        threads = tuple(dict.fromkeys((*scene.thread_ids, *active_threads)))
        focus = scene.model_copy(update={"thread_ids": threads})
        return gather(self._view.generations, focus, self._view.conditions)

    def retrieve_for_session(
        self, threads: Mapping[str, str], entity_ids: Sequence[str], max_tokens: int = SESSION_TOKENS
    ) -> dict[str, Any]:
        """What a sitting begins with: lore of the open threads (titles by ID) and of people and things to tell of."""
        return session_lore(self._view, threads=threads, entity_ids=entity_ids, max_tokens=max_tokens)

    def retrieve_for_entity(self, entity_id: str, max_tokens: int = DEFAULT_MAX_TOKENS) -> LoreRetrievalResult:
        """What tells of an entity (by its qualified ID), its own file first."""
        return retrieve_for_entity(self._view, entity_id, max_tokens=max_tokens).result
