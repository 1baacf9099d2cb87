"""A change from outside is a turn: whole or not at all, once for each action ID, replayed, taken back, told to nobody
who may not know of it."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns import exchange
from lorewright.campaigns.checks import check
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import ActionIdReused, CampaignError, EditRefused, HeadMoved, TurnUndone
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.turn.checks.tools import BOOKKEEPING, OUTSIDE_OPS
from lorewright.turn.run.editing import MOST_OPS, MOST_TEXT, edit
from lorewright.turn.store.turn_store import MemoryStore, redo, undo
from lorewright.values.annotations import Annotations, LorebookEntry
from lorewright.world import ops as o
from lorewright.world.state import OFFSTAGE, Entity, Fact
from support import harbour as h

ROPE, PLAYER, TAVERN, QUAY = "game:rope", "game:player", "harbour:tavern", "harbour:quay"
GIVE_ROPE = o.TransferItem(item_id=ROPE, from_id=TAVERN, to_id=PLAYER)


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def changed(campaign: OpenCampaign, *ops: o.StateOp, action_id: str = "call-1", **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(campaign.edit(ops, action_id=action_id, **more))
    return found


def said(campaign: OpenCampaign, line: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(asyncio.run(campaign.submit(line)))
    return found


def refused(campaign: OpenCampaign, *ops: o.StateOp) -> EditRefused:
    """Why a change is refused; and nothing has changed."""
    before = (campaign.store.position(), campaign.store.head().state.content_hash(), len(campaign.store.turns()))
    with pytest.raises(EditRefused) as problem:
        campaign.edit(ops, action_id="refused")
    assert before == (
        campaign.store.position(),
        campaign.store.head().state.content_hash(),
        len(campaign.store.turns()),
    )
    return problem.value


def sound(app: App) -> None:
    assert check(app.campaigns.path("game"), app.campaigns.kept).findings == ()


def test_an_edit_is_a_turn_with_its_own_kind_ops_and_state(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        result = changed(campaign, GIVE_ROPE, note="a kindness")
        (_, turn) = campaign.store.turns()
        assert (turn["kind"], turn["turn_no"], turn["player_text"]) == ("edit", 1, "")
        assert (result["turn_no"], result["final_text"], result["messages"]) == (1, "", [])
        assert campaign.store.head().state.held_by(PLAYER)[ROPE] == 1
        assert turn["state_hash"] == campaign.store.head().state.content_hash()
        assert said(campaign, "look")["turn_no"] == 2
    sound(app)


def test_who_asked_and_why_stands_in_the_record_alone(app: App, tmp_path: Path) -> None:
    with app.campaigns.open("game") as campaign:
        changed(campaign, GIVE_ROPE, by="review", note="a kindness of Wednesday")
        (record,) = campaign.store.stage_records(campaign.store.head().turn_id)
        assert (record["stage"], record["output"]["by"]) == ("edit", "review")
        assert record["output"]["note"] == "a kindness of Wednesday"
        assert "Wednesday" not in json.dumps(campaign.store.turns())
    exchange.export(app.campaigns, "game", tmp_path / "story.zip", audience="player")
    with ZipFile(tmp_path / "story.zip") as story:
        assert b"Wednesday" not in story.read("story.json")


def test_the_same_call_twice_changes_the_world_once(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        first = campaign.edit([o.TickClock(clock_id="dread", delta=1)], action_id="call")
        said(campaign, "look")
        again = campaign.edit([o.TickClock(clock_id="dread", delta=1)], action_id="call")
        assert first == again
        assert campaign.store.head().state.clocks["dread"].value == 1


def test_a_call_id_with_other_ops_or_of_a_players_turn_is_refused(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        changed(campaign, GIVE_ROPE)
        with pytest.raises(ActionIdReused):
            changed(campaign, o.TickClock(clock_id="dread", delta=1))
        asyncio.run(campaign.submit("look", action_id="mine"))
        with pytest.raises(ActionIdReused):
            changed(campaign, o.TickClock(clock_id="dread", delta=1), action_id="mine")
        assert campaign.store.head().state.clocks["dread"].value == 0


def test_an_edit_that_was_taken_back_is_not_answered_by_its_call_id(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        before = campaign.store.head().state.content_hash()
        changed(campaign, GIVE_ROPE)
        undo(campaign.store)
        assert campaign.store.head().state.content_hash() == before
        with pytest.raises(TurnUndone):
            changed(campaign, GIVE_ROPE)
        redo(campaign.store)
        assert ROPE in campaign.store.head().state.held_by(PLAYER)
    sound(app)


def test_all_ops_are_done_or_none(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        problem = refused(campaign, GIVE_ROPE, o.TickClock(clock_id="nothing", delta=1))
        assert (problem.index, problem.reason) == (1, "unknown_clock")
        assert problem.hint


@pytest.mark.parametrize(
    ("op", "reason"),
    [
        (o.Recall(key="x"), "bookkeeping"),
        (o.PassTurn(), "bookkeeping"),
        (o.SetStreak(who=PLAYER, failures=2), "bookkeeping"),
        (o.Reshape(stat_schema={}, scene_schema={}), "bookkeeping"),
        (o.Move(entity_id=PLAYER, to=OFFSTAGE), "player_offstage"),
        (o.Move(entity_id=PLAYER, to="harbour:nowhere"), "unknown_place"),
        (o.OpenScene(location_id=QUAY), "player_elsewhere"),
        (o.RevealItem(item_id="harbour:osk:knows#nothing", to=PLAYER, how="told"), "unknown_lore_item"),
        (o.EndCampaign(ending_id="nobody-wrote-it"), "unknown_ending"),
        (o.Announce(threat_id="nothing", minutes=3), "unknown_threat"),
        (o.BeginSituation(situation_id="nothing"), "unknown_situation"),
        (o.AddEntity(entity=Entity(id="game:twin", type="player", name="Twin"), at=TAVERN), "one_player"),
        (o.AddEntity(entity=Entity(id="game:../new", type="npc", name="New"), at=TAVERN), "not_of_the_campaign"),
        (o.AddEntity(entity=Entity(id="game:a:b", type="npc", name="New"), at=TAVERN), "not_of_the_campaign"),
        (o.AddEntity(entity=Entity(id="harbour:new", type="npc", name="New"), at=TAVERN), "not_of_the_campaign"),
        (
            o.AddEntity(entity=Entity(id="game:new", type="npc", name="New", origin="pack"), at=TAVERN),
            "not_of_the_campaign",
        ),
        (o.AddFact(fact=Fact(id="game:f", subject_id="harbour:nobody", predicate="is")), "unknown_entity"),
    ],
)
def test_what_would_leave_the_world_broken_is_refused_with_its_reason(app: App, op: o.StateOp, reason: str) -> None:
    with app.campaigns.open("game") as campaign:
        assert refused(campaign, op).reason == reason


def test_nothing_and_too_much_are_refused(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        assert refused(campaign).reason == "nothing_to_change"
        assert refused(campaign, *[GIVE_ROPE] * (MOST_OPS + 1)).reason == "too_many"
        long = o.SetCharacterState(who="harbour:osk", name="mood", value="x" * MOST_TEXT)
        assert refused(campaign, long).reason == "too_long"


def test_every_kind_of_op_is_for_outside_or_the_engines_own() -> None:
    assert set(OUTSIDE_OPS) | BOOKKEEPING == set(o.OP_KINDS)
    assert not set(OUTSIDE_OPS) & BOOKKEEPING


def test_where_the_player_is_moved_the_scene_follows_and_the_next_turn_begins_with_its_marker(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        result = changed(campaign, o.Move(entity_id=PLAYER, to=QUAY))
        state = campaign.store.head().state
        assert (state.scene.location_id, state.scene.number, state.visits[QUAY]) == (QUAY, 2, 1)
        assert "go to the Tavern" in result["suggested_actions"]
        turn = said(campaign, "look")
        found = [message for _, message in campaign.store.messages(turn["turn_id"], last=1)]
        assert (found[0].type, dict(found[0].payload)) == ("scene_marker", {"from": TAVERN, "to": QUAY})
    sound(app)


def test_an_edit_after_a_move_keeps_the_marker_of_that_move(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        said(campaign, "go door")
        edited = changed(campaign, o.AdvanceTime(minutes=5))
        found = [message for _, message in campaign.store.messages(edited["turn_id"], last=1)]
        assert [message.subtype for message in found] == ["location_change"]
        after = said(campaign, "look")
        types = [message.type for _, message in campaign.store.messages(after["turn_id"], last=1)]
        assert "scene_marker" not in types
    sound(app)


def test_a_clock_that_reaches_its_mark_has_its_effects_as_in_play(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        changed(campaign, o.TickClock(clock_id="dread", delta=2))
        assert "harbour:bea" in campaign.store.head().state.present_npcs()
        (record,) = campaign.store.stage_records(campaign.store.head().turn_id)
        assert [op["op"] for op in record["output"]["followed"]] == ["move"]


def test_an_edit_that_ends_the_story_tells_its_ending_and_is_the_last(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        result = changed(campaign, o.EndCampaign(ending_id="fled"))
        assert result["final_text"] == "You run, and the fiddle stops behind you."
        assert (result["next_prompt"], result["suggested_actions"]) == ("", [])
        assert [one["type"] for one in result["messages"]] == ["narration"]
        with pytest.raises(CampaignError, match="has ended"):
            changed(campaign, GIVE_ROPE, action_id="later")
    sound(app)


def test_a_change_of_what_was_read_is_refused_once_it_is_another(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        read = campaign.store.position().revision
        said(campaign, "look")
        with pytest.raises(HeadMoved):
            changed(campaign, GIVE_ROPE, revision=read)
        changed(campaign, GIVE_ROPE, revision=read + 1)


def test_a_replay_takes_an_edit_over_and_goes_on_identically(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        said(campaign, "ask Osk about Lin")
        changed(campaign, o.Move(entity_id=PLAYER, to=QUAY), GIVE_ROPE)
        said(campaign, "ask Bea about the cellar")
        changed(campaign, o.TickClock(clock_id="dread", delta=1), action_id="call-2")
        said(campaign, "go tavern")
    replay = asyncio.run(app.replays.rerun_turns("game"))
    assert replay.is_identical
    assert [turn.kind for turn in replay.turns] == ["play", "edit", "play", "edit", "play"]


def test_what_an_edit_changed_is_found_in_the_history_by_who_was_there(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        changed(campaign, o.Move(entity_id="harbour:bea", to=TAVERN))
        said(campaign, "look")
    found = app.lore.retrieve(
        LoreRetrievalQuery(keywords="Bea came to the tavern", corpus="history", viewer="player"), campaign_id="game"
    )
    assert "Bea came to the Tavern." in [chunk.text for chunk in found.result.chunks]


def test_a_secret_that_is_given_to_somebody_is_in_no_event_of_the_result(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        result = changed(campaign, o.RevealItem(item_id="harbour:osk:withholds#debt", to="harbour:bea", how="told"))
        assert "debt" not in json.dumps(result)
        assert not any(one in json.dumps(result) for one in h.CANARIES)


def test_an_export_with_edits_comes_back_as_it_was(app: App, tmp_path: Path) -> None:
    with app.campaigns.open("game") as campaign:
        first = changed(campaign, GIVE_ROPE)
        state = campaign.store.head().state.content_hash()
    exchange.export(app.campaigns, "game", tmp_path / "game.zip")
    exchange.import_campaign(app.campaigns, tmp_path / "game.zip", campaign_id="other")
    with app.campaigns.open("other") as campaign:
        assert campaign.store.head().state.content_hash() == state
        assert changed(campaign, GIVE_ROPE) == first
    sound(app)


def test_a_file_in_which_an_edit_was_tampered_with_is_found_out(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        changed(campaign, GIVE_ROPE)
        with campaign.store.database.transaction() as connection:
            connection.execute("UPDATE stage_records SET input_json = '[]' WHERE stage = 'edit'")
    found = check(app.campaigns.path("game"), app.campaigns.kept).findings
    assert [finding.code for finding in found] == ["turn-altered", "request-hash"]


def test_of_many_who_send_the_same_call_at_once_one_changes_the_world(app: App) -> None:
    root = app.workspace.root

    def one(number: int) -> str:
        with open_app(root, models={}).campaigns.open("game") as campaign:
            return campaign.edit([o.AdvanceTime(minutes=7)], action_id="the-same")

    with ThreadPoolExecutor(6) as pool:
        results = set(pool.map(one, range(6)))
    assert len(results) == 1
    with app.campaigns.reading("game") as store:
        assert (store.head().state.minutes, len(store.turns())) == (7, 2)


def test_of_many_who_send_calls_of_their_own_at_once_every_one_is_done(app: App) -> None:
    root = app.workspace.root

    def one(number: int) -> str:
        with open_app(root, models={}).campaigns.open("game") as campaign:
            return campaign.edit([o.AdvanceTime(minutes=7)], action_id=f"call-{number}")

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(one, range(6)))) == 6
    with app.campaigns.reading("game") as store:
        assert store.head().state.minutes == 42
    sound(app)


def test_an_edit_may_keep_something_beside_the_state_and_change_nothing_in_it(app: App) -> None:
    entry = LorebookEntry(subject_id="harbour:osk", predicate="owns", detail="a fiddle", confidence=0.5)
    kept = Annotations(lorebook=(entry,))
    with app.campaigns.open("game") as campaign:
        before = campaign.store.head().state.content_hash()
        first = changed(campaign, kept=kept)
        assert campaign.store.head().state.content_hash() == before
        assert changed(campaign, kept=kept) == first
        with pytest.raises(ActionIdReused):
            changed(campaign, GIVE_ROPE, kept=kept)
    sound(app)


def test_turns_in_memory_are_edited_alike(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        memory = MemoryStore(campaign.store.head())
        result = edit(memory, [GIVE_ROPE], action_id="call-1", setting=campaign.setting)
        assert edit(memory, [GIVE_ROPE], action_id="call-1", setting=campaign.setting) == result
        with pytest.raises(ActionIdReused):
            edit(memory, [o.AdvanceTime(minutes=1)], action_id="call-1", setting=campaign.setting)
        assert result == campaign.edit([GIVE_ROPE], action_id="call-1")
