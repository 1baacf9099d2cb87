"""A service that listens, and Chromium by Playwright: pages as people use them."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import uvicorn

from lorewright.bootstrap import App
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply, ModelRequest, OnText
from lorewright.service.web.app import make_app
from lorewright.service.web.service import Service, ServiceAddress
from support.browser import find_axe, find_chromium
from support.table_service import service_of

WHAT_IS_MISSING = (
    "Playwright is not installed: make extras"
    if find_spec("playwright") is None
    else "there is no Chromium: make extras (as root, on Debian)"
    if find_chromium() is None
    else "axe-core is not installed: make .venv/.ready-dev"
    if find_axe() is None
    else ""
)


class SlowTeller(ScriptedModel):
    """A narrator that writes a word at a time, with a pause after each."""

    def __init__(self, text: str, *, pause_s: float) -> None:
        super().__init__([])
        self._text = text
        self._pause_s = pause_s

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Return the text; its words come one after the other."""
        self.requests.append(request)
        for word in self._text.split():
            await asyncio.sleep(self._pause_s)
            if on_text is not None:
                on_text(f"{word} ")
        return ModelReply(self._text, self.key)


def free_port() -> int:
    """Return a port of this machine that nothing listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Connections:
    """The connections of a server that listens."""

    def __init__(self) -> None:
        self._server: uvicorn.Server | None = None

    def belong_to(self, server: uvicorn.Server) -> None:
        """Take a server for the one whose connections these are."""
        self._server = server

    def cut(self) -> None:
        """Break all of them off, as when a cable is pulled; new ones are accepted."""
        assert self._server is not None
        open_now = self._server.server_state.connections

        def abort() -> None:
            for connection in tuple(open_now):
                connection.transport.abort()  # type: ignore[union-attr]

        self._server.servers[0].get_loop().call_soon_threadsafe(abort)


@contextmanager
def listening(app: App, *, connections: Connections | None = None, **settings: Any) -> Iterator[Service]:
    """Run a service over an app's workspace, in a thread of this process, until the block ends."""
    port = free_port()
    service = service_of(app, **settings)
    service.address = ServiceAddress(f"http://127.0.0.1:{port}", True)
    config = uvicorn.Config(
        make_app(service), host="127.0.0.1", port=port, log_level="error", timeout_graceful_shutdown=5
    )
    server = uvicorn.Server(config)
    if connections is not None:
        connections.belong_to(server)
    thread = threading.Thread(target=server.run, name="server", daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        threading.Event().wait(0.02)
    try:
        yield service
    finally:
        service.hub.close()
        server.should_exit = True
        thread.join(30)


@contextmanager
def chromium() -> Iterator[Any]:
    """Run Chromium until the block ends; yield Playwright's browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        try:
            yield browser
        finally:
            browser.close()


def faults_of(page: Any) -> list[str]:
    """Return what axe-core finds wrong with a page, and whether it is wider than the window."""
    axe = find_axe()
    assert axe is not None
    # Not by a script element: the page's own policy lets none in that is not of the service.
    page.evaluate(axe.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(found => found.violations.map(v => `${v.id}: ${v.nodes[0].html}`))")
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [*found, *([f"{width} pixels too wide"] if width > 0 else [])]
