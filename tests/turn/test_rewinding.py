"""Turns are taken back and done again exactly: state, stream, recap, what a stage is told, and what history answers."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright.bootstrap import App
from lorewright.campaigns.branches import rollback
from lorewright.campaigns.lore import ask_lore, explain_last_turn, map_of
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import active_or_new_session, end, recap_of
from lorewright.errors import ActionIdReused, CampaignError, DamagedFile, HeadMoved, ProviderError, TurnUndone
from lorewright.llm.doubles import ScriptedModel
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.storage.faults import KILL_VARIABLE, REWIND_STEPS
from lorewright.storage.heads import HeadMove, head_row, move_head, undone_turns
from lorewright.turn.run.pipeline import think
from lorewright.turn.store.turn_store import redo, undo, undo_played
from lorewright.turn.views.draft import Recorder, Submission
from lorewright.turn.views.point import TurnPoint, TurnStream
from lorewright.turn.views.views import TurnViews
from support import harbour as h
from support.scale import scaled

FIFTEEN = (
    "look",
    "ask Osk about Lin",
    "frobnicate quietly",
    "search under the counter",
    "take rope",
    "ask Osk about debt",
    "go door",
    "look",
    "ask Bea about the cellar",
    "wait",
    "go tavern",
    "ask Osk about the weather",
    "ask Osk about debt",
    "wait 10 minutes",
    "go cellar",
)
QUESTIONS = (
    ("Lin boat", "player"),
    ("who answered", "player"),
    ("counter letter", "player"),
    ("rope", "player"),
    ("the quay", "gm"),
    ("cellar bath", "npc:bea"),
    ("debt", "npc:osk"),
    ("dread rose", "gm"),
    ("what happened on turn 3", "player"),
    ("Ada went from the tavern to the quay and talked", "player"),
)


def submit(campaign: OpenCampaign, line: str, action_id: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(asyncio.run(campaign.submit(line, action_id=action_id)))
    return found


def packet(campaign: OpenCampaign) -> Any:
    """What the planner and the narrator would be told if the next words came now."""
    head = campaign.store.head()
    with TurnViews(head, Submission("ask about Lin", "next"), campaign.setting) as views:
        lore, at = views.at_scene(TurnPoint(head.state, TurnStream.after(head, "next")))
        return [views.packet(at, lore, viewer)[0] for viewer in ("planner", "narrator")]


def seen(app: App, campaign: OpenCampaign, questions: Sequence[tuple[str, str]] = QUESTIONS) -> str:
    """Everything that can be asked of a campaign as it stands, as one text."""
    store = campaign.store
    head = store.head()
    turns = store.turns()
    history = [
        app.lore.retrieve(
            LoreRetrievalQuery(keywords=words, viewer=viewer, corpus="history", limit=20, max_tokens=5000),
            campaign_id="game",
        )
        for words, viewer in questions
    ]
    session = active_or_new_session(campaign)
    return json.dumps(
        {
            "state": head.state.to_json(),
            "offered": head.options,
            "log": turns,
            "stream": [[no, message.model_dump(mode="json")] for no, message in store.messages(head.turn_id, last=99)],
            "stages": [store.stage_records(turn["turn_id"]) for turn in turns],
            "recap": recap_of(campaign, session),
            "packets": packet(campaign),
            "history": [[one.result.model_dump(mode="json"), one.trace.model_dump(mode="json")] for one in history],
            "lore": ask_lore(campaign, "Lin").model_dump(mode="json"),
            "map": [repr(place) for place in map_of(head.state)],
            "why": repr(explain_last_turn(campaign)),
        },
        default=repr,
    )


def states_kept(app: App) -> list[int]:
    with sqlite3.connect(app.workspace.campaigns / "game.db") as connection:
        sql = "SELECT turn_no FROM world_states JOIN turns USING (turn_id) ORDER BY turn_no"
        found = [row[0] for row in connection.execute(sql)]
    connection.close()
    return found


@pytest.mark.campaign
def test_undo_and_redo_bring_back_every_byte_of_fifteen_turns(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as campaign:
        active_or_new_session(campaign)
        views = [seen(app, campaign)]
        for number, line in enumerate(FIFTEEN):
            submit(campaign, line, f"a{number}")
            views.append(seen(app, campaign))
        assert len(set(views)) == len(views)
        for turn_no in reversed(range(len(FIFTEEN))):
            undo(campaign.store)
            assert seen(app, campaign) == views[turn_no]
        for turn_no in range(1, len(FIFTEEN) + 1):
            redo(campaign.store)
            assert seen(app, campaign) == views[turn_no]
        undo(campaign.store, turns=7)
        assert seen(app, campaign) == views[8]
        undo(campaign.store, turns=5)
        assert seen(app, campaign) == views[3]


def test_undo_and_redo_bring_back_every_byte_of_a_turn(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=FIFTEEN[:1])
    with app.campaigns.open("game") as campaign:
        active_or_new_session(campaign)
        before = seen(app, campaign, QUESTIONS[:1])
        submit(campaign, FIFTEEN[1])
        after = seen(app, campaign, QUESTIONS[:1])
        undo(campaign.store)
        assert seen(app, campaign, QUESTIONS[:1]) == before
        redo(campaign.store)
        assert seen(app, campaign, QUESTIONS[:1]) == after


def test_what_is_played_after_an_undo_is_as_if_the_rest_had_never_been(tmp_path: Path) -> None:
    straight, astray = (h.harbour(tmp_path / name) for name in ("straight", "astray"))
    with straight.campaigns.open("game") as one, astray.campaigns.open("game") as other:
        for number, line in enumerate(FIFTEEN[:4]):
            submit(one, line, f"a{number}")
        submit(other, FIFTEEN[0], "a0")
        for number, line in enumerate(("wait", "go door", "ask Bea about the cellar")):
            submit(other, line, f"b{number}")
        undo(other.store, turns=3)
        for number, line in enumerate(FIFTEEN[1:4], start=1):
            submit(other, line, f"a{number}")
        assert one.store.head().state.to_json() == other.store.head().state.to_json()
        results = [[turn["result"] for turn in campaign.store.turns()] for campaign in (one, other)]
        assert results[0] == results[1]
        assert packet(one) == packet(other)


# Twenty-four games are played with CAMPAIGN_SCALE=3.
@pytest.mark.campaign
@settings(max_examples=scaled(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=st.lists(st.sampled_from([*FIFTEEN[:7], "undo", "undo", "redo", "undo 2"]), max_size=14))
def test_whatever_is_done_the_head_has_the_state_that_was_committed(
    tmp_path_factory: pytest.TempPathFactory, moves: list[str]
) -> None:
    app = h.harbour(tmp_path_factory.mktemp("moves"))
    with app.campaigns.open("game") as campaign:
        store = campaign.store
        path, pile, revision = [turn["turn_id"] for turn in store.turns()], list[str](), 0
        for move in moves:
            turns = {"undo": 1, "undo 2": 2}.get(move)
            try:
                if turns:
                    undo(store, turns=turns)
                    taken = path[-turns:]
                    path = path[:-turns]
                    pile += reversed(taken)
                elif move == "redo":
                    redo(store)
                    path.append(pile.pop())
                else:
                    path, pile = [*path, submit(campaign, move)["turn_id"]], []
                revision += 1
            except CampaignError:
                assert len(path) <= (turns or 0) if turns else not pile
            turns_now = store.turns()
            assert [turn["turn_id"] for turn in turns_now] == path
            assert [turn["turn_no"] for turn in turns_now] == list(range(len(path)))
            assert undone_turns(store.database) == pile
            assert head_row(store.database).revision == revision
            assert store.head().state.content_hash() == turns_now[-1]["state_hash"]
            kept = {row["turn_id"] for row in store.database.rows("SELECT turn_id FROM world_states")}
            assert {path[0], path[-1]} <= kept
            assert store.database.rows("PRAGMA foreign_key_check") == []


def test_complete_states_stay_at_the_head_at_branch_points_and_at_the_start_alone(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as campaign:
        for line in ("look", "wait", "look", "wait"):
            submit(campaign, line)
        undo(campaign.store, turns=2)
        assert states_kept(app) == [0, 2]
        submit(campaign, "take rope")
        submit(campaign, "wait")
        assert states_kept(app) == [0, 2, 4]


def test_turn_zero_cannot_be_taken_back_nor_more_turns_than_there_are(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as campaign:
        for attempt in (lambda: undo(campaign.store), lambda: undo_played(campaign.store)):
            with pytest.raises(CampaignError, match="nothing to undo"):
                attempt()
        submit(campaign, "look")
        before = "\n".join(campaign.store.database._connection.iterdump())
        with pytest.raises(CampaignError, match="only 1 turns"):
            undo(campaign.store, turns=2)
        with pytest.raises(CampaignError, match="at least one"):
            undo(campaign.store, turns=0)
        assert "\n".join(campaign.store.database._connection.iterdump()) == before


def test_redo_is_gone_once_another_turn_is_played(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as campaign:
        submit(campaign, "look")
        submit(campaign, "wait")
        undo(campaign.store)
        submit(campaign, "take rope")
        with pytest.raises(CampaignError, match="nothing to redo") as caught:
            redo(campaign.store)
        assert caught.value.hint is not None
        assert [turn["player_text"] for turn in campaign.store.turns()] == ["", "look", "take rope"]


def test_an_action_id_is_answered_while_its_turn_stands_and_refused_when_it_was_taken_back(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as campaign:
        first = submit(campaign, "look", "a1")
        undo(campaign.store)
        with pytest.raises(TurnUndone, match="taken back"):
            submit(campaign, "look", "a1")
        with pytest.raises(ActionIdReused):
            submit(campaign, "wait", "a1")
        assert head_row(campaign.store.database).turn_no == 0
        redo(campaign.store)
        assert submit(campaign, "look", "a1") == first


def test_the_same_words_after_an_undo_are_another_turn(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as campaign:
        first = submit(campaign, "ask Osk about debt")
        undo(campaign.store)
        second = submit(campaign, "ask Osk about debt")
        assert first["turn_id"] != second["turn_id"]
        assert first["rolls"][0]["seed"] != second["rolls"][0]["seed"]


def test_a_retry_has_the_words_and_the_parent_of_what_it_replaces_and_other_dice(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as campaign:
        submit(campaign, "look")
        first = submit(campaign, "ask Osk about debt")
        submit(campaign, "frobnicate quietly")
        seeds = {first["rolls"][0]["seed"]}
        for _ in range(3):
            again = json.loads(asyncio.run(campaign.retry()))
            assert again["turn_no"] == 2
            assert [turn["player_text"] for turn in campaign.store.turns()] == ["", "look", "ask Osk about debt"]
            seeds.add(again["rolls"][0]["seed"])
        assert len(seeds) == 4


def test_a_retry_that_fails_leaves_the_turn_that_stood(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look", "wait")
    broken = h.with_models(app, {"narrator": ScriptedModel([ProviderError("the server is gone")])})
    with broken.campaigns.open("game") as campaign:
        before = campaign.store.turns()
        with pytest.raises(ProviderError):
            asyncio.run(campaign.retry())
        assert campaign.store.turns() == before


def test_a_story_that_has_ended_goes_on_where_its_end_is_taken_back(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, seed=3)
    with app.campaigns.open("game") as campaign:
        while campaign.store.head().state.ended is None:
            submit(campaign, "ask Osk about debt")
            if campaign.store.head().state.learned_by("game:player"):
                undo(campaign.store)
        with pytest.raises(CampaignError, match="ended"):
            submit(campaign, "look")
        undo(campaign.store)
        assert submit(campaign, "look")["final_text"]


def test_a_head_that_others_moved_is_not_moved(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look", "wait")
    with app.campaigns.open("game") as campaign:
        store = campaign.store
        read, first = head_row(store.database), store.turns()[1]
        stale = HeadMove(
            campaign_id="game",
            from_turn_id=read.turn_id,
            revision=read.revision,
            to_turn_id=first["turn_id"],
            to_turn_no=1,
            state_json=store.state_at(first["turn_id"]).to_json(),
            time="2026-01-01T00:00:00.000+00:00",
            taken_back=(read.turn_id,),
        )
        # The head goes away and comes back: the same turn under another revision.
        undo(store)
        redo(store)
        before = "\n".join(store.database._connection.iterdump())
        with pytest.raises(HeadMoved):
            move_head(store.database, stale)
        assert "\n".join(store.database._connection.iterdump()) == before


def test_a_turn_thought_on_a_head_that_was_taken_back_meanwhile_is_not_committed(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look", "wait")
    with app.campaigns.open("game") as campaign:
        store, words = campaign.store, Submission("take rope", "r1")
        draft = asyncio.run(think(store.head(), words, campaign.setting, campaign.stages, Recorder()))
        undo(store)
        redo(store)
        with pytest.raises(HeadMoved):
            store.commit(draft)
        assert [turn["player_text"] for turn in store.turns()] == ["", "look", "wait"]


def test_a_state_that_cannot_be_rebuilt_as_it_was_is_not_stood_on(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look", "wait", "wait")
    with sqlite3.connect(app.workspace.campaigns / "game.db") as connection:
        connection.execute("UPDATE turns SET ops_json = '[]' WHERE turn_no = 2")
    connection.close()
    with app.campaigns.open("game") as campaign:
        with pytest.raises(DamagedFile, match="turn 2"):
            undo(campaign.store)
        assert head_row(campaign.store.database).turn_no == 3


@pytest.mark.parametrize("step", REWIND_STEPS)
def test_a_process_killed_while_it_takes_back_has_done_so_whole_or_not_at_all(tmp_path: Path, step: str) -> None:
    app = h.harbour(tmp_path, played=("look", "take rope", "wait"))
    pid = os.fork()
    if pid == 0:
        try:
            os.environ[KILL_VARIABLE] = step
            with app.campaigns.open("game") as campaign:
                rollback(campaign.store, turns=2)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    with app.campaigns.open("game") as campaign:
        store = campaign.store
        stands, pile = (3, 0) if step == "rewind:moving" else (1, 2)
        assert (head_row(store.database).turn_no, len(undone_turns(store.database))) == (stands, pile)
        assert store.head().state.content_hash() == store.turns()[-1]["state_hash"]
        submit(campaign, "look")


def test_a_summary_is_remembered_only_while_its_turns_are(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    query = LoreRetrievalQuery(keywords="recap", tags=("recap",), viewer="player", corpus="history")
    with app.campaigns.open("game") as campaign:
        session = active_or_new_session(campaign)
        submit(campaign, "ask Osk about Lin")
        summary = end(campaign, session).summary
        assert [chunk.text for chunk in app.lore.retrieve(query, campaign_id="game").result.chunks] == [summary]
        undo(campaign.store)
        assert app.lore.retrieve(query, campaign_id="game").result.chunks == ()
        redo(campaign.store)
        assert [chunk.text for chunk in app.lore.retrieve(query, campaign_id="game").result.chunks] == [summary]
