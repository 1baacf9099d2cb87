"""Secrets retold, and innocent lines -> how many of them the comparison of models' texts refuses, as two tables.

The first set was written together with the filter, the second by somebody who knew neither it nor its thresholds.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from lorewright.index.embedders.choosing import open_embedder  # noqa: E402
from lorewright.turn.views.leaks import LeakCheck, LiveLeakCheck  # noqa: E402
from support.retellings import CHOSEN_ON, HELD_AGAINST, teller  # noqa: E402

# (kind, text, secret, what is openly known)
Line = tuple[str, str, str, tuple[str, ...]]


def read_own() -> Iterator[Line]:
    """Yield the lines that were written with the filter, thresholds chosen on one half of them."""
    for half, names in (("chosen on", CHOSEN_ON), ("held against", HELD_AGAINST)):
        for told in map(teller, names):
            yield from ((f"retold, {half}", text, told.secret, told.open) for text in told.retold)
            yield from ((f"innocent, {half}", text, told.secret, told.open) for text in told.innocent)


def read_blind() -> Iterator[Line]:
    """Yield the lines that were written blind."""
    for told in json.loads((TESTS / "turn" / "retellings" / "blind.json").read_text(encoding="utf-8")):
        known = tuple(told["open"])
        yield from ((line["kind"], line["text"], told["secret"], known) for line in told["retold"])
        yield from (("innocent", text, told["secret"], known) for text in told["innocent"])


def count_refused(check: LeakCheck, lines: Iterable[Line]) -> Counter[str]:
    """Return how many lines of each kind are refused."""
    return Counter(
        kind
        for kind, text, secret, known in lines
        if check.refusal(text, [("secret", secret)], known=known, closely={"secret"}, by_meaning=True)
    )


def main() -> None:
    """Print both tables, with the embedder that ships and without one."""
    checks = {"minilm": LiveLeakCheck(open_embedder("minilm")), "none": LiveLeakCheck(None)}
    for title, lines in (("written with the filter", list(read_own())), ("written blind", list(read_blind()))):
        counted = {name: count_refused(check, lines) for name, check in checks.items()}
        rows = [(title, *checks, "of")]
        rows += [
            (kind, *(counted[name][kind] for name in checks), of) for kind, of in Counter(k for k, *_ in lines).items()
        ]
        sys.stdout.writelines(f"{row[0]:26}" + "".join(f"{cell:>9}" for cell in row[1:]) + "\n" for row in rows)


if __name__ == "__main__":
    main()
