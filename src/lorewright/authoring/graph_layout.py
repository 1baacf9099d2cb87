"""Nodes in groups and the edges between them -> the place of each node on a page. The same graph gives the same places.

Groups stand around the middle and hold their nodes together; within that, linked nodes draw near and all others keep
apart (Fruchterman and Reingold 1991).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

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
