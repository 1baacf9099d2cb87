"""lorewright campaign end-scene, undo-npc: what is said at the prompt as /scene end and /undo npc, for programs."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

import typer

from lorewright.bootstrap import open_app
from lorewright.campaigns.estimate import hold_to_agreement
from lorewright.campaigns.scene_end import end_scene
from lorewright.cli.model_options import Yes, agree_beforehand
from lorewright.cli.output import say
from lorewright.cli.table_talk import show_result
from lorewright.replay.recording import without_last_act
from lorewright.values.result import TurnResult

EXAMPLES = {
    "end-scene": "Example: lorewright campaign end-scene friday --minutes 30",
    "undo-npc": "Example: lorewright campaign undo-npc friday --json",
}

_AsJson = Annotated[bool, typer.Option("--json", help="Print the TurnResult as JSON.")]
_CampaignId = Annotated[str, typer.Argument(help="The campaign's ID.")]


def end_scene_of(
    campaign_id: _CampaignId,
    minutes: Annotated[int, typer.Option(min=0, max=525_600, help="So many in-world minutes go by.")] = 0,
    action_id: Annotated[
        str | None, typer.Option(help="A name for this: sent again, it gives the stored result and ends nothing.")
    ] = None,
    as_json: _AsJson = False,
) -> None:
    """Close the scene at hand, outside of the story; the next one opens in the same place."""
    with open_app().campaigns.open(campaign_id) as campaign:
        stored = end_scene(campaign, minutes=minutes, action_id=action_id)
        told = campaign.player_ids().told_json(stored)
    _show(told, "The scene ends.", as_json=as_json)


def undo_npc(
    campaign_id: _CampaignId,
    builtin: Annotated[bool, typer.Option("--builtin", help="Ask no model.")] = False,
    yes: Yes = False,
    as_json: _AsJson = False,
) -> None:
    """The last turn again as it was, but for what the last of the cast did in it of their own accord."""

    with open_app().campaigns.open(campaign_id) as campaign:
        if yes:
            agree_beforehand(campaign)
        if not builtin:
            hold_to_agreement(campaign)
        stored = asyncio.run(without_last_act(campaign, builtin=builtin))
        told = campaign.player_ids().told_json(stored)
    _show(told, "The last act of others is taken back.", as_json=as_json)


def _show(told: str, what: str, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(f"{told}\n")
        sys.stdout.flush()
        return
    say(what, style="dim")
    show_result(TurnResult.model_validate_json(told))
