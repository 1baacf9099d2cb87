"""The real LlamaIndex and Haystack beside ours: the same texts, the same vectors, the same weights, the same questions.

    make bench-peers
    python benchmarks/peers.py --python .venv-peers/bin/python [--sizes 1500 25000 200000] [--sets tales] [--rebuild]

Each library runs in processes of its own, in an environment of its own. Speed: all of them are open at once and asked
in turns, a few questions each, so that whatever else the machine does falls on all alike; a question is timed with its
embedding. Whoever is slow is asked fewer questions; ratios are taken on the questions that both were asked. Quality:
their ranked lists on the questions of the corpora, scored as ours.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from lorewright.index.embedders.weights import model_folder
from peer_nodes import nodes_of_size
from peers_quality import WAYS, Ask, Given, beside_ours, given
from quality_tables import tables
from question_sets import SETS, question_set
from results import SetResult, save
from scale import QUESTION, Row, cold, kept, quantiles, ready
from scale_store import questions

OURS = ("ours", "ours+chroma")
THEIRS = ("llamaindex", "llamaindex+chroma", "haystack")
SIZES = (1_500, 25_000, 200_000)
BLOCK = 5
SECONDS = 60.0  # so long is an arm asked at each size
BUILD_S = 900.0
OPEN_S = 600.0
COLD_RUNS = 3
WORKER = Path(__file__).parent / "peer_worker.py"
RESULTS = Path(__file__).parent / "results" / "peers.json"


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

    def cold(self, arm: str, folder: Path) -> float:
        """The middle of some whole processes: open what was kept, answer one question."""
        times = []
        for _ in range(COLD_RUNS):
            begun = time.perf_counter()
            self._run(arm, "cold", folder, OPEN_S)
            times.append(time.perf_counter() - begun)
            if times[-1] > 30:
                break
        return min(times)

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


def measured(peers: Peers, size: int, arms: Sequence[str], *, rebuild: bool, console: Console) -> list[Row]:
    """The rows of a size: everyone that can be built and opened, asked in turns."""
    about = ready(size, chroma=any(arm.endswith("+chroma") and arm in OURS for arm in arms), rebuild=False)
    folder = nodes_of_size(size)
    rows: dict[str, Row] = {}
    for arm in arms:
        console.print(f"{size}: {arm} …")
        try:
            rows[arm] = ours_built(arm, size, about) if arm in OURS else peers.build(arm, folder, rebuild=rebuild)
            if arm not in OURS:
                rows[arm]["cold_s"] = peers.cold(arm, folder)
        except Failed as problem:
            rows[arm] = {"failed": str(problem)}
    ask_in_turns(peers, folder, rows)
    return [{"arm": arm, "size": size, **row} for arm, row in rows.items()]


def ours_built(arm: str, size: int, about: Row) -> Row:
    """As `Peers.build` of ours, which stands already."""
    took = sum(about[name] for name in ("read_s", "words_s", "vectors_s"))
    took += about["chroma_s"] if arm.endswith("chroma") else 0.0
    disk = about["disk_mb"] + (about["chroma_disk_mb"] if arm.endswith("chroma") else 0.0)
    return {"index_s": took, "nodes": size, "index_per_s": size / took, "disk_mb": disk, "cold_s": cold(size)["cold_s"]}


def ask_in_turns(peers: Peers, folder: Path, rows: dict[str, Row]) -> None:
    """Add to each row what its arm took to answer."""
    with ExitStack() as stack:
        arms: list[Arm] = []
        for arm, row in rows.items():
            if "failed" not in row:
                try:
                    arms.append(stack.enter_context(peers.opened(arm, folder)))
                except Failed as problem:
                    row["failed"] = f"opening: {problem}"
        for one in arms:
            one.ask([QUESTION])
            one.times.clear()
            one.worked.clear()
        blocks = [questions()[start : start + BLOCK] for start in range(0, len(questions()), BLOCK)]
        for block in [*blocks, *blocks]:
            for one in arms:
                if one.asked_s < SECONDS and one.failed is None:
                    try:
                        one.ask(block)
                    except Failed as problem:
                        one.failed = str(problem)
        ours = next((one for one in arms if one.name in OURS), None)
        for one in arms:
            rows[one.name] |= told_of(one, ours)


def told_of(arm: Arm, ours: Arm | None) -> Row:
    """What was measured of an arm while it was asked."""
    if arm.failed is not None:
        return {"failed": arm.failed}
    row: Row = {**quantiles(list(arm.times.values())), "questions": len(arm.times), "open_s": arm.open_s}
    if ours is not None:
        both = [text for text in arm.times if text in ours.times]
        for name, of, own in (("times_ours", arm.times, ours.times), ("cpu_times_ours", arm.worked, ours.worked)):
            row[name] = statistics.median(of[text] for text in both) / statistics.median(own[text] for text in both)
    return {**row, "cpu_ms": statistics.median(arm.worked.values()), "memory_mb": arm.memory_mb()}


def shown(rows: list[Row]) -> Table:
    """Ratios first, then the figures."""
    table = Table(title=f"{os.cpu_count()} processors: a question warm, its embedding included; × is to ours")
    names = ("p50_ms", "p95_ms", "cpu_ms", "questions", "index_per_s", "cold_s", "memory_mb", "disk_mb")
    for column in (
        "vectors",
        "arm",
        "× p50",
        "× CPU",
        "× cold",
        "× memory",
        "× disk",
        *(n.replace("_", " ") for n in names),
    ):
        table.add_column(column, justify="left" if column == "arm" else "right")
    for row in rows:
        own = next((one for one in rows if one["size"] == row["size"] and one["arm"] == "ours"), None)
        cells = [str(row["size"]), row["arm"]]
        if "failed" in row:
            table.add_row(*cells, f"failed: {row['failed']}")
            continue
        ratios = [f"{row.get(name, 1.0):.1f}" for name in ("times_ours", "cpu_times_ours")]
        for name in ("cold_s", "memory_mb", "disk_mb"):
            ratios.append(f"{row[name] / own[name]:.1f}" if own and name in own else "")
        table.add_row(*cells, *ratios, *(f"{row[name]:.4g}" for name in names))
    return table


def quality(peers: Peers, arms: Sequence[str], name: str, *, rebuild: bool, console: Console) -> SetResult:
    """How well each finds what a set of questions asks for."""
    asked = question_set(name, console.print)
    with ExitStack() as stack:
        opened: list[tuple[str, str, Given, Ask]] = []
        for way in WAYS:
            nodes = given(asked, way, console.print)
            for arm in arms:
                console.print(f"{name}, {way}: {arm} …")
                try:
                    peers.build(arm, nodes.folder, rebuild=rebuild)
                    one = stack.enter_context(peers.opened(arm, nodes.folder))
                except Failed as problem:
                    console.print(f"failed: {problem}")
                    continue
                opened.append((arm, way, nodes, partial(first_of, one)))
        return beside_ours(asked, opened, console.print)


def first_of(arm: Arm, text: str) -> list[str]:
    """What an arm finds for one question."""
    return arm.ask([text])[0]


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=".venv-peers/bin/python", help="an interpreter that has the libraries")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--arms", nargs="+", default=[*OURS, *THEIRS])
    parser.add_argument("--sets", nargs="*", choices=SETS, default=SETS, help="whose questions quality is measured on")
    parser.add_argument("--rebuild", action="store_true", help="have everyone index anew")
    parser.add_argument("--json", type=Path, default=RESULTS)
    options: Any = parser.parse_args()
    if not Path(options.python).is_file():
        sys.exit(f"no interpreter at {options.python}: make bench-peers sets it up")
    console, peers = Console(width=160), Peers(options.python)
    for name in options.sets:
        # In Chroma the same nodes lie as near as in the simple store.
        arms = [arm for arm in options.arms if arm in THEIRS and "+" not in arm]
        found = quality(peers, arms, name, rebuild=options.rebuild, console=console)
        save("peers-quality", {name: found}, options.json.parent)
        for table in tables(name, found, without=False):
            console.print(table)
    rows: list[Row] = []
    for size in options.sizes:
        rows += measured(peers, size, options.arms, rebuild=options.rebuild, console=console)
        kept([row for row in rows if row["size"] == size], options.json)
    if rows:
        console.print(shown(rows))


if __name__ == "__main__":
    main()
