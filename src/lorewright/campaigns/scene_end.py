"""The scene at hand is closed, outside of the story: a turn of the kind `edit`, after which the next scene opens."""

from __future__ import annotations

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.storage.heads import head_row
from lorewright.world.ops import AdvanceTime, OpenScene, StateOp


def end_scene(campaign: OpenCampaign, *, minutes: int = 0, action_id: str | None = None) -> str:
    """Close the scene and open the next one in the same place, so many in-world minutes later; the TurnResult as
    canonical JSON. Whatever the minutes bring about comes about.

    Raises:
        CampaignError: the story has ended.
        ActionIdReused: the action ID is known with something else.
    """
    place = campaign.store.head().state.scene.location_id
    passed: tuple[StateOp, ...] = (AdvanceTime(minutes=minutes),) if minutes else ()
    position = head_row(campaign.store.database)
    return campaign.edit(
        (*passed, OpenScene(location_id=place)),
        action_id=action_id or f"scene-end-{position.turn_id}-{position.revision}",
        by="player",
        note="the scene was ended",
    )
