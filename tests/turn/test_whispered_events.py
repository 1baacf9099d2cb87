"""Events that are not for the player do not reach the player's result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lorewright.rules.patch import Resolution
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.world.events import CampaignEnded, ClockTicked, EngineEvent, SceneChanged
from support import harbour as h
from support import small_world as w

# Bea is at the tavern, and threatens Osk when the player is there: in a whisper, or aloud.
SCENARIO = h.SCENARIO.replace("    start: tavern", "    profile: stream\n    start: tavern").replace(
    "      bea: {at: quay}",
    "      bea: {at: tavern, baked: true,"
    " acts: [{id: hiss, do: {type: threaten, target: osk, topic: the boat, whisper: WHISPER}, once: true}]}",
)
HISS = ("harbour:bea", "harbour:osk")


def played(tmp_path: Path, *, whisper: bool) -> tuple[dict[str, Any], list[EngineEvent]]:
    """The result of a turn in which Bea acts, and the events that the rules made of her act."""
    app = h.harbour(tmp_path, scenario=SCENARIO.replace("WHISPER", str(whisper).lower()))
    (result,) = h.say(app, "wait")
    with app.campaigns.reading("game") as store:
        records = store.stage_records(store.head().turn_id)
    made = [Resolution.model_validate(record["output"]) for record in records if record["stage"] == "npc_resolve"]
    return result, [event for resolution in made for event in resolution.events]


def test_what_comes_of_a_whisper_between_two_others_is_not_told_to_the_player(tmp_path: Path) -> None:
    result, made = played(tmp_path, whisper=True)
    assert {event.type for event in made} >= {"check_rolled"}
    assert {event.audience for event in made} == {HISS}
    assert [event for event in result["engine_events"] if event["type"] == "check_rolled"] == []
    assert not any("audience" in event for event in result["engine_events"])


def test_what_comes_of_the_same_words_said_aloud_is(tmp_path: Path) -> None:
    result, made = played(tmp_path, whisper=False)
    assert {event.audience for event in made} == {None}
    assert [event["type"] for event in result["engine_events"] if event["type"] == "check_rolled"] == ["check_rolled"]


def test_the_player_sees_the_end_and_another_scene_whoever_brought_them_about() -> None:
    between_two = (w.VIKTOR, w.MARA)
    whispered: tuple[EngineEvent, ...] = (
        ClockTicked(clock=w.HEAT, before=0, after=1, audience=between_two),
        SceneChanged(from_id=w.BAR, to_id=w.PIER, audience=between_two),
        CampaignEnded(ending="raided", audience=between_two),
    )
    heard = ClockTicked(clock=w.DOOM, before=0, after=1, audience=(w.VIKTOR, w.JO))
    knows = Acquaintance(w.small_world(), ())
    assert knows.told_events((*whispered, heard)) == (*whispered[1:], heard)
