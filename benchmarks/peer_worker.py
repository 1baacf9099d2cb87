"""One way of finding lore, in a process of its own: builds, answers once, or answers line by line.

    python peer_worker.py ARM build|cold|serve NODES MODEL

Runs in whatever environment has the arm's library, and imports nothing of ours unless ARM is ours. `serve` reads a JSON
list of questions a line and says `{"ms": [...], "cpu_ms": [...], "found": [[node ID, ...], ...]}`, where `cpu_ms` is
what all threads of the process worked; at the end of its input, what memory it took. What libraries print goes to
stderr.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import shutil
import sys
import time
from pathlib import Path
from typing import Any, Protocol

QUESTION = "Where can an outsider earn the vote by soldiering?"
# Where each arm's code is; the rest of its name is an option of it.
MODULES = {"llamaindex": "peer_llamaindex", "haystack": "peer_haystack", "txtai": "peer_txtai", "ours": "peer_ours"}


class Searcher(Protocol):
    """Whoever answers."""

    def ask(self, text: str) -> list[str]:
        """The IDs of the nodes that answer, best first."""


def peak_mb() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def size_mb(folder: Path) -> float:
    """What a folder takes of the disk."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def read_nodes(folder: Path) -> tuple[list[dict[str, str]], Any]:
    """The nodes and their vectors."""
    import numpy as np

    lines = (folder / "nodes.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines], np.load(folder / "vectors.npy")


def build(module: Any, option: str, folder: Path, store: Path) -> dict[str, float]:
    """Index the nodes with the vectors that they have, and keep what comes of it."""
    nodes, vectors = read_nodes(folder)
    shutil.rmtree(store, ignore_errors=True)
    store.mkdir(parents=True)
    started = time.perf_counter()
    module.build(option, nodes, vectors, store)
    return {"index_s": time.perf_counter() - started, "nodes": len(nodes), "disk_mb": size_mb(store)}


def main() -> None:
    """Do what the arguments say."""
    arm, what, folder, model = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4]
    out, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
    os.dup2(2, 1)
    name, _, option = arm.partition("+")
    started = time.perf_counter()
    module = importlib.import_module(MODULES[name])
    store = folder / arm

    def tell(what: object) -> None:
        out.write(json.dumps(what) + "\n")
        out.flush()

    if what == "build":
        tell({**build(module, option, folder, store), "build_memory_mb": peak_mb()})
        return
    searcher: Searcher = module.open_store(option, store, model)
    if what == "cold":
        tell({"found": searcher.ask(QUESTION)[:3]})
        return
    tell({"open_s": time.perf_counter() - started})
    for line in sys.stdin:
        times, worked, found = [], [], []
        for text in json.loads(line):
            begun, busy = time.perf_counter(), time.process_time()
            found.append(searcher.ask(text))
            times.append((time.perf_counter() - begun) * 1000)
            worked.append((time.process_time() - busy) * 1000)
        tell({"ms": times, "cpu_ms": worked, "found": found})
    tell({"memory_mb": peak_mb()})


if __name__ == "__main__":
    main()
