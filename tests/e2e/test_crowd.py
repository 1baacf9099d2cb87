"""Eight processes on one campaign: every turn once, the same bytes for the same action, no scene opened twice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support import crowd
from support import harbour as h

SUBMISSIONS = int(os.environ.get("LOREWRIGHT_CROWD", "50"))


@pytest.mark.campaign
def test_a_crowd_that_submits_turn_after_turn_makes_each_once(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    seen = crowd.crowd(app, processes=8, submissions=SUBMISSIONS)
    assert seen.wrong == []
    shared = -(-SUBMISSIONS // crowd.SHARED_EVERY)
    assert (seen.told, seen.turns) == (8 * SUBMISSIONS, 8 * (SUBMISSIONS - shared) + shared)
    with app.campaigns.reading("game") as store:
        assert store.head().state.scene.number > SUBMISSIONS // 10
