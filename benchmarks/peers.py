"""The real LlamaIndex, Haystack and txtai beside ours: the same texts, vectors, weights and questions.

    make bench-peers
    python benchmarks/peers.py --python .venv-peers/bin/python [--sizes 1500 25000 200000] [--sets tales] [--rebuild]

Each library runs in processes of its own, in an environment of its own. Speed: all of them are open at once and asked
in turns, a few questions each, so that whatever else the machine does falls on all alike; a question is timed with its
embedding. Whoever is slow is asked fewer questions; ratios are taken on the questions that both were asked. Quality:
their ranked lists on the questions of the corpora, scored as ours.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from peer_arms import OURS, Arm, Failed, Peers
from peer_nodes import nodes_of_size
from peers_quality import WAYS, Ask, Given, beside_ours, given
from quality_tables import tables
from question_sets import SETS, question_set
from results import SetResult, save
from scale import QUESTION, Row, cold, kept, quantiles, ready
from scale_store import questions

THEIRS = ("llamaindex", "llamaindex+chroma", "haystack", "txtai")
SIZES = (1_500, 25_000, 200_000)
BLOCK = 5
LONG_S = 30.0  # a cold start that takes longer is not repeated
CHROMA_UP_TO = 25_000  # ours is asked with Chroma up to so many, and where it was built
RESULTS = Path(__file__).parent / "results" / "peers.json"


def measured(peers: Peers, size: int, options: Any, console: Console) -> list[Row]:
    """The rows of a size: everyone that can be built and opened, asked in turns."""
    about = ready(size, chroma=size <= CHROMA_UP_TO and OURS[1] in options.arms, rebuild=False)
    folder = nodes_of_size(size)
    rows: dict[str, Row] = {}
    for arm in options.arms:
        if arm == OURS[1] and not about["chroma"]:
            continue
        console.print(f"{size}: {arm} …")
        try:
            rows[arm] = (
                ours_built(arm, size, about) if arm in OURS else peers.build(arm, folder, rebuild=options.rebuild)
            )
        except Failed as problem:
            rows[arm] = {"failed": str(problem)}
    start_in_turns(peers, size, folder, rows, runs=options.cold_runs)
    ask_in_turns(peers, folder, rows, seconds=options.seconds)
    load = os.getloadavg()[0]
    return [{"arm": arm, "size": size, "load": load, **row} for arm, row in rows.items()]


def ours_built(arm: str, size: int, about: Row) -> Row:
    """As `Peers.build` of ours, which stands already."""
    took = sum(about[name] for name in ("read_s", "words_s", "vectors_s"))
    took += about["chroma_s"] if arm.endswith("chroma") else 0.0
    disk = about["disk_mb"] + (about["chroma_disk_mb"] if arm.endswith("chroma") else 0.0)
    return {"index_s": took, "nodes": size, "index_per_s": size / took, "disk_mb": disk}


def start_in_turns(peers: Peers, size: int, folder: Path, rows: dict[str, Row], *, runs: int) -> None:
    """Add to each row the best of some cold starts; ours is the command line, which never waits for Chroma."""
    for _ in range(runs):
        for arm, row in rows.items():
            if "failed" not in row and row.get("cold_s", 0.0) < LONG_S:
                try:
                    spent = cold(size, runs=1)["cold_best_s"] if arm in OURS else peers.cold_s(arm, folder)
                    row["cold_s"] = min(spent, row.get("cold_s", spent))
                except Failed as problem:
                    row["failed"] = str(problem)


def ask_in_turns(peers: Peers, folder: Path, rows: dict[str, Row], *, seconds: float) -> None:
    """Add to each row what its arm took to answer, asked for so many seconds."""
    with ExitStack() as stack:
        arms: list[Arm] = []
        for arm, row in rows.items():
            if "failed" not in row:
                try:
                    one = stack.enter_context(peers.opened(arm, folder))
                    one.warm_up(QUESTION)
                    arms.append(one)
                except Failed as problem:
                    row["failed"] = f"opening: {problem}"
        blocks = [questions()[start : start + BLOCK] for start in range(0, len(questions()), BLOCK)]
        for block in [*blocks, *blocks]:
            for one in arms:
                if one.asked_s < seconds and one.failed is None:
                    try:
                        one.ask(block)
                    except Failed as problem:
                        one.failed = str(problem)
        ours = next((one for one in arms if one.name in OURS and one.failed is None), None)
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
    parser.add_argument("--seconds", type=float, default=60.0, help="how long each arm is asked at each size")
    parser.add_argument("--cold-runs", type=int, default=3)
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
        rows += measured(peers, size, options, console)
        kept([row for row in rows if row["size"] == size], options.json)
    if rows:
        console.print(shown(rows))


if __name__ == "__main__":
    main()
