"""The command `lorewright serve` in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import httpx

from lorewright.bootstrap import App

_LINK = re.compile(r"(http://127\.0\.0\.1:\d+)/enter/([\w-]+)")


@contextmanager
def serving(app: App, port: int, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `lorewright serve` over an app's workspace until the block ends; yield its process and the secret of the
    owner's link."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lorewright", "serve", "--at", f"127.0.0.1:{port}", *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LOREWRIGHT_WORKSPACE": str(app.workspace.root), "COLUMNS": "300"},
    )
    assert process.stderr is not None
    try:
        said = ""
        while (found := _LINK.search(said)) is None:
            line = process.stderr.readline()
            assert line, said
            said += line
        while True:
            with suppress(httpx.TransportError):
                if httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200:
                    break
            assert process.poll() is None, said
            time.sleep(0.05)
        yield process, found[2]
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
