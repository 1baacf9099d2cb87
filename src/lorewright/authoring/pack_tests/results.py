"""What `pack test` says: one case for each thing that was looked at. Values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args
from xml.etree import ElementTree

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


# A report -> JUnit XML, as GitHub, GitLab and Jenkins read it.
#
# Written with the standard library: what CI systems read of JUnit's format is a handful of elements. `xml.etree`
# escapes what has to be; what XML cannot hold at all (control characters, lone surrogates) is taken out here.

# Everything but what XML 1.0 calls a character.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(report: PackReport) -> str:
    """A `testsuites` with a `testsuite` for each kind of case. Nothing in it tells of time, so that the same report is
    the same bytes."""
    root = ElementTree.Element("testsuites", _counts(list(report.cases), name=f"lorewright pack test {report.pack}"))
    for kind in KINDS:
        cases = report.of_kind(kind)
        if cases:
            suite = ElementTree.SubElement(root, "testsuite", _counts(cases, name=f"{report.pack}.{kind}"))
            for case in cases:
                _add(suite, case, report.pack, kind)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def write_junit(path: Path, report: PackReport) -> None:
    """Write a report; a file that is there is replaced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(junit_xml(report), encoding="utf-8")


def told(case: Case) -> str:
    """What is said of a case that did not pass, line by line."""
    lines = (
        ("expected", case.expected),
        ("found", case.found),
        ("why", case.why),
        ("hint", case.hint),
    )
    return "\n".join(f"{label}: {text}" for label, text in lines if text)


def _counts(cases: list[Case], *, name: str) -> dict[str, str]:
    return {
        "name": _clean(name),
        "tests": str(len(cases)),
        "failures": str(sum(case.status == "failed" for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.status == "skipped" for case in cases)),
        "time": "0",
    }


def _add(suite: ElementTree.Element, case: Case, pack: str, kind: Kind) -> None:
    fields = {"classname": f"{pack}.{kind}", "name": case.name, "file": case.file, "line": str(case.line), "time": "0"}
    element = ElementTree.SubElement(suite, "testcase", {key: _clean(value) for key, value in fields.items()})
    if case.status == "failed":
        failure = ElementTree.SubElement(element, "failure", {"message": _clean(case.found), "type": kind})
        failure.text = _clean(f"{case.place}\n{told(case)}")
    elif case.status == "skipped":
        ElementTree.SubElement(element, "skipped", {"message": _clean(case.why)})
    elif case.status == "warned":
        # The format has no warnings: whoever reads the details finds it there.
        ElementTree.SubElement(element, "system-out").text = _clean(f"warning: {case.place}\n{told(case)}")


def _clean(text: str) -> str:
    return _NO_XML.sub("", text)
