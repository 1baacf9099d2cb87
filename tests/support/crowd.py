"""A crowd of processes on one campaign, each submitting turn after turn, some of them the very same ones.

    python tests/crowd.py --processes 8 --submissions 50

Every fifth submission is sent by all of the processes under one action ID: it is one turn, and all are told the same
bytes. Then the file is looked at: turn numbers without a gap, each once; every scene opened once; `db check` clean.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from sqlite3 import Row

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.checks import check
from lorewright.errors import HeadMoved
from lorewright.ids import content_hash
from lorewright.storage.heads import path_to
from lorewright.turn.store.rows import OPS
from lorewright.world.ops import OpenScene
from support import harbour as h

LINES = ("go door", "take rope", "look", "go tavern", "drop rope", "ask Osk about Lin", "look at the lantern")
SHARED_EVERY = 5

# What one process was told: the action ID and the hash of the bytes.
Told = list[tuple[str, str]]


@dataclass(slots=True)
class Seen:
    """What a crowd left: everything that was wrong, and how long it took."""

    turns: int
    told: int
    seconds: float
    wrong: list[str] = field(default_factory=list)


def submit_all(root: Path, process: int, submissions: int) -> Told:
    """Submit so many turns, one after the other; whoever was overtaken too often says it again."""
    told: Told = []
    with open_app(root).campaigns.open("game") as campaign:
        for number in range(submissions):
            shared = number % SHARED_EVERY == 0
            action_id = f"all-{number}" if shared else f"{process}-{number}"
            line = LINES[number % len(LINES) if shared else (number + process) % len(LINES)]
            while True:
                try:
                    told.append((action_id, content_hash(asyncio.run(campaign.submit(line, action_id=action_id)))))
                    break
                except HeadMoved:
                    continue
    return told


def crowd(app: App, *, processes: int, submissions: int) -> Seen:
    """Let them all submit at once, and look at what is there."""
    started = time.perf_counter()
    given = [(app.workspace.root, process, submissions) for process in range(processes)]
    context = get_context("forkserver")
    # What is imported once need not be imported by each of them.
    context.set_forkserver_preload(["support.crowd"])
    with context.Pool(processes) as pool:
        told = [one for of in pool.starmap(submit_all, given, chunksize=1) for one in of]
    seconds = time.perf_counter() - started
    actions = {action_id for action_id, _ in told}
    return Seen(len(actions), len(told), seconds, [*_amiss(app, told, actions)])


def _amiss(app: App, told: Told, actions: set[str]) -> list[str]:
    path = app.campaigns.path("game")
    wrong = [f"{one.code} {one.where}: {one.what}" for one in check(path, app.campaigns.kept).findings]
    with app.campaigns.reading("game") as store:
        turns = store.database.rows("SELECT * FROM turns ORDER BY turn_no")
        way = path_to(store.database, store.head().turn_id)
        state = store.head().state
    if [turn["turn_no"] for turn in turns] != list(range(len(actions) + 1)):
        wrong.append(f"turns {[turn['turn_no'] for turn in turns]} of {len(actions)} actions")
    if len(way) != len(turns):
        wrong.append(f"{len(turns) - len(way)} turns are not on the way to the head")
    stored = {turn["user_action_id"]: content_hash(turn["result_json"]) for turn in turns}
    wrong += [
        f"{action} was told otherwise than it is stored" for action, bytes_ in told if stored.get(action) != bytes_
    ]
    opened = [number for number, times in Counter(scenes(turns)).items() if times > 1]
    wrong += [f"scene {number} was opened more than once" for number in opened]
    if sorted(scenes(turns)) != list(range(1, state.scene.number + 1)):
        wrong.append(f"scenes {sorted(scenes(turns))}, the last is {state.scene.number}")
    return wrong


def scenes(turns: Sequence[Row]) -> list[int]:
    """The number of every scene that any turn opened, the first one's too: counted from its parent's state."""
    last: dict[str | None, int] = {None: 0}
    found: list[int] = []
    for turn in turns:
        number = last[turn["parent_id"]] + (turn["parent_id"] is None)
        found += [number] if turn["parent_id"] is None else []
        for op in OPS.validate_json(turn["ops_json"]):
            if isinstance(op, OpenScene):
                number += 1
                found.append(number)
        last[turn["turn_id"]] = number
    return found


def main() -> None:
    """Let a crowd play, print what was seen; exit 1 where anything was wrong."""
    parser = argparse.ArgumentParser(description="A crowd of processes on one campaign.")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--submissions", type=int, default=50)
    arguments = parser.parse_args()
    os.environ.setdefault("LOREWRIGHT_EMBEDDER", "none")
    with tempfile.TemporaryDirectory() as folder:
        seen = crowd(h.harbour(Path(folder)), processes=arguments.processes, submissions=arguments.submissions)
    told = f"{seen.told} submissions, {seen.turns} turns, {seen.seconds:.0f} s, wrong: {len(seen.wrong)}"
    sys.stdout.write("\n".join([told, *seen.wrong]) + "\n")
    sys.exit(1 if seen.wrong else 0)


if __name__ == "__main__":
    main()
