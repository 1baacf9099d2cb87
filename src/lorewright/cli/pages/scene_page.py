"""A scene -> a page: what is there by its ID, what was found beside it, and why. It holds what its viewer may read."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from lorewright.cli.pages.query_page import found_values
from lorewright.cli.pages.rendering import rendered
from lorewright.scene_lore.scene_trace import SceneFound, SceneLine


def scene_page(found: SceneFound, *, foreign: Collection[str] = ()) -> str:
    """The whole page. `foreign` are the packs that are not in English."""
    trace = found.trace
    values = found_values(found.query.model_copy(update={"keywords": ""}), found.beside, foreign)
    room = max(trace.max_tokens, trace.by_id_tokens, 1)
    own = [
        {
            "kind": "part" if one.kept else "whole",
            "width": f"{100 * one.tokens / room:.2f}",
            "hint": f"{one.chunk_id}: {one.tokens:,} tokens, for the {one.why} {one.of}",
        }
        for one in trace.by_id
    ]
    return rendered(
        "scene",
        {
            **values,
            "title": found.place.name,
            "company": ", ".join(one.name for one in found.present),
            "who": f"as {trace.viewer}",
            "spent": f"{trace.by_id_tokens:,} of {trace.max_tokens:,} tokens are the scene's own",
            "own": own,
            "is_gm": trace.viewer == "gm",
            "groups": _groups(found),
            "sections": [
                {**one.model_dump(), "tokens": f"{one.tokens:,}", "lines": str(one.lines), "kept": str(one.kept or "")}
                for one in trace.by_id
            ],
            "conditions": [
                {
                    "what": one.item_id or one.chunk_id,
                    "condition": one.condition,
                    "holds": {True: "holds", False: "does not hold: left out", None: "is judged in a campaign"}[
                        one.holds
                    ],
                }
                for one in trace.conditions
            ],
        },
    )


def _groups(found: SceneFound) -> list[dict[str, Any]]:
    """The lines of the scene under whose and what they are."""
    names = {one.id: one.name for one in (found.place, *found.present)}
    groups: dict[tuple[str, str], list[SceneLine]] = {}
    for line in found.lines:
        groups.setdefault((line.of, line.role), []).append(line)
    return [
        {
            "whose": names.get(of, of),
            "role": "overview" if role == "lore" else role,
            "lines": [{"text": line.text, "kept": line.kept and found.trace.viewer == "gm"} for line in lines],
        }
        for (of, role), lines in groups.items()
    ]
