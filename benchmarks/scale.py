"""How fast lore is found in 1,500, 25,000 and 200,000 vectors, and what that takes: exact search and Chroma.

    python benchmarks/scale.py [--sizes 1500 25000 200000] [--rebuild] [--chroma-up-to 25000]

Each figure comes from a fresh process. A question is asked warm and whole: through `retrieve`, its embedding included,
200 real ones in several rounds; of each the best round counts, for what else the machine did is no part of the matter
(CPU is what the process's threads worked, which others hardly disturb; `load` in the file says how busy it was).
Cold is a whole `lorewright lore query` from before the process to its end. The packs are built once and kept; they take
2 GB.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from lorewright.index.embedders.embedder import RememberingEmbedder
from lorewright.index.embedders.minilm import MiniLM
from lorewright.index.vectors.chroma import open_chroma
from lorewright.index.vectors.stored import StoredVectors
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from scale_store import CORPORA, add_chroma, build, built, folder_of, opened, pack_key, questions

SIZES = (1_500, 25_000, 200_000)
AIMS = {1_500: 10.0, 25_000: 20.0, 200_000: 60.0}
ROUNDS = 3
COLD_RUNS = 5
EXACT, CHROMA = "exact", "chroma"
RESULTS = Path(__file__).parent / "results" / "speed.json"
QUESTION = "Where can an outsider earn the vote by soldiering?"

Row = dict[str, Any]


def ask(size: int, arm: str, rounds: int) -> Row:
    """Every question in each round, in this process."""
    started = time.perf_counter()
    model = MiniLM()
    library = opened(size, RememberingEmbedder(model))
    if arm == CHROMA:
        library._open_nearest = lambda folder, vectors: StoredVectors(vectors, open_chroma(folder))
    generation = library.open(pack_key(library))
    view = LoreView((generation,))
    open_s = time.perf_counter() - started
    first_ms = timed_ms(view, QUESTION)[0]
    times: list[list[float]] = []
    worked: list[list[float]] = []
    answers: list[str] = []
    for _ in range(rounds):
        asked = [timed_ms(view, text) for text in questions()]
        times.append([spent for spent, _, _ in asked])
        worked.append([busy for _, busy, _ in asked])
        answers = [found for _, _, found in asked]
    embedding = []
    for text in questions():
        begun = time.perf_counter()
        model.embed_query(text)
        embedding.append((time.perf_counter() - begun) * 1000)
    generation.close()
    best = [min(one) for one in zip(*times, strict=True)]
    return {
        "arm": arm,
        "size": size,
        **quantiles(best),
        "cpu_ms": statistics.median(min(one) for one in zip(*worked, strict=True)),
        "all_rounds_p50_ms": statistics.median([one for part in times for one in part]),
        "embed_p50_ms": statistics.median(embedding),
        "first_ms": first_ms,
        "load": os.getloadavg()[0],
        "open_s": open_s,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "answers": hashlib.sha256("\n".join(answers).encode()).hexdigest()[:12],
    }


def timed_ms(view: LoreView, text: str) -> tuple[float, float, str]:
    """The milliseconds of a question, those that the process's threads worked, and the IDs and scores of its answer."""
    begun, busy = time.perf_counter(), time.process_time()
    found = retrieve(view, LoreRetrievalQuery(keywords=text)).result.chunks
    spent, busy = (time.perf_counter() - begun) * 1000, (time.process_time() - busy) * 1000
    return spent, busy, " ".join(f"{chunk.chunk_id}={chunk.relevance_score}" for chunk in found)


def quantiles(times: list[float]) -> dict[str, float]:
    """The middle, and what one in twenty takes."""
    return {"p50_ms": statistics.median(times), "p95_ms": sorted(times)[int(len(times) * 0.95)]}


def cold(size: int, *, runs: int = COLD_RUNS) -> dict[str, float]:
    """Whole processes: the middle and the best of their times, and the most memory."""
    command = [sys.executable, "-m", "lorewright", "lore", "query", QUESTION, "--json"]
    environment = {**os.environ, "LOREWRIGHT_WORKSPACE": str(folder_of(size))}
    times, worked = [], []
    for _ in range(runs + 1):
        begun, busy = time.perf_counter(), children_s()
        subprocess.run(command, check=True, capture_output=True, env=environment)
        times.append(time.perf_counter() - begun)
        worked.append(children_s() - busy)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    found = {"cold_s": statistics.median(times[1:]), "cold_best_s": min(times[1:]), "cold_cpu_s": min(worked[1:])}
    return {**found, "cold_memory_mb": peak}


def children_s() -> float:
    """The seconds that processes which were waited for have worked."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def in_process(*arguments: object) -> Any:
    """What this program says, run anew with other arguments."""
    command = [sys.executable, __file__, *map(str, arguments)]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if told.returncode:
        sys.exit(f"failed: {' '.join(command)}")
    return json.loads(told.stdout.splitlines()[-1])


def ready(size: int, *, chroma: bool, rebuild: bool) -> Row:
    """A size, built where it is not there; what building it took."""
    about = None if rebuild else built(size)
    if about is None:
        about = in_process("--do", "build", size)
    return in_process("--do", "add-chroma", size) if chroma and not about["chroma"] else about


def measure(size: int, *, chroma: bool, rebuild: bool, rounds: int) -> list[Row]:
    """The rows of a size: exact search, and Chroma where it was built."""
    about = ready(size, chroma=chroma, rebuild=rebuild)
    started = in_process("--do", "cold", size)
    rows = []
    for arm in (EXACT, CHROMA) if about["chroma"] else (EXACT,):
        took = about["read_s"] + about["words_s"] + about["vectors_s"]
        took += about["chroma_s"] if arm == CHROMA else 0.0
        disk = about["disk_mb"] + (about["chroma_disk_mb"] if arm == CHROMA else 0.0)
        about_it = {"chunks": about["chunks"], "index_per_s": about["chunks"] / took, "index_s": took, "disk_mb": disk}
        # The command line never waits for Chroma.
        rows.append({**in_process("--do", arm, size, "--rounds", rounds), **about_it, **started})
    return rows


def shown(rows: list[Row]) -> Table:
    """Ratios first, then the figures."""
    table = Table(title=f"ours, {os.cpu_count()} processors: a question warm, its embedding included")
    names = (
        "p50_ms",
        "p95_ms",
        "cpu_ms",
        "embed_p50_ms",
        "open_s",
        "cold_s",
        "cold_cpu_s",
        "index_per_s",
        "memory_mb",
        "disk_mb",
    )
    for column in ("vectors", "chunks", "arm", "× exact", "× aim", *(name.replace("_", " ") for name in names)):
        table.add_column(column, justify="right")
    for row in rows:
        exact = next((one for one in rows if one["size"] == row["size"] and one["arm"] == EXACT), row)
        aim = AIMS.get(row["size"])
        ratios = [f"{row['p50_ms'] / exact['p50_ms']:.2f}", f"{row['p50_ms'] / aim:.2f}" if aim else ""]
        table.add_row(str(row["size"]), str(row["chunks"]), row["arm"], *ratios, *(f"{row[n]:.4g}" for n in names))
    return table


def kept(rows: list[Row], path: Path) -> None:
    """Write rows among those that are there, in place of older ones of the same arm and size."""
    old = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    new = {(row["arm"], row["size"]) for row in rows}
    both = [row for row in old if (row["arm"], row["size"]) not in new] + rows
    tidy = [{name: round(v, 4) if isinstance(v, float) else v for name, v in row.items()} for row in both]
    path.parent.mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(row) for row in sorted(tidy, key=lambda row: (row["size"], row["arm"])))
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main() -> None:
    """Measure every size, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rebuild", action="store_true", help="index anew, and time it")
    parser.add_argument("--chroma-up-to", type=int, default=25_000, help="build Chroma too, up to so many (more: long)")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path, default=RESULTS)
    parser.add_argument("--do", nargs=2, help=argparse.SUPPRESS)
    given: Any = parser.parse_args()
    console = Console(width=170)
    if given.do:
        what, size = given.do[0], int(given.do[1])
        work = {
            "build": lambda: build(size, chroma=False),
            "add-chroma": lambda: add_chroma(size),
            "cold": lambda: cold(size),
        }
        console.file.write(json.dumps(work[what]() if what in work else ask(size, what, given.rounds)) + "\n")
        return
    if not (CORPORA / "questions").is_dir():
        sys.exit(f"no questions at {CORPORA}: set LOREWRIGHT_CORPORA")
    rows: list[Row] = []
    for size in given.sizes:
        found = measure(size, chroma=size <= given.chroma_up_to, rebuild=given.rebuild, rounds=given.rounds)
        kept(found, given.json)
        rows += found
    console.print(shown(rows))


if __name__ == "__main__":
    main()
