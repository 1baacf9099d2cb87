"""A seeded player who walks: breadth-first over the map, with a look, a question, a search on the way."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Iterator
from typing import Any

from lorewright.bootstrap import App
from lorewright.campaigns.campaigns import Campaigns
from lorewright.generate.explore.explorer import ReadyPack
from lorewright.world.state import WorldState

# What must not be told: IDs, markup, slots left empty, what a terminal would obey.
UNTOLD = {
    "an ID": re.compile(r"\b\w+:\w+[\w-]*|\b[a-z]+_[a-z_]+\b"),
    "markup": re.compile(r"\*\*|\]\(|\[\[|\]\]|<[a-z/!]|`|^#|\s#\s|%%|\|"),
    "a slot": re.compile(r"[{}]|\s{2,}| ,|,,| \.(?!\.)|“”|\bNone\b"),
    "a control character": re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"),
}


def untold(text: str) -> list[str]:
    """What of a told text should not be there."""
    return [
        f"{what}: …{text[max(0, hit.start() - 30) : hit.end() + 30]}…"
        for what, pattern in UNTOLD.items()
        for hit in [pattern.search(text)]
        if hit
    ]


def begun(app: App, found: ReadyPack, folder: Any, *, seed: int = 1) -> Campaigns:
    """A walk begun in a campaign `game` of its own folder."""
    campaigns = app.rehearsal(folder)
    app.explorer.begin(found, campaigns, campaign_id="game", seed=seed)
    return campaigns


def steps(state: WorldState, random_: random.Random, route: list[str]) -> Iterator[str]:
    """Some lines that fit the place, then the way to the next place of the route."""
    here = state.scene.location_id
    people = [state.name_of(one) for one in state.present_npcs()]
    things = [state.name_of(one) for one in state.held_by(here)]
    other = state.name_of(random_.choice(sorted(state.exits)))
    choices = ["look", "search the place", "wait"]
    choices += [f"look at {one}" for one in (*people, *things)]
    choices += [f"ask {one} about {other}" for one in people]
    choices += [f"take {one}" for one in things[:1]]
    yield from random_.sample(choices, k=min(2, len(choices)))
    if route:
        yield f"go to {state.name_of(route.pop(0))}"


def route_from(state: WorldState, random_: random.Random) -> list[str]:
    """Places in the order of a depth-first walk with steps back, as long as a walk needs."""
    found: list[str] = []
    been: set[str] = set()

    def visit(place: str) -> None:
        been.add(place)
        ways = [way.to for way in state.exits.get(place, ())]
        random_.shuffle(ways)
        for to in ways:
            if to not in been and len(found) < 60:
                found.append(to)
                visit(to)
                found.append(place)

    visit(state.scene.location_id)
    return found


def reachable(state: WorldState) -> set[str]:
    """The places that can be reached from where the player stands."""
    found, todo = {state.scene.location_id}, [state.scene.location_id]
    while todo:
        near = {way.to for way in state.exits.get(todo.pop(), ())} - found
        found |= near
        todo += sorted(near)
    return found


def walk(campaigns: Campaigns, *, turns: int = 40, seed: int = 1) -> list[tuple[str, dict[str, Any]]]:
    """Play so many lines; each with its result."""
    random_ = random.Random(seed)
    played: list[tuple[str, dict[str, Any]]] = []
    with campaigns.open("game") as opened:
        route = route_from(opened.store.head().state, random_)
        while len(played) < turns:
            for line in steps(opened.store.head().state, random_, route):
                played.append((line, json.loads(asyncio.run(opened.submit(line)))))
    return played[:turns]
