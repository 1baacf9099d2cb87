"""How fast this checkout answers and indexes beside another one: ratios, both measured in one run.

    python benchmarks/speed_beside.py --other DIR [--sizes 1500 25000 200000]

DIR is a checkout with an environment in `.venv`. Each builds the packs of `scale.py` with its own code and keeps
them below its own `indexes/`. A process of each then stands open, and both are asked the same questions in blocks, one
after the other, so that whatever else the machine does falls on both alike; a question is embedded each time. Of each
question the best round counts. Whole commands take turns in the same way.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from scale_store import CORPORA, questions

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "beside.json"
SIZES = (1_500, 25_000, 200_000)
AIMS = {1_500: 0.67, 25_000: 0.67, 200_000: 1.0}
REINDEX_AIM = 0.2
BLOCK = 5
ROUNDS = 4
COMMAND_ROUNDS = 5
PACK = "eclipse-phase"

# Runs in each checkout by its own interpreter: its own modules of benchmarks, its own library.
WORKER = """
import json, sys
sys.path.insert(0, "benchmarks")
import scale
size = int(sys.argv[1])
scale.ready(size, chroma=False, rebuild=False)
library = scale.opened(size, scale.MiniLM())
view = scale.LoreView((library.open(scale.pack_key(library)),))
scale.timed_ms(view, scale.QUESTION)
print("ready", flush=True)
for line in sys.stdin:
    print(json.dumps([scale.timed_ms(view, text)[:2] for text in json.loads(line)]), flush=True)
"""

Row = dict[str, Any]


@contextmanager
def standing_open(checkout: Path, size: int) -> Iterator[subprocess.Popen[str]]:
    """Yield a process of a checkout that has the pack of a size open, built where it is not there."""
    command = [checkout / ".venv" / "bin" / "python", "-c", WORKER, str(size)]
    process = subprocess.Popen(command, cwd=checkout, env=environment(), stdin=-1, stdout=-1, text=True)
    assert process.stdout is not None and process.stdin is not None
    try:
        while (line := process.stdout.readline()).strip() != "ready":
            if not line:
                sys.exit(f"{checkout}: the pack of {size} vectors could not be opened")
        yield process
    finally:
        process.stdin.close()
        process.wait()


def environment() -> dict[str, str]:
    """Return the environment without what would point one checkout at the other's files."""
    own = {"LOREWRIGHT_WORKSPACE", "LOREWRIGHT_BENCHMARKS", "PYTHONPATH", "VIRTUAL_ENV"}
    return {name: value for name, value in os.environ.items() if name not in own} | {"LOREWRIGHT_CORPORA": str(CORPORA)}


def ask(process: subprocess.Popen[str], texts: Sequence[str]) -> list[tuple[float, float]]:
    """Return for each question the milliseconds that it took, and those that the process worked."""
    assert process.stdout is not None and process.stdin is not None
    process.stdin.write(json.dumps(list(texts)) + "\n")
    process.stdin.flush()
    return [(float(spent), float(worked)) for spent, worked in json.loads(process.stdout.readline())]


def measure_queries(other: Path, size: int) -> Row:
    """Ask both every question ROUNDS times; each round has the other one begin."""
    asked = questions()
    best: dict[str, dict[str, tuple[float, float]]] = {"ours": {}, "theirs": {}}
    with standing_open(ROOT, size) as ours, standing_open(other, size) as theirs:
        both = [("ours", ours), ("theirs", theirs)]
        for number in range(ROUNDS):
            for start in range(0, len(asked), BLOCK):
                block = asked[start : start + BLOCK]
                for name, process in both if number % 2 else both[::-1]:
                    for text, times in zip(block, ask(process, block), strict=True):
                        known = best[name].get(text, times)
                        best[name][text] = (min(known[0], times[0]), min(known[1], times[1]))
    p50 = {
        name: [statistics.median(pair[at] for pair in found.values()) for at in (0, 1)] for name, found in best.items()
    }
    return {
        "what": f"a question, {size:,} vectors",
        "ratio": p50["ours"][0] / p50["theirs"][0],
        "cpu_ratio": p50["ours"][1] / p50["theirs"][1],
        "ours": f"{p50['ours'][0]:.1f} ms",
        "theirs": f"{p50['theirs'][0]:.1f} ms",
        "aim": AIMS.get(size),
    }


def measure_commands(other: Path) -> Iterator[Row]:
    """Install a published pack with both, then reindex it unchanged and ask it, each several times in turns."""
    with tempfile.TemporaryDirectory() as folder:
        sides = {name: (checkout, Path(folder) / name) for name, checkout in (("ours", ROOT), ("theirs", other))}

        def run(name: str, *arguments: str | Path) -> tuple[float, float]:
            checkout, workspace = sides[name]
            command = [checkout / ".venv" / "bin" / "lorewright", *arguments]
            begun, busy = time.perf_counter(), worked_by_children_s()
            subprocess.run(
                command, check=True, capture_output=True, env=environment() | {"LOREWRIGHT_WORKSPACE": str(workspace)}
            )
            return time.perf_counter() - begun, worked_by_children_s() - busy

        def in_turns(what: str, command: Callable[[str], tuple[float, float]], rounds: int, aim: float | None) -> Row:
            best: dict[str, tuple[float, float]] = {}
            for number in range(rounds):
                for name in ("ours", "theirs") if number % 2 else ("theirs", "ours"):
                    took = command(name)
                    known = best.get(name, took)
                    best[name] = (min(known[0], took[0]), min(known[1], took[1]))
            ours, theirs = best["ours"], best["theirs"]
            ratios = {"ratio": ours[0] / theirs[0], "cpu_ratio": ours[1] / theirs[1]}
            return {"what": what, **ratios, "ours": f"{ours[0]:.2f} s", "theirs": f"{theirs[0]:.2f} s", "aim": aim}

        for name, (_, workspace) in sides.items():
            run(name, "init", workspace)
        yield in_turns(
            "first install, embedding included",
            lambda name: run(name, "pack", "install", CORPORA / "packs" / PACK),
            1,
            None,
        )
        yield in_turns(
            "unchanged reindex", lambda name: run(name, "pack", "reindex", PACK), COMMAND_ROUNDS, REINDEX_AIM
        )
        query = ("lore", "query", "Where can an outsider earn the vote by soldiering?", "--json")
        yield in_turns("lore query, cold process", lambda name: run(name, *query), COMMAND_ROUNDS, None)


def worked_by_children_s() -> float:
    """Return the CPU seconds of processes that were waited for."""
    used = os.times()
    return used.children_user + used.children_system


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--other", type=Path, required=True, help="a checkout with an environment in .venv")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--json", type=Path, default=RESULTS)
    given: Any = parser.parse_args()
    other = given.other.resolve()
    if not (other / ".venv" / "bin" / "lorewright").is_file():
        sys.exit(f"{other} has no environment in .venv: run make play there first")
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=other, capture_output=True, text=True
    ).stdout.strip()
    table = Table(title=f"beside {commit}, {os.cpu_count()} processors")
    for column in ("what", "×", "× CPU", "ours", "theirs", "aim"):
        table.add_column(column)
    rows = []
    for row in [*measure_commands(other), *(measure_queries(other, size) for size in given.sizes)]:
        aim = f"≤ {row['aim']} ×" if row["aim"] else ""
        table.add_row(row["what"], f"{row['ratio']:.2f}", f"{row['cpu_ratio']:.2f}", row["ours"], row["theirs"], aim)
        rows.append({**row, "ratio": round(row["ratio"], 4), "cpu_ratio": round(row["cpu_ratio"], 4), "other": commit})
    Console(width=120).print(table)
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    given.json.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
