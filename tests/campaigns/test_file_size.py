"""How large a campaign's file is: new, and after turns in which as much is said to the narrator as in any shipped story."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.checks import check
from lorewright.campaigns.exchange import export, import_campaign
from lorewright.lore_bootstrap import make_workspace

NEW_BYTES = 100_000
TURN_BYTES = 20_000
# They move no clock, so that the story goes on.
LINES = ("look", "ask Viktor about Jin", "look at Viktor", "what do I know about Pier 9?", "ask Viktor about Zenith")


def bytes_of(app: App, campaign: str) -> int:
    return app.campaigns.path(campaign).stat().st_size


def begun(folder: Path) -> App:
    make_workspace(folder)
    app = open_app(folder)
    app.campaigns.new("dead_drop", campaign_id="game", seed=7)
    return app


@pytest.mark.campaign
def test_a_new_file_and_each_turn_take_little(tmp_path: Path) -> None:
    app = begun(tmp_path / "w")
    begin = bytes_of(app, "game")
    assert begin <= NEW_BYTES
    with app.campaigns.open("game") as campaign:
        for number in range(30):
            asyncio.run(campaign.submit(LINES[number % len(LINES)]))
    assert (bytes_of(app, "game") - begin) / 30 <= TURN_BYTES
    assert check(app.campaigns.path("game")).clean
    # What goes out and comes in again is packed, too, and says the same.
    export(app.campaigns, "game", tmp_path / "one")
    import_campaign(app.campaigns, tmp_path / "one", campaign_id="again")
    assert bytes_of(app, "again") <= bytes_of(app, "game")
    with app.campaigns.reading("game") as one, app.campaigns.reading("again") as other:
        for turn in one.turns():
            assert one.stage_records(turn["turn_id"]) == other.stage_records(turn["turn_id"])
