"""Tables in a PostgreSQL, workers that serve them, a proxy before the workers where there is one, and people who play: what a
test of the whole needs, and what has to hold when it is over."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.copying import check_copy, copy_campaign
from lorewright.storage.postgres.store import PostgresStore
from support import harbour as h
from support.played_in_a_browser import free_port
from support.proxies import Proxy, find_proxy, proxying
from support.workers import Account, Player, Worker, enter, invite


@dataclass
class Company:
    """Workers and players."""

    app: App
    database: str
    host: str
    workers: list[Worker]
    proxy: Proxy | None
    owner: Account
    accounts: dict[str, Account]
    players: list[Player] = field(default_factory=list)

    @property
    def urls(self) -> list[str]:
        """The addresses that players send to: the proxy's, or all workers'."""
        if self.proxy is not None:
            return [f"http://{self.host}"]
        return [f"http://127.0.0.1:{worker.port}" for worker in self.workers]

    def play(self, *, pause_s: float = 0.25) -> list[Player]:
        """Have everybody play."""
        self.players = [
            Player(self.urls, self.host, account, campaign, pause_s=pause_s)
            for campaign, account in self.accounts.items()
        ]
        for player in self.players:
            player.start()
        return self.players

    @property
    def turns(self) -> int:
        """How many turns were acknowledged."""
        return sum(len(player.acknowledged) for player in self.players)

    def finish(self) -> list[str]:
        """Have everybody stop, and return what is wrong: turns that were lost or played twice, keys that are answered in
        other bytes, by the proxy or by a worker, campaigns that are not clean."""
        for player in self.players:
            player.is_over.set()
        wrong = []
        for player in self.players:
            player.join(300)
            if player.is_alive():
                wrong.append(f"{player.campaign}: still waits")
            wrong += player.wrong
        for worker in self.workers:
            worker.wait(self.host)
        for player in self.players:
            wrong += self._answered_otherwise(player)
            player.close()
        with closing(PostgresStore(self.database)) as store:
            for player in self.players:
                wrong += _amiss(open_app(self.app.workspace.root, elsewhere=store), player)
        return wrong

    def _answered_otherwise(self, player: Player) -> list[str]:
        urls = [*self.urls, *(f"http://127.0.0.1:{worker.port}" for worker in self.workers)]
        # All by one, and the last by everybody.
        asked = [(urls[0], told) for told in player.acknowledged]
        asked += [(url, told) for url in urls[1:] for told in player.acknowledged[-3:]]
        found = []
        for url, told in asked:
            if player.send(told.key, told.line, url=url) != told.content:
                found.append(f"{told.key}: {url} answers other bytes")
        return found


def _amiss(app: App, player: Player) -> list[str]:
    wrong = []
    with app.campaigns.reading(player.campaign) as store:
        rows = store.database.rows("SELECT user_action_id, count(*) AS times FROM turns GROUP BY user_action_id")
        wrong += [f"{player.campaign}: {row['user_action_id']} was played twice" for row in rows if row["times"] > 1]
        played = sum(turn.kind == "play" for turn in store.path())
        if played != len(player.acknowledged) + len(player.wrong):
            wrong.append(f"{player.campaign}: {played} turns, {len(player.acknowledged)} acknowledged")
        found = check_copy(store.database, player.campaign, app.campaigns.kept)
        wrong += [f"{player.campaign}: {finding.code} {finding.what}" for finding in found.findings]
    return wrong


@contextmanager
def company(
    folder: Path, database: str, *, tables: int, workers: int, proxy: str | None = None, options: tuple[str, ...] = ()
) -> Iterator[Company]:
    """Serve tables of a database until the block ends. `proxy` is its kind; where it is not installed, and for None, players
    send to the workers themselves."""
    app = h.harbour(folder / "workspace")
    campaigns = ["game", *(f"game{number}" for number in range(1, tables))]
    for number, campaign in enumerate(campaigns[1:]):
        app.campaigns.new("night_boat", campaign_id=campaign, seed=number)
    with closing(PostgresStore(database)) as store:
        elsewhere = open_app(app.workspace.root, elsewhere=store)
        for campaign in campaigns:
            assert copy_campaign(app.campaigns, elsewhere.campaigns, campaign).is_equal
            app.campaigns.remove(campaign)
    port = free_port()
    host = f"127.0.0.1:{port}"
    with ExitStack() as stack:
        running = []
        for _ in range(workers):
            # Nobody waits for a limit on turns.
            running.append(
                Worker(app.workspace.root, database, f"http://{host}", "--turns-a-minute", "60000", *options)
            )
            stack.callback(running[-1].kill)
            # The first makes the accounts and the tables.
            running[0].wait(host)
        for worker in running:
            worker.wait(host)
        before = None
        if proxy is not None and find_proxy(proxy) is not None:
            ports = [worker.port for worker in running]
            before = stack.enter_context(proxying(proxy, folder / "proxy", port, ports))
        first = f"http://127.0.0.1:{running[0].port}"
        owner = enter(first, host, running[0].secret())
        accounts = {campaign: invite(first, host, owner, campaign, f"player of {campaign}") for campaign in campaigns}
        found = Company(app, database, host, running, before, owner, accounts)
        try:
            yield found
        finally:
            for player in found.players:
                player.is_over.set()
                player.close()


def restart(worker: Worker, host: str, *, with_signal: int = signal.SIGKILL) -> None:
    """End a worker with a signal, and start it again."""
    assert worker.process is not None
    if with_signal == signal.SIGKILL:
        worker.kill()
    else:
        worker.signal(with_signal)
        assert worker.process.wait(90) in (0, -with_signal), os.fspath(worker.log)
    worker.start()
    worker.wait(host)
