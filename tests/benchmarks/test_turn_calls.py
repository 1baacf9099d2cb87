"""What is counted of a turn: the files that are entered, and the calls from one to another."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from turn_calls import Calls

LOWER = "def one():\n    return two()\n\ndef two():\n    return 2\n\ndef three():\n    yield 1\n    yield 2\n"
UPPER = "import calls_lower as low\n\ndef top(run):\n    return low.one(), list(low.three()), run(low.two)\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("calls_lower", LOWER), ("calls_upper", UPPER)):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_calls_are_counted_between_files_through_what_lies_elsewhere_and_a_generator_once(folder: Path) -> None:
    upper = importlib.import_module("calls_upper")
    calls = Calls(folder)
    with calls.counting():
        upper.top(lambda function: function())
    assert dict(calls.entered) == {"calls_upper.py": 1, "calls_lower.py": 4}
    assert dict(calls.across) == {("calls_upper.py", "calls_lower.py"): 3}
    assert calls.figures()["calls_across_files"] == 3


def test_nothing_is_counted_before_or_after(folder: Path) -> None:
    upper = importlib.import_module("calls_upper")
    calls = Calls(folder)
    with calls.counting():
        pass
    upper.top(lambda function: function())
    assert calls.figures()["files"] == 0
    assert sys.getprofile() is None
