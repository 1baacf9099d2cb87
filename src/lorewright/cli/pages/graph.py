"""A pack's figures -> what its graph shows: dots in their groups, lines between them, names where there is room."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from lorewright.authoring.graph_layout import laid_out
from lorewright.authoring.pack_figures import Edge, Node, PackFigures

WIDTH, HEIGHT = 1000, 820
# Laying out takes the square of this; more dots than that could not be told apart either.
MOST_NODES = 700
_COLOURS = 8
_NAMED = 70
_LETTER, _LINE = 6.2, 13.0


def graph_values(figures: PackFigures) -> dict[str, Any]:
    """What the template draws: the best-linked entities, grouped by their type. What has no link is no part of it."""
    linked = [node for node in figures.nodes if _degree(node)]
    nodes = sorted(linked, key=lambda node: (-_degree(node), node.id))[:MOST_NODES]
    nodes.sort(key=lambda node: (node.type, node.id))
    places = {node.id: at for at, node in enumerate(nodes)}
    edges = [edge for edge in figures.edges if edge.source in places and edge.target in places]
    dots = laid_out(
        [node.type for node in nodes],
        [(places[edge.source], places[edge.target]) for edge in edges],
        width=WIDTH,
        height=HEIGHT,
    )
    types = [kind for kind, _ in Counter(node.type for node in nodes).most_common()]
    colours = {kind: f"k{min(place, _COLOURS - 1)}" for place, kind in enumerate(types)}
    return {
        "width": str(WIDTH),
        "height": str(HEIGHT),
        "edges": _lines(edges, places, dots),
        "dots": [_dot(node, dots[at], colours[node.type]) for at, node in enumerate(nodes)],
        "labels": _labels(nodes, dots),
        "types": [{"type": kind, "colour": colours[kind]} for kind in types],
        "any": bool(nodes),
        "left_off": str(len(linked) - len(nodes) or ""),
    }


def _lines(edges: Sequence[Edge], places: dict[str, int], dots: Sequence[tuple[float, float]]) -> str:
    """All lines as one path: thousands of elements would make the page slow. A pair that names each other is one."""
    pairs = sorted({(min(a, b), max(a, b)) for a, b in ((places[one.source], places[one.target]) for one in edges)})
    return "".join(f"M{dots[a][0]:g} {dots[a][1]:g}L{dots[b][0]:g} {dots[b][1]:g}" for a, b in pairs)


def _dot(node: Node, place: tuple[float, float], colour: str) -> dict[str, str]:
    linked = f"linked from {node.links_in}, links to {node.links_out}"
    sections = f"{node.sections} sections, {node.tokens:,} tokens, {node.asked_for} asked for by a golden query"
    return {
        "x": f"{place[0]:g}",
        "y": f"{place[1]:g}",
        "r": f"{_radius(node):g}",
        "colour": colour,
        "hint": f"{node.name} ({node.type})\n{node.id}\n{linked}\n{sections}",
    }


def _labels(nodes: Sequence[Node], dots: Sequence[tuple[float, float]]) -> list[dict[str, str]]:
    """The names of the best-linked, each where it covers no other name."""
    taken: list[tuple[float, float, float, float]] = []
    found = []
    for at in sorted(range(len(nodes)), key=lambda at: (-_degree(nodes[at]), nodes[at].id)):
        name = nodes[at].name if len(nodes[at].name) <= 28 else f"{nodes[at].name[:27]}…"
        half = len(name) * _LETTER / 2
        x = min(max(dots[at][0], half + 2), WIDTH - half - 2)
        y = dots[at][1] - _radius(nodes[at]) - 3
        box = (x - half, y - _LINE, x + half, y)
        if y < _LINE or any(_overlap(box, other) for other in taken):
            continue
        taken.append(box)
        found.append({"x": f"{x:.1f}", "y": f"{y:.1f}", "name": name})
        if len(found) == _NAMED:
            break
    return found


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _radius(node: Node) -> float:
    return round(2.5 + 1.1 * math.sqrt(_degree(node)), 1)


def _degree(node: Node) -> int:
    return node.links_in + node.links_out
