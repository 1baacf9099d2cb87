"""Campaigns whose players are killed with SIGKILL, again and again: nothing that was acknowledged is lost, nothing is
half done.

    python tests/crash_campaign.py --kills 500 [--seed 7] [--folder FOLDER]

A child process opens a campaign and goes on without end: turns, undo, redo, rollbacks, branches, switches. Whatever is
done it writes down for the parent, as a result is printed. It is killed at a random moment, or at a named step of a
commit, of a move of the head, of an import. Then the file is looked at: `db check` finds nothing; every turn that was
acknowledged is there with the same result; head and revision are those of what was acknowledged last, or of the one
thing that was under way, whole. The next child goes on from there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import select
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

from lorewright.bootstrap import App, open_app
from lorewright.campaigns import branches
from lorewright.campaigns.checks import check
from lorewright.campaigns.exchange import export, import_campaign
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import LorewrightError
from lorewright.ids import content_hash
from lorewright.storage.database import opened
from lorewright.storage.faults import COMMIT_STEPS, IMPORT_STEPS, KILL_VARIABLE, REWIND_STEPS
from lorewright.storage.heads import branch_rows, head_row
from lorewright.turn.store.turn_store import redo, undo
from support import harbour as h

LINES = ("go door", "go tavern", "take rope", "drop rope", "wait", "ask Osk about Lin", "look", "frobnicate the gizmo")
# A file in which many were killed takes long to look through: another one is begun.
KILLS_IN_ONE = 20
# So long a child plays at most, from its beginning or from the first thing that it has done.
PLAYS_S = 0.6

Child = Callable[[], None]
Ack = dict[str, Any]


@dataclass(slots=True)
class Report:
    """What was seen: how many were killed, where; what was acknowledged; and everything that was wrong."""

    killed: Counter[str] = field(default_factory=Counter)
    acknowledged: Counter[str] = field(default_factory=Counter)
    under_way: Counter[str] = field(default_factory=Counter)
    turns_checked: int = 0
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        done = ", ".join(f"{number} {kind}" for kind, number in sorted(self.acknowledged.items()))
        kills = ", ".join(f"{where} {number}" for where, number in sorted(self.killed.items()))
        cut = ", ".join(f"{how} {number}" for how, number in sorted(self.under_way.items()))
        lines = [
            f"killed: {self.killed.total()} ({kills})",
            f"acknowledged: {done}",
            f"what was under way: {cut}",
            f"turns looked at: {self.turns_checked}",
            f"wrong: {len(self.wrong)}",
            *self.wrong,
        ]
        return "\n".join(lines)


def run(folder: Path, *, kills: int, seed: int = 7) -> Report:
    """Kill so many players at random moments, and one more at each named step; see what is left each time."""
    app, chance, report = h.harbour(folder), random.Random(seed), Report()
    root, numbers = app.workspace.root, count()
    named = [*COMMIT_STEPS, *REWIND_STEPS] * max(1, kills // 50)
    for at, name in enumerate([*named, *[None] * kills]):
        if at % KILLS_IN_ONE == 0:
            campaign_id = f"game{at}"
            app.campaigns.new("night_boat", campaign_id=campaign_id, seed=chance.randrange(99))
            known = Known(revision=0, head=_head(app, campaign_id)[0])
        child = _player(root, campaign_id, seed=chance.random(), names=numbers, kill_at=name)
        moment = chance.random() * PLAYS_S if name is None else None
        acks = killed(child, moment, after_first=at % 4 > 0)
        report.killed[name or "at random"] += 1
        _look(app, campaign_id, known, acks, report)
    _kill_imports(app, folder, campaign_id, report, times=max(1, kills // 100))
    return report


@dataclass(slots=True)
class Known:
    """What has been acknowledged of one campaign, over all of its players."""

    revision: int
    head: str
    turns: dict[str, str] = field(default_factory=dict)
    branches: set[str] = field(default_factory=set)


def killed(child: Child, after_s: float | None, *, after_first: bool = False) -> list[Ack]:
    """Run a child in a process of its own until it is killed: after a time, which may be counted from the first thing
    that it has done; or (None) by itself. What it wrote down."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        os.dup2(writing, 1)
        _live(child)
    os.close(writing)
    if after_s is not None:
        if after_first:
            select.select([reading], [], [])
        time.sleep(after_s)
        os.kill(pid, signal.SIGKILL)
    with os.fdopen(reading, "rb") as printed:
        lines = printed.read().split(b"\n")[:-1]  # a line that was cut short is not printed
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status), "a child ended by itself"
    assert os.WTERMSIG(status) == signal.SIGKILL
    return [json.loads(line) for line in lines]


def _live(child: Child) -> NoReturn:
    try:
        child()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _player(root: Path, campaign_id: str, *, seed: float, names: Iterator[int], kill_at: str | None) -> Child:
    """A child that plays for ever; where it is killed at a step, after a few things that it has done."""
    number = next(names)

    def play() -> None:
        chance = random.Random(seed)
        killed_after = chance.randrange(6)
        with open_app(root).campaigns.open(campaign_id) as campaign:
            for done in count():
                if kill_at is not None and done >= killed_after:
                    os.environ[KILL_VARIABLE] = kill_at
                    if kill_at in REWIND_STEPS:
                        _say(_do(campaign, chance, f"{number}-{done}", ("undo", "rollback", "switch", "turn")))
                _say(_do(campaign, chance, f"{number}-{done}", ("turn",) * 6 + MOVES))

    return play


MOVES = ("undo", "redo", "rollback", "branch", "switch")


def _do(campaign: OpenCampaign, chance: random.Random, name: str, kinds: Sequence[str]) -> Ack:
    """Do something, if it can be done; what is to be written down of it."""
    kind, store, told = chance.choice(kinds), campaign.store, ""
    try:
        match kind:
            case "turn":
                told = asyncio.run(campaign.submit(chance.choice(LINES), action_id=name))
            case "undo":
                undo(store, turns=chance.randint(1, 3))
            case "redo":
                redo(store)
            case "rollback":
                branches.rollback(store, turns=chance.randint(1, 3))
            case "branch":
                branches.branch(store, turn=str(chance.randint(0, 3)), name=f"b{name}")
            case "switch":
                branches.switch(store, chance.choice(branch_rows(store.database)).name)
    except LorewrightError:
        kind = "refused"
    head = head_row(store.database)
    ack = {"kind": kind, "revision": head.revision, "head": head.turn_id}
    if kind == "turn":
        ack |= {"action_id": name, "result": content_hash(told)}
    return {**ack, "branch": f"b{name}"} if kind == "branch" else ack


def _say(ack: Ack) -> None:
    os.write(1, json.dumps(ack).encode() + b"\n")


def _head(app: App, campaign_id: str) -> tuple[str, int]:
    with opened(app.campaigns.path(campaign_id)) as database:
        row = head_row(database)
    return row.turn_id, row.revision


def _look(app: App, campaign_id: str, known: Known, acks: Sequence[Ack], report: Report) -> None:
    """Hold the file to what was acknowledged; what is there then is what the next player goes on from."""
    for ack in acks:
        report.acknowledged[ack["kind"]] += 1
        known.revision, known.head = ack["revision"], ack["head"]
        if "result" in ack:
            known.turns[ack["action_id"]] = ack["result"]
        if "branch" in ack:
            known.branches.add(ack["branch"])
    path = app.campaigns.path(campaign_id)
    checked = check(path, app.campaigns.kept)
    report.turns_checked += checked.turns
    report.wrong += [f"{campaign_id}: {one.code} {one.where}: {one.what}" for one in checked.findings]
    with opened(path) as database:
        rows = database.rows("SELECT user_action_id, result_json FROM turns")
        names = {one.name for one in branch_rows(database)}
    stored = {row["user_action_id"]: content_hash(row["result_json"]) for row in rows}
    lost = {name for name, result in known.turns.items() if stored.get(name) != result}
    report.wrong += [f"{campaign_id}: the turn {name} is lost" for name in sorted(lost)]
    report.wrong += [f"{campaign_id}: the branch {name} is lost" for name in sorted(known.branches - names)]
    head, revision = _head(app, campaign_id)
    report.under_way["done" if revision > known.revision else "not done"] += 1
    if revision not in (known.revision, known.revision + 1) or (revision == known.revision and head != known.head):
        report.wrong.append(
            f"{campaign_id}: revision {revision} at {head}, acknowledged {known.revision}, {known.head}"
        )
    known.revision, known.head = revision, head


def _kill_imports(app: App, folder: Path, campaign_id: str, report: Report, *, times: int) -> None:
    """Kill an import at each of its steps: there is all of the campaign, or none."""
    exported = folder / "exported"
    export(app.campaigns, campaign_id, exported)
    turns = check(app.campaigns.path(campaign_id)).turns
    for number, name in enumerate([*IMPORT_STEPS] * times):
        another = f"import{number}"

        def bring(name: str = name, another: str = another) -> None:
            os.environ[KILL_VARIABLE] = name
            import_campaign(open_app(app.workspace.root).campaigns, exported, campaign_id=another)

        killed(bring, None)
        report.killed[name] += 1
        there = another in app.campaigns.ids()
        if there != (name == IMPORT_STEPS[-1]):
            report.wrong.append(f"{another}: killed at {name}, and it {'is' if there else 'is not'} there")
        if not there:
            import_campaign(app.campaigns, exported, campaign_id=another)
        checked = check(app.campaigns.path(another), app.campaigns.kept)
        report.wrong += [f"{another}: {one.code} {one.what}" for one in checked.findings]
        if checked.turns != turns:
            report.wrong.append(f"{another}: {checked.turns} turns of {turns}")


def main() -> None:
    """Kill, look, print what was seen; exit 1 where anything was wrong."""
    parser = argparse.ArgumentParser(description="Campaigns whose players are killed, again and again.")
    parser.add_argument("--kills", type=int, default=500, help="at random moments")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--folder", type=Path, help="keep the files here, to look at them")
    arguments = parser.parse_args()
    os.environ.setdefault("LOREWRIGHT_EMBEDDER", "none")
    with tempfile.TemporaryDirectory() as folder:
        report = run(arguments.folder or Path(folder), kills=arguments.kills, seed=arguments.seed)
    sys.stdout.write(f"{report}\n")
    sys.exit(1 if report.wrong else 0)


if __name__ == "__main__":
    main()
