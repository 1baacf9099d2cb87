"""query(view, query) -> result and trace: the three stages one after the other."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lorewright.ids import qualify
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.budget import fit_to_budget
from lorewright.retrieval.explain import RetrievalTrace, trace_of
from lorewright.retrieval.filters import tie_chunks
from lorewright.retrieval.in_force import NotInForce, Removal, in_force
from lorewright.retrieval.query import LoreRetrievalQuery, LoreRetrievalResult, RetrievedChunk
from lorewright.retrieval.ranking import Hit, rank_chunks
from lorewright.retrieval.view import LoreView, hidden_entities

_TIME_STEP_MS = 100


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A result and the reasons for it."""

    result: LoreRetrievalResult
    trace: RetrievalTrace


def retrieve(view: LoreView, query: LoreRetrievalQuery) -> Retrieval:
    """Filter, rank, fit to the budget. A query with neither words nor filters finds nothing.

    Only authored lore is asked here; with `corpus` set to `history` the result is empty.
    """
    started = time.perf_counter()
    asked = replace(view, generations=view.generations if query.corpus != "history" else ())
    force = in_force(asked)
    hidden = hidden_entities(force.view)
    ranked = _ranked(force.view, query, hidden)
    chosen, left_out = fit_to_budget(ranked, budget_tokens=query.max_tokens, limit=query.limit)
    elapsed_ms = (time.perf_counter() - started) * 1000
    result = LoreRetrievalResult(
        chunks=tuple(_retrieved(hit, hidden) for hit in chosen),
        total_tokens=sum(hit.token_count for hit in chosen),
        query_time_ms=(int(elapsed_ms) // _TIME_STEP_MS + 1) * _TIME_STEP_MS,
    )
    packs = tuple(generation.pack_id for generation in asked.generations)
    gone = list(_not_in_force(force.removals, query))
    return Retrieval(result, trace_of(ranked, left_out, gone, viewer=view.viewer, packs=packs))


def _ranked(view: LoreView, query: LoreRetrievalQuery, hidden: frozenset[str]) -> list[Hit]:
    if not view.generations:
        return []
    return rank_chunks(query, view, tie_chunks(query, view.generations, hidden=hidden))


def _not_in_force(removals: Sequence[Removal], query: LoreRetrievalQuery) -> Iterator[tuple[Hit, NotInForce]]:
    """What the query would have found for this viewer, had it not been left out beforehand."""
    for removal in removals:
        places = {generation.pack_id: index for index, generation in enumerate(removal.before.generations)}
        for hit in _ranked(removal.before, query, hidden_entities(removal.before)):
            if hit.chunk.row in removal.rows[places[hit.chunk.pack_id]]:
                yield replace(hit, score=0.0, keyword_score=0.0, keyword_rank=None, terms={}), removal.reason


def _retrieved(hit: Hit, hidden: frozenset[str]) -> RetrievedChunk:
    chunk = hit.chunk
    return RetrievedChunk(
        chunk_id=chunk.id,
        text=hit.text,
        relevance_score=hit.score,
        source="authored",
        pack_id=chunk.pack_id,
        file_path=chunk.file_path,
        section_path=chunk.section_path,
        metadata={**_shown_metadata(hit, hidden), "token_count": hit.token_count},
    )


def _shown_metadata(hit: Hit, hidden: frozenset[str]) -> dict[str, object]:
    """The chunk's metadata without the IDs of what is hidden.

    Where only a part of a secret section is shown, nothing is told that the rest may be tied to.
    """
    metadata = dict(hit.chunk.metadata)
    for key in ("location_ids", "entity_ids", "faction_ids"):
        metadata[key] = [one for one in metadata[key] if qualify(hit.chunk.pack_id, one) not in hidden]
    if hit.chunk.role in OPEN_ROLES or hit.text == hit.chunk.text:
        return metadata
    own = hit.chunk.entity_id.removeprefix(f"{hit.chunk.pack_id}:")
    linked = {key: [one for one in metadata[key] if one == own] for key in metadata if key.endswith("_ids")}
    return {**metadata, **linked, "tags": []}
