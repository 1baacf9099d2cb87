"""What is said of known vulnerabilities: some, none, or that it is not known."""

from __future__ import annotations

from typing import Any

import pytest

import audit

SOUND = {"name": "mill", "version": "1.0", "vulns": []}
FLAWED = {"name": "ford", "version": "2.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}]}
PASSED_OVER = {"name": "weir", "version": "3.0", "skip_reason": "Dependency not found"}


@pytest.mark.parametrize(
    ("found", "code", "lines"),
    [
        ([SOUND], audit.NONE, []),
        ([SOUND, FLAWED], audit.SOME, ["ford 2.0: PYSEC-1, mended in 2.1"]),
        ([SOUND, PASSED_OVER], audit.UNKNOWN, ["pypi: has no answer for 1 of 2 versions"]),
        (
            [FLAWED, PASSED_OVER],
            audit.SOME,
            ["ford 2.0: PYSEC-1, mended in 2.1", "pypi: has no answer for 1 of 2 versions"],
        ),
        ("No module named pip_audit", audit.UNKNOWN, ["pypi: could not be asked: No module named pip_audit"]),
        ([], audit.UNKNOWN, []),
    ],
)
def test_an_answer_is_none_some_or_unknown(found: list[dict[str, Any]] | str, code: int, lines: list[str]) -> None:
    assert audit.told(found, "pypi") == (code, lines)


def answers(monkeypatch: pytest.MonkeyPatch, **by_service: list[dict[str, Any]] | str) -> None:
    monkeypatch.setattr(audit, "asked", lambda _, service: by_service[service])


def test_the_next_service_is_asked_where_one_has_no_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch, pypi=[PASSED_OVER], osv=[SOUND])
    assert audit.main() == audit.NONE
    assert capsys.readouterr().out.splitlines()[-1] == "osv knows of no vulnerability in 1 versions"


def test_where_none_can_be_asked_it_is_said_plainly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch, pypi="no route", osv="timed out")
    assert audit.main() == audit.UNKNOWN
    told = capsys.readouterr()
    assert told.out.splitlines() == [
        "pypi: could not be asked: no route",
        "osv: could not be asked: timed out",
    ]
    assert told.err.startswith("audit: no service could be asked")
