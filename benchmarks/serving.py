"""How a service holds up under load: Poisson arrivals at seven tenths of the rate that saturates it, measured first.

    python benchmarks/serving.py [--tables 50] [--seats 3] [--seconds 300] [--campaign-room 400]

One process of `lorewright serve` on built-in stages; tables of Dead Drop, each with some seats; the clients are in this
process. First one player alone (the median of their turns), then as many at once as keep the service busy (the rate),
then arrivals at random at seven tenths of that rate. CPU is read from the system's account of the service's process; a
library process plays the same lines, in turns with the service while nothing else runs, for the ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from argon2 import PasswordHasher
from rich.console import Console
from rich.table import Table

from lorewright.bootstrap import open_app
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.lore_bootstrap import make_workspace
from lorewright.service.web.store import Accounts
from lorewright.settings import ACCOUNTS_FILE as FILE
from lorewright.settings import CAMPAIGN_ROOM_MB
from lorewright.storage.service_rows import ServiceRows
from lorewright.turn.store.turn_store import undo_played

LINES = (
    "look around", "ask Viktor about Jin", "search behind the bar", "go to the street", "look around", "wait",
    "go to the neon dragon", "ask Viktor about Pier 9", "ask Captain Bao about Jin", "what do I carry",
    "look at Viktor",
)  # fmt: skip
ALONE = 30
AT_ONCE = 12
# A story costs more a turn, and takes more memory, the longer it is, until it ends and goes on from some turns before;
# and what is cached grows till then. With these lines a story of Dead Drop ends after 50 turns: so many are played a
# table before anything is measured.
WARMING_TURNS, SATURATING_S = 50, 20.0
# The service and the library take turns, so that a processor that is faster for a minute favours neither.
BLOCKS, LIBRARY_TURNS = 4, 15
LOAD = 0.7
WATCH_EVERY_S = 5.0
# What a turn after the end is refused with, and how many turns are taken back then.
ENDED, BACK = 409, 8
SCENARIO = "dead_drop"
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Player:
    """A seat at a table: its client, and which line comes next."""

    client: httpx.AsyncClient
    # The game master's, who alone takes back what several have played.
    master: httpx.AsyncClient
    campaign: str
    lines: itertools.cycle[str] = field(default_factory=lambda: itertools.cycle(LINES))

    async def play(self) -> tuple[float, int]:
        """Play a turn; return its seconds and its status."""
        began = time.perf_counter()
        path = f"/v1/campaigns/{self.campaign}/turns"
        answer = await self.client.post(path, json={"text": next(self.lines)})
        spent = time.perf_counter() - began
        if answer.status_code == ENDED:
            # The story has ended: it goes on from some turns before.
            await self.master.post(f"/v1/campaigns/{self.campaign}/undo", json={"turns": BACK})
        return spent, answer.status_code

    async def ask(self) -> tuple[float, int]:
        """Ask the lore; return the seconds and the status."""
        began = time.perf_counter()
        sent = {"text": "what is known of Jin's last run", "campaign_id": self.campaign}
        answer = await self.client.post("/v1/lore/query", json=sent)
        return time.perf_counter() - began, answer.status_code


def main() -> None:
    """Measure, and print the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tables", type=int, default=50)
    options.add_argument("--seats", type=int, default=3)
    options.add_argument("--seconds", type=float, default=300.0)
    options.add_argument("--port", type=int, default=8765)
    options.add_argument(
        "--campaign-room", type=float, default=CAMPAIGN_ROOM_MB, help="as of `lorewright serve`, in MB"
    )
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        make_workspace(root)
        app = open_app(root)
        names = [f"table{number}" for number in range(chosen.tables)]
        for number, name in enumerate(names):
            app.campaigns.new(SCENARIO, campaign_id=name, seed=number)
        seats = make_seats(root / FILE, names, chosen.seats)
        app.campaigns.new(SCENARIO, campaign_id="library", seed=1)
        with app.campaigns.open("library") as campaign:
            library = LibraryTable(campaign)
            rows = asyncio.run(measure(root, chosen.port, seats, chosen.seconds, chosen.campaign_room, library))
    table = Table("measured", "value")
    for name, value in rows:
        table.add_row(name, value)
    Console().print(table)


def make_seats(place: Path | ServiceRows, campaigns: Sequence[str], seats: int) -> list[tuple[str, str, str]]:
    """Return for each seat its cookie, the secret of its session, and its campaign: of each table the game master's
    first. `place` is where the accounts are kept."""
    accounts = Accounts(place, hasher=PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
    made = []
    for campaign in campaigns:
        for seat in range(seats + 1):
            account = accounts.create(f"{campaign} {seat}", "a word that is long enough")
            accounts.add_seat(campaign, account, "player" if seat else "gm")
            cookie, session = accounts.begin_session(account)
            made.append((cookie, session.csrf, campaign))
    accounts.close()
    return made


@dataclass(slots=True)
class LibraryTable:
    """A campaign that is open in this process."""

    campaign: OpenCampaign
    lines: itertools.cycle[str] = field(default_factory=lambda: itertools.cycle(LINES))

    async def play(self, turns: int) -> float:
        """Return the seconds of CPU that some turns took."""
        began = time.process_time()
        for _ in range(turns):
            if self.campaign.store.head().state.ended is not None:
                undo_played(self.campaign.store, turns=BACK)
            await self.campaign.submit(next(self.lines))
        return time.process_time() - began


async def measure(
    root: Path, port: int, seats: Sequence[tuple[str, str, str]], seconds: float, room: float, library: LibraryTable
) -> list[tuple[str, str]]:
    """Return the figures of the service, and what a turn costs in a library process beside it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lorewright", "serve", "--at", f"127.0.0.1:{port}", "--campaign-room", str(room)],
        env={**os.environ, "LOREWRIGHT_WORKSPACE": str(root)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        await _answers(url)
        players = make_players(url, seats)
        for player in players[:: max(1, len(players) // 50)]:
            await player.play()
        alone = [(await players[0].play())[0] for _ in range(10)]
        await asyncio.sleep(10)
        alone += [(await players[0].play())[0] for _ in range(ALONE - 10)]
        chance = random.Random(2)
        warming = WARMING_TURNS * len({player.campaign for player in players})
        await saturate(players, math.inf, chance, turns=warming)
        await library.play(5)
        cpu, beside, busy, tried = 0.0, 0.0, 0.0, list[tuple[float, int]]()
        for _ in range(BLOCKS):
            began, began_at = _cpu(process.pid), time.perf_counter()
            tried += await saturate(players, SATURATING_S / BLOCKS, chance)
            cpu += _cpu(process.pid) - began
            # Until the last of its turns has ended: what goes on after a block counts, and so does its time.
            busy += time.perf_counter() - began_at
            beside += await library.play(LIBRARY_TURNS)
        played = [spent for spent, status in tried if status == 200]
        turn, library_turn = cpu / len(played), beside / (BLOCKS * LIBRARY_TURNS)
        rate = len(played) / busy
        watch = asyncio.create_task(watch_memory(process.pid))
        taken, errors = await arrive(players, rate * LOAD, seconds)
        watch.cancel()
        memory = await watch
        asked = [(await players[0].ask())[0] for _ in range(30)]
    finally:
        process.terminate()
        process.wait(60)
    p50, p99 = statistics.median(alone), sorted(taken)[int(len(taken) * 0.99)]
    return [
        ("a turn of one alone, p50", f"{p50 * 1000:.0f} ms"),
        ("turns a second, saturated", f"{rate:.1f}"),
        ("CPU of the service a turn", f"{turn * 1000:.0f} ms"),
        ("CPU of a library process a turn, in turns with it", f"{library_turn * 1000:.0f} ms"),
        ("turns a second and core, of the library's (aim: .8)", f"{library_turn / turn:.2f}"),
        (f"turns at {LOAD:.0%} of that rate", f"{len(taken)}, {errors} refused"),
        ("p50, p99 there", f"{statistics.median(taken) * 1000:.0f} ms, {p99 * 1000:.0f} ms"),
        ("p99 / p50 of one alone (aim: 10)", f"{p99 / p50:.1f}"),
        ("resident memory before, halfway, after", _course(memory, 0)),
        ("memory of its own (anonymous), the same", _course(memory, 1)),
        ("a query of one alone, p50", f"{statistics.median(asked) * 1000:.0f} ms"),
    ]


async def watch_memory(pid: int) -> list[tuple[float, float]]:
    """Return the resident and the anonymous memory of a process in MB, every few seconds until it is cancelled."""
    seen = []
    try:
        while True:
            seen.append(_memory(pid))
            await asyncio.sleep(WATCH_EVERY_S)
    except asyncio.CancelledError:
        return [*seen, _memory(pid)]


def make_players(url: str, seats: Sequence[tuple[str, str, str]]) -> list[Player]:
    """Return who sits on seats as `make_seats` returns them, but the game masters."""
    limits = httpx.Limits(max_connections=400, max_keepalive_connections=400)
    transport = httpx.AsyncHTTPTransport(limits=limits)
    masters: dict[str, httpx.AsyncClient] = {}
    players = []
    for cookie, csrf, campaign in seats:
        headers, cookies = {"X-CSRF-Token": csrf}, {"lorewright": cookie}
        client = httpx.AsyncClient(base_url=url, cookies=cookies, headers=headers, timeout=120, transport=transport)
        if campaign in masters:
            players.append(Player(client, masters[campaign], campaign))
        else:
            masters[campaign] = client
    return players


async def _answers(url: str) -> None:
    async with httpx.AsyncClient() as client:
        for _ in range(600):
            try:
                if (await client.get(f"{url}/healthz")).status_code == 200:
                    return
            except httpx.TransportError:
                await asyncio.sleep(0.1)
    raise SystemExit("the service does not answer")


async def saturate(
    players: Sequence[Player], seconds: float, chance: random.Random, turns: float = math.inf
) -> list[tuple[float, int]]:
    """Return the seconds and statuses of the turns that are tried while some play without a pause, for so long or until
    so many were tried, each at a table of chance as under load: tables that are played in order find more in caches, so
    that a service would seem faster."""
    until, taken = time.perf_counter() + seconds, list[tuple[float, int]]()

    async def go_on() -> None:
        while time.perf_counter() < until and len(taken) < turns:
            taken.append(await chance.choice(players).play())

    await asyncio.gather(*(go_on() for _ in range(AT_ONCE)))
    return taken


async def arrive(players: Sequence[Player], rate: float, seconds: float) -> tuple[list[float], int]:
    """Return the seconds of the turns that were played, and how many requests were refused, with arrivals at random."""
    chance, began, taken, refused = random.Random(1), time.perf_counter(), list[float](), 0
    running: set[asyncio.Task[None]] = set()

    async def one_turn(player: Player) -> None:
        nonlocal refused
        try:
            spent, status = await player.play()
            if status == ENDED:
                spent, status = await player.play()
        except httpx.TransportError:
            refused += 1
            return
        if status == 200:
            taken.append(spent)
        elif status != ENDED:
            refused += 1

    while time.perf_counter() - began < seconds:
        await asyncio.sleep(chance.expovariate(rate))
        task = asyncio.create_task(one_turn(chance.choice(players)))
        running.add(task)
        task.add_done_callback(running.discard)
    while running:
        await asyncio.gather(*running)
    return taken, refused


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _memory(pid: int) -> tuple[float, float]:
    """Return the resident memory of a process and what of it is anonymous, in MB. The rest is files that it has mapped
    (the embedder's model, its libraries, the search of open stories), which the system can drop and read again."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    resident, anonymous = (int(re.findall(rf"{name}:\s+(\d+)", text)[0]) / 1024 for name in ("VmRSS", "RssAnon"))
    return resident, anonymous


def _course(memory: Sequence[tuple[float, float]], which: int) -> str:
    """Return the memory at the beginning, halfway and at the end, and by what part it grew in the second half."""
    half, last = memory[len(memory) // 2][which], memory[-1][which]
    return f"{memory[0][which]:.0f}, {half:.0f}, {last:.0f} MB ({last / half - 1:+.1%} in the second half)"


if __name__ == "__main__":
    main()
