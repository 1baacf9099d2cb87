"""Lore that is retrieved for a scene reaches planner and narrator, by the budgets of the settings, and a replay finds it
again."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.replay.metrics import ALL_TURNS
from lorewright.turn.stages.narrate.context import narrator_context
from lorewright.turn.stages.narrate.sources import sources_of
from lorewright.turn.stages.plan.context import planner_context
from lorewright.values.records import NarratorInput, PlannerInput
from support import harbour as h

FILES = {
    **h.FILES,
    "locations/tavern.md": h.FILES["locations/tavern.md"].replace(
        "        ## Discoverable",
        "        ## History\n\n        The tavern was a chapel of the salters.\n\n        ## Discoverable",
    ),
    "npcs/osk.md": h.FILES["npcs/osk.md"].replace(
        "        ## Disposition",
        "        ## Background\n\n        He won the house at quoits.\n\n        ## Disposition",
    ),
}
HISTORY, BACKGROUND = "chapel of the salters", "won the house at quoits"


def begun(folder: Path, lore: str = "") -> App:
    app = h.harbour(folder, files=FILES)
    if lore:
        settings = app.workspace.root / "lorewright.toml"
        text = settings.read_text(encoding="utf-8")
        settings.write_text(text.replace("[lore]\n", f"[lore]\n{lore}\n"), encoding="utf-8")
        app = open_app(app.workspace.root)
    return app


def records(app: App, stage: str) -> list[Any]:
    with app.campaigns.open("game") as campaign:
        turns = campaign.store.turns()[1:]
        kept = [record for turn in turns for record in campaign.store.stage_records(turn["turn_id"])]
    return [record["input"] for record in kept if record["stage"] == stage]


def test_history_and_background_reach_planner_and_narrator_with_their_titles(tmp_path: Path) -> None:
    app = begun(tmp_path)
    h.say(app, "look")
    told = NarratorInput.model_validate(records(app, "narrator")[0])
    shown = [(source.title, source.text) for source in sources_of(told)]
    assert ("The Tavern, History", f"The tavern was a {HISTORY}.") in shown
    assert ("Osk, Background", f"He {BACKGROUND}.") in shown
    assert HISTORY in narrator_context(told).lore.text
    planned = planner_context(PlannerInput.model_validate(records(app, "planner")[0])).lore.text
    assert HISTORY in planned and BACKGROUND in planned
    assert not any(canary in json.dumps(told.model_dump(mode="json")) for canary in h.CANARIES)


def test_the_budget_is_of_the_settings(tmp_path: Path) -> None:
    app = begun(tmp_path, "scene_tokens = 0\nasked_limit = 1\nnarrator_asked_tokens = 0")
    h.say(app, "ask Osk about the chapel and the quay")
    told = NarratorInput.model_validate(records(app, "narrator")[0])
    assert told.packet.lore_context.scene.retrieved == ()
    assert len([one for one in told.packet.lore_context.asked if not one.chunk_id.startswith("game")]) <= 1
    assert not narrator_context(told).turn.asked


def test_a_turn_is_replayed_with_the_budgets_that_it_was_played_with(tmp_path: Path) -> None:
    app = begun(tmp_path)
    h.say(app, "look", "go door", "look")
    settings = app.workspace.root / "lorewright.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("[lore]\n", "[lore]\nscene_tokens = 0\n"), encoding="utf-8")
    found = asyncio.run(open_app(app.workspace.root).replays.rerun_turns("game", ALL_TURNS, {}))
    assert found.is_identical
    assert not [difference for turn in found.turns for difference in turn.differences]


def test_a_turn_of_before_there_was_any_is_replayed_without(tmp_path: Path) -> None:
    app = begun(tmp_path)
    with app.campaigns.open("game") as campaign:
        campaign.change_setting(lore=None)
        asyncio.run(campaign.submit("look"))
    assert "lore" not in records(app, "narrator")[0]
    assert "retrieved" not in records(app, "narrator")[0]["packet"]["lore_context"]["scene"]
    found = asyncio.run(app.replays.rerun_turns("game", ALL_TURNS, {}))
    assert not [difference for turn in found.turns for difference in turn.differences]


@pytest.mark.parametrize("embedder", ["none", "hashing"])
def test_it_is_there_with_an_embedder_and_without(
    tmp_path: Path, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOREWRIGHT_EMBEDDER", embedder)
    app = begun(tmp_path)
    h.say(app, "look", "look")
    first, second = [
        NarratorInput.model_validate(given).packet.lore_context.scene.retrieved for given in records(app, "narrator")
    ]
    assert first and first == second
    assert HISTORY in " ".join(section.text for section in first)
