"""LoreRetrievalQuery and LoreRetrievalResult: the shapes that programs send and get."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

DEFAULT_MAX_TOKENS = 3000
DEFAULT_LIMIT = 10


class LoreRetrievalQuery(BaseModel):
    """What is asked: words, and what the scene at hand ties it to. IDs may be bare (`neon_dragon`) or qualified.

    `limit` counts sections, `max_tokens` bounds the text of all chunks together.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    keywords: str = ""
    location_id: str | None = None
    entity_ids: tuple[str, ...] = ()
    faction_ids: tuple[str, ...] = ()
    thread_ids: tuple[str, ...] = ()
    thread_tags: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    corpus: Literal["authored", "history", "all"] = "all"
    viewer: str = "gm"
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=1000)
    max_tokens: int = Field(default=DEFAULT_MAX_TOKENS, ge=0)

    @property
    def has_filters(self) -> bool:
        """Whether anything but words was given."""
        return bool(
            self.location_id or self.entity_ids or self.faction_ids or self.thread_ids or self.thread_tags or self.tags
        )


class RetrievedChunk(BaseModel):
    """A chunk that was chosen. `relevance_score` lies in 0..1 and compares within one result only."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    chunk_id: str
    text: str
    relevance_score: float
    source: Literal["authored", "history"]
    pack_id: str
    file_path: str
    section_path: str
    metadata: dict[str, Any]


class LoreRetrievalResult(BaseModel):
    """The seed's result: chunks best first, the parts of one section in their order.

    `query_time_ms` is rounded up to whole seconds: a finer figure would make two equal answers differ.
    """

    model_config = ConfigDict(defer_build=True, frozen=True)

    chunks: tuple[RetrievedChunk, ...]
    total_tokens: int
    query_time_ms: int
