"""Sittings begin, have their turns, end with a summary, and are found again as history."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.checks import check
from lorewright.campaigns.exchange import export, import_campaign
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import (
    active_or_new_session,
    begin,
    end,
    recap_of,
    retrieve_for_session,
    session_fields,
)
from lorewright.errors import CampaignError, NotFound
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.turn.store.turn_store import undo
from support import harbour as h

# The seed's Session.
KEYS = [
    "id",
    "campaign_id",
    "started_at",
    "ended_at",
    "turn_range_start",
    "turn_range_end",
    "session_lore",
    "summary",
    "world_events_pending",
]


# How a recap calls what Osk tells of Lin.
LEARNED = "“Lin took the night boat on Tuesday”"


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def say(campaign: OpenCampaign, *lines: str) -> None:
    for line in lines:
        asyncio.run(campaign.submit(line))


def recaps(app: App, viewer: str) -> list[str]:
    query = LoreRetrievalQuery(tags=("recap",), viewer=viewer, corpus="history", limit=20)
    return [chunk.text for chunk in app.lore.retrieve(query, campaign_id="game").result.chunks]


def test_a_sitting_begins_has_its_turns_and_ends_with_a_summary(app: App) -> None:
    h.say(app, "look")
    begun = app.sessions.start_session("game")
    assert app.sessions.active_session("game") == begun
    assert (begun.turn_range_start, begun.turn_range_end, begun.summary, begun.ended_at) == (2, None, None, None)
    h.say(app, "ask Osk about Lin", "go door")
    ended = app.sessions.end_session(begun.id)
    assert (ended.turn_range_start, ended.turn_range_end) == (2, 3)
    assert ended.ended_at is not None
    assert ended.summary is not None
    assert app.sessions.active_session("game") is None
    assert app.sessions.session_history("game") == [ended]
    with app.campaigns.reading("game") as store:
        assert [turn["session_id"] for turn in store.turns()] == [None, None, begun.id, begun.id]


def test_it_is_shown_in_the_shape_of_the_seed(app: App) -> None:
    begun = app.sessions.start_session("game")
    assert list(session_fields(begun)) == KEYS
    assert json.loads(json.dumps(session_fields(begun)))["world_events_pending"] == []


def test_one_sitting_is_active_at_a_time(app: App) -> None:
    first = app.sessions.start_session("game")
    with pytest.raises(CampaignError, match="active since") as caught:
        app.sessions.start_session("game")
    assert "session end" in str(caught.value.hint)
    with app.campaigns.open("game") as campaign:
        assert begin(campaign) == first
    assert len(app.sessions.session_history("game")) == 1


def test_who_names_what_is_not_there_is_told_where_to_look(app: App) -> None:
    for session_id in ("game:session_9", "session_1", "nowhere:session_1", ""):
        with pytest.raises(NotFound):
            app.sessions.generate_recap(session_id)
    with pytest.raises(NotFound):
        app.sessions.start_session("nowhere")


def test_ending_twice_changes_nothing(app: App) -> None:
    begun = app.sessions.start_session("game")
    h.say(app, "look")
    ended = app.sessions.end_session(begun.id)
    h.say(app, "wait")
    assert app.sessions.end_session(begun.id) == ended


def test_a_sitting_in_which_nothing_was_played_says_so_and_is_no_history(app: App) -> None:
    ended = app.sessions.end_session(app.sessions.start_session("game").id)
    assert ended.turn_range_end is None
    assert ended.summary is not None
    assert ended.summary.startswith("Nothing has happened in this sitting yet.")
    assert recaps(app, "gm") == []


def test_one_goes_on_with_a_sitting_that_was_left_open_and_hours_later_begins_another(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        first = active_or_new_session(campaign)
        say(campaign, "look")
        last = datetime.fromisoformat(campaign.store.campaign().updated_at)
        assert active_or_new_session(campaign, at=(last + timedelta(hours=3)).isoformat()) == first
        second = active_or_new_session(campaign, at=(last + timedelta(hours=5)).isoformat())
        assert second.id != first.id
        history = app.sessions.session_history("game")
        assert [one.id for one in history] == [first.id, second.id]
        assert (history[0].turn_range_end, history[1].turn_range_start) == (1, 2)
        assert history[0].summary is not None


def test_a_summary_is_history_that_the_player_remembers_and_nobody_else(app: App) -> None:
    begun = app.sessions.start_session("game")
    h.say(app, "ask Osk about Lin", "wait")
    ended = app.sessions.end_session(begun.id)
    assert recaps(app, "player") == recaps(app, "gm") == [ended.summary]
    assert recaps(app, "npc:osk") == []


def test_the_turns_of_a_sitting_are_those_on_the_path(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        first = active_or_new_session(campaign)
        say(campaign, "look", "ask Osk about Lin")
        summary = end(campaign, first).summary
        second = active_or_new_session(campaign)
        # Back before the second sitting began: its turns go on from the first one's.
        undo(campaign.store)
        say(campaign, "wait", "go door")
        ended = end(campaign, second)
        assert (ended.turn_range_start, ended.turn_range_end) == (2, 3)
        assert summary is not None
        assert LEARNED in summary
        # What was taken back is no part of what the first sitting amounts to.
        assert LEARNED not in recap_of(campaign, app.sessions.session_history("game")[0])
        assert app.sessions.generate_recap(first.id) == recap_of(campaign, app.sessions.session_history("game")[0])
        assert LEARNED not in str(ended.summary)


def test_the_lore_of_a_sitting_is_of_its_threads_and_cast_and_tells_no_secret(app: App) -> None:
    h.say(app, "ask Osk about Lin", "search under the counter")
    begun = app.sessions.start_session("game")
    lore = begun.session_lore
    assert lore["threads"] == ["lost"]
    assert {"harbour:lin:overview", "harbour:osk:overview", "harbour:bea:overview"} == {
        chunk["chunk_id"] for chunk in lore["chunks"]
    }
    assert lore["total_tokens"] > 0
    # Not even what was learned: the turn that told it may be taken back.
    assert not any(canary in json.dumps(lore) for canary in h.CANARIES)


def test_the_lore_of_a_sitting_is_in_the_packet_while_the_turn_it_began_from_stands(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        say(campaign, "look", "wait")
        session = begin(campaign)
        assert campaign.store.head().session_lore == session.session_lore
        say(campaign, "look")
        undo(campaign.store, turns=2)
        assert campaign.store.head().session_lore == {}
    inputs = h.stage_inputs(app)
    assert not any("A bird seller" in text for text in inputs["interpreter"])


def test_who_is_offstage_brings_no_lore_to_a_sitting(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        state = campaign.store.head().state
        away = state.model_copy(update={"positions": {**state.positions, "harbour:bea": "offstage"}})
        lore: Any = retrieve_for_session(away, campaign.setting.generations)
        assert "harbour:bea:overview" not in {chunk["chunk_id"] for chunk in lore["chunks"]}


class Clock:
    """A clock that is set by hand and goes on by a second with each look at it."""

    def __init__(self, at: str) -> None:
        self.at = datetime.fromisoformat(at)

    def __call__(self) -> str:
        self.at += timedelta(seconds=1)
        return self.at.isoformat(timespec="milliseconds")


def test_a_clock_that_is_set_back_in_a_sitting_leaves_a_sound_campaign_that_can_be_exported(
    app: App, tmp_path: Path
) -> None:
    clock = Clock("2031-05-01T20:00:00+00:00")
    app.campaigns.clock = clock
    begun = app.sessions.start_session("game")
    h.say(app, "look")
    for minutes in (5, 5, 60 * 24 * 400):
        clock.at -= timedelta(minutes=minutes)
        h.say(app, "wait")
    with app.campaigns.open("game") as campaign:
        undo(campaign.store)
    ended = app.sessions.end_session(begun.id)
    with app.campaigns.reading("game") as store:
        times = [row["created_at"] for row in store.database.rows("SELECT created_at FROM turns WHERE turn_no > 0")]
    assert begun.started_at <= times[0]
    assert times == sorted(times)
    assert ended.ended_at is not None
    assert ended.ended_at >= begun.started_at
    checked = check(app.campaigns.path("game"), app.campaigns.kept)
    assert (checked.findings, checked.notes) == ((), ())
    export(app.campaigns, "game", tmp_path / "game.lorewright")
    export(app.campaigns, "game", tmp_path / "seen.lorewright", audience="player")
    # The next sitting goes by the clock as it is.
    assert app.sessions.start_session("game").started_at < begun.started_at


def test_a_sitting_that_an_older_version_ended_before_it_began_can_be_exported_and_imported(
    app: App, tmp_path: Path
) -> None:
    app.sessions.end_session(app.sessions.start_session("game").id)
    with app.campaigns.reading("game") as store, store.database.transaction() as connection:
        connection.execute("UPDATE sessions SET ended_at = '2001-01-01T00:00:00.000+00:00'")
    assert [one.code for one in check(app.campaigns.path("game")).notes] == ["session-time"]
    export(app.campaigns, "game", tmp_path / "game.lorewright")
    assert import_campaign(app.campaigns, tmp_path / "game.lorewright", campaign_id="copy").id == "copy"


def test_one_turn_of_a_program_is_played_in_a_sitting_with_its_lore(app: App) -> None:
    app.sessions.play_turn("game", "look", action_id="one")
    app.sessions.play_turn("game", "wait")
    session = app.sessions.active_session("game")
    assert session is not None and len(app.sessions.session_history("game")) == 1
    with app.campaigns.reading("game") as store:
        assert [turn["session_id"] for turn in store.turns()] == [None, session.id, session.id]
        records = store.stage_records(store.turns()[-1]["turn_id"])
    packets = [record["input"]["packet"] for record in records if record["stage"] in ("planner", "narrator")]
    assert packets and all(packet["lore_context"]["session"]["chunks"] for packet in packets)


def test_a_later_sitting_begins_with_lore_of_its_own(app: App) -> None:
    app.sessions.play_turn("game", "look")
    first = app.sessions.active_session("game")
    assert first is not None
    app.sessions.end_session(first.id)
    app.sessions.play_turn("game", "go door")
    second = app.sessions.active_session("game")
    assert second is not None and second.id != first.id and second.session_lore["chunks"]


def test_a_submission_that_was_played_begins_no_sitting(app: App) -> None:
    app.sessions.play_turn("game", "look", action_id="one")
    session = app.sessions.active_session("game")
    assert session is not None
    app.sessions.end_session(session.id)
    app.sessions.play_turn("game", "look", action_id="one")
    assert app.sessions.active_session("game") is None


def test_a_scene_that_is_played_says_of_which_sitting_its_lore_is_cached(app: App) -> None:
    assert app.sessions.scene_cache("game", "harbour:tavern")["retrieved_at"] is None
    app.sessions.play_turn("game", "look")
    session = app.sessions.active_session("game")
    found = app.sessions.scene_cache("game", "harbour:tavern")
    assert session is not None and found["session_id"] == session.id and found["scene_id"] == "scene_001"
    assert found["retrieved_at"] is not None and found["retrieved_at"] >= session.started_at
    assert app.sessions.scene_cache("game", "harbour:quay") == {
        "scene_id": "",
        "session_id": None,
        "retrieved_at": None,
    }
