"""The proxies of deploy/, as they are shipped, on ports of a test: HAProxy and Caddy where they are installed, and a router in
Python that sends as they do, for tests that need one everywhere."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[2] / "deploy"
KINDS = ("haproxy", "caddy")
_SERVERS = re.compile(r"^    server worker\d+ .*\n", re.MULTILINE)


def find_proxy(kind: str) -> str | None:
    """Return the path of a proxy's program: what LOREWRIGHT_HAPROXY or LOREWRIGHT_CADDY names, or one of the PATH."""
    named = os.environ.get(f"LOREWRIGHT_{kind.upper()}")
    places = (kind, Path(sys.executable).parent / kind, f"/usr/sbin/{kind}")
    return named or next(filter(None, map(shutil.which, places)), None)


def require_proxy(kind: str) -> str:
    """Return the path of a proxy's program; skip the test where there is none."""
    found = find_proxy(kind)
    if found is None:
        pytest.skip(f"{kind} is not installed: make extras, or name it in LOREWRIGHT_{kind.upper()}")
    return found


def is_valid(kind: str, environment: dict[str, str]) -> tuple[bool, str]:
    """Return whether a proxy takes the configuration that is shipped, and what it says."""
    command = {
        "haproxy": ["-c", "-f", str(DEPLOY / "haproxy.cfg")],
        "caddy": ["validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")],
    }[kind]
    done = subprocess.run(
        [require_proxy(kind), *command], capture_output=True, text=True, env={**os.environ, **environment}
    )
    return done.returncode == 0, done.stdout + done.stderr


class Proxy:
    """A proxy that runs, and can be started again."""

    def __init__(self, kind: str, folder: Path, port: int, workers: Sequence[int]) -> None:
        self.kind, self.port = kind, port
        self._program = require_proxy(kind)
        host = f"127.0.0.1:{port}"
        self._environment = {
            **os.environ,
            "HOME": str(folder),
            "XDG_DATA_HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
            "LOREWRIGHT_HOST": host,
        }
        if kind == "haproxy":
            # The lines that name workers, and no other, are those of the test.
            lines = "".join(f"    server worker{n} 127.0.0.1:{worker}\n" for n, worker in enumerate(workers, 1))
            text, count = _SERVERS.subn("", (DEPLOY / "haproxy.cfg").read_text("utf-8"))
            assert count == 2
            folder.joinpath("haproxy.cfg").write_text(
                text.replace(".else\n.endif\n", f".else\n{lines}.endif\n"), "utf-8"
            )
            self._environment["LOREWRIGHT_BIND"] = host
            self._command = ["-db", "-f", str(folder / "haproxy.cfg")]
        else:
            self._environment["LOREWRIGHT_SITE"] = f"http://{host}"
            self._environment["LOREWRIGHT_WORKERS"] = " ".join(f"127.0.0.1:{worker}" for worker in workers)
            folder.joinpath("Caddyfile").write_text(
                "{\n    admin off\n    auto_https off\n}\n" + (DEPLOY / "Caddyfile").read_text("utf-8"), "utf-8"
            )
            self._command = ["run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
        self._log = folder / f"{kind}.log"
        self.start()

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it listens."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [self._program, *self._command], env=self._environment, stdout=log, stderr=log, cwd=self._log.parent
            )
        wait_for_port(self.port, alive=lambda: self._process.poll() is None)

    def stop(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()


def wait_for_port(port: int, *, alive: object = None, patience_s: float = 20.0) -> None:
    """Wait until something listens at a port of this machine."""
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        assert not callable(alive) or alive()
        time.sleep(0.02)
    raise AssertionError(f"nothing listens at {port}")


@contextmanager
def proxying(kind: str, folder: Path, port: int, workers: Sequence[int]) -> Iterator[Proxy]:
    """Run a proxy before workers at these ports until the block ends."""
    folder.mkdir(parents=True, exist_ok=True)
    proxy = Proxy(kind, folder, port, workers)
    try:
        yield proxy
    finally:
        proxy.stop()
