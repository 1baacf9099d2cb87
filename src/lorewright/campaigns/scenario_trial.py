"""A demo -> what becomes of its lines when they are played."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.scenario_checks import Doubt
from lorewright.values.result import TurnResult


def tried_demo(campaign: OpenCampaign, lines: Sequence[str]) -> Iterator[Doubt]:
    """Play the lines; a doubt for each that is asked back or refused, and for those that an ending leaves unplayed."""
    for number, line in enumerate(lines):
        if campaign.store.head().state.ended is not None:
            message = f"the story has ended before the demo's line {number + 1}"
            yield Doubt("demo-line", ("demo", number), message, "drop the lines after the ending")
            return
        result = TurnResult.model_validate_json(asyncio.run(campaign.submit(line)))
        refused = [one.message or one.reason for one in result.validation.results if not one.success]
        if result.clarification_question is not None:
            message = f"the demo's line {number + 1} is asked back: {result.clarification_question}"
            yield Doubt("demo-line", ("demo", number), message, "say it in other words")
        elif refused:
            message = f"the demo's line {number + 1} is refused: {refused[0]}"
            yield Doubt("demo-line", ("demo", number), message, "choose another line, or another demo_seed")
