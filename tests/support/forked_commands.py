"""Words of command lines -> how they ended, each in a process forked from one that has imported everything already: it
can be killed like any other, and takes a tenth of the time."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lorewright.settings import WORKSPACE_VARIABLE
from lorewright.storage.steps import KILL_VARIABLE

# Starts once and forks for every command: so each is a process of its own, and none has to import everything again.
SERVER = """
import json, os, sys, traceback
from lorewright.cli import campaign, doctor, lore, main, pack, play

for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.environ.update(asked["environment"])
            for number, path in enumerate((os.devnull, asked["out"], asked["err"])):
                os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
            sys.argv = ["lorewright", *asked["words"]]
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    print(child, flush=True)
    status = os.waitpid(child, 0)[1]
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code (below zero: the signal) and what it printed."""

    code: int
    out: str
    err: str


class Commands:
    """Runs commands one at a time, each in a fresh process, with these variables unless a command says others."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        command = [sys.executable, "-c", SERVER]
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._folder = Path(tempfile.mkdtemp())
        self._count = 0
        self.pid = 0

    def start(self, root: Path, *words: str, **environment: str) -> None:
        """Begin a command."""
        assert self._server.stdin is not None
        self._count += 1
        named = {WORKSPACE_VARIABLE: str(root), KILL_VARIABLE: "", **self._environment, **environment}
        asked = {"words": words, "environment": named}
        told = {name: self._folder / f"{self._count}.{name}" for name in ("out", "err")}
        for path in told.values():  # it may be killed before it opens them
            path.touch()
        asked |= {name: str(path) for name, path in told.items()}
        self._server.stdin.write(json.dumps(asked) + "\n")
        self._server.stdin.flush()
        self.pid = int(self._lines().readline())

    def kill(self) -> None:
        """Kill the command that was begun, if it still runs."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def end(self) -> Ended:
        """Wait for the command that was begun; what it complains of is told with a hint and without a traceback."""
        code = int(self._lines().readline())
        out, err = ((self._folder / f"{self._count}.{name}").read_text() for name in ("out", "err"))
        assert "Traceback" not in err, err
        assert code != 1 or not err or "hint:" in err, err
        return Ended(code, out, err)

    def run(self, root: Path, *words: str, **environment: str) -> Ended:
        """Begin a command and wait for it."""
        self.start(root, *words, **environment)
        return self.end()

    def _lines(self) -> IO[str]:
        assert self._server.stdout is not None
        return self._server.stdout

    def close(self) -> None:
        """End the server."""
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait()
        self._lines().close()
        shutil.rmtree(self._folder)
