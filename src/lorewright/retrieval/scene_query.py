"""A scene -> what it asks of lore, in the seed's words and with its filters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lorewright.retrieval.query import LoreRetrievalQuery

# What the lines of a scene's query begin with says which line it is, and nothing of what is looked for.
_LABELS = re.compile(r"^(?:Location|Present|Player action|Active threads|Recent):", re.MULTILINE)


def without_labels(text: str) -> str:
    """A query's words without the labels of a scene's lines."""
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
    """The query of a scene. `names` gives names and titles for IDs; an ID without one stands for itself."""

    def named(ids: Sequence[str]) -> str:
        return ", ".join(names.get(one, one) for one in ids)

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
