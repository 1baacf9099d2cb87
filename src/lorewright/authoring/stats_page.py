"""A pack's figures -> a page: its graph, its unlinked entities, the lengths of its sections, what golden queries
ask."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lorewright.authoring.pack_figures import SHORT_TOKENS, Bucket, Edge, LongSection, Node, PackFigures
from lorewright.authoring.query_page import rendered

# Nodes in groups and the edges between them -> the place of each node on a page. The same graph gives the same places.
#
# Groups stand around the middle and hold their nodes together; within that, linked nodes draw near and all others keep
# apart (Fruchterman and Reingold 1991).

Places = npt.NDArray[np.float64]

_STEPS = 160
# The angle at which leaves stand on a stem: neighbours in the order of a spiral never stand on one ray.
_GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
# How strongly nodes push one another away, edges pull, and a group holds its nodes.
_PUSH = 0.3
_PULL_OF_EDGES = 0.35
_PULL_OF_GROUP = 0.08


def lay_out(
    groups: Sequence[str], edges: Sequence[tuple[int, int]], *, width: float, height: float, margin: float = 24
) -> list[tuple[float, float]]:
    """Return for each node (given by its group) its place within the page, as (x, y); edges name nodes by position."""
    if not groups:
        return []
    homes = _place_groups(groups)
    places = homes + _spiral(groups)
    ideal = math.sqrt(1 / len(groups))
    springs = _Springs(edges, len(groups))
    for step in range(_STEPS):
        heat = 0.1 * (1 - step / _STEPS) + 0.001
        moves = _repel(places, ideal) + springs.drawn(places) + (homes - places) * _PULL_OF_GROUP
        lengths = np.maximum(np.linalg.norm(moves, axis=1, keepdims=True), 1e-9)
        places = places + moves / lengths * np.minimum(lengths, heat)
    return _fit(places, width, height, margin)


def _place_groups(groups: Sequence[str]) -> Places:
    """Return the middle of each node's group: the groups stand on a circle, large ones taking more of it."""
    names = sorted(set(groups))
    sizes = [math.sqrt(groups.count(name)) for name in names]
    middles: Mapping[str, tuple[float, float]] = {names[0]: (0.0, 0.0)} if len(names) == 1 else {}
    angle = 0.0
    for name, size in zip(names, sizes, strict=True):
        turn = 2 * math.pi * size / sum(sizes)
        if len(names) > 1:
            middles = {**middles, name: (math.cos(angle + turn / 2), math.sin(angle + turn / 2))}
        angle += turn
    return np.array([middles[group] for group in groups])


def _spiral(groups: Sequence[str]) -> Places:
    """Return where each node stands around the middle of its group to begin with."""
    seen: dict[str, int] = {}
    places = []
    for group in groups:
        number = seen[group] = seen.get(group, 0) + 1
        radius = 0.35 * math.sqrt(number / max(groups.count(group), 1))
        places.append((radius * math.cos(number * _GOLDEN_ANGLE), radius * math.sin(number * _GOLDEN_ANGLE)))
    return np.array(places)


def _repel(places: Places, ideal: float) -> Places:
    """Return how far all other nodes push each node away. It is computed axis by axis, without a matrix product: those
    differ in their last bits between machines."""
    x, y = (places[:, axis, None] - places[None, :, axis] for axis in (0, 1))
    force = ideal**2 / np.maximum(x * x + y * y, 1e-6)
    return np.stack([(x * force).sum(axis=1), (y * force).sum(axis=1)], axis=1) * _PUSH


class _Springs:
    """The edges as springs between their ends: weaker where either end has many, or hubs would swallow the page."""

    def __init__(self, edges: Sequence[tuple[int, int]], count: int) -> None:
        pairs = sorted({(min(edge), max(edge)) for edge in edges})
        ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        self._one, self._other, self._count = ends[:, 0], ends[:, 1], count
        degrees = np.maximum(np.bincount(ends.ravel(), minlength=count), 1)
        self._weights = _PULL_OF_EDGES / np.sqrt(degrees[self._one] * degrees[self._other])

    def drawn(self, places: Places) -> Places:
        """Return how far its edges draw each node."""
        pull = (places[self._other] - places[self._one]) * self._weights[:, None]
        return np.stack([self._gathered(pull[:, axis]) for axis in (0, 1)], axis=1)

    def _gathered(self, pull: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        onto_one = np.bincount(self._one, weights=pull, minlength=self._count)
        return np.asarray(onto_one - np.bincount(self._other, weights=pull, minlength=self._count))


def _fit(places: Places, width: float, height: float, margin: float) -> list[tuple[float, float]]:
    low, high = places.min(axis=0), places.max(axis=0)
    span = np.where(high - low > 1e-9, high - low, 1.0)
    room = np.array([width - 2 * margin, height - 2 * margin])
    scaled = np.where(high - low > 1e-9, (places - low) / span, 0.5) * room + margin
    return [(round(float(x), 1), round(float(y), 1)) for x, y in scaled]


# The graph: dots in their groups, lines between them, names where there is room.

WIDTH, HEIGHT = 1000, 820
# The layout takes the square of this; more dots than that could not be told apart either.
MOST_NODES = 700
_COLOURS = 8
# The corners of the sign of each colour, and by how much of a turn it is turned; a circle has none.
_CORNERS = ((0, 0.0), (4, 0.125), (3, 0.0), (4, 0.0), (6, 0.0), (5, 0.0), (3, 0.5), (8, 0.0))
_LETTER, _LINE = 6.2, 13.0


@dataclass(frozen=True, slots=True)
class GraphSheet:
    """Where the graph is drawn: `broad` as it is laid out, `narrow` with left and right turned to top and bottom, for
    a telephone. Pixels, the most names and letters of a name, and the size of its signs beside those of the other."""

    kind: str
    width: float
    height: float
    names: int
    letters: int
    scale: float

    def spots(self, dots: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """Return where dots of the layout stand here."""
        if self.kind == "broad":
            return list(dots)
        return [(round(y / HEIGHT * self.width, 1), round(x / WIDTH * self.height, 1)) for x, y in dots]


SHEETS = (GraphSheet("broad", WIDTH, HEIGHT, 70, 28, 1.0), GraphSheet("narrow", 360, 620, 40, 20, 0.7))


def graph_values(figures: PackFigures) -> dict[str, Any]:
    """Return what the template draws: the best-linked entities, grouped by their type, without those that have no
    link."""
    linked = [node for node in figures.nodes if _degree(node)]
    nodes = sorted(linked, key=lambda node: (-_degree(node), node.id))[:MOST_NODES]
    nodes.sort(key=lambda node: (node.type, node.id))
    places = {node.id: place for place, node in enumerate(nodes)}
    edges = [edge for edge in figures.edges if edge.source in places and edge.target in places]
    dots = lay_out(
        [node.type for node in nodes],
        [(places[edge.source], places[edge.target]) for edge in edges],
        width=WIDTH,
        height=HEIGHT,
    )
    types = [kind for kind, _ in Counter(node.type for node in nodes).most_common()]
    colours = {kind: f"k{min(place, _COLOURS - 1)}" for place, kind in enumerate(types)}
    return {
        "drawings": [
            {
                "kind": sheet.kind,
                "label": f"graph of entities and links, for a {sheet.kind} screen",
                "width": f"{sheet.width:g}",
                "height": f"{sheet.height:g}",
                "edges": _lines(edges, places, spots),
                "dots": [_dot(node, spots[place], colours[node.type], sheet) for place, node in enumerate(nodes)],
                "labels": _labels(nodes, spots, sheet),
            }
            for sheet in SHEETS
            for spots in [sheet.spots(dots)]
        ],
        "types": [{"type": kind, "colour": colours[kind], "shape": _shape(colours[kind], 10, 10, 8)} for kind in types],
        "any": bool(nodes),
        "left_off": str(len(linked) - len(nodes) or ""),
    }


def _lines(edges: Sequence[Edge], places: dict[str, int], dots: Sequence[tuple[float, float]]) -> str:
    """Return all lines as one path: thousands of elements would make the page slow. A pair that names each other is one
    line."""
    pairs = sorted({(min(a, b), max(a, b)) for a, b in ((places[edge.source], places[edge.target]) for edge in edges)})
    return "".join(f"M{dots[a][0]:g} {dots[a][1]:g}L{dots[b][0]:g} {dots[b][1]:g}" for a, b in pairs)


def _dot(node: Node, place: tuple[float, float], colour: str, sheet: GraphSheet) -> dict[str, str]:
    linked = f"linked from {node.links_in}, links to {node.links_out}"
    sections = f"{node.sections} sections, {node.tokens:,} tokens, {node.asked_for} asked for by a golden query"
    return {
        "shape": _shape(colour, *place, _radius(node) * sheet.scale),
        "colour": colour,
        "hint": f"{node.name} ({node.type})\n{node.id}\n{linked}\n{sections}",
    }


def _shape(colour: str, x: float, y: float, radius: float) -> str:
    """Return the path of a sign: types are told apart by it where their colours are not."""
    corners, turned = _CORNERS[int(colour[1:])]
    if not corners:
        half = f"a{radius:.1f} {radius:.1f} 0 1 0"
        return f"M{x - radius:.1f} {y:.1f}{half} {2 * radius:.1f} 0{half} {-2 * radius:.1f} 0"
    angles = [2 * math.pi * (turned + at / corners) for at in range(corners)]
    # Signs with few corners look smaller than a circle of their radius.
    out = radius * 1.25
    return "M" + "L".join(f"{x + out * math.sin(angle):.1f} {y - out * math.cos(angle):.1f}" for angle in angles) + "Z"


def _labels(nodes: Sequence[Node], dots: Sequence[tuple[float, float]], sheet: GraphSheet) -> list[dict[str, str]]:
    """Return the names of the best-linked entities, those that cover no other name."""
    taken: list[tuple[float, float, float, float]] = []
    found = []
    for at in sorted(range(len(nodes)), key=lambda at: (-_degree(nodes[at]), nodes[at].id)):
        name = nodes[at].name
        name = name if len(name) <= sheet.letters else f"{name[: sheet.letters - 1]}…"
        half = len(name) * _LETTER / 2
        x = min(max(dots[at][0], half + 2), sheet.width - half - 2)
        y = dots[at][1] - _radius(nodes[at]) * sheet.scale - 3
        box = (x - half, y - _LINE, x + half, y)
        if y < _LINE or any(_overlap(box, other) for other in taken):
            continue
        taken.append(box)
        found.append({"x": f"{x:.1f}", "y": f"{y:.1f}", "name": name})
        if len(found) == sheet.names:
            break
    return found


def _overlap(box: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


def _radius(node: Node) -> float:
    return round(2.5 + 1.1 * math.sqrt(_degree(node)), 1)


def _degree(node: Node) -> int:
    return node.links_in + node.links_out


# The page: the graph, the unlinked entities, the lengths of sections, the golden queries.

_LISTED = 60
_WIDTH, _HEIGHT, _FOOT = 720, 200, 24


def stats_page(stats: Mapping[str, Any], figures: PackFigures) -> str:
    """Return the whole page. `stats` are those of `WorkspacePacks.stats`: files, chunks, tokens and so on."""
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
        "entries": [{"name": names[entity_id], "id": entity_id} for entity_id in ids[:_LISTED]],
        "more": f"and {len(ids) - _LISTED} more" if len(ids) > _LISTED else "",
    }


def _sections(sections: Sequence[LongSection]) -> list[dict[str, str]]:
    return [
        {"id": section.section_id, "tokens": f"{section.tokens:,}", "parts": f"{section.parts}"}
        for section in sections[:_LISTED]
    ]


def _histogram(buckets: Sequence[Bucket]) -> dict[str, Any]:
    most = max((bucket.sections for bucket in buckets), default=0) or 1
    step = _WIDTH / max(len(buckets), 1)
    bars = []
    for place, bucket in enumerate(buckets):
        height = (_HEIGHT - _FOOT - 16) * bucket.sections / most
        bars.append(
            {
                "x": f"{place * step + 4:.1f}",
                "y": f"{_HEIGHT - _FOOT - height:.1f}",
                "width": f"{step - 8:.1f}",
                "height": f"{height:.1f}",
                "middle": f"{(place + 0.5) * step:.1f}",
                "above": f"{_HEIGHT - _FOOT - height - 4:.1f}",
                "label": f"{bucket.low}+" if bucket.high is None else f"{bucket.low}–{bucket.high - 1}",
                "count": f"{bucket.sections:,}",
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
        "not_asked_for": [{"id": section_id} for section_id in covered.not_asked_for[:_LISTED]],
        "more": f"and {len(covered.not_asked_for) - _LISTED} more" if len(covered.not_asked_for) > _LISTED else "",
        "unknown": [{"id": section_id} for section_id in covered.unknown],
    }
