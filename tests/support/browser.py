"""Pages of HTML in Chromium without a window: how wide they are, and what axe-core finds wrong with them.

Chromium is spoken to over two pipes, in its DevTools protocol: JSON messages that end with a zero byte. Nothing listens
on a port, and Chromium resolves no name.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# So long one answer may take before the browser is taken for dead.
_PATIENCE_S = 60
_READS, _WRITES = 3, 4

# All that is folded away is opened, then: what reaches farther right than the page is wide, the innermost first.
_TOO_WIDE = """
document.querySelectorAll('details').forEach(e => e.open = true),
[document.documentElement.scrollWidth, ...[...document.querySelectorAll('body *')]
    .filter(e => e.getBoundingClientRect().right > WIDTH + 1).reverse().slice(0, 3)
    .map(e => e.outerHTML.slice(0, 160))]
"""
# The rules of WCAG 2.2 AA and those that axe calls best practices.
_RUN_AXE = "axe.run().then(found => found.violations)"


def find_chromium() -> str | None:
    """Return the path of Chromium, or of Chrome; `LOREWRIGHT_CHROMIUM` names another. None where there is none."""
    named = os.environ.get("LOREWRIGHT_CHROMIUM")
    return named or next(filter(None, map(shutil.which, _NAMES)), None)


def find_axe() -> Path | None:
    """Return the path of axe-core, which a package for Playwright carries; None where that is not installed."""
    found = find_spec("axe_playwright_python")
    for folder in (found.submodule_search_locations or ()) if found else ():
        return Path(folder) / "axe.min.js"
    return None


@dataclass(frozen=True, slots=True)
class Look:
    """A page as it was shown: the pixels that it needs from left to right, the elements that stand out on the right,
    and each violation as `rule: what is wrong (where)`."""

    width: int
    wide: tuple[str, ...]
    violations: tuple[str, ...]


class Browser:
    """One Chromium with one tab; `close` ends it."""

    def __init__(self, chromium: str, axe: Path) -> None:
        self._axe = axe.read_text(encoding="utf-8")
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read_here, write_there = os.pipe()
        read_there, write_here = os.pipe()
        self._from, self._to, self._rest, self._count = read_here, write_here, b"", 0

        def lay_pipes() -> None:
            # Both are moved out of the way first: either may have the other's number.
            reads, writes = os.dup(read_there), os.dup(write_there)
            os.dup2(reads, _READS)
            os.dup2(writes, _WRITES)

        words = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--no-sandbox"]
        words += ["--disable-dev-shm-usage", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND"]
        self._process = subprocess.Popen(
            [chromium, *words, "--hide-scrollbars", f"--user-data-dir={self._profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=lay_pipes,
        )
        os.close(read_there)
        os.close(write_there)
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session: str | None = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._ask("Page.enable")
        # The pages forbid all scripts, axe's too.
        self._ask("Page.setBypassCSP", enabled=True)

    _session: str | None = None

    def look_at(self, page: Path, *, width: int, dark: bool = False) -> Look:
        """Show a page in a window that is so many pixels wide; return how it looks."""
        self._ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", features=[scheme])
        self._ask("Page.navigate", url=page.resolve().as_uri())
        self._await_page(page.resolve().as_uri())
        needed, *wide = self._value(_TOO_WIDE.replace("WIDTH", str(width)))
        self._value(f"{self._axe}; 0")
        found = self._value(_RUN_AXE)
        return Look(needed, tuple(wide) if needed > width else (), tuple(map(_told, found)))

    def close(self) -> None:
        """End the browser and remove what it wrote."""
        os.close(self._to)
        os.close(self._from)
        self._process.terminate()
        self._process.wait(timeout=_PATIENCE_S)
        self._profile.cleanup()

    def _await_page(self, address: str) -> None:
        until = time.monotonic() + _PATIENCE_S
        while self._value("[location.href, document.readyState]") != [address, "complete"]:
            assert time.monotonic() < until, f"{address} was not loaded"
            time.sleep(0.02)

    def _value(self, expression: str) -> Any:
        answer = self._ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        while True:
            answer = self._next_message()
            if answer.get("id") == self._count:
                assert "error" not in answer, (method, answer["error"])
                return dict(answer["result"])

    def _next_message(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], _PATIENCE_S)
            part = os.read(self._from, 1 << 20) if ready else b""
            assert part, "Chromium does not answer"
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(message))


def _told(violation: dict[str, Any]) -> str:
    nodes = violation["nodes"]
    where = "; ".join(f"{node['html'][:160]} {node['failureSummary'][:300]}" for node in nodes[:2])
    return f"{violation['id']}: {violation['help']} ({len(nodes)}: {where})"
