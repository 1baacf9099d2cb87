"""The trace of a query: why each chunk is in its result or not. It is the same bytes in every process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from lorewright.index.generation import StoredChunk
from lorewright.retrieval.budget import ExclusionReason
from lorewright.retrieval.entry_rules import KeptBy, Ruled, RuledOut, RuleNote
from lorewright.retrieval.ranking import Hit
from lorewright.retrieval.view import NotInForce

# Why a chunk is not in a result; `filtered`: no words, names, filters or meaning point at it.
Reason = ExclusionReason | NotInForce | RuledOut | Literal["filtered"]

_NOTHING = RuleNote()


class ChunkTrace(BaseModel):
    """The reasons for one chunk's place. `reason` is set where it was left out; ranks count from 1.

    `parts` are the summands of the score, to the rounding: words, meaning, name, filters. `given`
    is the number of the chunk's tokens in the answer: none where it was left out, fewer where it was cut.
    `keyword_score` is the share of the best BM25 times how much of the words the chunk holds, `terms` what each word
    gives to the BM25; `vector_score` is a cosine.
    A chunk that was left out before the ranking has rank 0 and no scores, only its filters and names. `kept` and `rule`
    are set where a rule of its entry had an effect: which rules kept it in, and in words what they did; a chunk that is
    always there though nothing found it has rank 0, too.
    """

    model_config = ConfigDict(defer_build=True, frozen=True)

    chunk_id: str
    section_path: str
    rank: int
    score: float
    parts: dict[str, float]
    keyword_rank: int | None
    keyword_score: float
    vector_rank: int | None
    vector_score: float | None
    # Where a reranker is set: its score for the chunk. The best hits stand in its order.
    rerank_score: float | None
    terms: dict[str, float]
    name: str | None
    filters: tuple[str, ...]
    tokens: int
    given: int = 0
    reason: Reason | None = None
    kept: tuple[KeptBy, ...] = Field(default=(), exclude_if=lambda kept: not kept)
    rule: str = Field(default="", exclude_if=lambda rule: not rule)


class RetrievalTrace(BaseModel):
    """Every chunk that was ranked for this viewer, best first, then those not in force; none that the viewer may not
    see. Where entries have rules: in the order in which the budget was filled, then those that the rules left out.
    `max_tokens` is the query's; `limit` too, plus the sections that entry rules take in."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    viewer: str
    packs: tuple[str, ...]
    vector_weight: float
    max_tokens: int = 0
    limit: int = 0
    chunks: tuple[ChunkTrace, ...]
    # The synonyms that were looked up, by the words of the query.
    synonyms: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    def why(self, chunk_id: str) -> ChunkTrace | None:
        """Return the trace of one chunk, or None where it was not ranked."""
        return next((chunk for chunk in self.chunks if chunk.chunk_id == chunk_id), None)


def trace_of(
    ruled: Ruled,
    chosen: Sequence[Hit],
    left_out: Sequence[tuple[Hit, ExclusionReason | RuledOut]],
    not_in_force: Sequence[tuple[Hit, NotInForce]],
    *,
    viewer: str,
    packs: tuple[str, ...],
    vector_weight: float,
    max_tokens: int,
    synonyms: dict[str, tuple[str, ...]],
) -> RetrievalTrace:
    """Return the trace of a query."""
    reasons = {hit.chunk.id: reason for hit, reason in left_out}
    given = {hit.chunk.id: hit.token_count for hit in chosen}
    ranks = {hit.chunk.id: rank for rank, hit in enumerate(ruled.ranked, start=1)}
    out = sorted((hit for hit, _ in ruled.out), key=lambda hit: ranks.get(hit.chunk.id, len(ranks) + 1))
    chunks = [
        _trace_chunk(
            hit,
            ranks.get(hit.chunk.id, 0),
            reasons.get(hit.chunk.id),
            ruled.notes.get(hit.chunk.id, _NOTHING),
            given=given.get(hit.chunk.id, 0),
        )
        for hit in (*ruled.hits, *out)
    ]
    chunks += [_trace_chunk(hit, 0, reason) for hit, reason in not_in_force]
    return RetrievalTrace(
        viewer=viewer,
        packs=packs,
        vector_weight=vector_weight,
        max_tokens=max_tokens,
        limit=ruled.limit,
        chunks=tuple(chunks),
        synonyms=synonyms,
    )


def filtered(chunk: StoredChunk, *, tokens: int, reason: Literal["filtered"] | NotInForce = "filtered") -> ChunkTrace:
    """Return the trace of a chunk that was not even ranked."""
    return _trace_chunk(Hit(chunk, chunk.text, tokens, 0.0), 0, reason)


def _trace_chunk(
    hit: Hit, rank: int, reason: Reason | None, note: RuleNote = _NOTHING, *, given: int = 0
) -> ChunkTrace:
    return ChunkTrace(
        chunk_id=hit.chunk.id,
        section_path=hit.chunk.section_path,
        rank=rank,
        score=hit.score,
        parts=hit.parts,
        keyword_rank=hit.keyword_rank,
        keyword_score=hit.keyword_score,
        vector_rank=hit.vector_rank,
        vector_score=hit.vector_score,
        rerank_score=hit.rerank_score,
        terms=hit.terms,
        name=hit.name,
        filters=hit.filters,
        tokens=hit.token_count,
        given=given,
        reason=reason,
        kept=note.kept,
        rule="; ".join(note.words),
    )
