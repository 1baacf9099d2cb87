"""A turn in which others acted too, taken back: state, stream and history are as if it had never been."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.sessions import end_scene
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.turn.store.turn_store import redo, undo_played
from support import harbour_crew as c

ASKED = (
    *(
        "boat",
        "Lin",
        "Osk",
        "the weather",
        "knot",
        "glass",
        "rope",
        "cellar",
        "what did Bea do",
        "who was in the tavern",
    ),
)
VIEWERS = ("player", "gm", f"npc:{c.OSK}", f"npc:{c.BEA}")


def answers(app: App) -> list[str]:
    """Ten questions about what happened, as everybody may know it: results and traces."""
    found = []
    for viewer in VIEWERS:
        for text in ASKED:
            query = LoreRetrievalQuery(keywords=text, viewer=viewer, corpus="history", limit=20, max_tokens=5_000)
            answer = app.lore.retrieve(query, campaign_id="game")
            found.append(answer.result.model_dump_json() + answer.trace.model_dump_json())
    return found


def view(app: App) -> dict[str, Any]:
    """All that anybody sees of where the story stands."""
    with app.campaigns.reading("game") as store:
        head = store.head()
        return {
            "state": head.state.to_json(),
            "recent": [(number, one.model_dump_json()) for number, one in head.recent],
            "options": head.options,
            "markers": head.markers,
            "summary": head.summary,
            "turns": [(turn["turn_id"], json.dumps(turn["result"])) for turn in store.turns()],
        }


@pytest.mark.campaign
@pytest.mark.parametrize("profile", ["stream", "ensemble"])
def test_what_is_taken_back_was_never_there_and_done_again_it_was(tmp_path: Path, profile: str) -> None:
    app = c.crew(tmp_path, profile=profile, together=True)
    with app.campaigns.open("game") as campaign:
        for line in ("ask Osk about the weather", "take the rope"):
            asyncio.run(campaign.submit(line))
    before, known = view(app), answers(app)
    assert any("knot" in one for one in known)
    with app.campaigns.open("game") as campaign:
        asyncio.run(campaign.submit("ask Osk about the boat", thought="Too easy."))
    after, learned = view(app), answers(app)
    assert after != before
    assert learned != known
    with app.campaigns.open("game") as campaign:
        undo_played(campaign.store)
    assert view(app) == before
    assert answers(app) == known
    with app.campaigns.open("game") as campaign:
        redo(campaign.store)
    assert view(app) == after
    assert answers(app) == learned


@pytest.mark.parametrize("profile", ["freeform", "stream"])
def test_a_scene_that_ends_is_a_boundary_that_the_next_turn_begins_with(tmp_path: Path, profile: str) -> None:
    app = c.crew(tmp_path, profile=profile, together=True)
    with app.campaigns.open("game") as campaign:
        asyncio.run(campaign.submit("look around"))
        before = campaign.store.head().state
        end_scene(campaign, minutes=45)
        after = campaign.store.head().state
        ended = campaign.store.turns()[-1]
        closing = [message for _, message in campaign.store.messages(ended["turn_id"], last=1)]
        asyncio.run(campaign.submit("look around"))
        opening = [m for _, m in campaign.store.messages(campaign.store.position().turn_id, last=1)]
    assert (ended["kind"], ended["player_text"]) == ("edit", "")
    assert (after.scene.number, after.minutes) == (before.scene.number + 1, before.minutes + 45)
    assert after.scene.location_id == before.scene.location_id
    place = before.scene.location_id
    assert [(one.subtype, dict(one.payload)) for one in closing] == [("scene_close", {"at": place})]
    assert [(one.subtype, dict(one.payload)) for one in opening if one.type == "scene_marker"] == [
        ("scene_open", {"at": place}),
        ("time_skip", {"duration": 45}),
    ]


def test_what_the_minutes_bring_about_comes_about(tmp_path: Path) -> None:
    threats = {"raid": {"title": "The raid", "effects": [{"end": "fled"}]}}
    rules = [{"on": {"act": "wait"}, "success": [{"announce": "raid", "minutes": 30}]}]
    app = c.crew(tmp_path, threats=threats, rules=rules)
    with app.campaigns.open("game") as campaign:
        asyncio.run(campaign.submit("wait"))
        end_scene(campaign, minutes=60)
        assert campaign.store.head().state.ended == "fled"


def test_the_end_of_a_scene_is_known_by_its_action_id(tmp_path: Path) -> None:
    app = c.crew(tmp_path)
    with app.campaigns.open("game") as campaign:
        first = end_scene(campaign, minutes=5, action_id="end")
        assert end_scene(campaign, minutes=5, action_id="end") == first
        assert campaign.store.head().turn_no == 1
        end_scene(campaign)
        end_scene(campaign)
        assert campaign.store.head().turn_no == 3
