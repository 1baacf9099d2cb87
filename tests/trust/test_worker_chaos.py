"""Four workers, a proxy, a PostgreSQL with a replica, and people who play while workers are killed, PostgreSQL is stopped and
the replica takes over: no acknowledged turn is lost, none is played twice, the same key gives the same bytes."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
import pytest_socket

pytest.importorskip("psycopg", reason="make extras installs a PostgreSQL and what speaks to it")

from support.postgres_pair import PostgresPair
from support.postgres_server import PostgresServer, new_database, require_postgres
from support.scale import scaled
from support.small_disk import mounted
from support.tally import counted
from support.worker_company import Company, company, restart
from support.workers import Worker

pytestmark = [pytest.mark.campaign, pytest.mark.trust, pytest.mark.server]

TABLES, WORKERS = 6, 4
KILLS, STOPS, PROXY_RESTARTS = scaled(10), scaled(1), scaled(1)
PROMOTIONS = max(1, 3 * scaled(1) // 10)
HELD_S = 30.0 if scaled(1) > 1 else 12.0
# A request that failed is answered after so long; where the machine is busy, later.
RECOVERED_S = 60.0 if "CI" in os.environ else 15.0


@pytest.fixture
def on_loopback(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    require_postgres()
    if "LOREWRIGHT_TEST_DATABASE" in os.environ:
        pytest.skip("a server that others use is not stopped")


@pytest.fixture
def pair() -> Iterator[PostgresPair]:
    found = PostgresPair()
    try:
        yield found
    finally:
        found.remove()


class Chaos:
    """What is done to a company, and when."""

    def __init__(self, here: Company, pair: PostgresPair) -> None:
        self.here, self.pair = here, pair
        self.random = random.Random(11)
        self.done: list[tuple[float, str]] = []
        self._back: list[threading.Thread] = []
        self._away: set[int] = set()

    def take(self) -> Worker:
        """Return a worker of those that are there; wait until two others are."""
        until = time.monotonic() + 300
        while len(self._away) > WORKERS - 3:
            assert time.monotonic() < until, "the killed workers do not come back"
            time.sleep(0.1)
        return self.random.choice([w for w in self.here.workers if w.port not in self._away])

    def kill(self) -> None:
        """Kill a worker; it is started again meanwhile."""
        worker = self.take()
        self._away.add(worker.port)
        worker.kill()

        def come_back() -> None:
            restart(worker, self.here.host)
            self._away.discard(worker.port)

        self._back.append(threading.Thread(target=come_back, daemon=True))
        self._back[-1].start()

    def stop_postgres(self) -> None:
        self.pair.restart()

    def promote(self) -> None:
        self.pair.promote()

    def hold(self) -> None:
        """Have a worker stand still for a while."""
        worker = self.take()
        self._away.add(worker.port)
        worker.signal(signal.SIGSTOP)
        time.sleep(HELD_S)
        worker.signal(signal.SIGCONT)
        self._away.discard(worker.port)

    def restart_proxy(self) -> None:
        if self.here.proxy is not None:
            self.here.proxy.stop()
            self.here.proxy.start()

    def run(self) -> None:
        """Do all of it, in an order by chance, each while people play."""
        acts: list[Callable[[], None]] = [self.kill] * KILLS + [self.stop_postgres] * STOPS
        acts += [self.promote] * PROMOTIONS + [self.restart_proxy] * PROXY_RESTARTS + [self.hold]
        self.random.shuffle(acts)
        for act in acts:
            played, until = self.here.turns, time.monotonic() + 300
            while self.here.turns < played + 3:
                assert time.monotonic() < until, [p.wrong for p in self.here.players]
                time.sleep(0.05)
            time.sleep(self.random.uniform(0, 1))
            self.done.append((time.monotonic(), act.__name__))
            act()
        for thread in self._back:
            thread.join(300)

    def recoveries(self) -> dict[str, tuple[int, float]]:
        """Return for each act how many requests failed after it, and the seconds that the worst took."""
        found: dict[str, tuple[int, float]] = {}
        for player in self.here.players:
            for failed, seconds in player.recovery.each:
                name = next((name for at, name in reversed(self.done) if at <= failed + 0.1), "before")
                count, worst = found.get(name, (0, 0.0))
                found[name] = count + 1, max(worst, seconds)
        return found


def test_no_acknowledged_turn_is_lost_whatever_dies(on_loopback: None, pair: PostgresPair, tmp_path: Path) -> None:
    database = pair.address(new_database(pair.primary.address("postgres", "owner")))
    with company(tmp_path, database, tables=TABLES, workers=WORKERS, proxy="haproxy") as here:
        here.play(pause_s=0.6)
        chaos = Chaos(here, pair)
        chaos.run()
        wrong = here.finish()
        again = sum(player.recovery.again for player in here.players)
        statuses = sum((Counter(player.recovery.statuses) for player in here.players), Counter[str]())
        recoveries = chaos.recoveries()
    did = Counter(name for _, name in chaos.done)
    told = ", ".join(
        f"{name}: {count} failed, worst {worst:.1f} s" for name, (count, worst) in sorted(recoveries.items())
    )
    print(f"\n{dict(did)}; {here.turns} turns, sent again {again} {dict(statuses)}; {told}")  # noqa: T201
    assert wrong == []
    assert max(worst for _, worst in (*recoveries.values(), (0, 0.0))) < RECOVERED_S, told
    counted("kills", "one of four workers, while people play", KILLS, answered_turns=here.turns, sent_again=again)
    counted("kills", "PostgreSQL under four workers", STOPS + PROMOTIONS, replica_took_over=PROMOTIONS)


def test_a_full_disk_under_postgres_loses_no_acknowledged_turn(on_loopback: None, tmp_path: Path) -> None:
    disk = Path(f"/tmp/lorewright-disk-{os.getpid()}")
    try:
        with mounted(disk, 160_000_000):
            server = PostgresServer(disk)
            try:
                _fill_and_go_on(server, disk, tmp_path)
            finally:
                server.remove()
    finally:
        with suppress(OSError):
            disk.rmdir()


def _fill(ballast: Path) -> None:
    """Write a file until the disk is full."""
    with ballast.open("ab", buffering=0) as file, suppress(OSError):
        while file.write(bytes(16 * 1024)):
            pass


def _fill_and_go_on(server: PostgresServer, disk: Path, tmp_path: Path) -> None:
    with company(
        tmp_path, new_database(server.address("postgres", "owner")), tables=3, workers=2, proxy="haproxy"
    ) as here:
        players = here.play(pause_s=0.05)
        ballast = disk / "ballast"
        for _ in range(scaled(1)):
            played = here.turns
            while here.turns < played + 10:
                time.sleep(0.1)
            _fill(ballast)
            until, again = time.monotonic() + 120, sum(player.recovery.again for player in players)
            while sum(player.recovery.again for player in players) < again + 3:
                assert time.monotonic() < until, "the disk is full, and nobody is refused"
                # What is written of WAL already has room; what becomes free is filled again.
                _fill(ballast)
                time.sleep(0.1)
            ballast.unlink()
            server.stop("immediate")
            server.start()
        assert here.finish() == []
        counted("faults", "a full disk under PostgreSQL", scaled(1), answered_turns=here.turns)


def test_the_workers_answer_after_a_long_stop_of_postgres(on_loopback: None, tmp_path: Path) -> None:
    server = PostgresServer()
    try:
        with company(
            tmp_path, new_database(server.address("postgres", "owner")), tables=3, workers=2, proxy="haproxy"
        ) as here:
            players = here.play()
            while here.turns < 6:
                time.sleep(0.1)
            server.stop("immediate")
            time.sleep(20)
            server.start()
            began, played = time.monotonic(), [len(player.acknowledged) for player in players]
            while any(len(p.acknowledged) <= before for p, before in zip(players, played, strict=True)):
                assert time.monotonic() - began < RECOVERED_S, [p.recovery.statuses for p in players]
                time.sleep(0.1)
            print(f"\nanswered {time.monotonic() - began:.1f} s after PostgreSQL was there again")  # noqa: T201
            assert here.finish() == []
    finally:
        server.remove()


def test_a_worker_that_stands_still_in_a_transaction_holds_up_no_other_for_long(
    on_loopback: None, tmp_path: Path
) -> None:
    server = PostgresServer()
    try:
        with company(
            tmp_path, new_database(server.address("postgres", "owner")), tables=2, workers=1, proxy=None
        ) as here:
            import psycopg

            # Another process, which stands still after its first statement.
            with psycopg.connect(here.database) as other:
                # As the store's connections are.
                other.execute("SET search_path = lorewright; SET idle_in_transaction_session_timeout = '10s'")
                other.execute("SELECT set_config('lorewright.campaign', 'game', false)")
                other.execute("SELECT 1 FROM campaigns WHERE id = 'game' FOR UPDATE")
                players, began = here.play(), time.monotonic()
                while not all(player.acknowledged for player in players):
                    assert time.monotonic() - began < RECOVERED_S
                    time.sleep(0.1)
                assert here.finish() == []
                with suppress(psycopg.Error):
                    other.close()
    finally:
        server.remove()


def test_without_a_proxy_players_find_another_worker(on_loopback: None, tmp_path: Path, postgres: str) -> None:
    with company(tmp_path, new_database(postgres), tables=2, workers=2, proxy=None) as here:
        here.play(pause_s=0.6)
        while here.turns < 4:
            time.sleep(0.1)
        here.workers[0].kill()
        played = [len(player.acknowledged) for player in here.players]
        until = time.monotonic() + 60
        while any(len(p.acknowledged) < before + 3 for p, before in zip(here.players, played, strict=True)):
            assert time.monotonic() < until
            time.sleep(0.1)
        with pytest.raises(httpx.TransportError):
            httpx.get(f"http://127.0.0.1:{here.workers[0].port}/healthz", timeout=2)
        restart(here.workers[0], here.host)
        assert here.finish() == []
