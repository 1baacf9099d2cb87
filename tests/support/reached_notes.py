"""A player who wants to see everything: each place by its name, each person met, each thing read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lorewright.bootstrap import App
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.generate.explore.explorer import ReadyPack
from support import walking_player


def answered(result: dict[str, Any]) -> bool:
    """Tell whether a line was understood and could be done."""
    return result["clarification_question"] is None and all(one["success"] for one in result["validation"]["results"])


def refused_lines(app: App, found: ReadyPack, folder: Path) -> list[str]:
    """Go from the start to every place by name, and there talk to everybody and read everything; the lines that came
    to nothing, each with what was told. A thing that is read is named in what is told."""
    campaigns = walking_player.begun(app, found, folder)
    refused = []
    with campaigns.open("game") as opened:
        for line, name in _lines(found.scenario):
            result = json.loads(asyncio.run(opened.submit(line)))
            if not answered(result) or name.casefold() not in result["final_text"].casefold():
                refused.append(f"{line}: {result['final_text']}")
    return refused


def _lines(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Each line, and the name that the answer must hold."""
    start = scenario.start
    for key, place in sorted(scenario.places.items(), key=lambda entry: entry[0] != start):
        if key != start:
            yield f"go to {place.name}", str(place.name)
        yield from ((f"talk to {who.name}", str(who.name)) for who in scenario.cast.values() if who.at == key)
        yield from ((f"read {thing.name}", thing.name) for thing in scenario.things.values() if thing.at == key)


def steps_to_places(scenario: Scenario) -> dict[str, int]:
    """The places that can be reached, each with its steps from the start."""
    steps, todo = {scenario.start: 0}, [scenario.start]
    while todo:
        here = todo.pop(0)
        for way in scenario.places[here].exits.values():
            if way.to not in steps:
                steps[way.to] = steps[here] + 1
                todo.append(way.to)
    return steps
