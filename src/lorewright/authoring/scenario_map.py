"""The opening of a scenario -> its map: places, who and what is there, and the ways between them; as rows or as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from textwrap import wrap

from lorewright.authoring.stats_page import lay_out
from lorewright.builtin.words.clauses import place_name
from lorewright.world.state import WorldState

# Pixels: a box with a name, the gap between the centres of two boxes, the margin around all, the height of a line.
_BOX = (170, 54)
_GAP = 250
_MARGIN = 40
_LINE = 14
_LETTERS = 24
_MOST_LINES = 3
# The height of a map for a width of 1.
_FLATNESS = 0.6

_STYLE = """
.map { --paper: #fff; --ink: #1d1d1f; --dim: #5d6066; --way: #7a7f87; --box: #f2f3f5; --start: #0a5bd0; }
@media (prefers-color-scheme: dark) {
  .map { --paper: #17181a; --ink: #eceef0; --dim: #a9aeb6; --way: #8b919a; --box: #26282b; --start: #79b0ff; }
}
.map text { font: 13px system-ui, sans-serif; fill: var(--ink); } .map .dim { font-size: 11px; fill: var(--dim); }
.map .paper { fill: var(--paper); } .map .box { fill: var(--box); stroke: var(--way); }
.map .way { stroke: var(--way); }
.map .start { stroke: var(--start); stroke-width: 3; } .map .barred { stroke-dasharray: 6 5; }
"""


@dataclass(frozen=True, slots=True)
class DrawnPlace:
    """A place of a map, with the names of who and what is there."""

    id: str
    name: str
    people: tuple[str, ...]
    things: tuple[str, ...]
    is_start: bool


@dataclass(frozen=True, slots=True)
class DrawnWay:
    """A way out of a place: what a player types, the place behind it, the minutes it takes, and what bars it: `locked`,
    `closed` or nothing."""

    name: str
    from_id: str
    to_id: str
    minutes: int
    barred: str


@dataclass(frozen=True, slots=True)
class ScenarioMap:
    """A map as the story opens: places in the order of the scenario, the start first, and the ways of each."""

    title: str
    places: tuple[DrawnPlace, ...]
    ways: tuple[DrawnWay, ...]

    def ways_from(self, place_id: str) -> tuple[DrawnWay, ...]:
        """Return the ways out of a place."""
        return tuple(way for way in self.ways if way.from_id == place_id)

    def unreached(self) -> tuple[DrawnPlace, ...]:
        """Return the places to which no ways lead from the start, in the order of the map."""
        reached = {place.id for place in self.places if place.is_start}
        ahead = list(reached)
        while ahead:
            new = {way.to_id for way in self.ways_from(ahead.pop())} - reached
            reached |= new
            ahead += new
        return tuple(place for place in self.places if place.id not in reached)

    def as_json(self) -> dict[str, object]:
        """Return the map for programs."""
        return asdict(self)


def map_of(state: WorldState, title: str) -> ScenarioMap:
    """Return the map of a state as its author may see it: what is hidden from players is on it."""
    start = state.scene.location_id
    own = {state.player_id, *state.personas}
    ids = dict.fromkeys((start, *state.exits, *(way.to for ways in state.exits.values() for way in ways)))
    places = tuple(
        DrawnPlace(
            id=place_id,
            name=place_name(state.name_of(place_id)),
            people=tuple(
                state.name_of(who) for who, at in state.positions.items() if at == place_id and who not in own
            ),
            things=tuple(map(state.name_of, state.held_by(place_id))),
            is_start=place_id == start,
        )
        for place_id in ids
    )
    ways = tuple(
        DrawnWay(way.name, place_id, way.to, way.minutes, _bar(state, way.via))
        for place_id, found in state.exits.items()
        for way in found
    )
    return ScenarioMap(title, places, ways)


def draw_map(found: ScenarioMap) -> str:
    """Return the map as SVG, for a browser in light or dark: the start has a thick frame, a barred way is dashed."""
    spots = _spots(found)
    width = max((x for x, _ in spots.values()), default=0) + _BOX[0] / 2 + _MARGIN
    height = max((y for _, y in spots.values()), default=0) + _BOX[1] / 2 + _MARGIN
    names = {place.id: place.name for place in found.places}
    drawn = [*_lines(found, spots, names), *(_box(place, *spots[place.id]) for place in found.places)]
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' class='map' viewBox='0 0 {width:.0f} {height:.0f}' role='img' "
        f"aria-label='{escape(found.title, quote=True)}: a map'><style>{_STYLE}</style>"
        f"<rect class='paper' width='100%' height='100%'/>{''.join(drawn)}</svg>\n"
    )


def _bar(state: WorldState, door_id: str | None) -> str:
    door = state.doors.get(door_id) if door_id else None
    if door is None or door.open:
        return ""
    return "locked" if door.locked else "closed"


def _spots(found: ScenarioMap) -> dict[str, tuple[float, float]]:
    """Return the centre of each place's box in pixels: places with a way between them stand near."""
    at = {place.id: number for number, place in enumerate(found.places)}
    edges = [(at[way.from_id], at[way.to_id]) for way in found.ways if way.from_id != way.to_id]
    side = _GAP * math.ceil(math.sqrt(len(at)))
    margin = _BOX[0] / 2 + _MARGIN
    spots = lay_out(
        ["place"] * len(at), edges, width=side + 2 * margin, height=side * _FLATNESS + 2 * margin, margin=margin
    )
    apart = _apart(dict(zip(at, spots, strict=True)))
    raised = min((y for _, y in apart.values()), default=0.0) - _BOX[1] / 2 - _MARGIN
    return {place: (x, y - raised) for place, (x, y) in apart.items()}


def _apart(spots: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Return the spots, each moved down until its box lies on no other."""
    placed: dict[str, tuple[float, float]] = {}
    for place, (x, y) in sorted(spots.items(), key=lambda spot: (spot[1][1], spot[1][0], spot[0])):
        while any(abs(x - other[0]) < _BOX[0] + 20 and abs(y - other[1]) < _BOX[1] + 20 for other in placed.values()):
            y += 10
        placed[place] = (x, y)
    return placed


def _lines(found: ScenarioMap, spots: Mapping[str, tuple[float, float]], names: Mapping[str, str]) -> list[str]:
    """Return a line for each pair of places with a way, one for there and back, with the ways as its title."""
    between: dict[tuple[str, str], list[DrawnWay]] = {}
    for way in found.ways:
        if way.from_id != way.to_id:
            between.setdefault((min(way.from_id, way.to_id), max(way.from_id, way.to_id)), []).append(way)
    drawn = []
    for (one, other), ways in between.items():
        (x1, y1), (x2, y2) = spots[one], spots[other]
        barred = " barred" if any(way.barred for way in ways) else ""
        told = "; ".join(_told(way, names) for way in ways)
        drawn.append(
            f"<line class='way{barred}' x1='{x1:.0f}' y1='{y1:.0f}' x2='{x2:.0f}' y2='{y2:.0f}' stroke-width='2'>"
            f"<title>{escape(told)}</title></line>"
        )
        label = " / ".join(dict.fromkeys((*(way.barred for way in ways if way.barred), *_one_way(ways))))
        if label:
            x, y = (x1 + x2) / 2, (y1 + y2) / 2 - 4
            drawn.append(f"<text class='dim' text-anchor='middle' x='{x:.0f}' y='{y:.0f}'>{escape(label)}</text>")
    return drawn


def _one_way(ways: list[DrawnWay]) -> tuple[str, ...]:
    return ("one way",) if len({way.from_id for way in ways}) == 1 else ()


def _told(way: DrawnWay, names: Mapping[str, str]) -> str:
    barred = f", {way.barred}" if way.barred else ""
    return f"{names[way.from_id]} to {names[way.to_id]}: {way.name}, {way.minutes} min{barred}"


def _box(place: DrawnPlace, x: float, y: float) -> str:
    """Return the box of a place: its name, and below it who is there."""
    lines = wrap(place.name, _LETTERS)[: _MOST_LINES - 1] or [place.id]
    people = ", ".join(place.people)
    shown = people if len(people) <= _LETTERS + 4 else f"{people[: _LETTERS + 3]}…"
    rows = [(line, "") for line in lines] + ([(shown, " class='dim'")] if shown else [])
    top = y - (len(rows) - 1) * _LINE / 2 + 4
    text = "".join(
        f"<text{style} text-anchor='middle' x='{x:.0f}' y='{top + number * _LINE:.0f}'>{escape(line)}</text>"
        for number, (line, style) in enumerate(rows)
    )
    told = "; ".join(filter(None, (place.name, people, ", ".join(place.things))))
    start = " start" if place.is_start else ""
    return (
        f"<g><title>{escape(told)}</title><rect class='box{start}' rx='8' x='{x - _BOX[0] / 2:.0f}' "
        f"y='{y - _BOX[1] / 2:.0f}' width='{_BOX[0]}' height='{_BOX[1]}'/>{text}</g>"
    )
