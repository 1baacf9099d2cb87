"""The tally of a run of the trust suite -> the table in docs/trust.md: what was tried, what held, what did not.

    python scripts/trust_page.py TALLY

`make trust` runs the suite and then this. A failed test whose tally says why is on the page too.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "docs" / "trust.md"
BEGINS, ENDS = "<!-- tried: begins -->", "<!-- tried: ends -->"
KINDS = {
    "kills": "Tries to kill a process",
    "crowds": "Many processes at once",
    "faults": "Disks, limits and rights that refuse",
    "damage": "Random damage to files",
    "hostile input": "Input that is made to do harm",
    "leaks": "Secrets: each with each reader and channel, plain and disguised",
    "model outputs": "What models answer",
}


def table(lines: Iterable[Mapping[str, Any]], *, said: str) -> str:
    """Return the section of the page for the lines of a tally; `said` is about the run."""
    tried: Counter[tuple[str, str]] = Counter()
    seen: dict[tuple[str, str], Counter[str]] = {}
    faults: dict[tuple[str, str], Counter[str]] = {}
    examples: list[str] = []
    for line in lines:
        row = (line["kind"], line["what"])
        tried[row] += line["tried"]
        seen.setdefault(row, Counter()).update(line["seen"])
        faults.setdefault(row, Counter()).update(line["faults"])
        examples += [f"{line['what']}: {example}" for example in line["examples"]]
    return "\n".join(_section(tried, seen, faults, examples, said))


def _section(
    tried: Counter[tuple[str, str]],
    seen: Mapping[tuple[str, str], Counter[str]],
    faults: Mapping[tuple[str, str], Counter[str]],
    examples: list[str],
    said: str,
) -> Iterator[str]:
    yield f"{said}\n"
    yield "| what | tried | what came of it | lost, doubled, half, wrong unseen, traceback, leak |"
    yield "|---|---:|---|---|"
    for kind, title in KINDS.items():
        rows = [row for row in sorted(tried) if row[0] == kind]
        if rows:
            wrong = _counts(_sum(faults[row] for row in rows)) or 0
            # A try is no kill: a command may end before its moment.
            killed = sum(seen[row]["killed"] for row in rows)
            yield f"| **{title}** | {sum(tried[row] for row in rows):,} | {_counts({'killed': killed})} | {wrong} |"
        for row in rows:
            yield f"| {row[1]} | {tried[row]:,} | {_counts(seen[row])} | {_counts(faults[row]) or 0} |"
    yield ""
    yield from (f"- {' '.join(example.split())[:300]}" for example in examples)


def _sum(counters: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for counter in counters:
        total.update(counter)
    return total


def _counts(counter: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in sorted(counter.items()) if number)


def with_table(page: str, section: str) -> str:
    """Return the page with another section between the marks."""
    before, _, rest = page.partition(BEGINS)
    return f"{before}{BEGINS}\n\n{section.rstrip()}\n\n{ENDS}{rest.partition(ENDS)[2]}"


def _about_the_run() -> str:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    scale = os.environ.get("CAMPAIGN_SCALE", "1")
    at = commit.stdout.strip() or "unknown"
    how = f"`CAMPAIGN_SCALE={scale} make trust`, Python {platform.python_version()}"
    return f"Run on {datetime.now(UTC).date()} at commit {at} with {how}."


def main(tally: str) -> None:
    """Write the page."""
    lines = map(json.loads, Path(tally).read_text(encoding="utf-8").splitlines())
    section = table(lines, said=_about_the_run())
    FILE.write_text(with_table(FILE.read_text(encoding="utf-8"), section), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
