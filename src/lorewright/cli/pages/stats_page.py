"""A pack's figures -> a page: its graph, what nothing leads to, how long its sections are, what golden queries ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lorewright.authoring.pack_figures import SHORT_TOKENS, Bucket, LongSection, PackFigures
from lorewright.cli.pages.graph import graph_values
from lorewright.cli.pages.rendering import rendered

_LISTED = 60
_WIDTH, _HEIGHT, _FOOT = 720, 200, 24


def stats_page(stats: Mapping[str, Any], figures: PackFigures) -> str:
    """The whole page. `stats` are those of the shelf: files, chunks, tokens and so on."""
    names = {node.id: node.name for node in figures.nodes}
    return rendered(
        "stats",
        {
            "title": f"{stats['pack_id']} at a glance",
            "facts": [
                {"what": what, "value": f"{value:,}"}
                for what, value in (
                    ("files", stats["files"]),
                    ("sections", figures.golden.sections),
                    ("chunks", stats["chunks"]),
                    ("tokens", stats["total_tokens"]),
                    ("links between files", len(figures.edges)),
                    ("golden queries", figures.golden.queries),
                )
            ],
            "graph": graph_values(figures),
            "unlinked": [
                _listed("Orphans", "neither link to anything nor are linked to", figures.orphans, names),
                _listed("Dead ends", "are linked to and lead nowhere", figures.dead_ends, names),
                _listed("No way in", "link to others and nobody links to them", figures.no_way_in, names),
            ],
            "tables": [
                _counted("Sections by role", figures.sections_by_role),
                _counted("Entities by type", figures.entities_by_type),
                _counted("Links by kind", {**figures.links_by_kind, "out of the pack": figures.links_out_of_pack}),
                _counted("Languages", figures.entities_by_language),
            ],
            "histogram": _histogram(figures.histogram),
            "long": _sections(figures.long),
            "long_count": str(len(figures.long)),
            "short": _sections(figures.short),
            "short_count": str(len(figures.short)),
            "short_tokens": str(SHORT_TOKENS),
            "golden": _golden(figures),
        },
    )


def _counted(title: str, counts: Mapping[str, int]) -> dict[str, Any]:
    rows = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return {"title": title, "rows": [{"what": what, "count": f"{count:,}"} for what, count in rows]}


def _listed(title: str, meaning: str, ids: Sequence[str], names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "title": title,
        "count": str(len(ids)),
        "meaning": meaning,
        "any": bool(ids),
        "entries": [{"name": names[one], "id": one} for one in ids[:_LISTED]],
        "more": f"and {len(ids) - _LISTED} more" if len(ids) > _LISTED else "",
    }


def _sections(sections: Sequence[LongSection]) -> list[dict[str, str]]:
    return [{"id": one.section_id, "tokens": f"{one.tokens:,}", "parts": f"{one.parts}"} for one in sections[:_LISTED]]


def _histogram(buckets: Sequence[Bucket]) -> dict[str, Any]:
    most = max((one.sections for one in buckets), default=0) or 1
    step = _WIDTH / max(len(buckets), 1)
    bars = []
    for place, one in enumerate(buckets):
        height = (_HEIGHT - _FOOT - 16) * one.sections / most
        bars.append(
            {
                "x": f"{place * step + 4:.1f}",
                "y": f"{_HEIGHT - _FOOT - height:.1f}",
                "width": f"{step - 8:.1f}",
                "height": f"{height:.1f}",
                "middle": f"{(place + 0.5) * step:.1f}",
                "above": f"{_HEIGHT - _FOOT - height - 4:.1f}",
                "label": f"{one.low}+" if one.high is None else f"{one.low}–{one.high - 1}",
                "count": f"{one.sections:,}",
            }
        )
    return {"width": str(_WIDTH), "height": str(_HEIGHT), "foot": str(_HEIGHT - 8), "bars": bars}


def _golden(figures: PackFigures) -> dict[str, Any]:
    covered = figures.golden
    return {
        "any": covered.queries > 0,
        "told": f"{covered.queries} golden queries ask for {covered.asked_for:,} of {covered.sections:,} sections",
        "types": [
            {"type": kind, "got": str(got), "of": str(of), "width": f"{100 * got / of:.1f}" if of else "0"}
            for kind, (got, of) in covered.by_type.items()
        ],
        "not_asked_for": [{"id": one} for one in covered.not_asked_for[:_LISTED]],
        "more": f"and {len(covered.not_asked_for) - _LISTED} more" if len(covered.not_asked_for) > _LISTED else "",
        "unknown": [{"id": one} for one in covered.unknown],
    }
