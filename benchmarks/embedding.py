"""How fast texts become vectors, and what it costs: arms side by side, each in fresh processes, in one run.

    python benchmarks/embedding.py [--python /path/to/a/python/with/sentence-transformers] [--arms minilm st]

Texts are the content packs in pieces of so many words each, and their windows, which are what an index embeds. Speed is
texts a second; the ratio is to sentence-transformers' own `encode` where that is to be had, else to the first arm.
`CPU` is the same by what the process's threads worked, which other processes disturb less. A cold start runs from
before the process to its first vector.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

PACKS = Path(__file__).parents[1] / "content_packs"
QUESTION = "who guards the gate of the old keep at night?"
WORDS = (15, 30, 60, 150, 250)
LENGTHS = (*(f"{words} words" for words in WORDS), "windows")
TEXTS = 96
ROUNDS = 3
RESULTS = Path(__file__).parent / "results" / "embedding.json"
OURS = ("minilm", "minilm 1 thread", "minilm 4 threads", "minilm int8")
THEIRS = ("st", "st batch 1")

Embed = Callable[[Sequence[str]], object]


def texts(length: str) -> list[str]:
    """Pieces of the packs of one of LENGTHS, spread over them."""
    from lorewright.index.building import pieces_of

    files = [path.read_text(encoding="utf-8") for path in sorted(PACKS.rglob("*.md"))]
    if length == "windows":
        sections = [section for text in files for section in text.split("\n## ")[1:]]
        found = [piece for section in sections for piece in pieces_of(section)]
        return found[:: max(1, len(found) // TEXTS)][:TEXTS]
    words = int(length.split()[0])
    read = " ".join(files).split()
    step = max(1, (len(read) - words) // TEXTS)
    return [" ".join(read[start : start + words]) for start in range(0, len(read) - words, step)][:TEXTS]


def minilm(threads: int | None = None) -> Embed:
    """Ours, with as many threads as shipped or as told."""
    from lorewright.index.embedders import minilm as module

    if threads:
        module._processors = lambda: threads  # type: ignore[assignment]
    return module.MiniLM().embed


def int8() -> Embed:
    """Ours in eight bits: an option, for its answers differ from processor to processor."""
    from lorewright.index.embedders.minilm import MiniLM

    return MiniLM(eight_bits=True).embed


def sentence_transformers(batch: int) -> Embed:
    """The original, as its own documentation calls it."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(os.environ["MODEL"], local_files_only=True)
    return lambda many: model.encode(list(many), batch_size=batch, normalize_embeddings=True, show_progress_bar=False)


def opened(arm: str) -> Embed:
    """An arm by its name."""
    match arm.split():
        case ["minilm"]:
            return minilm()
        case ["minilm", "int8"]:
            return int8()
        case ["minilm", threads, *_]:
            return minilm(int(threads))
        case ["st", "batch", size]:
            return sentence_transformers(int(size))
        case _:
            return sentence_transformers(32)


def measure(arm: str, started: float, given: dict[str, list[str]]) -> dict[str, float]:
    """The figures of one arm, in this process; `given` are the texts by their length."""
    embed = opened(arm)
    embed([QUESTION])
    figures = {"cold s": time.time() - started, "query MB": peak_mb()}
    spent = [timed(embed, [QUESTION]) for _ in range(100)]
    figures["query ms"] = statistics.median(spent) * 1000
    for length, many in given.items():
        busy = time.process_time()
        figures[length] = len(many) / timed(embed, many)
        figures[f"CPU {length}"] = len(many) / (time.process_time() - busy)
    return {**figures, "peak MB": peak_mb()}


def timed(embed: Embed, many: Sequence[str]) -> float:
    """Seconds."""
    begun = time.perf_counter()
    embed(many)
    return time.perf_counter() - begun


def peak_mb() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(python: str, arm: str) -> dict[str, float]:
    """The figures of one arm, in a process of its own."""
    from lorewright.index.embedders.minilm import model_folder

    given = json.dumps({length: texts(length) for length in LENGTHS})
    command = [python, __file__, "--arm", arm, "--started", str(time.time())]
    told = subprocess.run(
        command,
        input=given,
        capture_output=True,
        text=True,
        env={**os.environ, "MODEL": str(model_folder())},
    )
    if told.returncode:
        raise SystemExit(f"{arm}: {told.stderr.strip().splitlines()[-1]}")
    return json.loads(told.stdout.splitlines()[-1])


def better(first: dict[str, float], second: dict[str, float]) -> dict[str, float]:
    """The best of two rounds: what else the machine did is no part of the matter."""
    return {name: (max if name.endswith(LENGTHS) else min)(first[name], second[name]) for name in first}


def has_original(python: str) -> bool:
    """Whether an interpreter has sentence-transformers."""
    look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('sentence_transformers') is None)"
    return subprocess.run([python, "-c", look]).returncode == 0


def shown(found: dict[str, dict[str, float]]) -> Table:
    """Ratios first, then the figures."""
    base = found.get("st") or next(iter(found.values()))
    table = Table(title=f"embedding, {os.cpu_count()} processors")
    names = ("windows", "cold s", "query ms", "peak MB")
    compared = (*LENGTHS, "CPU windows", "cold s")
    for column in ("arm", *(f"× {name}" for name in compared), *names):
        table.add_column(column, justify="left" if column == "arm" else "right")
    for arm, figures in found.items():
        ratios = [figures[name] / base[name] for name in compared]
        table.add_row(arm, *(f"{one:.2f}" for one in ratios), *(f"{figures[name]:.4g}" for name in names))
    return table


def main() -> None:
    """Run every arm that can be had, in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has sentence-transformers")
    parser.add_argument("--arms", nargs="+", default=[*OURS, *THEIRS])
    parser.add_argument("--json", type=Path, default=RESULTS)
    parser.add_argument("--arm", help=argparse.SUPPRESS)
    parser.add_argument("--started", type=float, default=0.0, help=argparse.SUPPRESS)
    given: Any = parser.parse_args()
    console = Console(width=150)
    if given.arm:
        console.file.write(json.dumps(measure(given.arm, given.started, json.load(sys.stdin))) + "\n")
        return
    arms = [(sys.executable, arm) for arm in given.arms if not arm.startswith("st")]
    if has_original(given.python):
        arms += [(given.python, arm) for arm in given.arms if arm.startswith("st")]
    else:
        console.print("sentence-transformers is not installed: its arms are left out (see --python)")
    found: dict[str, dict[str, float]] = {}
    for _ in range(ROUNDS):
        for python, arm in arms:
            figures = run(python, arm)
            found[arm] = better(found[arm], figures) if arm in found else figures
    console.print(shown(found))
    rows = [{"arm": arm, **{name: round(one, 4) for name, one in figures.items()}} for arm, figures in found.items()]
    given.json.parent.mkdir(exist_ok=True)
    given.json.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
