"""What the trust suite tried and what came of it -> a line in the file that `TRUST_TALLY` names, where it names one.

`scripts/trust_page.py` makes the table in docs/trust.md of such a file.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

VARIABLE = "TRUST_TALLY"
# What may come of a try besides that all held. Of these nothing is wanted.
FAULTS = ("lost", "doubled", "half", "wrong unseen", "traceback", "leak")


@dataclass(slots=True)
class Tally:
    """What was tried of one kind (`kills`) with one thing (`pack install`), and what came of it. `seen` counts what is no
    fault, such as how many were told with a clear error."""

    kind: str
    what: str
    tried: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def fault(self, name: str, example: str) -> None:
        """Count a fault, and keep what shows it."""
        assert name in FAULTS
        self.faults[name] += 1
        self.examples.append(f"{name}: {example}")

    def close(self) -> None:
        """Write the line, and fail the test if anything was wrong."""
        if path := os.environ.get(VARIABLE):
            told = {
                "kind": self.kind,
                "what": self.what,
                "tried": self.tried,
                "seen": dict(self.seen),
                "faults": dict(self.faults),
                "examples": self.examples[:3],
            }
            with Path(path).open("a", encoding="utf-8") as file:
                file.write(json.dumps(told, sort_keys=True) + "\n")
        assert not self.examples, "\n".join(self.examples)
        assert self.tried


def counted(kind: str, what: str, tried: int, **seen: int) -> None:
    """Write the line of a test that has held: it has judged each try itself."""
    Tally(kind, what, tried, Counter({name.replace("_", " "): number for name, number in seen.items()})).close()
