"""Scene lore is kept between turns: a move gathers, a stay reuses, an arrival appends, and no answer is another."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import ProviderError
from lorewright.llm.doubles import ScriptedModel
from lorewright.replay.metrics import lore_cache_hit_rate
from lorewright.turn.store.turn_store import undo
from support import harbour as h

# Osk speaks of the boat only while the thread is open; Bea comes when dread has risen.
FILES = {
    **h.FILES,
    "npcs/osk.md": h.FILES["npcs/osk.md"].replace("{#boat}", "{#boat} (when thread lost is open)"),
}
RULES = """
      - on: {act: wait, at: tavern}
        success: [{clock: dread, by: 1}]
      - on: {act: take, target: rope}
        success: [{thread: lost, status: cold}]
"""
SCENARIO = h.SCENARIO.replace("    rules:\n", f"    rules:{RULES}")
LINES = (
    "look",
    "look",
    "ask Osk about the weather",
    "look",
    "wait",
    "wait",
    "ask Bea about the cellar",
    "go door",
    "look",
    "go tavern and look at Osk",
    "take rope",
    "ask Osk about Lin",
    "search under the counter",
    "look",
)


def harbour(folder: Path) -> App:
    scenario = SCENARIO.replace("3: [{end", "9: [{end").replace("max: 3", "max: 9")
    return h.harbour(folder, scenario=scenario, files={**h.FILES, **FILES})


@pytest.fixture
def app(tmp_path: Path) -> App:
    return harbour(tmp_path)


def say(campaign: OpenCampaign, *lines: str) -> list[bool]:
    """Play lines; whether each found its scene lore at hand."""
    for line in lines:
        asyncio.run(campaign.submit(line))
    return [turn["lore_cached"] for turn in campaign.store.turns()[-len(lines) :]]


def kept(campaign: OpenCampaign) -> dict[str, Any]:
    rows = campaign.store.database.rows("SELECT scene_id, lore_json FROM scene_lore ORDER BY scene_id")
    return {row["scene_id"]: json.loads(row["lore_json"]) for row in rows}


@pytest.mark.campaign
def test_with_and_without_the_cache_every_stage_is_told_and_makes_the_same(tmp_path: Path) -> None:
    told = []
    for keeps in (True, False):
        app = harbour(tmp_path / str(keeps))
        with app.campaigns.open("game") as campaign:
            campaign.change_setting(keeps_scene_lore=keeps)
            say(campaign, *LINES)
            undo(campaign.store, turns=5)
            say(campaign, *LINES[-5:-1], "wait")
            turns = [{**turn, "lore_cached": None} for turn in campaign.store.turns()]
            told.append([turns, [campaign.store.stage_records(turn["turn_id"]) for turn in turns]])
            rate = lore_cache_hit_rate(turn["lore_cached"] for turn in campaign.store.turns())
            assert rate is not None
            assert (rate > 0) is keeps
    assert told[0] == told[1]


def test_a_stay_reuses_and_a_move_gathers(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        assert say(campaign, "look", "look", "wait", "go door", "look", "go tavern") == [
            False,
            True,
            True,
            False,
            True,
            False,
        ]
        assert lore_cache_hit_rate(turn["lore_cached"] for turn in campaign.store.turns()) == 0.5


def test_what_is_kept_outlives_the_process(app: App) -> None:
    for expected in (False, True, True):
        with app.campaigns.open("game") as campaign:
            assert say(campaign, "look") == [expected]


def test_an_arrival_appends_one_briefing_and_a_departure_hides_it(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        say(campaign, "look")
        assert [one["briefing"]["npc_id"] for one in kept(campaign)["scene_001"]["people"]] == ["harbour:osk"]
        assert say(campaign, "wait", "wait") == [True, True]
        people = [one["briefing"]["npc_id"] for one in kept(campaign)["scene_001"]["people"]]
        assert people == ["harbour:osk", "harbour:bea"]
        say(campaign, "go door")
        assert kept(campaign)["scene_002"]["people"] == []


def test_a_condition_that_changes_gathers_anew(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        say(campaign, "look")
        before = kept(campaign)["scene_001"]
        assert say(campaign, "take rope", "look") == [False, True]
        after = kept(campaign)["scene_001"]
        assert before["basis"] != after["basis"]
        assert h.KNOWS in json.dumps(before)
        assert h.KNOWS not in json.dumps(after)


def test_what_is_learned_of_a_scene_gathers_it_anew(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        assert say(campaign, "look", "search under the counter", "look") == [False, False, True]
        assert kept(campaign)["scene_001"]["learned"] == ["harbour:tavern:discoverable#letter"]


def test_a_scene_of_an_abandoned_branch_is_not_taken_for_another(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        say(campaign, "look", "go door", "look")
        undo(campaign.store, turns=2)
        assert say(campaign, "ask Osk about Lin", "go door", "look") == [False, False, True]
        assert kept(campaign)["scene_002"]["place"]["location_id"] == "harbour:quay"


def test_a_turn_that_fails_keeps_nothing(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        say(campaign, "look")
        before = kept(campaign)
    broken = h.with_models(app, {"narrator": ScriptedModel([ProviderError("the server is gone")])})
    with broken.campaigns.open("game") as campaign:
        with pytest.raises(ProviderError):
            say(campaign, "search under the counter")
        assert kept(campaign) == before
    with app.campaigns.open("game") as campaign:
        say(campaign, "search under the counter")
        assert kept(campaign) != before


def test_the_rate_is_of_the_path_alone(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        assert lore_cache_hit_rate(turn["lore_cached"] for turn in campaign.store.turns()) is None
        say(campaign, "look", "look", "look", "look")
        assert lore_cache_hit_rate(turn["lore_cached"] for turn in campaign.store.turns()) == 0.75
        undo(campaign.store, turns=3)
        assert lore_cache_hit_rate(turn["lore_cached"] for turn in campaign.store.turns()) == 0


def test_what_happened_is_made_ready_once_a_turn(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        say(campaign, "look", "wait", "look", "wait", "look")
        read = campaign.setting.history
        asked: list[int] = []

        def counted(head: Any, leave_out: int) -> Any:
            asked.append(head.turn_no)
            return read(head, leave_out)

        campaign.change_setting(history=counted)
        say(campaign, "ask Osk about Lin")
        assert asked == [5]
