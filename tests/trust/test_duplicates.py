"""A submission that is sent again and again is played once, and answered in the same bytes each time."""

from __future__ import annotations

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.campaigns.checks import check
from support import harbour as h
from support.crowd import LINES
from support.scale import scaled
from support.tally import Tally

pytestmark = [pytest.mark.campaign, pytest.mark.trust]

SENDERS = 4
TURNS = 12
# 100,000 at CAMPAIGN_SCALE=100.
SENT = scaled(1_000)


def send(root: Path, seed: int, count: int) -> list[tuple[int, str]]:
    """Open the campaign for each turn's worth of submissions; send those of any turn, over and over."""
    chance, told = random.Random(seed), []
    while len(told) < count:
        with open_app(root).campaigns.open("game") as campaign:
            for _ in range(min(500, count - len(told))):
                number = chance.randrange(TURNS)
                line = LINES[number % len(LINES)]
                told.append((number, asyncio.run(campaign.submit(line, action_id=f"turn-{number}"))))
    return told


def test_a_submission_that_is_sent_again_is_played_once_and_told_in_the_same_bytes(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    tally = Tally("crowds", "submissions that were sent before")
    first: dict[int, str] = {}
    with app.campaigns.open("game") as campaign:
        for number in range(TURNS):
            line = LINES[number % len(LINES)]
            first[number] = asyncio.run(campaign.submit(line, action_id=f"turn-{number}"))
    with ThreadPoolExecutor(SENDERS) as senders:
        counts = [SENT // SENDERS] * SENDERS
        sent = senders.map(send, [app.workspace.root] * SENDERS, range(SENDERS), counts)
        for number, told in (pair for of in sent for pair in of):
            tally.tried += 1
            if told != first[number]:
                tally.fault("doubled", f"turn {number} was told otherwise: {told[:200]}")
    with app.campaigns.reading("game") as store:
        turns = store.database.rows("SELECT turn_no FROM turns ORDER BY turn_no")
        if [turn["turn_no"] for turn in turns] != list(range(TURNS + 1)):
            tally.fault("doubled", f"there are {len(turns)} turns")
    for found in check(app.campaigns.path("game"), app.campaigns.kept).findings:
        tally.fault("half", f"{found.code} {found.where}: {found.what}")
    tally.close()
