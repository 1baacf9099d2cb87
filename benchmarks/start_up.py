"""What starting up costs, and one question and one turn once it is up: this checkout beside another, in one run.

    python benchmarks/start_up.py --other DIR [--runs 5] [--json]

DIR is a checkout with an environment in .venv. Each figure is the CPU time, in seconds, of a process and its children
(a busy machine stretches the wall clock, not this): the median of some runs, taken of both in turns. What runs warm is
the difference between a process that is given so many lines and one that is given twice as many, for one line.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
ROOTS = ("lorewright.app", "lorewright.bootstrap")
QUESTION = "where did Jin go"
PACKS = ("cyberpunk_core", "neo_seattle")
LINES = (*("look", "ask Viktor about Jin", "go street", "look", "ask Mira about the signal", "go bar"),)
# The process is measured from within a parent of its own, which has no other children.
MEASURE = (
    "import json, resource, subprocess, sys\n"
    "ran = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, capture_output=True, text=True)\n"
    "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
    "told = {'cpu_s': used.ru_utime + used.ru_stime, 'code': ran.returncode, 'stderr': ran.stderr[-2000:]}\n"
    "print(json.dumps(told))\n"
)


@dataclass(slots=True)
class Checkout:
    """A checkout that is measured, with a workspace of the moment, and the seconds that each thing took."""

    name: str
    folder: Path
    workspace: Path
    seconds: dict[str, list[float]] = field(default_factory=dict)

    @property
    def python(self) -> str:
        """Return the interpreter of its environment."""
        return str(self.folder / ".venv" / "bin" / "python")

    def cpu_s(self, *command: str) -> float:
        """Run a command in the workspace; return its CPU seconds.

        Raises:
            SystemExit: it failed.
        """
        environment = {
            **os.environ,
            **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"), str(self.workspace.parent)),
            "LOREWRIGHT_WORKSPACE": str(self.workspace),
            "LOREWRIGHT_EMBEDDER": "none",
            "LOREWRIGHT_CHROMA": "never",
        }
        self.workspace.mkdir(parents=True, exist_ok=True)
        asked = [sys.executable, "-c", MEASURE, *command]
        ran = subprocess.run(asked, cwd=self.workspace, env=environment, capture_output=True, text=True, check=True)
        told = json.loads(ran.stdout)
        if told["code"]:
            sys.exit(f"{self.name}: {' '.join(command)}: exit {told['code']}\n{told['stderr']}")
        return float(told["cpu_s"])

    def lorewright(self, *arguments: str) -> float:
        """Run a command of the program; return its CPU seconds."""
        return self.cpu_s(self.python, "-P", "-m", "lorewright", *arguments)

    def composition_root(self) -> str:
        """Return the module that it is composed in: the first of those that there are."""
        names = [name for name in ROOTS if self.has_module(name)]
        if not names:
            sys.exit(f"{self.name} has none of {', '.join(ROOTS)}")
        return names[0]

    def has_module(self, name: str) -> bool:
        """Return whether its environment has a module."""
        code = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"
        return subprocess.run([self.python, "-P", "-c", code, name]).returncode == 0

    def set_up(self, *, turns: int, questions: int) -> None:
        """Make its workspace: packs installed, a campaign begun, and files of so many and twice as many lines."""
        self.lorewright("init", str(self.workspace))
        for pack in PACKS:
            self.lorewright("pack", "install", f"content_packs/{pack}")
        self.lorewright("campaign", "new", "dead_drop", "--id", "start", "--seed", "1")
        for times in (1, 2):
            (self.workspace / f"questions{times}.jsonl").write_text(asked(questions * times), encoding="utf-8")
            (self.workspace / f"turns{times}.txt").write_text(played(turns * times), encoding="utf-8")
        (self.workspace / "turns0.txt").write_text("/who\n", encoding="utf-8")


def asked(count: int) -> str:
    """Return so many questions as JSON lines, none of them twice."""
    return "".join(json.dumps({"id": number, "query": f"{QUESTION} {number}"}) + "\n" for number in range(count))


def played(count: int) -> str:
    """Return so many lines of play."""
    return "".join(f"{LINES[number % len(LINES)]}\n" for number in range(count))


def measures(*, turns: int, questions: int) -> dict[str, Callable[[Checkout, int], float]]:
    """Return how each thing is measured in one run of a checkout, by its name."""

    def play(one: Checkout, run: int, times: int) -> float:
        # Each run begins a campaign of its own in the process that plays it, so that all play the same turns.
        name = f"run{run}_{times}"
        scenarios = one.workspace / "scenarios"
        text = (scenarios / "dead_drop.yaml").read_text(encoding="utf-8")
        (scenarios / f"{name}.yaml").write_text(text.replace("id: dead_drop", f"id: {name}", 1), encoding="utf-8")
        return one.lorewright("play", name, "--seed", "1", "--script", f"turns{times}.txt")

    def ask(one: Checkout, times: int) -> float:
        return one.lorewright("lore", "query", "--batch", f"questions{times}.jsonl")

    return {
        "python -c pass": lambda one, run: one.cpu_s(one.python, "-P", "-c", "pass"),
        "import of the composition root": lambda one, run: one.cpu_s(
            one.python, "-P", "-c", f"import {one.composition_root()}"
        ),
        "lorewright --help": lambda one, run: one.lorewright("--help"),
        "lore query, cold, no embedder": lambda one, run: one.lorewright("lore", "query", QUESTION, "--json"),
        "play, start, no turn": lambda one, run: one.lorewright("play", "start", "--script", "turns0.txt"),
        "one turn, warm": lambda one, run: (play(one, run, 2) - play(one, run, 1)) / turns,
        "one query, warm": lambda one, run: (ask(one, 2) - ask(one, 1)) / questions,
    }


def rows(here: Mapping[str, Sequence[float]], other: Mapping[str, Sequence[float]]) -> list[dict[str, Any]]:
    """Return for each thing the medians of both, the least and most of this one, and the ratio of this to the other."""
    return [
        {
            "what": name,
            "here_s": statistics.median(spent),
            "least_s": min(spent),
            "most_s": max(spent),
            "other_s": (theirs := statistics.median(other[name])),
            "ratio": statistics.median(spent) / theirs if theirs > 0 else None,
        }
        for name, spent in here.items()
    ]


def table_of(found: Sequence[Mapping[str, Any]], other: str) -> Table:
    """Return the rows as a table, ratios first."""
    table = Table(title=f"CPU seconds, {os.cpu_count()} processors; × is this checkout to {other}")
    for title in ("", "×", "here", "least to most", other):
        table.add_column(title, justify="right" if title else "left")
    for row in found:
        span = f"{row['least_s']:.3f} to {row['most_s']:.3f}"
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        table.add_row(row["what"], ratio, f"{row['here_s']:.3f}", span, f"{row['other_s']:.3f}")
    return table


def main() -> None:
    """Set both up, measure them in turns, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--other", type=Path, required=True, help="the checkout to measure beside, with its .venv")
    parser.add_argument("--runs", type=int, default=5, help="how often each thing is measured (5)")
    parser.add_argument("--turns", type=int, default=12, help="turns of the shorter play (12)")
    parser.add_argument("--questions", type=int, default=50, help="questions of the shorter batch (50)")
    parser.add_argument("--only", nargs="+", default=[""], help="only what has one of these words in its name")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    given: Any = parser.parse_args()
    errors = Console(stderr=True)
    with tempfile.TemporaryDirectory(prefix="start-up-") as folder, errors.status("setting both up") as status:
        both = [
            Checkout(name, where.absolute(), Path(folder).resolve() / name / "workspace")
            for name, where in (("here", ROOT), (given.other.name, given.other))
        ]
        for one in both:
            one.set_up(turns=given.turns, questions=given.questions)
        chosen = {
            name: measure
            for name, measure in measures(turns=given.turns, questions=given.questions).items()
            if any(word in name for word in given.only)
        }
        for run in range(given.runs):
            for name, measure in chosen.items():
                for one in both if run % 2 else reversed(both):
                    status.update(f"run {run + 1}: {name}, {one.name}")
                    one.seconds.setdefault(name, []).append(measure(one, run))
    found = rows(both[0].seconds, both[1].seconds)
    if given.json:
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
    else:
        Console(width=110).print(table_of(found, str(given.other)))


if __name__ == "__main__":
    main()
