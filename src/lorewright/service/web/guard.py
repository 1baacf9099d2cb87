"""What stands before the service, for every request: the name that it was called by, its origin, its size and time; and
the headers that every answer has."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lorewright.service.web.problems import respond
from lorewright.service.web.shapes import Problem

# The largest body of a request, in bytes, and of one that uploads a file; the time that a body may take, in seconds.
MOST_BYTES = 256 * 1024
MOST_UPLOADED = 64 * 1024 * 1024
BODY_TIMEOUT_S = 30.0
_UPLOADS = ("/v1/import", "/import", "/v1/packs", "/workshop/send")
# A client of a chat sends all of it each time.
MOST_CHATTED = 4 * 1024 * 1024
_CHATS = ("/v1/chat/completions",)
# So many digits a length has at most.
_LONGEST_LENGTH = 12
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

# Scripts, styles and pictures of our own alone; no frames, no plug-ins, no base, forms to ourselves alone.
POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class _BodyRefused(Exception):
    """A body was too large, or too slow; the guard answers, whatever the app makes of this."""


class Guard:
    """Refuses requests by other names than the service's own, changes that pages of other sites ask for, and bodies
    that are too large or too slow."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str],
        origins: Collection[str],
        most_bytes: int = MOST_BYTES,
        timeout_s: float = BODY_TIMEOUT_S,
    ) -> None:
        """`hosts` are Host headers, with their port, and `origins` Origins that are let in."""
        self._app = app
        self._hosts = frozenset(host.casefold() for host in hosts)
        self._origins = frozenset(origin.casefold() for origin in origins)
        self._most_bytes = most_bytes
        self._timeout_s = timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}

        body = _Body(receive, self._most(scope["path"]), self._timeout_s)
        began = False

        async def send_with_headers(message: Message) -> None:
            nonlocal began
            if body.refusal is not None and not began:
                # Of the app's own answer to a body that broke off nothing is sent.
                return
            if message["type"] == "http.response.start":
                began = True
                message = {**message, "headers": [*_without_ours(message), *_HEADERS]}
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await respond(refusal)(scope, receive, send_with_headers)
            return
        with suppress(_BodyRefused):
            await self._app(scope, body.receive, send_with_headers)
        if body.refusal is not None and not began:
            refusal, body.refusal = body.refusal, None
            await respond(refusal)(scope, receive, send_with_headers)

    def _most(self, path: str) -> int:
        if path in _UPLOADS:
            return MOST_UPLOADED
        return MOST_CHATTED if path in _CHATS else self._most_bytes

    def _refusal(self, scope: Scope, headers: MutableMapping[bytes, bytes]) -> Problem | None:
        host = headers.get(b"host", b"").decode("latin-1").casefold()
        if host not in self._hosts:
            detail = "the service is not called by this name"
            return Problem(title="Misdirected Request", status=421, detail=detail, code="unknown_host")
        length = headers.get(b"content-length", b"0")
        most = self._most(scope["path"])
        if not length.isdigit() or len(length) > _LONGEST_LENGTH or int(length) > most:
            return _too_large(most)
        if scope["method"] in _SAFE:
            return None
        origin = headers.get(b"origin", b"").decode("latin-1").casefold()
        came_from = origin or _origin_of(headers.get(b"referer", b"").decode("latin-1"))
        if came_from and came_from not in self._origins:
            detail = "a page of another site asked for this"
            return Problem(title="Forbidden", status=403, detail=detail, code="foreign_origin")
        return None


def _without_ours(message: Message) -> list[Any]:
    ours = {name for name, _ in _HEADERS}
    return [(name, value) for name, value in message["headers"] if name.lower() not in ours]


def _origin_of(referrer: str) -> str:
    """Return the origin of a page's address, none where there is no address; what cannot be read is foreign."""
    try:
        parts = urlsplit(referrer)
    except ValueError:
        return "unreadable"
    return f"{parts.scheme}://{parts.netloc}".casefold() if parts.netloc else ""


class _Body:
    """The body of a request: at most so many bytes, which arrive within so many seconds."""

    def __init__(self, receive: Receive, most: int, timeout_s: float) -> None:
        self._receive = receive
        self._most = most
        self._deadline = asyncio.get_running_loop().time() + timeout_s
        self._read = 0
        self._is_whole = False
        self.refusal: Problem | None = None

    async def receive(self) -> Message:
        """Return the next message of the request.

        Raises:
            _BodyRefused: the body is too large, or takes too long.
        """
        if self._is_whole:
            # Only that the client has gone is waited for.
            return await self._receive()
        left = self._deadline - asyncio.get_running_loop().time()
        try:
            message = await asyncio.wait_for(self._receive(), max(left, 0.001))
        except TimeoutError:
            detail = "the request took too long to arrive"
            self.refusal = Problem(title="Request Timeout", status=408, detail=detail, code="request_timeout")
            raise _BodyRefused from None
        if message["type"] != "http.request":
            self._is_whole = True
            return message
        self._read += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        if self._read > self._most:
            self.refusal = _too_large(self._most)
            raise _BodyRefused
        return message


def _too_large(most: int) -> Problem:
    return Problem(
        title="Content Too Large", status=413, detail=f"a request has at most {most} bytes", code="too_large"
    )
