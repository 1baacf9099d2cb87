"""How long a turn takes, early and late in a game: Dead Drop, and walks in large packs, each by words alone and with
vectors.

    python benchmarks/turns.py [--turns 200] [--workspace FOLDER]

A seeded player types; what is measured is one `submit`, from the line to the committed result, in a process that has
the campaign open. The first turn of the process stands by itself: it reads word lists and code. The shares come from a
second play under a profiler, and overlap where one part calls another. Without the corpora only Dead Drop is played. A
`--workspace` that is kept spares the embedding of the packs the next time.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import json
import os
import pstats
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.settings import EMBEDDER_VARIABLE

ROOT = Path(__file__).parents[1]
CORPORA = Path(os.environ.get("LOREWRIGHT_CORPORA", ROOT.parent / "shared" / "corpora"))
WALKED = ("eclipse-phase", "asis-dnd-srd")
AIM_MS = 100

# Lines that move no clock, so that the story goes on for as long as is asked.
QUIET = (
    "look",
    "ask Viktor about Jin",
    "look at Viktor",
    "what do I know about Pier 9 and the night market?",
    "ask Viktor about Zenith",
    "look around the bar once more and listen to the rain",
    "ask Viktor about the weather on the docks",
    "look at the credstick",
)

# What a turn is made of, and the functions (file, name) in which that happens; where several, their times add up.
PARTS = {
    "reading the head": (("store/store.py", "head"),),
    "the history": (("campaigns/played_history.py", "_until"),),
    "looking up lore and history": (("retrieval/retriever.py", "_retrieve"),),
    "gathering scene lore": (("scene_lore/cache.py", "lore_of"),),
    "interpreting": (("run/player_round.py", "_interpret"),),
    "grounding": (("run/player_round.py", "_ground"),),
    "resolving": (("run/rounds.py", "resolve_attempts"),),
    "narrating, packet included": (("run/narrate.py", "tell_rounds"),),
    "committing": (("store/store.py", "commit"),),
    "the state as JSON": (("world/state.py", "_fields_as_json"),),
}


@dataclass(frozen=True, slots=True)
class Game:
    """A game to be measured: in what it is played, and whether by meaning too."""

    name: str
    with_vectors: bool


def player(game: Game, campaign: OpenCampaign, seed: int = 1) -> Iterator[str]:
    """The lines of a seeded player, each made of where they stand when it is asked for."""
    if game.name == "dead_drop":
        while True:
            yield from QUIET
    random_ = random.Random(seed)
    while True:
        state = campaign.store.head().state
        here = state.scene.location_id
        ways = [f"go to {state.name_of(way.to)}" for way in state.exits.get(here, ())]
        about = [*state.present_npcs(), *state.held_by(here)]
        other = state.name_of(random_.choice(sorted(state.entities)))
        yield random_.choice(ways or ["look"])
        yield f"look at {state.name_of(random_.choice(about))}" if about else "look"
        yield f"ask {state.name_of(random_.choice(about))} about {other}" if about else f"what is {other}?"


def play(game: Game, campaign: OpenCampaign, turns: int) -> list[float]:
    """Play so many turns; how long each took, in milliseconds."""
    taken: list[float] = []
    lines = player(game, campaign)
    for line in (next(lines) for _ in range(turns)):
        started = time.perf_counter()
        asyncio.run(campaign.submit(line))
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def begin(game: Game, app: App, folder: Path) -> Campaigns:
    """A new game, `game`, among campaigns that are thrown away."""
    campaigns = app.rehearsal(folder)
    if game.name == "dead_drop":
        campaigns.new("dead_drop", campaign_id="game", seed=7)
        return campaigns
    pack, findings = app.explorer.pack(str(CORPORA / "packs" / game.name))
    found = app.explorer.walk(pack, findings, seed=1)
    app.explorer.begin(found, campaigns, campaign_id="game", seed=1)
    if game.with_vectors:
        app.library.embed(pack.key)
    return campaigns


def measured(game: Game, workspace: Path, turns: int) -> tuple[list[float], dict[str, float]]:
    """The times of the turns of one game, and the shares of the parts in another, shorter one."""
    os.environ[EMBEDDER_VARIABLE] = "minilm" if game.with_vectors else "none"
    app = open_app(workspace)
    with tempfile.TemporaryDirectory() as folder, begin(game, app, Path(folder)).open("game") as campaign:
        taken = play(game, campaign, turns)
        profile = cProfile.Profile()
        profile.enable()
        play(game, campaign, 20)
        profile.disable()
    return taken, shares(pstats.Stats(profile))


def shares(stats: pstats.Stats) -> dict[str, float]:
    """The share of each part in the time of `submit`."""
    spent: dict[tuple[str, str], float] = {}
    for (file, _, name), (_, _, _, cumulative, _) in stats.stats.items():  # type: ignore[attr-defined]
        key = ("/".join(Path(file).parts[-2:]), name)
        spent[key] = spent.get(key, 0.0) + cumulative
    whole = spent[("asyncio/base_events.py", "run_until_complete")]
    return {part: sum(spent.get(one, 0.0) for one in of) / whole for part, of in PARTS.items()}


def ranges(turns: int) -> list[tuple[int, int]]:
    """The ranges of turn numbers that are told apart, the first and the last of each."""
    bounds = [2, 20, 50, 100, 200, 400, 1000]
    starts = [one for one in bounds if one <= turns]
    return list(zip(starts, [*(one - 1 for one in starts[1:]), turns], strict=True))


def within(taken: Sequence[float], first: int, last: int) -> str:
    """p50 and p95 of a range of turns, counted from 1."""
    some = sorted(taken[first - 1 : last])
    return f"{statistics.median(some):.0f} / {some[min(int(len(some) * 0.95), len(some) - 1)]:.0f}"


def main() -> None:
    """Play each game, print the two tables."""
    parser = argparse.ArgumentParser(description="How long a turn takes, early and late in a game.")
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--game", action="append", help="only these: dead_drop, or the name of a pack of the corpora")
    parser.add_argument("--json", type=Path, help="write the times here, too")
    arguments = parser.parse_args()
    packs = [name for name in WALKED if (CORPORA / "packs" / name).is_dir()]
    names = [name for name in ("dead_drop", *packs) if name in (arguments.game or ("dead_drop", *packs))]
    games = [Game(name, with_vectors) for name in names for with_vectors in (False, True)]
    spans = ranges(arguments.turns)
    times = Table("game", "first", *(f"{a}-{b}" for a, b in spans), title=f"a turn, p50 / p95 ms (aim: {AIM_MS})")
    parts = Table("part", title="shares of the time, in percent; they overlap")
    parts_of: list[dict[str, float]] = []
    kept: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for game in games:
            taken, of = measured(game, arguments.workspace or Path(folder) / "workspace", arguments.turns)
            label = f"{game.name}, {'with vectors' if game.with_vectors else 'by words'}"
            kept[label] = taken
            times.add_row(label, f"{taken[0]:.0f}", *(within(taken, a, b) for a, b in spans))
            parts.add_column(label, justify="right")
            parts_of.append(of)
    for part in PARTS:
        parts.add_row(part, *(f"{of[part] * 100:.0f}" for of in parts_of))
    console = Console(width=160)
    console.print(times)
    console.print(parts)
    if arguments.json:
        arguments.json.write_text(json.dumps(kept), encoding="utf-8")


if __name__ == "__main__":
    main()
