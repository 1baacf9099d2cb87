"""Whole plays through the real pipeline: nothing is told again too soon, most turns rest on lore, nothing is ugly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support.play_measures import authored_of, measure, report_of
from support.scale import scaled
from support.scripted_player import CORPORA_PLAYS, Play, play, plays


def cases(number: int) -> list[object]:
    """So many plays, of seed after seed; those in packs of the corpora are marked as such."""
    order = ("dead_drop_1", "cairn", "own_pack", "lamp_night", "dead_drop_2", "eclipse_phase")
    found = [
        pytest.param(one, id=f"{one.name}-{seed}", marks=[pytest.mark.corpora] if one.name in CORPORA_PLAYS else [])
        for seed in range(1, 2 + number // len(order))
        for one in sorted(plays(seed), key=lambda one: order.index(one.name))
    ]
    return list(found[:number])


# All six of two seeds from CAMPAIGN_SCALE=4 on.
@pytest.mark.campaign
@pytest.mark.parametrize("one", cases(scaled(3)))
def test_sixty_turns_hold_every_measure(one: Play, tmp_path: Path) -> None:
    report, told = report_of(one, tmp_path)
    assert report.findings() == []
    assert len(told) == 60


def test_a_measure_finds_what_it_is_there_for(tmp_path: Path) -> None:
    """A play told twice over repeats itself, and says so."""
    one = next(one for one in plays(1) if one.name == "own_pack")
    app, campaign_id, scenario = one.begin(tmp_path)
    told = play(app, campaign_id, replace(one, turns=4))
    again = [replace(turn, turn_no=turn.turn_no + 4) for turn in told]
    report = measure("twice", [*told, *again], authored_of(app, scenario))
    assert report.repeated
    assert report.lore_twice
    assert report.seen_before > 0.12
