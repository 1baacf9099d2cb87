"""How soon an author sees what a save changed: from the write to the answer, end to end, with `lorewright pack watch`.

    .venv/bin/python benchmarks/watching.py [--saves 20]

A copy of the published pack is watched by a process of its own, with three questions; it is edited again and again as
authors do, and each time it is measured how long it takes until the new answers are printed, and how much of a
processor that costs. Beside it, in the same run, what it replaces: `pack reindex` and `lore query`. The vectors of the
unedited pack are kept between runs; those of every edit are made while the clock runs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
CORPORA = Path(os.environ.get("LOREWRIGHT_CORPORA", ROOT.parent / "shared" / "corpora"))
WORKSPACE = ROOT / "indexes" / "benchmarks" / "watching"
VECTORS = ROOT / "indexes" / "benchmarks" / "embeddings.db"
RESULTS = ROOT / "benchmarks" / "results" / "watch.json"
AIM_S = 1.5
QUESTIONS = (
    "Where can an outsider earn the vote by soldiering?",
    "who watches for existential threats",
    "how does a mind get from one body to another",
)
LOREWRIGHT = [sys.executable, "-m", "lorewright"]

# In every text that is written, so that no vector of an edit is known from a run before.
RUN = f"{time.time_ns():x}"[-8:]

Edit = Callable[[str, int], str]


def sentence(text: str, number: int) -> str:
    """A sentence more at the end of the last section: one window to embed."""
    return f"{text.rstrip()} On the {number}th of month {RUN} outsiders are paid for soldiering in votes.\n"


def section(text: str, number: int) -> str:
    """A section more: a chunk between others."""
    return f"{text}\n## Remark {number}\n\nWatch {number} of {RUN} looks for whatever may end the world and writes.\n"


def name(text: str, number: int) -> str:
    """An alias more: whatever links to anything is linked anew."""
    return text.replace("---\n", f"---\naliases: [Alias {number}]\n", 1)


def replaced(text: str, number: int) -> str:
    """All of the body is new."""
    head, _, body = text.partition("\n# ")
    told = [
        f"Courier {other} of body {number} {RUN} goes on as egg {other * number} and is paid." for other in range(60)
    ]
    return f"{head}\n# {body.splitlines()[0]}\n\n{' '.join(told)}\n"


EDITS: dict[str, Edit] = {"a sentence": sentence, "a section": section, "an alias": name, "the whole file": replaced}


class Watching:
    """A process that watches a pack."""

    def __init__(self, pack: Path, environment: dict[str, str]) -> None:
        asked = [part for question in QUESTIONS for part in ("--query", question)]
        command = [*LOREWRIGHT, "pack", "watch", str(pack), *asked, "--json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)

    def next(self, event: str) -> dict[str, Any]:
        """The next event of a kind."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found: dict[str, Any] = json.loads(line)
            if found["event"] == event:
                return found
        sys.exit("the watch has ended by itself")

    def processor_s(self) -> float:
        """How long processors have worked for it."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def measure(pack: Path, watching: Watching, saves: int) -> list[dict[str, Any]]:
    """Edit one file after the other, each in the next way."""
    files = sorted(pack.glob("factions/*.md"))
    found = []
    for number, (file, (kind, edit)) in enumerate(zip(files, cycle(EDITS.items()), strict=False)):
        if number >= saves:
            break
        text = edit(file.read_text(encoding="utf-8"), number)
        worked, started = watching.processor_s(), time.perf_counter()
        file.write_text(text, encoding="utf-8")
        seen = watching.next("change")
        took = time.perf_counter() - started
        time.sleep(0.05)  # so that what it still does is counted, too
        found.append(
            {
                "edit": kind,
                "seconds": took,
                "processor_seconds": watching.processor_s() - worked,
                "chunks": seen["changed"],
                "embedded": seen["embedded"],
                "moves": sum(len(answer["moves"]) for answer in seen["answers"]),
                "milliseconds": seen["milliseconds"],
            }
        )
    return found


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """How long a process takes, from before it to its end."""
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.perf_counter() - started


def prepared(environment: dict[str, str]) -> Path:
    """A workspace with an installed copy of the pack."""
    source = CORPORA / "packs" / "eclipse-phase"
    if not source.is_dir():
        sys.exit(f"no pack at {source}: set LOREWRIGHT_CORPORA")
    pack = WORKSPACE / "content_packs" / "eclipse-phase"
    shutil.rmtree(pack, ignore_errors=True)
    (WORKSPACE / "indexes").mkdir(parents=True, exist_ok=True)
    if VECTORS.is_file() and not (WORKSPACE / "indexes" / VECTORS.name).exists():
        shutil.copy2(VECTORS, WORKSPACE / "indexes")
    shutil.copytree(source, pack)
    subprocess.run([*LOREWRIGHT, "pack", "install", str(pack), "--lenient"], check=True, env=environment)
    return pack


def main() -> None:
    """Prepare, measure, print, write."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--saves", type=int, default=20)
    saves = arguments.parse_args().saves
    environment = {**os.environ, "LOREWRIGHT_WORKSPACE": str(WORKSPACE), "LOREWRIGHT_CHROMA": "never"}
    pack = prepared(environment)
    watching = Watching(pack, environment)
    first = watching.next("watching")
    found = measure(pack, watching, saves)
    started = time.perf_counter()
    watching.next("installed")
    installed = time.perf_counter() - started
    watching.process.terminate()
    watching.process.wait()
    by_hand = []
    for number in range(3):
        file = sorted(pack.glob("factions/*.md"))[0]
        file.write_text(sentence(file.read_text(encoding="utf-8"), 1000 + number), encoding="utf-8")
        commands = [["pack", "reindex", "eclipse-phase"], *(["lore", "query", question] for question in QUESTIONS)]
        by_hand.append(sum(seconds([*LOREWRIGHT, *command], environment) for command in commands))
    took = [one["seconds"] for one in found]
    report = {
        "files": first["files"],
        "chunks": first["chunks"],
        "saves": len(found),
        "aim_seconds": AIM_S,
        "median_seconds": statistics.median(took),
        "slowest_seconds": max(took),
        "median_processor_seconds": statistics.median(one["processor_seconds"] for one in found),
        "pause_to_installed_seconds": installed,
        "reindex_and_query_seconds": statistics.median(by_hand),
        "runs": found,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    show(report)


def show(report: dict[str, Any]) -> None:
    """Print it as a table."""
    table = Table(title=f"eclipse-phase, {report['files']} files, {report['chunks']} chunks: a save, then new answers")
    for column in ("edit", "saves", "median", "slowest", "processor", "windows embedded"):
        table.add_column(column, justify="left" if column == "edit" else "right")
    for kind in (*EDITS, "all"):
        runs = [run for run in report["runs"] if kind in (run["edit"], "all")]
        if runs:
            table.add_row(
                kind,
                str(len(runs)),
                f"{statistics.median(run['seconds'] for run in runs):.2f} s",
                f"{max(run['seconds'] for run in runs):.2f} s",
                f"{statistics.median(run['processor_seconds'] for run in runs):.2f} s",
                f"{statistics.median(run['embedded'] for run in runs):.0f}",
            )
    console = Console(width=120)
    console.print(table)
    by_hand, median = report["reindex_and_query_seconds"], report["median_seconds"]
    console.print(
        f"aim: a median of {AIM_S} s; pack reindex and three queries take {by_hand:.1f} s, {by_hand / median:.0f} ×"
    )
    console.print(f"other commands see it {report['pause_to_installed_seconds']:.1f} s after the last save")


if __name__ == "__main__":
    main()
