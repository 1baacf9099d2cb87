"""An MCP server over streamable HTTP.

Access is decided before anything is read: by the Host header, by the Origin, and beyond this machine by a token."""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

import uvicorn
from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from lorewright.errors import SettingsError

PATH = "/mcp"
# The variable with the token that clients on other machines must send.
TOKEN_VARIABLE = "LOREWRIGHT_MCP_TOKEN"

_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_ADDRESS = re.compile(r"(?:(?P<host>\[[0-9A-Fa-f:.]+\]|[\w.-]+):)?(?P<port>\d{1,5})")
# What a browser sends. The check of the library takes any text behind `http://localhost:` for a port.
_ORIGIN = re.compile(rb"https?://(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?", re.IGNORECASE)
_SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Address:
    """The address that the server listens at."""

    host: str
    port: int

    @property
    def is_local(self) -> bool:
        """True if the address cannot be reached from other machines."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def url(self) -> str:
        """The URL for clients."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}{PATH}"


def address_of(text: str) -> Address:
    """`HOST:PORT`, or a port alone, which is of this machine's own address -> the address.

    Raises:
        SettingsError: it is neither.
    """
    found = _ADDRESS.fullmatch(text)
    if found is None or not 0 < int(found["port"]) < 65_536:
        raise SettingsError(f"{text!r} is no address to serve at", hint="give HOST:PORT, as in 127.0.0.1:8765")
    return Address((found["host"] or "127.0.0.1").strip("[]"), int(found["port"]))


def http_app(
    server: MCPServer[Any], address: Address, *, allowed: Sequence[str] = (), token: str | None = None
) -> ASGIApp:
    """Return the server as an ASGI app. `allowed` are the names, with or without a port, that clients elsewhere use.

    Raises:
        SettingsError: the address can be reached from other machines, and no name is allowed or no token set.
    """
    if not address.is_local and not allowed:
        raise SettingsError(
            f"{address.host} can be reached from other machines",
            hint="serve at 127.0.0.1, or name how clients call this machine: --allow-host NAME",
        )
    if (not address.is_local or allowed) and len(token or "") < _SHORTEST_TOKEN:
        raise SettingsError(
            f"{address.host} can be reached from other machines, and no long enough token is set",
            hint=f"set {TOKEN_VARIABLE} to a secret of at least {_SHORTEST_TOKEN} characters and give it to clients",
        )
    app = server.streamable_http_app(streamable_http_path=PATH, transport_security=security(address, allowed))
    return _OfOrigins(app if token is None else _Guarded(app, token))


def security(address: Address, allowed: Sequence[str] = ()) -> TransportSecuritySettings:
    """Return the Host headers and Origins that are let in: this machine's own names, and the allowed ones. A page of
    another site that makes a browser call the server has neither."""
    names = [*_LOCAL, *allowed]
    if address.is_local:
        names.append(f"[{address.host}]" if ":" in address.host else address.host)
    with_ports = [host for name in names for host in ((name,) if _has_port(name) else (f"{name}:{address.port}",))]
    bare = [name for name in names if not _has_port(name) and address.port in (80, 443)]
    origins = [f"{scheme}://{name}" for name in names for scheme in ("http", "https")]
    return TransportSecuritySettings(
        allowed_hosts=list(dict.fromkeys([*with_ports, *bare, *(name for name in allowed)])),
        allowed_origins=list(
            dict.fromkeys(
                [*origins, *(f"{origin}:*" for origin in origins if not _has_port(origin.partition("://")[2]))]
            )
        ),
    )


def run(app: ASGIApp, address: Address) -> None:
    """Serve until the process is stopped."""
    uvicorn.run(app, host=address.host, port=address.port, log_level="warning", lifespan="on")


def _has_port(name: str) -> bool:
    return bool(re.search(r":\d+$", name)) and not name.endswith("]")


class _OfOrigins:
    """Refuses requests whose Origin is none."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        origins = [value for name, value in scope.get("headers", ()) if name == b"origin"]
        if scope["type"] == "http" and not all(_ORIGIN.fullmatch(origin) for origin in origins):
            await PlainTextResponse("Invalid Origin header", 403)(scope, receive, send)
            return
        await self._app(scope, receive, send)


class _Guarded:
    """Refuses requests without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            shown = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(shown, self._wanted):
                refusal = PlainTextResponse("a token is asked for", 401, {"WWW-Authenticate": "Bearer"})
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)
