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
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import AccessRefused, Busy, LorewrightError, NotSignedIn, TooManyRequests
from lorewright.service.queries import PlayHost, Queries
from lorewright.service.server import make_server
from lorewright.service.web.access import Caller, caller_of
from lorewright.service.web.accounts import Seat
from lorewright.service.web.events import TableEvent, name_seat
from lorewright.service.web.problems import problem_of, respond
from lorewright.service.web.service import Service
from lorewright.service.web.turn_rules import check_move, name_action
from lorewright.visibility import Viewer

PATH = "/mcp"
# So many servers are kept; the one that was not asked for longest is ended for another.
_MOST_SERVERS = 64


@dataclass(slots=True)
class _Running:
    """A server of one token: its sessions, the task that holds them open, and how many requests it answers."""

    manager: StreamableHTTPSessionManager
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    answering: int = 0

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
        self._opening = asyncio.Lock()
        self._is_closed = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of a client."""
        try:
            caller, seat, key = self._let_in(Request(scope))
            before = await self._position(seat)
            running = await self._server(key, caller, seat)
        except LorewrightError as error:
            wait = error.retry_after_s if isinstance(error, TooManyRequests) else None
            await respond(problem_of(error, self._service.workspace), retry_after_s=wait)(scope, receive, send)
            return
        try:
            await running.manager.handle_request(scope, receive, send)
        finally:
            running.answering -= 1
        if scope["method"] == "POST":
            with suppress(LorewrightError):
                if await self._position(seat) != before:
                    self._service.hub.publish(seat.campaign_id, TableEvent("moved", by=name_seat(seat)))
                    await self._service.index(seat.campaign_id)

    async def close(self) -> None:
        """End all servers; requests that come later are refused."""
        async with self._opening:
            self._is_closed = True
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
        """Return the server of a key, made at its first request; it counts the request that it is asked for. Servers
        are made one after the other, and none ends that answers somebody.

        Raises:
            Busy: the service stops, or all servers answer others.
        """
        async with self._opening:
            if self._is_closed:
                raise Busy("the service stops", hint="try again in a moment")
            running = self._running.get(key)
            if running is None:
                await self._make_room()
                running = await self._made(caller, seat)
                self._running[key] = running
            self._running.move_to_end(key)
            running.answering += 1
        return running

    async def _made(self, caller: Caller, seat: Seat) -> _Running:
        plays = "play" in caller.scopes and seat.may_play
        app = await asyncio.to_thread(self._opened)
        host = _SeatHost(self._service, caller, seat)
        queries = await asyncio.to_thread(Queries, app, Viewer(seat.viewer), seat.campaign_id, host=host)
        server = make_server(queries, read_only=not plays)
        running = _Running(StreamableHTTPSessionManager(server._lowlevel_server, stateless=True))
        running.task = asyncio.create_task(running.run())
        await running.ready.wait()
        return running

    async def _make_room(self) -> None:
        idle = [key for key, running in self._running.items() if not running.answering]
        while len(self._running) >= _MOST_SERVERS:
            if not idle:
                raise Busy("too many programs are connected", hint="try again in a moment")
            await _end(self._running.pop(idle.pop(0)))

    def _opened(self) -> App:
        if self._app is None:
            self._app = self._service.open_app()
        return self._app


class _SeatHost(PlayHost):
    """The rules of a seat: its turns count as others of its account do, and it moves the story as others may."""

    def __init__(self, service: Service, caller: Caller, seat: Seat) -> None:
        self._service = service
        self._account = caller.account
        self._seat = seat

    def begin_turn(self, action_id: str | None) -> str:
        """Count a turn and return the action ID that it is played under, which no other account can name.

        Raises:
            TooManyRequests: the account plays too fast.
        """
        self._service.turns.take(self._account.id)
        return name_action(self._account, action_id)

    def check_move(self, campaign: OpenCampaign, *, is_last: bool) -> None:
        """Refuse a move of a story that others play too.

        Raises:
            AccessRefused: it is not this seat's to move.
        """
        try:
            check_move(self._service.accounts, campaign, self._seat, self._account, is_last=is_last)
        finally:
            self._service.accounts.close()


async def _end(running: _Running) -> None:
    running.stop.set()
    if running.task is not None:
        await running.task
