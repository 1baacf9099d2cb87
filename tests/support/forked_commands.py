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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lorewright.settings import WORKSPACE_VARIABLE
from lorewright.storage.faults import KILL_VARIABLE

# Starts once and forks for every command: so each is a process of its own, and none has to import everything again.
SERVER = """
import json, os, resource, signal, sys, traceback
sys.path.append(sys.argv[1])
from lorewright.cli import main
from support.imports import import_everything

import_everything()

def begin(one, environment):
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        os.environ.update(environment)
        for name, most in json.loads(environment.get("TEST_LIMITS") or "{}").items():
            if name == "cpu_s":
                # The signal ends it at once, as a kill does: Python has no handler for it.
                signal.setitimer(signal.ITIMER_PROF, most)
            else:
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
        for number, path in enumerate((os.devnull, one["out"], one["err"])):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
        sys.argv = ["lorewright", *one["words"]]
        main()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)

for line in sys.stdin:
    asked = json.loads(line)
    begun = [begin(one, asked["environment"]) for one in asked["commands"]]
    print(json.dumps(begun), flush=True)
    ends = [os.wait4(child, 0) for child in begun]
    print(json.dumps([(os.waitstatus_to_exitcode(end), used.ru_utime + used.ru_stime) for _, end, used in ends]), flush=True)
"""


# A variable for a command: JSON of limits by name, `FSIZE`, `NOFILE`, `AS` (see setrlimit), and `cpu_s`, the CPU seconds after
# which it is killed.
LIMITS = "TEST_LIMITS"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code (below zero: the signal), what it printed, and the CPU seconds that it took."""

    code: int
    out: str
    err: str
    cpu_s: float = 0.0


class Commands:
    """Runs commands, each in a fresh process, with these variables unless a command says others."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        command = [sys.executable, "-c", SERVER, str(Path(__file__).parents[1])]
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._folder = Path(tempfile.mkdtemp())
        self._count = 0
        self._told: list[tuple[Path, Path]] = []
        self.pids: list[int] = []

    def start(self, root: Path, *words: str, **environment: str) -> None:
        """Begin a command."""
        self._begin(root, [words], environment)

    def kill(self) -> None:
        """Kill what was begun, if it still runs."""
        for pid in self.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def end(self) -> Ended:
        """Wait for the command that was begun."""
        (ended,) = self._end()
        return ended

    def run(self, root: Path, *words: str, **environment: str) -> Ended:
        """Begin a command and wait for it."""
        self.start(root, *words, **environment)
        return self.end()

    def run_at_once(self, root: Path, commands: Sequence[Sequence[str]]) -> list[Ended]:
        """Begin commands all at once and wait for them; how they ended, in their order."""
        self._begin(root, commands, {})
        return self._end()

    def close(self) -> None:
        """End the server."""
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait()
        self._lines().close()
        shutil.rmtree(self._folder)

    def _begin(self, root: Path, commands: Sequence[Sequence[str]], environment: Mapping[str, str]) -> None:
        assert self._server.stdin is not None
        named = {WORKSPACE_VARIABLE: str(root), KILL_VARIABLE: "", **self._environment, **environment}
        self._told = []
        for _ in commands:
            self._count += 1
            out, err = (self._folder / f"{self._count}.{name}" for name in ("out", "err"))
            for path in (out, err):  # it may be killed before it opens them
                path.touch()
            self._told.append((out, err))
        asked = [
            {"words": words, "out": str(out), "err": str(err)}
            for words, (out, err) in zip(commands, self._told, strict=True)
        ]
        self._server.stdin.write(json.dumps({"commands": asked, "environment": named}) + "\n")
        self._server.stdin.flush()
        self.pids = json.loads(self._lines().readline())

    def _end(self) -> list[Ended]:
        """What they complain of is told with a hint and without a traceback."""
        ended = []
        for (code, cpu_s), (out, err) in zip(json.loads(self._lines().readline()), self._told, strict=True):
            complaint = err.read_text()
            assert "Traceback" not in complaint, complaint
            assert code != 1 or not complaint or "hint:" in complaint, complaint
            ended.append(Ended(code, out.read_text(), complaint, cpu_s))
        return ended

    def _lines(self) -> IO[str]:
        assert self._server.stdout is not None
        return self._server.stdout
