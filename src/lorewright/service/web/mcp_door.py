"""MCP over HTTP at a service: a token of a seat opens a server that sees and does what that seat may.

Each token has a server of its own, made at its first request, so a client can neither name another campaign nor look
with other eyes. Calls run in threads of their own, as they do under `lorewright mcp`; the head of a campaign is
guarded, so a turn that somebody else commits meanwhile refuses theirs and nothing is played twice.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from lorewright.bootstrap import App
from lorewright.errors import AccessRefused, LorewrightError, NotSignedIn
from lorewright.service.queries import Queries
from lorewright.service.server import make_server
from lorewright.service.web.access import Caller, caller_of
from lorewright.service.web.accounts import Seat
from lorewright.service.web.events import TableEvent
from lorewright.service.web.problems import problem_of, respond
from lorewright.service.web.service import Service
from lorewright.visibility import Viewer

PATH = "/mcp"
# So many servers are kept; the one that was not asked for longest is ended for another.
_MOST_SERVERS = 64


@dataclass(slots=True)
class _Running:
    """A server of one token: its sessions, and the task that holds them open."""

    manager: StreamableHTTPSessionManager
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Hold the sessions open until it is told to stop."""
        async with self.manager.run():
            self.ready.set()
            await self.stop.wait()


class McpDoor:
    """The ASGI app at `/mcp`."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._app: App | None = None
        self._running: OrderedDict[str, _Running] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of a client."""
        try:
            caller, seat, key = self._let_in(Request(scope))
            before = await self._position(seat)
            running = await self._server(key, caller, seat)
        except LorewrightError as error:
            await respond(problem_of(error, self._service.workspace))(scope, receive, send)
            return
        await running.manager.handle_request(scope, receive, send)
        if scope["method"] == "POST":
            with suppress(LorewrightError):
                if await self._position(seat) != before:
                    self._service.hub.publish(seat.campaign_id, TableEvent("moved", by=caller.account.id))
                    await self._service.index(seat.campaign_id)

    async def close(self) -> None:
        """End all servers."""
        while self._running:
            _, running = self._running.popitem()
            await _end(running)

    def _let_in(self, request: Request) -> tuple[Caller, Seat, str]:
        """Return who asks, from which seat, and a key for the two.

        Raises:
            NotSignedIn: the request has no token; a cookie is for browsers.
            AccessRefused: the token is not for one campaign.
            NotFound: its account has no such seat any more.
        """
        if not request.headers.get("authorization"):
            raise NotSignedIn("a token is asked for", hint="make one for a campaign: your account, tokens")
        caller = caller_of(request, self._service.accounts)
        caller.needs("read")
        if caller.campaign_id is None:
            raise AccessRefused("the token is not for one campaign", hint="make one with a campaign_id")
        self._service.requests.take(caller.account.id)
        seat = caller.seat(self._service.accounts, caller.campaign_id)
        scopes = ",".join(sorted(caller.scopes))
        return caller, seat, f"{caller.account.id} {seat.campaign_id} {seat.role} {scopes}"

    async def _position(self, seat: Seat) -> tuple[str, int]:
        return await self._service.read(
            seat, lambda campaign, seat: (campaign.store.position().turn_id, campaign.store.position().revision)
        )

    async def _server(self, key: str, caller: Caller, seat: Seat) -> _Running:
        running = self._running.get(key)
        if running is None:
            plays = "play" in caller.scopes and seat.may_play
            app = await asyncio.to_thread(self._opened)
            queries = await asyncio.to_thread(Queries, app, Viewer(seat.viewer), seat.campaign_id)
            server = make_server(queries, read_only=not plays)
            running = _Running(StreamableHTTPSessionManager(server._lowlevel_server, stateless=True))
            self._running[key] = running
            running.task = asyncio.create_task(running.run())
            while len(self._running) > _MOST_SERVERS:
                _, oldest = self._running.popitem(last=False)
                await _end(oldest)
        self._running.move_to_end(key)
        await running.ready.wait()
        return running

    def _opened(self) -> App:
        if self._app is None:
            self._app = self._service.open_app()
        return self._app


async def _end(running: _Running) -> None:
    running.stop.set()
    if running.task is not None:
        await running.task
