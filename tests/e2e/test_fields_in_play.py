"""Whatever packets, stage inputs, events and tables have room for is filled and read in the plays of the shipped scenarios;
what is not stands on the page about the specification, with the reason."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from lorewright.values.records import NarratorInput
from lorewright.world.events import ClockTicked
from support.fields_in_play import Seen, lacking, measured, note_filled, value_types

PAGE = (Path(__file__).parents[2] / "docs" / "specification.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| (?P<names>`[^|]+`) \| (?P<lacks>not filled|not read|neither) \| (?P<why>[^|]+) \|$", re.M)


def excepted(what: str) -> list[str]:
    """The patterns of fields and columns that the page excepts, of those that lack a value or a reader."""
    rows = (row for row in _ROW.finditer(PAGE) if row["lacks"] in (what, "neither"))
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row["names"])]


def left_over(names: list[str], patterns: list[str]) -> list[str]:
    return [name for name in names if not any(fnmatchcase(name, pattern) for pattern in patterns)]


@pytest.mark.campaign
def test_every_field_is_filled_and_read_or_the_page_says_why_not(tmp_path: Path) -> None:
    seen, filled = measured(tmp_path / "workspace")
    found = lacking(seen, value_types())
    columns = sorted(filled)
    assert left_over(found["never filled"], excepted("not filled")) == []
    assert left_over(found["never read"], excepted("not read")) == []
    assert left_over([".".join(one) for one in columns if not filled[one]], excepted("not filled")) == []
    assert left_over([".".join(one) for one in columns if one not in seen.columns], excepted("not read")) == []


def test_what_is_excepted_is_a_field_or_a_column_and_has_a_reason() -> None:
    rows = list(_ROW.finditer(PAGE))
    assert rows
    assert all(len(row["why"].split()) > 3 for row in rows)


def test_a_field_without_a_value_is_noticed() -> None:
    seen = Seen()
    note_filled(ClockTicked(clock="heat", before=0, after=1), seen)
    assert {("ClockTicked", "clock"), ("ClockTicked", "after")} <= seen.filled
    assert ("ClockTicked", "before") not in seen.filled
    assert "ClockTicked.before" in lacking(seen, value_types())["never filled"]
    assert NarratorInput in value_types()
