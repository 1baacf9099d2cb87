"""The server over HTTP on loopback: a client of the SDK's asks it, and whoever is not of this machine is refused."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
import pytest_socket
from mcp import Client

from lorewright.bootstrap import App
from lorewright.errors import SettingsError
from lorewright.service.http import Address, address_of, http_app, security
from lorewright.service.queries import Queries
from lorewright.service.server import make_server
from lorewright.visibility import Viewer
from support import harbour as h

TOKEN = "a-long-enough-secret-of-the-table"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Served:
    """A process that serves a campaign over HTTP."""

    def __init__(self, app: App, *options: str, **variables: str) -> None:
        self.port = free_port()
        self._process = subprocess.Popen(
            [*(sys.executable, "-m", "lorewright", "mcp", "--http", f"127.0.0.1:{self.port}"), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "LOREWRIGHT_WORKSPACE": str(app.workspace.root), **variables},
        )
        while not self._answers():
            assert self._process.poll() is None, self._process.communicate()
            time.sleep(0.05)

    def _answers(self) -> bool:
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def send(self, method: str, body: Any = None, **headers: str) -> int:
        """The status of a request with these headers."""
        given = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.putrequest(method, "/mcp", skip_host=True)
        text = "" if body is None else json.dumps(body)
        sent = {"Host": f"127.0.0.1:{self.port}", **given, "Content-Length": str(len(text))}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        for name, value in sent.items():
            if value:
                connection.putheader(name, value)
        connection.endheaders(text.encode())
        status = connection.getresponse().status
        connection.close()
        return status

    def stop(self) -> tuple[str, str]:
        self._process.terminate()
        return self._process.communicate(timeout=60)


@pytest.fixture
def on_loopback(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def served(on_loopback: None, app: App) -> Iterator[Served]:
    running = Served(app, "--campaign", "game")
    yield running
    running.stop()


@pytest.mark.campaign
def test_a_client_of_the_sdk_lists_asks_and_changes_the_world_once(app: App, served: Served) -> None:
    async def ask() -> tuple[set[str], str, list[bool]]:
        async with Client(served.url) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            lore = await client.call_tool("query_lore", {"text": "who sold her passage"})
            call = {"ops": [{"op": "advance_time", "minutes": 5}], "call_id": "one"}
            done = [(await client.call_tool("apply_ops", call)).structured_content for _ in range(2)]
            return tools, json.dumps(lore.structured_content), [bool(one and one["repeated"]) for one in done]

    tools, lore, repeated = asyncio.run(ask())
    assert {"query_lore", "apply_ops"} <= tools
    assert h.WITHHOLDS in lore
    assert repeated == [False, True]
    with app.campaigns.reading("game") as store:
        assert (store.head().state.minutes, len(store.turns())) == (5, 2)
    out, err = served.stop()
    assert (out, "Traceback" in err) == ("", False)
    assert served.url in err


@pytest.mark.campaign
def test_who_calls_us_by_another_name_or_from_another_site_is_refused(served: Served) -> None:
    port = served.port
    assert served.send("POST", HELLO) == 200
    for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", "localhost", ""):
        for method in ("POST", "GET", "DELETE"):
            assert served.send(method, HELLO if method == "POST" else None, Host=host) in (400, 421), (method, host)
    foreign = ("https://evil.example", f"http://evil.example:{port}", "null", "http://localhost.evil.example")
    no_ports = ("http://localhost:3000.evil.example", "http://127.0.0.1:@evil.example", "http://localhost:")
    for origin in (*foreign, *no_ports):
        for method in ("POST", "GET", "DELETE"):
            assert served.send(method, HELLO if method == "POST" else None, Origin=origin) == 403, (method, origin)
    for origin in (f"http://127.0.0.1:{port}", "http://localhost:6274", f"http://[::1]:{port}"):
        assert served.send("POST", HELLO, Origin=origin) == 200
    assert served.send("POST", HELLO, Host=f"localhost:{port}") == 200
    # What a page of another site may send without being asked is no JSON.
    assert served.send("POST", HELLO, Content_Type="text/plain") == 400


@pytest.mark.campaign
def test_in_the_newer_protocol_they_are_refused_as_well(served: Served) -> None:
    discover = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}}
    newer = {"Mcp_Protocol_Version": "2026-07-28", "Mcp_Method": "server/discover"}
    assert served.send("POST", discover, **newer, Host="evil.example") == 421
    assert served.send("POST", discover, **newer, Origin="https://evil.example") == 403


@pytest.mark.campaign
def test_with_a_token_only_who_shows_it_is_let_in(on_loopback: None, app: App) -> None:
    served = Served(app, "--campaign", "game", LOREWRIGHT_MCP_TOKEN=TOKEN)
    try:
        assert served.send("POST", HELLO) == 401
        assert served.send("POST", HELLO, Authorization="Bearer guessed") == 401
        assert served.send("POST", HELLO, Authorization=f"Bearer {TOKEN}") == 200
    finally:
        out, err = served.stop()
    assert TOKEN not in out + err


def test_beyond_this_machine_it_is_served_only_under_a_name_and_with_a_token(app: App) -> None:
    server = make_server(Queries(app, Viewer("player"), "game"))
    for host in ("0.0.0.0", "192.168.1.5", "::", "example.org", "127.0.0.1.example.org"):
        with pytest.raises(SettingsError, match="from other machines"):
            http_app(server, Address(host, 8765))
        with pytest.raises(SettingsError, match="no long enough token is set"):
            http_app(server, Address(host, 8765), allowed=["table.example"], token="short")
        assert http_app(server, Address(host, 8765), allowed=["table.example"], token=TOKEN)
    # Behind a proxy of one's own, too, others reach us.
    with pytest.raises(SettingsError, match="no long enough token is set"):
        http_app(server, Address("127.0.0.1", 8765), allowed=["table.example"])


def test_a_name_that_is_allowed_is_let_in_beside_the_machines_own() -> None:
    rules = security(Address("0.0.0.0", 8765), ["table.example", "other.example:9000"])
    assert {"127.0.0.1:8765", "localhost:8765", "[::1]:8765", "table.example:8765", "table.example"} <= {
        *rules.allowed_hosts
    }
    assert "other.example:9000" in rules.allowed_hosts
    assert "other.example" not in rules.allowed_hosts
    assert "https://table.example" in rules.allowed_origins
    assert rules.enable_dns_rebinding_protection


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("8765", Address("127.0.0.1", 8765)),
        ("localhost:80", Address("localhost", 80)),
        ("[::1]:8765", Address("::1", 8765)),
        ("0.0.0.0:1", Address("0.0.0.0", 1)),
    ],
)
def test_an_address_is_a_host_and_a_port_or_a_port(text: str, address: Address) -> None:
    assert address_of(text) == address
    assert address.is_local is (address.host != "0.0.0.0")


@pytest.mark.parametrize(
    "text", ["", "host", ":80", "host:", "host:0", "host:65536", "a b:80", "http://x:80", "::1:80"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(SettingsError):
        address_of(text)
