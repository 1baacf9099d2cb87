"""How many files one turn without a model enters, and how many calls go from one file to another: this checkout, and
another beside it.

    python benchmarks/turn_calls.py [--other DIR] [--json]

DIR is a checkout with an environment in .venv. What is counted is one `submit` of LINE in Dead Drop, after a turn that
has loaded everything. A call goes from the nearest function of the sources that called, through libraries, to the
function that is entered; a generator or a coroutine counts once, when it begins.
"""

from __future__ import annotations

import argparse
import asyncio
import dis
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SCENARIO, SEED, PACKS = "dead_drop", 1, ("cyberpunk_core", "neo_seattle")
WARM_UP, LINE = "look", "ask Viktor about Jin"
SHOWN = 15

_RESUMED = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR


class Calls:
    """The functions below a folder that were entered, by file, and the calls from one file to another."""

    def __init__(self, folder: Path) -> None:
        self._folder = f"{folder.resolve()}{os.sep}"
        self.entered: Counter[str] = Counter()
        self.across: Counter[tuple[str, str]] = Counter()

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count the calls of this thread."""
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        if event != "call" or not _begins(frame) or (file := self._file_of(frame)) is None:
            return
        self.entered[file] += 1
        caller, source = frame.f_back, None
        while caller is not None and (source := self._file_of(caller)) is None:
            caller = caller.f_back
        if source is not None and source != file:
            self.across[source, file] += 1

    def _file_of(self, frame: FrameType) -> str | None:
        """Return the path of a frame's file below the folder, or None."""
        name = frame.f_code.co_filename
        return name.removeprefix(self._folder) if name.startswith(self._folder) else None

    def figures(self) -> dict[str, Any]:
        """Return the counts, and the pairs of files with the most calls."""
        most = sorted(self.across.items(), key=lambda pair: (-pair[1], pair[0]))[:SHOWN]
        return {
            "files": len(self.entered),
            "calls": sum(self.entered.values()),
            "calls_across_files": sum(self.across.values()),
            "pairs": len(self.across),
            "most": [{"from": source, "to": file, "calls": count} for (source, file), count in most],
        }


def _begins(frame: FrameType) -> bool:
    """Return False where a generator or a coroutine goes on."""
    code = frame.f_code
    return not code.co_flags & _RESUMED or frame.f_lasti <= _first_step(code)


@cache
def _first_step(code: CodeType) -> int:
    return next((step.offset for step in dis.get_instructions(code) if step.opname == "RESUME"), 0)


def count_turn(workspace: Path, folder: Path) -> dict[str, Any]:
    """Play one turn of the campaign `calls` to warm up and count the calls below a folder in the next."""
    from lorewright.bootstrap import open_app

    calls = Calls(folder)
    with open_app(workspace).campaigns.open("calls") as campaign:
        asyncio.run(campaign.submit(WARM_UP))
        with calls.counting():
            asyncio.run(campaign.submit(LINE))
    return calls.figures()


def measured(checkout: Path) -> dict[str, Any]:
    """Return the figures of a checkout, in a workspace of the moment.

    Raises:
        SystemExit: a command failed.
    """
    own = checkout / ".venv" / "bin" / "python"
    python = str(own if own.exists() else sys.executable)
    with tempfile.TemporaryDirectory(prefix="turn-calls-") as made:
        home, workspace = Path(made).resolve(), Path(made).resolve() / "workspace"
        workspace.mkdir()
        environment = {
            **os.environ,
            **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"), str(home)),
            "PYTHONPATH": str(checkout / "src"),
            "LOREWRIGHT_WORKSPACE": str(workspace),
            "LOREWRIGHT_EMBEDDER": "none",
            "LOREWRIGHT_CHROMA": "never",
        }

        def run(*arguments: str) -> str:
            command = [python, "-P", *arguments]
            ran = subprocess.run(command, cwd=workspace, env=environment, capture_output=True, text=True)
            if ran.returncode:
                sys.exit(f"{checkout}: {' '.join(arguments)}: exit {ran.returncode}\n{ran.stderr[-2000:]}")
            return ran.stdout

        run("-m", "lorewright", "init", str(workspace))
        for pack in PACKS:
            run("-m", "lorewright", "pack", "install", f"content_packs/{pack}")
        run("-m", "lorewright", "campaign", "new", SCENARIO, "--id", "calls", "--seed", str(SEED))
        told = run(str(Path(__file__).resolve()), "--count", str(workspace), str(checkout / "src" / "lorewright"))
    found: dict[str, Any] = json.loads(told.splitlines()[-1])
    return found


def print_table(found: Mapping[str, Mapping[str, Any]]) -> None:
    """Print the counts of each checkout in a column, and where the first one's calls go."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"one turn without a model: {SCENARIO}, seed {SEED}, “{LINE}”")
    for title in ("", *found):
        table.add_column(title, justify="right" if title else "left")
    names = {"files": "files entered", "calls": "calls", "calls_across_files": "calls across files", "pairs": "pairs"}
    for key, name in names.items():
        table.add_row(name, *(f"{figures[key]:,}" for figures in found.values()))
    console = Console(width=120)
    console.print(table)
    for row in next(iter(found.values()))["most"]:
        console.print(f"{row['calls']:7,}  {row['from']} → {row['to']}", highlight=False)


def main() -> None:
    """Count, and print the table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--other", type=Path, help="the checkout to count beside, with its .venv")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--count", nargs=2, type=Path, metavar=("WORKSPACE", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.count is not None:
        sys.stdout.write(json.dumps(count_turn(*given.count)) + "\n")
        return
    found = {"here": measured(ROOT)}
    if given.other is not None:
        found[str(given.other)] = measured(given.other.resolve())
    if given.json:
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
    else:
        print_table(found)


if __name__ == "__main__":
    main()
