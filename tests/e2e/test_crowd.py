"""Processes on one campaign: every turn once, the same bytes for the same action, no scene opened twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import crowd
from support import harbour as h
from support.scale import scaled
from support.tally import counted

# Sixteen with a thousand each at CAMPAIGN_SCALE=100.
SUBMISSIONS = scaled(10)
PROCESSES = min(16, scaled(4))


@pytest.mark.campaign
@pytest.mark.trust
def test_a_crowd_that_submits_turn_after_turn_makes_each_once(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    seen = crowd.crowd(app, processes=PROCESSES, submissions=SUBMISSIONS)
    assert seen.wrong == []
    shared = -(-SUBMISSIONS // crowd.SHARED_EVERY)
    assert (seen.told, seen.turns) == (PROCESSES * SUBMISSIONS, PROCESSES * (SUBMISSIONS - shared) + shared)
    with app.campaigns.reading("game") as store:
        assert store.head().state.scene.number > SUBMISSIONS // 10
    counted("crowds", "turns of processes at once", seen.told, processes=PROCESSES, sent_twice=seen.told - seen.turns)
