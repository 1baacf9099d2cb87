"""What is told of a peer: ratios on the questions that both were asked, and why one could not be measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from peer_arms import Arm
from peers import told_of
from scale import kept


class Told(Arm):
    """An arm that was asked before."""

    def memory_mb(self) -> float:
        return 100.0


def arm(name: str, **times: float) -> Arm:
    process = subprocess.Popen([sys.executable, "-c", ""], text=True)
    process.wait()
    return Told(name, process, Path(), times=times, worked={text: spent / 2 for text, spent in times.items()})


def test_the_ratio_is_taken_on_the_questions_that_both_were_asked() -> None:
    row = told_of(arm("slow", a=40.0, b=60.0), arm("ours", a=4.0, b=6.0, c=900.0))
    assert (row["times_ours"], row["cpu_times_ours"], row["questions"]) == (10, 10, 2)
    assert (row["p50_ms"], row["memory_mb"]) == (50, 100)


def test_one_that_failed_says_why_and_nothing_else() -> None:
    one = arm("slow", a=1.0)
    one.failed = "exit 1: MemoryError"
    assert told_of(one, None) == {"failed": "exit 1: MemoryError"}


def test_rows_take_the_place_of_older_ones_and_of_no_others(tmp_path: Path) -> None:
    path = tmp_path / "results" / "speed.json"
    kept([{"arm": "exact", "size": 9, "p50_ms": 2.0}, {"arm": "chroma", "size": 9, "p50_ms": 3.0}], path)
    kept([{"arm": "exact", "size": 9, "p50_ms": 1.0}, {"arm": "exact", "size": 1, "p50_ms": 0.5}], path)
    rows = json.loads(path.read_text(encoding="utf-8"))
    assert [(row["size"], row["arm"], row["p50_ms"]) for row in rows] == [
        (1, "exact", 0.5),
        (9, "chroma", 3.0),
        (9, "exact", 1.0),
    ]
