"""A view, threads and a cast -> what a sitting begins with: the lore of what is open and of whom it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView

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
