"""One act of the cast taken back: the turn as it was, without what was done last in it by anybody but the player."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.errors import CampaignError, HeadMoved, ProviderError
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply, ModelRequest, OnText
from lorewright.replay.last_act import without_last_act
from lorewright.replay.metrics import ALL_TURNS
from lorewright.turn.store.turn_store import redo
from support import harbour_crew as c

PROFILES = ("stream", "ensemble")


def say(app: App, line: str, **more: Any) -> dict[str, Any]:
    with app.campaigns.open("game") as campaign:
        found: dict[str, Any] = json.loads(asyncio.run(campaign.submit(line, **more)))
        return found


def taken_back(app: App, **more: Any) -> dict[str, Any]:
    with app.campaigns.open("game") as campaign:
        found: dict[str, Any] = json.loads(asyncio.run(without_last_act(campaign, **more)))
        return found


def stream(app: App) -> list[tuple[str, str, str]]:
    """(owner, type, content) of the last turn."""
    with app.campaigns.reading("game") as store:
        return [(one.owner, one.type, one.content) for _, one in store.messages(store.position().turn_id, last=1)]


def story(app: App) -> list[tuple[str, str, str]]:
    """(turn, its kind, state after it) along the way to the head."""
    with app.campaigns.reading("game") as store:
        return [(turn.turn_id, turn.kind, turn.state_hash) for turn in store.path()]


@pytest.mark.campaign
@pytest.mark.parametrize("profile", PROFILES)
def test_the_last_act_goes_and_what_came_before_it_stays(tmp_path: Path, profile: str) -> None:
    app = c.crew(tmp_path, profile=profile, together=True)
    first = say(app, "ask Osk about the debt", thought="He lies.")
    before = stream(app)
    owners = [owner for owner, kind, _ in before if kind == "intention"]
    assert owners == [c.ADA, c.BEA, c.OSK]
    after = taken_back(app)
    assert [owner for owner, kind, _ in stream(app) if kind == "intention"] == [c.ADA, c.BEA]
    assert ("game:player", "thought", "He lies.") in stream(app)
    # What was told of the player's own act, and the dice of it, are as they were.
    assert after["rolls"] == first["rolls"]
    assert after["turn_no"] == first["turn_no"]
    assert after["turn_id"] != first["turn_id"]
    if profile == "stream":
        kept = [content for _, kind, content in before if kind == "narration"][:2]
        assert [content for _, kind, content in stream(app) if kind == "narration"] == kept
    # And once more, and then there is nobody left.
    taken_back(app)
    assert [owner for owner, kind, _ in stream(app) if kind == "intention"] == [c.ADA]
    with pytest.raises(CampaignError, match="nobody but you"):
        taken_back(app)
    assert len(story(app)) == 2


@pytest.mark.parametrize("profile", PROFILES)
def test_it_replays_as_it_was(tmp_path: Path, profile: str) -> None:
    app = c.crew(tmp_path, profile=profile, together=True)
    say(app, "ask Osk about the debt")
    taken_back(app)
    say(app, "look around")
    taken_back(app)
    say(app, "wait")
    replay = asyncio.run(app.replays.rerun_turns("game", ALL_TURNS, None))
    assert [turn.differences for turn in replay.turns] == [()] * 3


@pytest.mark.campaign
def test_the_dice_fall_as_they_fell_for_those_who_are_left(tmp_path: Path) -> None:
    cast = c.scenario(profile="stream", together=True)["cast"]
    for who in ("osk", "bea"):
        cast[who] = {**cast[who], "baked": False, "chattiness": 0.9}
    for seed in range(4):
        app = c.crew(tmp_path / str(seed), seed=seed, profile="stream", together=True, cast=cast)
        say(app, "ask Osk about the debt")
        acted = [owner for owner, kind, _ in stream(app) if kind == "intention"]
        if len(acted) > 1:
            taken_back(app)
            assert [owner for owner, kind, _ in stream(app) if kind == "intention"] == acted[:-1]
            with app.campaigns.reading("game") as store:
                assert store.submission(store.position().turn_id).dice_of


class Counting:
    """Tells what it was asked to, with a number."""

    key = provider = "counting"

    def __init__(self, *, fails_after: int = 1_000) -> None:
        self.asked = 0
        self._fails_after = fails_after

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        self.asked += 1
        if self.asked > self._fails_after:
            raise ProviderError("the line is dead")
        text = f"The fiddle stops {'again and ' * self.asked}nobody minds."
        if on_text is not None:
            on_text(text)
        return ModelReply(text, self.key)


def with_narrator(tmp_path: Path, narrator: Any, profile: str) -> App:
    app = c.crew(tmp_path, profile=profile, together=True)
    return open_app(app.workspace.root, models={"narrator": narrator, "lore_extractor": ScriptedModel(lambda _: {})})


def test_in_a_stream_no_model_is_asked_again(tmp_path: Path) -> None:
    narrator = Counting()
    app = with_narrator(tmp_path, narrator, "stream")
    first = say(app, "look around")
    assert narrator.asked == 3
    after = taken_back(app)
    assert narrator.asked == 3
    assert first["final_text"].startswith(after["final_text"])
    with app.campaigns.reading("game") as store:
        told = [one for one in store.stage_records(after["turn_id"]) if one["stage"] == "narrator"]
    assert [one["model_key"] for one in told] == ["counting"] * 2


def test_where_one_narration_told_all_it_is_told_anew(tmp_path: Path) -> None:
    narrator = Counting()
    app = with_narrator(tmp_path, narrator, "ensemble")
    say(app, "look around")
    assert narrator.asked == 1
    assert "again and again and" in taken_back(app)["final_text"]
    assert narrator.asked == 2


def test_where_it_cannot_be_told_anew_the_turn_stands(tmp_path: Path) -> None:
    narrator = Counting(fails_after=1)
    app = with_narrator(tmp_path, narrator, "ensemble")
    say(app, "look around")
    before, messages = story(app), stream(app)
    with pytest.raises(ProviderError):
        taken_back(app)
    assert (story(app), stream(app)) == (before, messages)
    with app.campaigns.open("game") as campaign:
        assert campaign.store.attempts()[-1]["error_code"] == "provider_failed"
        with pytest.raises(CampaignError, match="nothing to redo"):
            redo(campaign.store)
    # Without a model it can.
    assert taken_back(app, builtin=True)["final_text"]


def test_whoever_is_faster_keeps_their_turn(tmp_path: Path) -> None:
    class Meddling(Counting):
        """Has somebody else play a turn while it is asked for the second time."""

        app: App

        async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
            if self.asked == 1:
                self.asked += 1
                with open_app(self.app.workspace.root).campaigns.open("game") as other:
                    await other.submit("wait", builtin=True)
            return await super().complete(request, on_text=on_text)

    narrator = Meddling()
    app = narrator.app = with_narrator(tmp_path, narrator, "ensemble")
    say(app, "look around")
    with pytest.raises(HeadMoved):
        taken_back(app)
    with app.campaigns.reading("game") as store:
        assert [turn["player_text"] for turn in store.turns()[1:]] == ["look around", "wait"]


@pytest.mark.parametrize("line", ["", "use"])
def test_there_must_be_a_turn_in_which_somebody_acted(tmp_path: Path, line: str) -> None:
    app = c.crew(tmp_path, profile="freeform", together=True)
    if line:
        say(app, line)
    before = story(app)
    with pytest.raises(CampaignError):
        taken_back(app)
    assert story(app) == before
