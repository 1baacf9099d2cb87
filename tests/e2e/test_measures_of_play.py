"""Whole plays through the real pipeline: nothing is told again too soon, most turns rest on lore, nothing is ugly."""

from __future__ import annotations

from pathlib import Path

import pytest

from play_measures import report_of
from scripted_player import PLAYS, Play


@pytest.mark.parametrize("one", PLAYS, ids=lambda one: one.name)
def test_every_measure_of_a_play_holds(one: Play, tmp_path: Path) -> None:
    report, told = report_of(one, tmp_path)
    assert len(told) >= 40
    assert report.findings() == []
