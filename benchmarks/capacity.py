"""What several workers carry: measured behind a proxy with one, two and four of them, beside what a simulation says
that was fitted on one alone.

    python benchmarks/capacity.py [--workers 1 2 4] [--tables 24] [--seconds 60] [--database postgresql://…]

The workers are processes of `lorewright serve` on built-in stages, tables of Dead Drop are rows of PostgreSQL (a
server of the tests, unless an address is given), players send turns through the proxy. For each number of workers:
first as many at once as keep all busy (the rate), then arrivals at random at 70 % of that. In the same run the CPU of
the workers, PostgreSQL, the proxy and the clients is read from the system, and how long anybody waits for a lock from
PostgreSQL's `pg_locks`.

The simulation knows nothing of the runs with more workers but how many there are, the rate at which turns arrived,
and what share of the tables the proxy's hash gave to each. A worker plays one turn at a time. How long a turn takes is
drawn from those of one player alone, so scaled that one worker plays as many a second as it was measured to. When all
of them together would compute on more cores than there are, each goes on more slowly.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import itertools
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
from rich.console import Console
from rich.table import Table

from lorewright.bootstrap import open_app
from lorewright.lore_bootstrap import make_workspace
from lorewright.service.web.serving import open_rows
from lorewright.storage.postgres.store import PostgresStore
from serving import AT_ONCE, LOAD, SCENARIO, _cpu, arrive, make_players, make_seats, saturate

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from support.postgres_server import new_database, running_server
from support.proxies import find_proxy, proxying


@dataclass(frozen=True, slots=True)
class Run:
    """What was measured with a number of workers. Times are in seconds, `cpu` is of a turn and by who spent it."""

    workers: int
    alone: list[float]
    rate: float
    taken: list[float]
    refused: int
    cpu: dict[str, float]
    query: float
    # What part of the turns each worker played.
    shares: list[float]
    lock_wait: float


@dataclass(frozen=True, slots=True)
class Simulated:
    """What the simulation says of a number of workers."""

    rate: float
    p50: float
    p99: float


def main() -> None:
    """Measure, simulate, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    options.add_argument("--tables", type=int, default=48)
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--saturated", type=float, default=20.0)
    options.add_argument("--alone", type=int, default=40, help="turns of one player alone")
    options.add_argument("--database", help="an address as a superuser's; each run makes a database of its own")
    options.add_argument("--proxy", default="haproxy")
    chosen = options.parse_args()
    if 1 not in chosen.workers:
        options.error("one worker alone is what the simulation is fitted on")
    with nullcontext(chosen.database) if chosen.database else running_server() as server:
        runs = [measure(number, server, chosen) for number in sorted(chosen.workers)]
    cores = os.cpu_count() or 1
    show(runs, [simulate(runs[0], run, chosen.tables, cores) for run in runs])


def measure(workers: int, server: str, chosen: argparse.Namespace) -> Run:
    """Return what so many workers do, with a new database."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        make_workspace(root)
        database = new_database(server)
        names = [f"table{number}" for number in range(chosen.tables)]
        with closing(PostgresStore(database)) as store:
            app = open_app(root, elsewhere=store)
            seats = make_seats(open_rows(store, app.workspace), names, 1)
            for number, name in enumerate(names):
                app.campaigns.new(SCENARIO, campaign_id=name, seed=number)
        with running(root, database, workers, Path(folder) / "proxy", chosen.proxy) as (url, pids):
            with watching_locks(database) as waits:
                run = asyncio.run(_measure(url, pids, seats, chosen))
            return replace(run, lock_wait=max(waits, default=0.0))


@contextmanager
def running(
    root: Path, database: str, workers: int, folder: Path, proxy: str
) -> Iterator[tuple[str, dict[str, list[int]]]]:
    """Run workers behind a proxy; yield its address and the numbers of the processes."""
    if find_proxy(proxy) is None:
        raise SystemExit(f"{proxy} is not installed: make extras, or name it in LOREWRIGHT_{proxy.upper()}")
    from support.played_in_a_browser import free_port

    port, ports = free_port(), [free_port() for _ in range(workers)]
    host = f"127.0.0.1:{port}"
    with ExitStack() as stack:
        processes = []
        for at in ports:
            address = ("--at", f"127.0.0.1:{at}", "--public-url", f"http://{host}", "--proxy", "--database", database)
            unlimited = ("--turns-a-minute", "60000")
            process = subprocess.Popen(
                [sys.executable, "-m", "lorewright", "serve", *address, *unlimited],
                env={**os.environ, "LOREWRIGHT_WORKSPACE": str(root)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            stack.callback(process.wait)
            stack.callback(process.terminate)
            processes.append(process)
            _wait(f"http://127.0.0.1:{at}/readyz", host)
        before = stack.enter_context(proxying(proxy, folder, port, ports))
        _wait(f"http://{host}/readyz", host)
        yield f"http://{host}", {"workers": [p.pid for p in processes], "proxy": [before.pid]}


def _wait(url: str, host: str) -> None:
    for _ in range(1200):
        try:
            if httpx.get(url, headers={"Host": host}, timeout=10).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise SystemExit(f"{url} does not answer")


async def _measure(
    url: str, pids: dict[str, list[int]], seats: Sequence[tuple[str, str, str]], chosen: argparse.Namespace
) -> Run:
    players = make_players(url, seats)
    for player in players:
        await player.play()
    alone = [(await players[number // 10 % len(players)].play())[0] for number in range(chosen.alone)]
    asked = [(await players[0].ask())[0] for _ in range(10)]
    chance = random.Random(2)
    await saturate(players, chosen.saturated, chance)
    before, each_before = _spent(pids), [_cpu(pid) for pid in pids["workers"]]
    played = [seconds for seconds, status in await saturate(players, chosen.saturated, chance) if status == 200]
    spent = {who: seconds - before[who] for who, seconds in _spent(pids).items()}
    each = [_cpu(pid) - seconds for pid, seconds in zip(pids["workers"], each_before, strict=True)]
    rate = len(played) / chosen.saturated
    taken, refused = await arrive(players, rate * LOAD, chosen.seconds)
    cpu = {who: seconds / len(played) for who, seconds in spent.items()}
    shares = [seconds / sum(each) for seconds in each]
    return Run(len(each), alone, rate, taken, refused, cpu, statistics.median(asked), shares, 0.0)


@contextmanager
def watching_locks(database: str) -> Iterator[list[float]]:
    """Yield a list to which the seconds are added that anybody is found to wait for a lock of PostgreSQL."""
    import psycopg

    found: list[float] = []
    is_over = threading.Event()

    def watch() -> None:
        with psycopg.connect(database, autocommit=True) as connection:
            while not is_over.wait(0.04):
                row = connection.execute(
                    "SELECT max(extract(epoch FROM clock_timestamp() - waitstart)) FROM pg_locks WHERE NOT granted"
                ).fetchone()
                if row is not None and row[0] is not None:
                    found.append(float(row[0]))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        is_over.set()
        watcher.join()


def _spent(pids: dict[str, list[int]]) -> dict[str, float]:
    """Return the CPU seconds so far, by who spent them."""
    spent = {who: sum(map(_cpu, numbers)) for who, numbers in pids.items()}
    return {**spent, "postgres": sum(map(_cpu, _find_postgres())), "clients": time.process_time()}


def _find_postgres() -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                name = (entry / "comm").read_text("utf-8").strip()
            except OSError:
                continue
            found += [int(entry.name)] if name == "postgres" else []
    return found


# The simulation.


@dataclass(slots=True)
class Server:
    """A worker: turns that wait as (arrived, client, work), and how much of the first is left, in seconds."""

    queue: deque[tuple[float, int, float]] = field(default_factory=deque)
    left: float = 0.0


class Simulation:
    """Workers on some cores, each playing a turn at a time; events are turns that arrive and turns that end."""

    def __init__(self, alone: Run, shares: Sequence[float], tables: int, cores: int, *, seed: int = 1) -> None:
        self._chance = random.Random(seed)
        self._servers = [Server() for _ in shares]
        # So many tables as the share of a worker says are its own, in no order.
        bounds = list(itertools.accumulate(shares))
        self._of_table = [sum(bound * tables <= number + 0.5 for bound in bounds[:-1]) for number in range(tables)]
        self._chance.shuffle(self._of_table)
        mean = statistics.fmean(alone.alone)
        self._works = [seconds / mean / alone.rate for seconds in alone.alone]
        # A player alone also waits for what is no work of the worker's.
        self._besides = max(0.0, mean - 1 / alone.rate)
        # So many cores compute while one worker is busy.
        self._used, self._cores = alone.rate * sum(alone.cpu.values()), float(cores)
        self._tables = tables
        self._arrivals: list[tuple[float, int, int]] = []

    def saturate(self, at_once: int, seconds: float) -> float:
        """Return the turns a second that are played where clients send one after the other, over tables in turn."""
        tables = {client: itertools.cycle(range(client, self._tables, at_once)) for client in range(at_once)}
        for client, own in tables.items():
            heapq.heappush(self._arrivals, (0.0, client, next(own)))
        done = 0
        for ended, client, _ in self._run(seconds):
            done += 1
            heapq.heappush(self._arrivals, (ended, client, next(tables[client])))
        return done / seconds

    def arrive(self, rate: float, seconds: float) -> list[float]:
        """Return the seconds of turns that arrive at random."""
        clock = 0.0
        while (clock := clock + self._chance.expovariate(rate)) < seconds:
            heapq.heappush(self._arrivals, (clock, 0, self._chance.randrange(self._tables)))
        return [ended - arrived + self._besides for ended, _, arrived in self._run(float("inf"))]

    def _run(self, until: float) -> Iterator[tuple[float, int, float]]:
        """Yield when each turn ended, whose it was, and when it had arrived."""
        clock = 0.0
        while clock < until:
            busy = [server for server in self._servers if server.queue]
            speed = min(1.0, self._cores / (len(busy) * self._used)) if busy else 1.0
            first = min(busy, key=lambda server: server.left, default=None)
            ends = clock + first.left / speed if first is not None else float("inf")
            arrives = self._arrivals[0][0] if self._arrivals else float("inf")
            if ends == arrives == float("inf"):
                return
            for server in busy:
                server.left -= (min(ends, arrives) - clock) * speed
            clock = min(ends, arrives)
            if arrives <= ends:
                arrived, client, table = heapq.heappop(self._arrivals)
                server = self._servers[self._of_table[table]]
                server.queue.append((arrived, client, self._chance.choice(self._works)))
                if len(server.queue) == 1:
                    server.left = server.queue[0][2]
            else:
                assert first is not None
                arrived, client, _ = first.queue.popleft()
                first.left = first.queue[0][2] if first.queue else 0.0
                yield clock, client, arrived


def simulate(alone: Run, run: Run, tables: int, cores: int) -> Simulated:
    """Return what `run` should have come to, from what one worker alone was measured at."""
    rate = Simulation(alone, run.shares, tables, cores).saturate(min(AT_ONCE, tables), 500.0)
    return Simulated(rate, *_quantiles(Simulation(alone, run.shares, tables, cores).arrive(run.rate * LOAD, 2_000.0)))


def _of_cpu(run: Run) -> float:
    """Return the rate as a part of what the CPU of a turn allows, a worker computing on one core."""
    allowed = min(run.workers / run.cpu["workers"], (os.cpu_count() or 1) / sum(run.cpu.values()))
    return run.rate / allowed


def _quantiles(seconds: Sequence[float]) -> tuple[float, float]:
    if not seconds:
        return 0.0, 0.0
    return statistics.median(seconds), sorted(seconds)[int(len(seconds) * 0.99)]


def show(runs: Sequence[Run], simulated: Sequence[Simulated]) -> None:
    """Print what was measured, and what was said."""
    table = Table("measured (simulated)", *(f"{run.workers} worker{'s' * (run.workers > 1)}" for run in runs))
    pairs = list(zip(runs, simulated, strict=True))
    table.add_row("a turn of one alone, p50", *(f"{statistics.median(run.alone) * 1000:.0f} ms" for run in runs))
    table.add_row("a query of one alone, p50", *(f"{run.query * 1000:.0f} ms" for run in runs))
    table.add_row("turns a second, saturated", *(f"{run.rate:.1f} ({said.rate:.1f})" for run, said in pairs))
    quantiles = [(_quantiles(run.taken), said) for run, said in pairs]
    table.add_row(
        f"p50 at {LOAD:.0%} of that", *(f"{of[0] * 1000:.0f} ms ({said.p50 * 1000:.0f})" for of, said in quantiles)
    )
    table.add_row("p99 there", *(f"{of[1] * 1000:.0f} ms ({said.p99 * 1000:.0f})" for of, said in quantiles))
    table.add_row("share of each worker", *(" ".join(f"{share:.2f}" for share in run.shares) for run in runs))
    table.add_row("longest wait for a lock", *(f"{run.lock_wait * 1000:.0f} ms" for run in runs))
    table.add_row("rate, of what the CPU allows (aim: .85)", *(f"{_of_cpu(run):.2f}" for run in runs))
    one = runs[0].cpu["workers"]
    table.add_row("CPU of workers, of one's (aim: .9 to 1.1)", *(f"{run.cpu['workers'] / one:.2f}" for run in runs))
    table.add_row("turns there, refused", *(f"{len(run.taken)}, {run.refused}" for run in runs))
    for who in runs[0].cpu:
        table.add_row(f"CPU of {who} a turn", *(f"{run.cpu[who] * 1000:.1f} ms" for run in runs))
    Console().print(table)


if __name__ == "__main__":
    main()
