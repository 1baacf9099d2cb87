"""A process -> who it asks for on the network, in whatever language it asks: the tests' socket block sees Python alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_SOURCE = Path(__file__).with_suffix(".c")


class NetworkTrace:
    """What the processes did that were started with this environment, and their children."""

    def __init__(self, folder: Path) -> None:
        """Skips the test where there is no compiler, or no system that loads what it makes."""
        compiler = shutil.which("cc")
        if not sys.platform.startswith("linux") or compiler is None:
            pytest.skip("tracing the network needs Linux and a C compiler, as `cc`")
        folder.mkdir(parents=True)
        library = folder / "network_trace.so"
        command = [compiler, "-shared", "-fPIC", "-o", str(library), str(_SOURCE), "-ldl"]
        subprocess.run(command, check=True, capture_output=True)
        self._calls = folder / "calls"
        self._variables = {"LD_PRELOAD": str(library), "NETWORK_TRACE": str(self._calls)}

    def environment(self, **more: str) -> dict[str, str]:
        """That of this process, traced, with `more` over it."""
        return {**os.environ, **self._variables, **more}

    @property
    def calls(self) -> list[str]:
        """The calls so far, as `getaddrinfo example.org`, in order."""
        return self._calls.read_text(encoding="utf-8").splitlines() if self._calls.exists() else []
