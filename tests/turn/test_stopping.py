"""A turn that is stopped while a model thinks: nothing of it happens, and what was asked is on record."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply, ModelRequest, OnText
from support import harbour as h


class Slow(ScriptedModel):
    """Tells something, then thinks for ever."""

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        self.requests.append(request)
        await asyncio.sleep(3600)
        raise AssertionError("it was stopped")


def stop(campaign: OpenCampaign, model: Slow, *, retry: bool = False) -> None:
    async def stopped() -> None:
        turn = asyncio.create_task(campaign.retry() if retry else campaign.submit("take rope"))
        while not model.requests:
            await asyncio.sleep(0)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn

    asyncio.run(stopped())


def test_a_stopped_turn_did_not_happen_and_the_next_one_does(tmp_path: Path) -> None:
    model = Slow([])
    app = h.harbour(tmp_path, models={"narrator": model})
    with app.campaigns.open("game") as campaign:
        before = campaign.store.head()
        stop(campaign, model)
        assert campaign.store.head() == before
        (attempt,) = campaign.store.attempts()
        assert (attempt["player_text"], attempt["message"]) == ("take rope", "it was stopped")
        (record,) = (one for one in attempt["records_json"] if one["stage"] == "narrator")
        assert [(call["attempt"], call["error"]) for call in record["calls"]] == [("first", "stopped")]
        asyncio.run(campaign.submit("take rope", builtin=True))
        assert campaign.store.head().turn_no == 1


def test_a_stopped_retry_leaves_the_turn_that_was_to_be_played_again(tmp_path: Path) -> None:
    model = Slow([])
    app = h.harbour(tmp_path, models={"narrator": model})
    with app.campaigns.open("game") as campaign:
        asyncio.run(campaign.submit("take rope", builtin=True))
        head = campaign.store.head().turn_id
        stop(campaign, model, retry=True)
        assert campaign.store.head().turn_id == head
