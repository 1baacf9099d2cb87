"""A report -> JUnit XML, as GitHub, GitLab and Jenkins read it.

Written with the standard library: what CI systems read of JUnit's format is a handful of elements. `xml.etree` escapes
what has to be; what XML cannot hold at all (control characters, lone surrogates) is taken out here.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from lorewright.authoring.pack_tests.results import KINDS, Case, Kind, PackReport

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
