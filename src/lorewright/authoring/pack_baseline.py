"""The answers to golden queries, stored in a file -> what moved since: the regression test of a pack."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args
from xml.etree import ElementTree

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lorewright.authoring.golden import Golden, GoldenFault
from lorewright.authoring.judging import Judged, Miss, judge
from lorewright.bounded_files import read_bytes
from lorewright.errors import SettingsError
from lorewright.index.generation import Generation
from lorewright.packs.files import Progress
from lorewright.retrieval.why_not import exclusion_reasons
from lorewright.storage.enclosure import FOR_ALL, Enclosure

# The values of a report of `pack test`: one case for each thing that was looked at.

Kind = Literal["golden", "regression", "retrievable", "starved", "links", "leaks"]
KINDS: tuple[Kind, ...] = get_args(Kind)

Status = Literal["passed", "failed", "warned", "skipped"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class Case:
    """A thing that was looked at: `name` is unique among those of its kind, `file` (relative to the pack) and `line`
    are where its author wrote it. A case that is not passed says what was expected, what was found instead, why, and
    what can be done."""

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
        """Return the place as `tests/golden.yaml:12`."""
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
    """How well linked entities are found when their names are taken out of the sentences: of `asked` links (of `links`
    in all) the share whose entity stands first, the share among the first ten, and the mean of 1 / rank."""

    links: int
    asked: int
    any_at_1: float
    any_at_10: float
    mrr: float
    worst: tuple[WorstLink, ...] = ()


@dataclass(frozen=True, slots=True)
class PackReport:
    """All that was looked at in a pack. `embedder` names what it was searched with besides words, empty where
    nothing."""

    pack: str
    version: str
    folder: str
    embedder: str
    sections: int
    cases: tuple[Case, ...]
    links: LinkFigures | None = None
    notes: tuple[str, ...] = field(default=())

    def of_kind(self, kind: Kind) -> list[Case]:
        """Return the cases of a kind, as they were looked at."""
        return [case for case in self.cases if case.kind == kind]

    def count(self, status: Status) -> int:
        """Return the number of cases with this status."""
        return sum(case.status == status for case in self.cases)

    def strictly(self) -> PackReport:
        """Return the same report with each warning as a failure."""
        return replace(self, cases=tuple(_as_failure(case) for case in self.cases))

    def as_json(self) -> dict[str, Any]:
        """Return the report as values for JSON."""
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
    """Return the cases that failed."""
    return [case for case in cases if case.status == "failed"]


def _as_failure(case: Case) -> Case:
    return replace(case, status="failed") if case.status == "warned" else case


# A report -> JUnit XML, as GitHub, GitLab and Jenkins read it.
#
# Written with the standard library: what CI systems read of JUnit's format is a handful of elements. `xml.etree`
# escapes what has to be; what XML cannot hold at all (control characters, lone surrogates) is taken out here.

# Everything that XML 1.0 does not call a character.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(report: PackReport) -> str:
    """Return a `testsuites` with a `testsuite` for each kind of case. It holds no times, so that the same report gives
    the same bytes."""
    root = ElementTree.Element("testsuites", _counts(list(report.cases), name=f"lorewright pack test {report.pack}"))
    for kind in KINDS:
        cases = report.of_kind(kind)
        if cases:
            suite = ElementTree.SubElement(root, "testsuite", _counts(cases, name=f"{report.pack}.{kind}"))
            for case in cases:
                _add_case(suite, case, report.pack, kind)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def write_junit(path: Path, report: PackReport) -> None:
    """Write a report; replace a file that is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(junit_xml(report), encoding="utf-8")


def describe_case(case: Case) -> str:
    """Return what a report says of a case that did not pass, line by line."""
    lines = (
        ("expected", case.expected),
        ("found", case.found),
        ("why", case.why),
        ("hint", case.hint),
    )
    return "\n".join(f"{label}: {text}" for label, text in lines if text)


def _counts(cases: list[Case], *, name: str) -> dict[str, str]:
    return {
        "name": _remove_controls(name),
        "tests": str(len(cases)),
        "failures": str(sum(case.status == "failed" for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.status == "skipped" for case in cases)),
        "time": "0",
    }


def _add_case(suite: ElementTree.Element, case: Case, pack: str, kind: Kind) -> None:
    fields = {"classname": f"{pack}.{kind}", "name": case.name, "file": case.file, "line": str(case.line), "time": "0"}
    element = ElementTree.SubElement(suite, "testcase", {key: _remove_controls(value) for key, value in fields.items()})
    if case.status == "failed":
        failure = ElementTree.SubElement(element, "failure", {"message": _remove_controls(case.found), "type": kind})
        failure.text = _remove_controls(f"{case.place}\n{describe_case(case)}")
    elif case.status == "skipped":
        ElementTree.SubElement(element, "skipped", {"message": _remove_controls(case.why)})
    elif case.status == "warned":
        # The format has no warnings: the details have it.
        ElementTree.SubElement(element, "system-out").text = _remove_controls(
            f"warning: {case.place}\n{describe_case(case)}"
        )


def _remove_controls(text: str) -> str:
    return _NO_XML.sub("", text)


# The cases of golden queries: one for each query, and for each that is not the game master's one about secrets.


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """A golden query with its answer; `skipped` where it was passed over because nothing is embedded."""

    golden: Golden
    judged: Judged
    skipped: bool = False


def ask_all(
    goldens: Sequence[Golden], generations: Sequence[Generation], *, embedded: bool, progress: Progress
) -> list[AskedQuery]:
    """Ask golden queries in their order and return them with their answers."""
    asked = []
    for done, golden in enumerate(goldens):
        progress("asking golden queries", done, len(goldens))
        skipped = golden.query.needs == "meaning" and not embedded
        asked.append(AskedQuery(golden, judge(generations, golden.query), skipped))
    return asked


def golden_cases(asked: Sequence[AskedQuery], faults: Sequence[GoldenFault]) -> list[Case]:
    """Return a case for each query, after one for each fault that kept a query from being read."""
    unread = [
        Case("golden", str(fault), fault.file, fault.line, "failed", "a golden query", fault.message, hint=_HINT)
        for fault in faults
    ]
    return [*unread, *map(_case, asked)]


_HINT = "docs/testing_packs.md has every key"


def leak_cases(asked: Sequence[AskedQuery]) -> list[Case]:
    """Return a case for each query of a player or character: does its answer tell a secret?"""
    return [_leak(query) for query in asked if query.golden.query.viewer != "gm"]


def named(golden: Golden) -> str:
    """Return what a query is called in reports: its name, else what it asks and who; not where, so that the name stays
    the same when another query is written above it."""
    query = golden.query
    return query.name or (query.title if query.viewer == "gm" else f"{query.title} (as {query.viewer})")


def _case(query: AskedQuery) -> Case:
    golden = query.golden
    name = named(golden)
    if query.skipped:
        why = "it needs meaning, and nothing is embedded: packs are found by words alone"
        return Case("golden", name, golden.file, golden.line, "skipped", why=why, hint="see: lorewright doctor")
    misses = [miss for miss in query.judged.misses if not miss.secret]
    if not misses:
        return Case("golden", name, golden.file, golden.line)
    first = misses[0]
    return Case(
        "golden",
        name,
        golden.file,
        golden.line_of(first.key, first.number),
        "failed",
        expected=_expected(golden),
        found="; ".join(miss.message for miss in misses),
        why="; ".join(dict.fromkeys(_miss_reason(miss, len(misses)) for miss in misses if miss.why)),
        hint="; ".join(dict.fromkeys(miss.hint for miss in misses if miss.hint)),
    )


def _miss_reason(miss: Miss, of: int) -> str:
    return miss.why if of == 1 else f"{miss.message.partition(' is ')[0]}: {miss.why}"


def _expected(golden: Golden) -> str:
    query = golden.query
    there = f"{', '.join(query.include)} in the answer" if query.include else ""
    if query.top and there:
        there += f", among the first {query.top}"
    parts = [
        there,
        f"{', '.join(query.exclude)} not in it" if query.exclude else "",
        " and ".join(f"“{text}” told" for text in query.include_text),
        " and ".join(f"“{text}” not told" for text in query.exclude_text),
    ]
    return f"{'; '.join(filter(None, parts))} (as {query.viewer}, {query.budget} tokens, {query.limit} sections)"


def _leak(query: AskedQuery) -> Case:
    golden, secrets = query.golden, [miss for miss in query.judged.misses if miss.secret]
    name = named(golden)
    if not secrets:
        return Case("leaks", name, golden.file, golden.line)
    return Case(
        "leaks",
        name,
        golden.file,
        golden.line,
        "failed",
        expected=f"nothing that {golden.query.viewer} may not know",
        found="; ".join(miss.message for miss in secrets),
        why=secrets[0].why,
        hint=secrets[0].hint,
    )


# The baseline: the answers stored in a file, and what moved since.

BASELINE_FILE = "tests/baseline.json"
_FORMAT = 1
_TOLD = 5
_MAX_BYTES = 32 * 1024 * 1024


class StoredAnswer(BaseModel):
    """The stored answer to a question: sections, best first. `title` is for readers of the file."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    title: str
    sections: tuple[str, ...]


class Baseline(BaseModel):
    """The answers to a pack's golden queries, each by what is asked. `embedder` names what they were searched with
    besides words, empty where nothing."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    format: int = Field(default=_FORMAT, ge=_FORMAT, le=_FORMAT)
    pack: str
    embedder: str
    answers: dict[str, StoredAnswer]


def baseline_of(pack_id: str, embedder: str, asked: Sequence[AskedQuery]) -> Baseline:
    """Return the baseline of some answers."""
    answers = {
        query.golden.query.asked: StoredAnswer(title=query.golden.query.title, sections=query.judged.sections)
        for query in asked
        if query.judged.retrieval is not None and not query.skipped
    }
    return Baseline(pack=pack_id, embedder=embedder, answers=dict(sorted(answers.items())))


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Store answers; a file that is there is replaced once the new one is whole.

    Raises:
        UnsafePath: the file is a link, which may lead out of the pack.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(baseline.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"
    folder = Enclosure(path.parent.resolve())
    folder.write(folder.path(path.name), text.encode(), mode=FOR_ALL)


def read_baseline(path: Path) -> Baseline:
    """Return stored answers.

    Raises:
        SettingsError: the file is not there, or is no baseline.
    """
    hint = "make one: lorewright pack test PACK --save-baseline FILE"
    try:
        return Baseline.model_validate_json(read_bytes(path, _MAX_BYTES, SettingsError, hint=hint))
    except OSError as problem:
        raise SettingsError(f"{path} cannot be read: {problem.strerror}", hint=hint) from None
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise SettingsError(f"{path} is no baseline: {where}: {first['msg']}", hint=hint) from None


def regression_cases(baseline: Baseline, asked: Sequence[AskedQuery], *, embedder: str) -> list[Case]:
    """Return a case for each golden query with a stored answer: is each section of that answer still in the new one?

    Answers that were searched otherwise (by words alone, or by another embedder) are not compared.
    """
    if baseline.embedder != embedder:
        was, now = baseline.embedder or "words alone", embedder or "words alone"
        why = f"the baseline was kept with {was}, and packs are asked with {now} now"
        return [
            Case("regression", "baseline", BASELINE_FILE, 1, "skipped", why=why, hint="keep one with the same embedder")
        ]
    return [case for query in asked for case in _compare_query(baseline.answers, query)]


def _compare_query(answers: Mapping[str, StoredAnswer], query: AskedQuery) -> Iterator[Case]:
    golden, name = query.golden, named(query.golden)
    kept = answers.get(golden.query.asked)
    if query.skipped or query.judged.retrieval is None:
        return
    if kept is None:
        why = "it is new: the baseline has no answer of it"
        yield Case(
            "regression", name, golden.file, golden.line, "skipped", why=why, hint="keep it with --save-baseline"
        )
        return
    now = query.judged.sections
    lost = [section for section in kept.sections if section not in now]
    moved = "; ".join(_describe_moves(kept.sections, now))
    if not lost:
        yield Case("regression", name, golden.file, golden.line, "passed", found=moved)
        return
    yield Case(
        "regression",
        name,
        golden.file,
        golden.line,
        "failed",
        expected=f"what the answer held when the baseline was kept: {', '.join(kept.sections)}",
        found=f"lost: {', '.join(lost)}; {moved}",
        why="; ".join(_explain_loss(section, kept.sections, query) for section in lost[:_TOLD]),
        hint="mend what you changed last; where this is meant, keep the new answers with --save-baseline",
    )


def _describe_moves(before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    gained = [f"{section} (now {now.index(section) + 1})" for section in now if section not in before]
    changed = [
        f"{section} ({before.index(section) + 1} → {now.index(section) + 1})"
        for section in now
        if section in before and before.index(section) != now.index(section)
    ]
    if gained:
        yield f"gained: {', '.join(gained)}"
    if changed:
        yield f"moved: {', '.join(changed)}"


def _explain_loss(section: str, before: Sequence[str], query: AskedQuery) -> str:
    was = f"{section} was at place {before.index(section) + 1}"
    judged = query.judged
    assert judged.view is not None and judged.query is not None and judged.retrieval is not None
    chunk = next((found for pack in judged.view.generations if (found := pack.chunk(section)) is not None), None)
    if chunk is None:
        return f"{was}: there is no such section any more"
    reason = exclusion_reasons(judged.retrieval, judged.query, chunk)
    return f"{was}: {reason.why}" if reason else was
