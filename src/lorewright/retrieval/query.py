"""LoreRetrievalQuery and LoreRetrievalResult: the request and the answer of a retrieval."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_serializer

# The lore that authors wrote, what happened in a campaign, or both.
CorpusFilter = Literal["authored", "history", "all"]

DEFAULT_MAX_TOKENS = 3000
DEFAULT_LIMIT = 10


class LoreRetrievalQuery(BaseModel):
    """A retrieval request: words, and the filters of the current scene. IDs may be bare (`neon_dragon`) or qualified.

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
    corpus: CorpusFilter = "all"
    viewer: str = "gm"
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=1000)
    max_tokens: int = Field(default=DEFAULT_MAX_TOKENS, ge=0)

    @property
    def has_filters(self) -> bool:
        """True if anything but words was given."""
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
    """The retrieved chunks, best first, the parts of one section in their order.

    `query_time_ms` is how long it took, in milliseconds. It is no part of the answer: equal answers are equal however
    long they took, and in JSON it is null, so that the same question gives the same bytes.
    """

    model_config = ConfigDict(defer_build=True, frozen=True)

    chunks: tuple[RetrievedChunk, ...]
    total_tokens: int
    query_time_ms: int | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LoreRetrievalResult) and (self.chunks, self.total_tokens) == (
            other.chunks,
            other.total_tokens,
        )

    def __hash__(self) -> int:
        return hash((self.chunks, self.total_tokens))

    @field_serializer("query_time_ms")
    def _without_time(self, _: int | None) -> None:
        return None


# A scene -> the query for its lore.

# The labels at the beginnings of a scene query's lines; they are not searched for.
_LABELS = re.compile(r"^(?:Location|Present|Player action|Active threads|Recent):", re.MULTILINE)


def without_labels(text: str) -> str:
    """Return the words of a query without the labels of a scene's lines."""
    return _LABELS.sub("", text)


def scene_query(
    location_id: str,
    *,
    present_ids: Sequence[str] = (),
    thread_ids: Sequence[str] = (),
    names: Mapping[str, str],
    player_input: str = "",
    recent_event: str = "",
    viewer: str = "gm",
) -> LoreRetrievalQuery:
    """Return the query of a scene. `names` gives names and titles for IDs; an ID without a name stands for itself."""

    def named(ids: Sequence[str]) -> str:
        return ", ".join(names.get(entity_id, entity_id) for entity_id in ids)

    lines = (
        f"Location: {named([location_id])}",
        f"Present: {named(present_ids)}",
        f"Player action: {player_input}",
        f"Active threads: {named(thread_ids)}",
        f"Recent: {recent_event}",
    )
    return LoreRetrievalQuery(
        keywords="\n".join(lines),
        location_id=location_id,
        entity_ids=tuple(present_ids),
        thread_ids=tuple(thread_ids),
        viewer=viewer,
    )
