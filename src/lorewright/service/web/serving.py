"""The options of `lorewright serve` -> a service that is ready to run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from ipaddress import ip_network
from types import FrameType
from urllib.parse import urlsplit

import uvicorn

from lorewright.bootstrap import App, open_app
from lorewright.errors import SettingsError
from lorewright.index.artifacts.lore_store import LoreStore
from lorewright.service.http import address_of
from lorewright.service.web.app import make_app
from lorewright.service.web.engine import DRAIN_S, Engine
from lorewright.service.web.indexing.queue import IndexerJobs
from lorewright.service.web.jobs import ChildJobs, JobQueue
from lorewright.service.web.service import Service, ServiceAddress, make_limits
from lorewright.service.web.store import OWNER_LINK, Accounts
from lorewright.settings import CAMPAIGN_ROOM_MB, TURNS_A_MINUTE, Workspace
from lorewright.storage.postgres.channel import Channel
from lorewright.storage.postgres.service_rows import PostgresRows
from lorewright.storage.postgres.store import PostgresStore

# How long open requests may take to end when the service stops; then streams are cut.
_GRACE_S = 10


def make_service(
    listen: str,
    *,
    public_url: str | None = None,
    with_accounts: bool = False,
    lore_models: Sequence[str] = (),
    elsewhere: PostgresStore | None = None,
    lore_store: LoreStore | None = None,
    jobs_at: str | None = None,
    turns_a_minute: float = TURNS_A_MINUTE,
    campaign_room_mb: float = CAMPAIGN_ROOM_MB,
    open_workspace: Callable[[], App] | None = None,
) -> Service:
    """Return a service of the workspace, with its engine running. `listen` is HOST:PORT or a port;
    `lore_models` are the keys of models that its owner's chats with lore may ask. With `elsewhere` campaigns are
    kept there; the caller closes it. Packs that are not installed come from a `lore_store`; those that are
    sent wait in the PostgreSQL database `jobs_at` for an indexer, or without it are installed here.
    An account may play `turns_a_minute`, and the campaigns that are open may take `campaign_room_mb` of memory.

    Raises:
        SettingsError: the address cannot be served as it is, or `public_url` is no URL.
        And what opening a workspace raises.
    """
    at = address_of(listen)
    if not at.is_local and not with_accounts:
        raise SettingsError(
            f"{at.host} can be reached from other machines",
            hint="say --accounts, and how it is reached: --public-url https://…; or serve at 127.0.0.1",
        )
    if not at.is_local and public_url is None:
        raise SettingsError(
            "nobody knows under which name it is reached", hint="give --public-url https://lore.example.org"
        )
    url = at.url.removesuffix("/mcp") if public_url is None else _url(public_url)

    def opened() -> App:
        if open_workspace is None:
            app = open_app(long_lived=True, elsewhere=elsewhere, lore_store=lore_store)
        else:
            app = open_workspace()
        # Nobody sits at a terminal: what was not agreed to beforehand is refused.
        app.campaigns.hold_to_trust()
        return app

    first = opened()
    for key in lore_models:
        first.stage_models.check(key)
    engine = Engine(opened, room_bytes=campaign_room_mb * 1e6)
    engine.start()
    rows = None if elsewhere is None else open_rows(elsewhere, first.workspace)
    channel = None if elsewhere is None or rows is None else Channel(elsewhere, rows)
    accounts = Accounts(first.workspace.accounts if rows is None else rows)
    lore_url = None if lore_store is None else lore_store.url
    jobs: JobQueue = (
        ChildJobs(accounts, first.workspace.root, channel, lore_url=lore_url)
        if jobs_at is None
        else IndexerJobs(jobs_at)
    )
    return Service(
        engine=engine,
        accounts=accounts,
        jobs=jobs,
        channel=channel,
        address=ServiceAddress(url, at.is_local and public_url is None),
        workspace=first.workspace.root,
        open_app=opened,
        lore_models=tuple(dict.fromkeys(lore_models)),
        lore_store=lore_store,
        **make_limits(rows, turns_a_minute=turns_a_minute),
    )


def open_rows(elsewhere: PostgresStore, workspace: Workspace) -> PostgresRows:
    """Return the tables of accounts beside campaigns in PostgreSQL.

    Raises:
        SettingsError: there are no accounts in them, and the workspace has some in its file: those who have seats would
            be let in no more.
    """
    rows = PostgresRows(elsewhere)
    if workspace.accounts.is_file() and not rows.rows("SELECT 1 AS found FROM accounts LIMIT 1"):
        rows.close()
        raise SettingsError(
            f"the accounts of this workspace are in {workspace.accounts.name}, and {elsewhere.name} has none",
            hint=f"run: lorewright db copy --to URL; to begin without accounts, move {workspace.accounts.name} away",
        )
    return rows


def open_lore_store(url: str, *, room_gb: float) -> LoreStore:
    """Return a store of lore that answers.

    Raises:
        SettingsError: the URL is none of a store.
        ExtraMissing: the library for it is not installed.
        LoreStoreUnavailable: it does not answer.
    """
    store = LoreStore(url, room_bytes=int(room_gb * 1e9))
    store.pointers()
    return store


def _url(text: str) -> str:
    parts = urlsplit(text.strip())
    if (
        parts.scheme not in ("http", "https")
        or not re.fullmatch(r"[\w.\[\]:-]+", parts.netloc)
        or parts.path.strip("/")
    ):
        raise SettingsError(f"{text!r} is no address", hint="as in https://lore.example.org, without a path")
    return f"{parts.scheme}://{parts.netloc}"


def owner_link(service: Service) -> str:
    """Return a link that lets its reader in as the owner, once, within hours."""
    accounts = service.accounts
    secret, _ = accounts.new_link("owner", accounts.owner(), lasts=OWNER_LINK)
    return f"{service.address.url}/enter/{secret}"


def _network(text: str) -> str:
    try:
        return str(ip_network(text.strip()))
    except ValueError:
        raise SettingsError(f"{text!r} is no address or network", hint="as in 10.0.0.5 or 172.16.0.0/12") from None


class _Server(uvicorn.Server):
    """A server that leaves in order when it is told to: streams are told, `/readyz` fails, and new turns are refused at
    once; it stops when running turns have ended and proxies have had time to send people elsewhere."""

    def __init__(self, config: uvicorn.Config, service: Service, *, drain_s: float) -> None:
        super().__init__(config)
        self._service = service
        self._drain_s = drain_s
        self._told: tuple[int, float] | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to leave; told a second time, stop."""
        if self._told is not None:
            super().handle_exit(sig, frame)
            return
        self._told = sig, time.monotonic()
        self._service.hub.close()

    async def on_tick(self, counter: int) -> bool:
        """Return True when it is time to stop."""
        if self._told is not None and not self.should_exit:
            sig, since = self._told
            waited = time.monotonic() - since
            is_idle = not self._service.engine.waiting and waited >= self._drain_s
            if is_idle or waited >= self._drain_s + DRAIN_S:
                super().handle_exit(sig, None)
        return await super().on_tick(counter)


def run(
    service: Service, listen: str, *, behind_proxy: bool = False, proxies: Sequence[str] = (), drain_s: float = 0.0
) -> None:
    """Serve until the process is told to stop: running turns end, streams are told. `behind_proxy` believes the headers
    of a proxy on this machine about who asks, `proxies` are the addresses or networks of others; for `drain_s` seconds
    after it was told to stop it still answers, so that a proxy sees that it leaves."""
    at = address_of(listen)
    believed = (*(("127.0.0.1", "::1") if behind_proxy else ()), *map(_network, proxies))
    config = uvicorn.Config(
        make_app(service),
        host=at.host,
        port=at.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(believed),
        forwarded_allow_ips=",".join(believed),
        timeout_graceful_shutdown=_GRACE_S,
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=32 * 1024,
    )
    _Server(config, service, drain_s=drain_s).run()
