"""An arm of the comparison as a process of its own: built, opened, asked. Who fails says why."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lorewright.index.embedders.minilm import model_folder

OURS = ("ours", "ours+chroma")
BUILD_S = 3600.0
OPEN_S = 1800.0
WORKER = Path(__file__).parent / "peer_worker.py"

Row = dict[str, Any]


class Failed(Exception):
    """An arm could not do it; why."""


@dataclass
class Arm:
    """An arm that is open: its process, and what it answered."""

    name: str
    process: subprocess.Popen[str]
    log: Path
    open_s: float = 0.0
    times: dict[str, float] = field(default_factory=dict)
    worked: dict[str, float] = field(default_factory=dict)
    asked_s: float = 0.0
    failed: str | None = None

    def ask(self, texts: Sequence[str]) -> list[list[str]]:
        """The answers; the best time of each question is kept.

        Raises:
            Failed: the process is gone.
        """
        told = self._told(json.dumps(list(texts)))
        for text, spent, busy in zip(texts, told["ms"], told["cpu_ms"], strict=True):
            self.times[text] = min(spent, self.times.get(text, spent))
            self.worked[text] = min(busy, self.worked.get(text, busy))
        self.asked_s += sum(told["ms"]) / 1000
        found: list[list[str]] = told["found"]
        return found

    def warm_up(self, text: str) -> None:
        """Ask once for nothing.

        Raises:
            Failed: the process is gone.
        """
        self._told(json.dumps([text]))

    def memory_mb(self) -> float:
        """End the process; the most that it took."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return float(self.heard()["memory_mb"])

    def _told(self, line: str) -> dict[str, Any]:
        try:
            assert self.process.stdin is not None
            self.process.stdin.write(f"{line}\n")
            self.process.stdin.flush()
        except OSError:
            raise Failed(self._why()) from None
        return self.heard()

    def heard(self) -> dict[str, Any]:
        """The next thing that the process says."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise Failed(self._why())
        told: dict[str, Any] = json.loads(line)
        return told

    def _why(self) -> str:
        return ended(self.process.wait(timeout=60), self.log.read_text(encoding="utf-8", errors="replace"))


def ended(code: int, said: str) -> str:
    """Why a process ended as it did: the last that it said."""
    lines = said.strip().splitlines()
    return f"exit {code}: {lines[-1] if lines else 'without a word'}"


@dataclass(frozen=True, slots=True)
class Peers:
    """Which Python runs whom."""

    python: str

    def command(self, arm: str, what: str, folder: Path) -> list[str]:
        """A worker."""
        python = sys.executable if arm in OURS else self.python
        return [python, str(WORKER), arm, what, str(folder), str(model_folder())]

    @contextmanager
    def opened(self, arm: str, folder: Path) -> Iterator[Arm]:
        """An arm that answers; killed at the end."""
        path = folder / f"{arm}.log"
        with path.open("w", encoding="utf-8") as log:
            process = subprocess.Popen(
                self.command(arm, "serve", folder),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment(),
            )
            try:
                one = Arm(arm, process, path)
                one.open_s = one.heard()["open_s"]
                yield one
            finally:
                process.kill()
                process.wait()

    def build(self, arm: str, folder: Path, *, rebuild: bool) -> Row:
        """What an arm took to index the nodes; kept beside its store.

        Raises:
            Failed: it could not, or not in time.
        """
        about = folder / f"{arm}.json"
        newer = about.is_file() and about.stat().st_mtime > (folder / "nodes.jsonl").stat().st_mtime
        if newer and not rebuild:
            row: Row = json.loads(about.read_text(encoding="utf-8"))
            return row
        row = json.loads(self._run(arm, "build", folder, BUILD_S).splitlines()[-1])
        row["index_per_s"] = row["nodes"] / row["index_s"]
        about.write_text(json.dumps(row), encoding="utf-8")
        return row

    def cold_s(self, arm: str, folder: Path) -> float:
        """The seconds of a whole process: open what was kept, answer one question.

        Raises:
            Failed: it could not, or not in time.
        """
        begun = time.perf_counter()
        self._run(arm, "cold", folder, OPEN_S)
        return time.perf_counter() - begun

    def _run(self, arm: str, what: str, folder: Path, limit_s: float) -> str:
        try:
            told = subprocess.run(
                self.command(arm, what, folder), capture_output=True, text=True, timeout=limit_s, env=environment()
            )
        except subprocess.TimeoutExpired:
            raise Failed(f"{what} took more than {limit_s:.0f} s") from None
        if told.returncode:
            raise Failed(f"{what}: {ended(told.returncode, told.stderr)}")
        return told.stdout


def environment() -> dict[str, str]:
    """Nothing is fetched and nothing is reported."""
    quiet = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "ANONYMIZED_TELEMETRY": "False"}
    return {**os.environ, **quiet, "HAYSTACK_TELEMETRY_ENABLED": "False", "TOKENIZERS_PARALLELISM": "false"}
