"""The places that a player knows -> a map as SVG: where they have been, where ways lead, which are locked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from textwrap import wrap

from lorewright.authoring.stats_page import lay_out
from lorewright.service.web.shapes import PlaceShown

_WIDTH, _HEIGHT, _MARGIN = 360, 300, 62
_BOX = (112, 38)
_LETTERS = 16


def draw_places(places: Sequence[PlaceShown]) -> str:
    """Return the map; empty where there are fewer than two places."""
    names = [place.name for place in places]
    ways: dict[tuple[int, int], bool] = {}
    for place in places:
        for way in place.ways:
            if not way.to:
                continue
            if way.to not in names:
                names.append(way.to)
            start, end = sorted((names.index(place.name), names.index(way.to)))
            if start != end:
                ways[start, end] = ways.get((start, end), False) or way.locked
    if len(names) < 2:
        return ""
    points = lay_out(["place"] * len(names), list(ways), width=_WIDTH, height=_HEIGHT, margin=_MARGIN)
    lines = [
        f'<line class="way{" locked" if locked else ""}" x1="{points[start][0]:.0f}" y1="{points[start][1]:.0f}" '
        f'x2="{points[end][0]:.0f}" y2="{points[end][1]:.0f}"/>'
        for (start, end), locked in sorted(ways.items())
    ]
    been, here = {place.name for place in places}, {place.name for place in places if place.here}
    boxes = [_box(name, point, name in here, name in been) for name, point in zip(names, points, strict=True)]
    label = "Map of the places you know; the list below says the same in words"
    head = f'<svg class="map" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
    return f"{head}{''.join(lines)}{''.join(boxes)}</svg>"


def _box(name: str, point: tuple[float, float], is_here: bool, is_known: bool) -> str:
    x, y = point
    width, height = _BOX
    kind = "here" if is_here else "been" if is_known else "unknown"
    rows = wrap(name, _LETTERS)[:2] or [""]
    first = y + 5 - (len(rows) - 1) * 8
    text = "".join(
        f'<text x="{x:.0f}" y="{first + 16 * number:.0f}" text-anchor="middle">{escape(row)}</text>'
        for number, row in enumerate(rows)
    )
    return (
        f'<g class="{kind}"><rect x="{x - width / 2:.0f}" y="{y - height / 2:.0f}" width="{width}" height="{height}" '
        f'rx="6"/>{text}</g>'
    )
