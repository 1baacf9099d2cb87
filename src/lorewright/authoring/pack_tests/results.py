"""What `pack test` says: one case for each thing that was looked at. Values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

Kind = Literal["golden", "regression", "retrievable", "starved", "links", "leaks"]
KINDS: tuple[Kind, ...] = get_args(Kind)

Status = Literal["passed", "failed", "warned", "skipped"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that was looked at: `name` is unique among those of its kind, `file` (relative to the pack) and `line`
    are where its author wrote it. What is not passed says what was expected, what was found instead, why, and what can
    be done."""

    kind: Kind
    name: str
    file: str
    line: int
    status: Status = "passed"
    expected: str = ""
    found: str = ""
    why: str = ""
    hint: str = ""

    @property
    def place(self) -> str:
        """`tests/golden.yaml:12`."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class WorstLink:
    """A link that is not found again by its sentence; `rank` is 0 where its entity is not among those looked at."""

    file: str
    line: int
    target: str
    asked: str
    rank: int


@dataclass(frozen=True, slots=True)
class LinkFigures:
    """Of `asked` links (of `links` in all) the share whose entity stands first, and among the first ten, when its name
    is taken out of the sentence; and the mean of one over its rank."""

    links: int
    asked: int
    any_at_1: float
    any_at_10: float
    mrr: float
    worst: tuple[WorstLink, ...] = ()


@dataclass(frozen=True, slots=True)
class PackReport:
    """All that was looked at in a pack. `embedder` names what it was found with beside words, empty where nothing."""

    pack: str
    version: str
    folder: str
    embedder: str
    sections: int
    cases: tuple[Case, ...]
    links: LinkFigures | None = None
    notes: tuple[str, ...] = field(default=())

    def of_kind(self, kind: Kind) -> list[Case]:
        """The cases of a kind, as they were looked at."""
        return [case for case in self.cases if case.kind == kind]

    def count(self, status: Status) -> int:
        """How many cases came out so."""
        return sum(case.status == status for case in self.cases)

    def strictly(self) -> PackReport:
        """The same, where a warning is a failure."""
        return replace(self, cases=tuple(_strict(case) for case in self.cases))

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        counts = {kind: Counter(case.status for case in self.of_kind(kind)) for kind in KINDS}
        return {
            "pack": self.pack,
            "version": self.version,
            "folder": self.folder,
            "embedder": self.embedder,
            "sections": self.sections,
            "passed": self.count("failed") == 0,
            "counts": {kind: {status: count[status] for status in STATUSES} for kind, count in counts.items() if count},
            "cases": [asdict(case) for case in self.cases],
            "links": asdict(self.links) if self.links else None,
            "notes": list(self.notes),
        }


def failures(cases: Sequence[Case]) -> list[Case]:
    """Those that failed."""
    return [case for case in cases if case.status == "failed"]


def _strict(case: Case) -> Case:
    return replace(case, status="failed") if case.status == "warned" else case
