"""Scenarios of the checkout, or files -> campaigns to search, in a workspace of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lorewright.bootstrap import open_app
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.lore_bootstrap import make_workspace


@contextmanager
def begun(scenario: str, folder: Path, *, seed: int = 1) -> Iterator[OpenCampaign]:
    """Open a campaign of a scenario, given by its ID or file, in a new workspace below a folder."""
    make_workspace(folder / "workspace")
    app = open_app(folder / "workspace")
    app.campaigns.new(scenario, campaign_id="game", seed=seed)
    with app.campaigns.open("game") as campaign:
        yield campaign
