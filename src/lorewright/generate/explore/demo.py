"""A scenario -> about ten lines that play in it: look, go, ask, search."""

from __future__ import annotations

from lorewright.campaigns.scenario import Scenario

_LINES = 10


def demo_lines(scenario: Scenario) -> list[str]:
    """Sensible lines from the map alone: in each place a look, then somebody or something, a search, and on."""
    lines: list[str] = []
    place, been = scenario.start, {scenario.start}
    while len(lines) < _LINES:
        people = [one.name for one in scenario.cast.values() if one.at == place and one.name]
        things = [one.name for one in scenario.things.values() if one.at == place]
        lines.append("look")
        lines += [f"look at {one}" for one in (*people[:1], *things[:2])]
        lines += [f"ask {people[0]} about {_subject(scenario)}"] if people else []
        lines += [] if things else ["search the place"]
        ways = [way.to for way in scenario.places[place].exits.values() if way.to not in been]
        if not ways:
            break
        place = ways[0]
        been.add(place)
        lines.append(f"go to {scenario.places[place].name}")
    return lines[: _LINES + 1]


def _subject(scenario: Scenario) -> str:
    return scenario.places[scenario.start].name or "this place"
