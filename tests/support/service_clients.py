"""A server over a small campaign, and clients of the SDK's own that ask it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from mcp import Client
from mcp.server import MCPServer
from mcp.types import CallToolResult

from lorewright.bootstrap import App
from lorewright.service.queries import Queries
from lorewright.service.server import make_server
from lorewright.visibility import Viewer

T = TypeVar("T")

# With the handshake of before, and without one.
MODES = ("legacy", "auto")


def asked(
    app: App,
    ask: Callable[[Client], Awaitable[T]],
    *,
    viewer: str = "gm",
    campaign: str | None = "game",
    mode: str = "auto",
    **settings: Any,
) -> T:
    """What a client gets that is connected in memory."""

    async def run() -> T:
        server = _server_for(app, viewer, campaign, settings)
        async with Client(server, mode=mode) as client:
            return await ask(client)

    return asyncio.run(run())


# A server answers many clients, one after the other, and its tools take a tenth of a second to make: the latest are kept.
_SERVERS: deque[tuple[App, tuple[object, ...], MCPServer[Any]]] = deque(maxlen=4)


def _server_for(app: App, viewer: str, campaign: str | None, settings: dict[str, Any]) -> MCPServer[Any]:
    how = (viewer, campaign, settings)
    for known, its_how, server in _SERVERS:
        if known is app and its_how == how:
            return server
    made = make_server(Queries(app, Viewer(viewer), campaign), **settings)
    _SERVERS.append((app, how, made))
    return made


def call(app: App, tool: str, arguments: dict[str, Any] | None = None, **how: Any) -> dict[str, Any]:
    """The structured answer of a tool that must not fail."""
    result = raw_call(app, tool, arguments, **how)
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    return result.structured_content


def fail(app: App, tool: str, arguments: dict[str, Any] | None = None, **how: Any) -> str:
    """What a tool says that must fail."""
    result = raw_call(app, tool, arguments, **how)
    assert result.is_error, text_of(result)
    return text_of(result)


def raw_call(app: App, tool: str, arguments: dict[str, Any] | None = None, **how: Any) -> CallToolResult:
    """Whatever comes of a call."""

    async def ask(client: Client) -> CallToolResult:
        return await client.call_tool(tool, arguments or {})

    return asked(app, ask, **how)


def text_of(result: CallToolResult) -> str:
    """All text of an answer."""
    return "\n".join(getattr(one, "text", "") for one in result.content)
