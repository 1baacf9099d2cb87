"""How many of the acts that people meant the built-in interpreter reads, in 1,468 lines that were labelled by hand.

    python benchmarks/understanding.py [--files k l] [--show 40]

The lines (`tests/fixtures/blind_lines/*.jsonl.gz`) were written from the openings alone; `labels.jsonl.gz` beside them
says what each act of a line is: its kind, the verb that fits best, its target. An act is read where the interpreter
proposes one of that verb. It is a measure of readings, not of answers, and most of these lines were built with: it
tells whether a change makes reading better or worse, and not how well anybody is understood.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from lorewright.bootstrap import App, open_app
from lorewright.errors import LorewrightError
from lorewright.lore_bootstrap import make_workspace

LINES = Path(__file__).parents[1] / "tests" / "fixtures" / "blind_lines"
# What is said may be put into any of these without being misread.
_SAYING = {"remark", "tell", "greet", "enquire", "ask"}


def main() -> None:
    """Play the lines, count, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--files", nargs="+", default=list("abdeghikl"))
    options.add_argument("--show", type=int, default=0, help="so many lines of which an act was not read")
    chosen = options.parse_args()
    meant, read, lines = Counter[str](), Counter[str](), Counter[str]()
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        make_workspace(root)
        for item, types in play(open_app(root), read_lines(chosen.files)):
            wanted = [act for act in item["acts"] if act.get("verb")]
            found = [act for act in wanted if is_read(act, types)]
            meant.update(act["kind"] for act in wanted)
            read.update(act["kind"] for act in found)
            lines["all"] += 1
            lines["whole"] += len(found) == len(wanted)
            lines["other"] += any(not is_meant(name, item["acts"]) for name in types)
            if len(found) < len(wanted):
                missed.append((item["line"], [act["verb"] for act in wanted], types))
    table = Table("acts", "meant", "read", "share")
    for kind, count in meant.most_common():
        table.add_row(kind, f"{count:,}", f"{read[kind]:,}", f"{read[kind] / count:.0%}")
    table.add_row("all", f"{meant.total():,}", f"{read.total():,}", f"{read.total() / max(1, meant.total()):.0%}")
    console = Console()
    console.print(table)
    console.print(f"lines of which every act was read: {lines['whole'] / lines['all']:.0%} of {lines['all']:,}")
    console.print(f"lines with an act of a verb that nobody meant: {lines['other'] / lines['all']:.0%}")
    for line, wanted_verbs, types in missed[:: max(1, len(missed) // max(1, chosen.show))][: chosen.show]:
        console.print(f"{line}  ·  meant {', '.join(wanted_verbs)}; read {', '.join(types) or 'nothing'}", markup=False)


def read_lines(files: list[str]) -> list[dict[str, Any]]:
    """Return the labelled lines of some files, in the order in which they are played."""
    with gzip.open(LINES / "labels.jsonl.gz", "rt", encoding="utf-8") as stream:
        labels = {(label["file"], label["n"]): label["acts"] for label in map(json.loads, stream)}
    found = []
    for name in files:
        with gzip.open(LINES / f"{name}.jsonl.gz", "rt", encoding="utf-8") as stream:
            for number, item in enumerate(map(json.loads, stream)):
                # A line without a group is the first after an opening.
                group = f"{name}-{item.get('group', number)}"
                if (name, number) in labels:
                    found.append({**item, "group": group, "acts": labels[name, number]})
    return found


def play(app: App, items: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield each line with the types of the actions that were read in it; those after a story's end are left out."""
    for number, (_, group) in enumerate(groupby(items, key=lambda item: item["group"])):
        lines = list(group)
        app.campaigns.new(lines[0]["scenario"], campaign_id=f"g{number}", seed=1)
        with app.campaigns.open(f"g{number}") as campaign:
            for item in lines:
                try:
                    played = json.loads(asyncio.run(campaign.submit(item["line"])))
                except LorewrightError:
                    break
                yield item, [action["type"] for action in played["actions"]]


def is_read(act: dict[str, Any], types: list[str]) -> bool:
    """Return True if an act stands among the types that were read."""
    verb = act["verb"]
    return verb in types or (act["kind"] in ("said", "asked") and verb in _SAYING and bool(_SAYING & {*types}))


def is_meant(name: str, acts: list[dict[str, Any]]) -> bool:
    """Return True if an action of a type may be one of the acts that were meant; what no verb means is an attempt."""
    if any(act.get("verb") in (name, None) for act in acts):
        return True
    return name in _SAYING and any(act["kind"] in ("said", "asked") for act in acts)


if __name__ == "__main__":
    main()
