"""What stands before the service, for every request: the name that it was called by, its origin, its size and time; and
the headers that every answer has."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lorewright.service.web.problems import respond
from lorewright.service.web.shapes import Problem

# The largest body of a request, in bytes, and of one that uploads a file; the time that a body may take, in seconds.
MOST_BYTES = 256 * 1024
MOST_UPLOADED = 64 * 1024 * 1024
BODY_TIMEOUT_S = 30.0
_UPLOADS = ("/v1/import", "/import")
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


class _TooLarge(HTTPException):
    """A body is larger than it may be."""

    def __init__(self, most: int) -> None:
        super().__init__(413, f"a request has at most {most} bytes")


class _TooSlow(HTTPException):
    """A body took longer than it may."""

    def __init__(self) -> None:
        super().__init__(408, "the request took too long to arrive")


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

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*_without_ours(message), *_HEADERS]}
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await respond(refusal)(scope, receive, send_with_headers)
            return
        most = MOST_UPLOADED if scope["path"] in _UPLOADS else self._most_bytes
        await self._app(scope, _bounded(receive, most, self._timeout_s), send_with_headers)

    def _refusal(self, scope: Scope, headers: MutableMapping[bytes, bytes]) -> Problem | None:
        host = headers.get(b"host", b"").decode("latin-1").casefold()
        if host not in self._hosts:
            detail = "the service is not called by this name"
            return Problem(title="Misdirected Request", status=421, detail=detail, code="unknown_host")
        length = headers.get(b"content-length", b"0")
        most = MOST_UPLOADED if scope["path"] in _UPLOADS else self._most_bytes
        if not length.isdigit() or int(length) > most:
            detail = f"a request has at most {most} bytes"
            return Problem(title="Content Too Large", status=413, detail=detail, code="too_large")
        if scope["method"] in _SAFE:
            return None
        origin = headers.get(b"origin", b"").decode("latin-1").casefold()
        referrer = urlsplit(headers.get(b"referer", b"").decode("latin-1"))
        came_from = origin or (f"{referrer.scheme}://{referrer.netloc}".casefold() if referrer.netloc else "")
        if came_from and came_from not in self._origins:
            detail = "a page of another site asked for this"
            return Problem(title="Forbidden", status=403, detail=detail, code="foreign_origin")
        return None


def _without_ours(message: Message) -> list[Any]:
    ours = {name for name, _ in _HEADERS}
    return [(name, value) for name, value in message["headers"] if name.lower() not in ours]


def _bounded(receive: Receive, most: int, timeout_s: float) -> Receive:
    """Return `receive` for a body of at most `most` bytes, which arrives within so many seconds."""
    read, is_whole = 0, False
    deadline = asyncio.get_running_loop().time() + timeout_s

    async def bounded() -> Message:
        nonlocal read, is_whole
        if is_whole:
            # Only that the client has gone is waited for.
            return await receive()
        left = deadline - asyncio.get_running_loop().time()
        try:
            message = await asyncio.wait_for(receive(), max(left, 0.001))
        except TimeoutError:
            raise _TooSlow() from None
        if message["type"] == "http.request":
            read += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if read > most:
                raise _TooLarge(most)
        else:
            is_whole = True
        return message

    return bounded
