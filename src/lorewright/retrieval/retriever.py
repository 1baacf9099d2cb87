"""query(view, query) -> result and trace: runs the stages one after the other."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from lorewright.errors import EmbedderError
from lorewright.ids import qualify
from lorewright.index.generation import Corpus, Generation, StoredChunk
from lorewright.index.reranker import Reranker
from lorewright.packs.models import OPEN_ROLES, says_any
from lorewright.retrieval.entry_rules import Ruled, apply_entry_rules, fill
from lorewright.retrieval.explain import ChunkTrace, RetrievalTrace, filtered, trace_of
from lorewright.retrieval.lanes import SCORE_DIGITS
from lorewright.retrieval.query import LoreRetrievalQuery, LoreRetrievalResult, RetrievedChunk
from lorewright.retrieval.ranking import Hit, Ranking, rank_chunks, tokens_of
from lorewright.retrieval.view import (
    LoreView,
    NotInForce,
    Removal,
    find_same_things,
    hidden_entities,
    hidden_names,
    ids_of,
    in_force,
    visible_text,
)

# Reranking: after the ranking, a reranker reads the best hits once more, each together with the question.
#
# Off unless the settings name a reranker: it takes a model, torch and about a second a question.

# The number of hits that are reranked: a good answer is hardly ever further down, and each hit costs a pass of the
# model.
RERANKED = 30


def reranked(ranking: Ranking, question: str, generations: Sequence[Generation]) -> Ranking:
    """Return the ranking with its best hits in the order of the reranker, equal ones as they were; the rest behind
    them.

    `score` stays what words and meaning gave, `rerank_score` is the reranker's. Where the reranker fails the ranking
    stays as it is, and `missing` says so. The reranker reads only what the viewer may read.
    """
    reranker = _reranker_of(generations)
    if reranker is None or not question.strip() or not ranking.hits:
        return ranking
    best, rest = ranking.hits[:RERANKED], ranking.hits[RERANKED:]
    try:
        scores = reranker.scores(question, [f"{hit.chunk.section_path}\n{hit.text}" for hit in best])
    except EmbedderError as problem:
        return replace(ranking, missing=(*ranking.missing, f"not reranked: {problem.message}"))
    read = [replace(hit, rerank_score=round(score, SCORE_DIGITS)) for hit, score in zip(best, scores, strict=True)]
    order = sorted(range(len(read)), key=lambda place: (-(read[place].rerank_score or 0.0), place))
    return replace(ranking, hits=[*(read[place] for place in order), *rest])


def _reranker_of(generations: Sequence[Generation]) -> Reranker | None:
    return next((generation.reranker for generation in generations if generation.reranker is not None), None)


# Ranked hits, the view of what is in force, the most sections -> the order in which the budget is filled.
Arranged = Callable[[list[Hit], LoreView, int], Ruled]


@dataclass(frozen=True)
class Retrieval:
    """A result and the reasons for it.

    `degraded` says why some packs were searched by words alone, or nothing was reranked, where that was wanted.
    `at_hand` are all hits that might have answered, in the order in which the budget is filled, as the viewer reads
    them. `refit` fills anew for a number of tokens and of sections: it returns chunk ID -> its tokens in that answer,
    in the answer's order; for another number of sections the view must still be open.
    """

    result: LoreRetrievalResult
    traced: Callable[[], RetrievalTrace]
    at_hand: tuple[Hit, ...]
    refit: Callable[[int, int], dict[str, int]]
    degraded: tuple[str, ...] = ()

    @cached_property
    def trace(self) -> RetrievalTrace:
        """The trace: why each chunk is in the result or not. It is made on first access; the view must be open then."""
        return self.traced()


def retrieve(view: LoreView, query: LoreRetrievalQuery, *, takes_in: bool = True) -> Retrieval:
    """Filter, rank, apply the entry rules, fit to the budget; return the result. A query with neither words nor filters
    finds nothing; entries that are always there, or sticky, are added all the same, unless `takes_in` is False."""

    def by_rules(hits: list[Hit], in_force: LoreView, limit: int) -> Ruled:
        return apply_entry_rules(hits, in_force, limit=limit, question=query.keywords, takes_in=takes_in)

    return _retrieve(view, query, by_rules)


def retrieve_unknown(
    view: LoreView, query: LoreRetrievalQuery, known: Collection[str], *, takes_in: bool = True
) -> Retrieval:
    """Return the answer to a query without the chunks (by their IDs) that the caller has already. An entry that
    requires a known chunk has it, and an entry that may not stand beside a known chunk is left out. `takes_in`
    is as for `retrieve`."""

    def without_known(hits: list[Hit], in_force: LoreView, limit: int) -> Ruled:
        ruled = apply_entry_rules(hits, in_force, limit=limit, question=query.keywords, takes_in=takes_in)
        known_hits = [hit for hit in ruled.hits if hit.chunk.id in known]
        return replace(
            ruled,
            hits=[hit for hit in ruled.hits if hit.chunk.id not in known],
            ranked=[hit for hit in ruled.ranked if hit.chunk.id not in known],
            out=[(hit, reason) for hit, reason in ruled.out if hit.chunk.id not in known],
            unmet=lambda chosen: [hit for hit in ruled.unmet([*chosen, *known_hits]) if hit.chunk.id not in known],
        )

    return _retrieve(view, query, without_known)


def retrieve_for_entity(view: LoreView, entity_id: str, *, max_tokens: int) -> Retrieval:
    """Return all that tells of an entity (by its qualified ID): its own file in the order of its sections, then the
    chunks that mention it, best first."""
    own = set(ids_of(entity_id, find_same_things(view.generations)))

    def own_first(hits: list[Hit], _: LoreView, limit: int) -> Ruled:
        mine = sorted(
            (hit for hit in hits if hit.chunk.entity_id in own), key=lambda hit: (hit.chunk.pack_id, hit.chunk.row)
        )
        ordered = [*mine, *(hit for hit in hits if hit.chunk.entity_id not in own)]
        return Ruled(ordered, ordered, limit)

    query = LoreRetrievalQuery(
        entity_ids=(entity_id,), corpus="authored", viewer=view.viewer, limit=1000, max_tokens=max_tokens
    )
    return _retrieve(view, query, own_first)


def _retrieve(view: LoreView, query: LoreRetrievalQuery, arranged: Arranged) -> Retrieval:
    started = time.perf_counter()
    in_corpus = replace(view, generations=_generations_of(view, query))
    force = in_force(in_corpus)
    hidden = hidden_entities(force.view)
    ranked = reranked(_rank(force.view, query, hidden), query.keywords, force.view.generations)
    secret_names = hidden_names(in_corpus.generations, hidden)
    ruled = arranged(ranked.hits, force.view, query.limit)
    chosen, left_out = fill(ruled, budget_tokens=query.max_tokens)
    result = LoreRetrievalResult(
        chunks=tuple(_make_chunk(hit, _corpus_of(in_corpus, hit), hidden, secret_names) for hit in chosen),
        total_tokens=sum(hit.token_count for hit in chosen),
        query_time_ms=math.ceil((time.perf_counter() - started) * 1000),
    )

    def traced() -> RetrievalTrace:
        return trace_of(
            ruled,
            chosen,
            left_out,
            list(_not_in_force(force.removals, query)),
            viewer=view.viewer,
            packs=tuple(generation.pack_id for generation in in_corpus.generations),
            vector_weight=ranked.vector_weight,
            max_tokens=query.max_tokens,
            synonyms=ranked.synonyms,
        )

    def refit(max_tokens: int, limit: int) -> dict[str, int]:
        again = ruled if limit == query.limit else arranged(ranked.hits, force.view, limit)
        return {hit.chunk.id: hit.token_count for hit in fill(again, budget_tokens=max_tokens)[0]}

    return Retrieval(result, traced, (*ruled.hits, *(hit for hit, _ in ruled.out)), refit, ranked.missing)


def why_not(view: LoreView, query: LoreRetrievalQuery, chunk_id: str) -> ChunkTrace | None:
    """Return why a chunk (by its ID, with or without its pack) is where it is in the answer to a query, or not in it.

    Return None where there is no such chunk, or the viewer may read nothing of it: for them it does not exist.
    """
    trace = retrieve(view, query).trace
    found = trace.why(chunk_id) or next(
        (chunk for chunk in trace.chunks if chunk.chunk_id.partition(":")[2] == chunk_id), None
    )
    if found is not None:
        return found
    force = in_force(view)
    if (found_chunk := find_chunk(force.view, chunk_id)) is not None:
        return filtered(found_chunk.chunk, tokens=tokens_of(found_chunk.chunk, found_chunk.text))
    for removal in force.removals:
        places = {generation.pack_id: index for index, generation in enumerate(removal.before.generations)}
        removed = find_chunk(removal.before, chunk_id)
        if removed is not None and removed.chunk.row in removal.rows[places[removed.chunk.pack_id]]:
            return filtered(removed.chunk, tokens=tokens_of(removed.chunk, removed.text), reason=removal.reason)
    return None


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk and the text of it that the viewer may read."""

    chunk: StoredChunk
    text: str


def find_chunk(view: LoreView, chunk_id: str) -> FoundChunk | None:
    """Return a chunk by its ID, with or without its pack, or None where the viewer may read nothing of such a chunk."""
    for generation in view.generations:
        chunk = generation.chunk(chunk_id) or generation.chunk(f"{generation.pack_id}:{chunk_id}")
        if chunk is not None and (text := visible_text(view, generation, chunk)) is not None:
            return FoundChunk(chunk, text)
    return None


def _generations_of(view: LoreView, query: LoreRetrievalQuery) -> tuple[Generation, ...]:
    return tuple(generation for generation in view.generations if query.corpus in ("all", generation.corpus))


def _corpus_of(view: LoreView, hit: Hit) -> Corpus:
    return next(generation.corpus for generation in view.generations if generation.pack_id == hit.chunk.pack_id)


def _rank(view: LoreView, query: LoreRetrievalQuery, hidden: frozenset[str]) -> Ranking:
    return rank_chunks(query, view, hidden=hidden) if view.generations else Ranking([])


def _not_in_force(removals: Sequence[Removal], query: LoreRetrievalQuery) -> Iterator[tuple[Hit, NotInForce]]:
    """Yield the hits that the query would have had for this viewer among the chunks not in force, with the reason."""
    for removal in removals:
        places = {generation.pack_id: index for index, generation in enumerate(removal.before.generations)}
        for hit in _rank(removal.before, query, hidden_entities(removal.before)).hits:
            if hit.chunk.row in removal.rows[places[hit.chunk.pack_id]]:
                yield Hit(hit.chunk, hit.text, hit.token_count, 0.0, **_ties(hit)), removal.reason


def _ties(hit: Hit) -> dict[str, Any]:
    """Return a hit's filters and names without its scores, which would tell of what is not in force."""
    return {"filters": hit.filters, "name": hit.name}


def _make_chunk(hit: Hit, corpus: Corpus, hidden: frozenset[str], secret_names: frozenset[str]) -> RetrievedChunk:
    chunk = hit.chunk
    return RetrievedChunk(
        chunk_id=chunk.id,
        text=hit.text,
        relevance_score=hit.score,
        source=corpus,
        pack_id=chunk.pack_id,
        file_path=chunk.file_path,
        section_path=chunk.section_path,
        metadata={**_shown_metadata(hit, hidden, secret_names), "token_count": hit.token_count},
    )


def _shown_metadata(hit: Hit, hidden: frozenset[str], secret_names: frozenset[str]) -> dict[str, object]:
    """Return the chunk's metadata without the IDs of hidden entities, and without tags that name them.

    Where only a part of a secret section is shown, IDs of others and tags are left out: the rest may be tied to them.
    """
    metadata = dict(hit.chunk.metadata)
    for key in ("location_ids", "entity_ids", "faction_ids") if hidden else ():
        metadata[key] = [
            entity_id for entity_id in metadata[key] if qualify(hit.chunk.pack_id, entity_id) not in hidden
        ]
    metadata["tags"] = [tag for tag in metadata["tags"] if not says_any(tag, secret_names)]
    if hit.chunk.role in OPEN_ROLES or hit.text in (hit.chunk.text, hit.chunk.written):
        return metadata
    own = hit.chunk.entity_id.removeprefix(f"{hit.chunk.pack_id}:")
    linked = {
        key: [entity_id for entity_id in metadata[key] if entity_id == own] for key in metadata if key.endswith("_ids")
    }
    return {**metadata, **linked, "tags": []}
