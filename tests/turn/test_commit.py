"""A turn is committed whole or not at all, once, and on the head that it was thought from."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from lorewright.errors import ActionIdReused, CampaignError, HeadMoved, ProviderError
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply, ModelRequest, OnText
from lorewright.turn.run.pipeline import think
from lorewright.turn.store.turn_store import undo
from lorewright.turn.views.draft import Recorder, Submission
from lorewright.world.apply import apply
from support import harbour as h


def dump(app: Any, *, without: tuple[str, ...] = ("attempts",)) -> str:
    """The whole file as SQL, but for what a failed turn may leave."""
    path = app.workspace.campaigns / "game.db"
    with sqlite3.connect(path) as connection:
        lines = [line for line in connection.iterdump() if not any(f'"{name}"' in line for name in without)]
    connection.close()
    return "\n".join(line for line in lines if "sqlite_sequence" not in line)


def submit(app: Any, text: str, action_id: str) -> str:
    with app.campaigns.open("game") as opened:
        return asyncio.run(opened.submit(text, action_id=action_id))


def test_the_same_action_id_twice_gives_the_same_bytes_and_one_turn(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    first = submit(app, "wait", "a1")
    h.say(app, "look")
    before = dump(app)
    assert submit(app, "wait", "a1") == first
    assert dump(app) == before


def test_an_action_id_with_other_words_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    submit(app, "wait", "a1")
    before = dump(app)
    with pytest.raises(ActionIdReused, match="other words"):
        submit(app, "look", "a1")
    assert dump(app) == before


def test_turns_are_numbered_without_gaps_and_each_has_its_parent(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look", "xyzzy plugh", "wait", "go door")
    with app.campaigns.reading("game") as store:
        turns = store.turns()
    assert [turn["turn_no"] for turn in turns] == [0, 1, 2, 3, 4]
    assert [turn["kind"] for turn in turns] == ["start", "play", "clarification", "play", "play"]


@pytest.mark.campaign
def test_every_state_can_be_had_and_has_the_hash_that_was_stored(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, *["wait", "look", "search the tavern", "go door", "go tavern"] * 6)
    with app.campaigns.reading("game") as store:
        turns = store.turns()
        assert len(turns) > 26
        for turn in turns:
            assert store.state_at(turn["turn_id"]).content_hash() == turn["state_hash"]
    with sqlite3.connect(app.workspace.campaigns / "game.db") as connection:
        assert connection.execute("SELECT count(*) FROM world_states").fetchone()[0] == 3
    connection.close()


def test_the_head_moving_meanwhile_refuses_the_commit_and_writes_nothing(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as opened:
        store = opened.store
        draft = asyncio.run(think(store.head(), Submission("wait", "late"), opened.setting, opened.stages, Recorder()))
        asyncio.run(opened.submit("look", action_id="early"))
        before = dump(app)
        with pytest.raises(HeadMoved):
            store.commit(draft)
        assert dump(app) == before


def test_a_built_in_turn_is_thought_again_when_the_head_moved(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as first, app.campaigns.open("game") as second:
        heads = [first.store.head()]
        first.store.head = lambda: heads.pop() if heads else type(first.store).head(first.store)  # type: ignore[method-assign]
        asyncio.run(second.submit("look", action_id="second"))
        result = json.loads(asyncio.run(first.submit("wait", action_id="first")))
    assert result["turn_no"] == 2


@pytest.mark.parametrize("stage", ["interpreter", "planner", "narrator"])
def test_a_failed_stage_leaves_the_campaign_untouched_and_the_next_turn_works(tmp_path: Path, stage: str) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look")
    before = dump(app)
    # A model reads only what the grammar is not sure of.
    words = "wamble about somebody or other, perhaps" if stage == "interpreter" else "wait"
    broken = h.with_models(app, {stage: ScriptedModel(lambda _: ProviderError("no answer"))})
    with pytest.raises(ProviderError):
        submit(broken, words, "a1")
    assert dump(app) == before
    with app.campaigns.reading("game") as store:
        (attempt,) = store.attempts()
    assert (attempt["player_text"], attempt["user_action_id"]) == (words, "a1")
    assert json.loads(submit(app, words, "a1"))["turn_no"] == 2


@pytest.mark.parametrize("stage", ["interpreter", "planner", "narrator"])
@pytest.mark.parametrize("answer", [" ", {"wrong": 1, "other": 2}])
def test_a_stage_whose_answers_are_invalid_gives_way_to_the_built_in_one(
    tmp_path: Path, stage: str, answer: Any
) -> None:
    app = h.harbour(tmp_path)
    words = "wamble about somebody or other, perhaps" if stage == "interpreter" else "wait"
    result = json.loads(submit(h.with_models(app, {stage: ScriptedModel(lambda _: answer)}), words, "a1"))
    assert (result["turn_no"], result["fell_back"]) == (1, [stage])
    assert "wrong" not in result["final_text"]
    with app.campaigns.reading("game") as store:
        assert store.attempts() == []


def test_a_repaired_output_is_used_and_every_attempt_is_on_record(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, models={"narrator": ScriptedModel([" ", {"final_text": "Rain, and more of it."}])})
    (result,) = h.say(app, "wait")
    assert result["final_text"] == "Rain, and more of it."
    with app.campaigns.reading("game") as store:
        record = store.stage_records(result["turn_id"])[-1]
    assert [attempt[0] for attempt in record["attempts"]] == ["first", "repair"]
    assert record["model_key"] == "scripted"


def test_tokens_of_models_are_counted(tmp_path: Path) -> None:
    class Counting:
        key = "counting"
        provider = "counting"

        async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
            return ModelReply("Nothing moves.", "counting", 100, 7)

    app = h.harbour(tmp_path, models={"narrator": Counting()})
    (result,) = h.say(app, "wait")
    assert result["tokens"] == {"input": 100, "output": 7}


def test_after_the_end_nothing_more_is_played(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as opened:
        store = opened.store
        for _ in range(60):
            told = json.loads(asyncio.run(opened.submit("ask osk about his debt")))
            if store.head().state.ended:
                break
            if store.head().state.learned_by("game:player"):
                undo(store)
        assert told["final_text"].endswith("You run, and the fiddle stops behind you.")
        with pytest.raises(CampaignError, match="ended"):
            asyncio.run(opened.submit("look", action_id="after"))


def test_a_question_back_is_a_turn_that_changes_nothing(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.reading("game") as store:
        before = store.head().state
    (result,) = h.say(app, "frobnicate quietly")
    assert result["clarification_question"]
    assert (result["rolls"], result["engine_events"], result["turn_no"]) == ([], [], 1)
    with app.campaigns.reading("game") as store:
        assert store.head().state == before


def test_a_number_takes_the_line_that_was_offered(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    (asked,) = h.say(app, "drop")
    (chosen,) = h.say(app, "1")
    assert asked["suggested_actions"]
    assert chosen["clarification_question"] is None


@pytest.mark.parametrize("played", [1, 2, 3, 4])
def test_what_is_suggested_works_when_typed(tmp_path: Path, played: int) -> None:
    lines = ("look", "ask osk about lin", "go door", "wait")[:played]
    app = h.harbour(tmp_path, played=lines[:-1])
    with app.campaigns.open("game") as opened:
        last = json.loads(asyncio.run(opened.submit(lines[-1])))
        assert len(last["suggested_actions"]) == 3
        for line in last["suggested_actions"]:
            answer = json.loads(asyncio.run(opened.submit(line)))
            assert answer["clarification_question"] is None, line
            assert all(result["success"] for result in answer["validation"]["results"]), line
            undo(opened.store)


def test_the_results_and_records_are_the_ops_that_made_the_state(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as opened:
        head = opened.store.head()
        draft = asyncio.run(think(head, Submission("go door", "x"), opened.setting, opened.stages, Recorder()))
    applied = apply(head.state, draft.ops)
    assert applied.refusal is None
    assert applied.state == draft.state


def test_the_marker_of_a_move_is_the_first_message_of_the_next_turn(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    moved, after = h.say(app, "go door", "look")
    with app.campaigns.reading("game") as store:
        messages = [m for _, m in store.messages(after["turn_id"], last=1)]
        assert [m.type for _, m in store.messages(moved["turn_id"], last=1)] == ["intention", "narration"]
    assert [(m.seq, m.type) for m in messages] == [(0, "scene_marker"), (1, "intention"), (2, "narration")]
    assert dict(messages[0].payload) == {"from": "harbour:tavern", "to": "harbour:quay"}
    assert [m["type"] for m in after["messages"]] == ["intention", "narration"]


def test_deleting_all_indexes_loses_nothing(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    told = h.say(app, "ask osk about lin")
    shutil.rmtree(app.workspace.indexes)
    shutil.rmtree(app.workspace.content_packs / "harbour")
    assert submit(app, "ask osk about lin", "again")
    assert told[0]["citations"]
    (again,) = h.say(app, "search under the counter")
    assert h.DISCOVERABLE in again["final_text"]


def test_checks_that_fail_in_a_row_are_counted_and_forgotten_when_taken_back(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as opened:
        store = opened.store

        def failures() -> int:
            state = store.head().state
            return state.streaks.get(state.player_id, 0)

        def ask_until(fails: bool) -> None:
            """Ask, again and again, until the dice say so."""
            told = json.loads(asyncio.run(opened.submit("ask Osk about debt")))
            for _ in range(60):
                if (told["rolls"][0]["band"] == "fail") is fails:
                    return
                told = json.loads(asyncio.run(opened.retry()))
            raise AssertionError("sixty throws in a row are no chance")

        assert failures() == 0
        ask_until(fails=True)
        asyncio.run(opened.submit("look"))
        assert failures() == 1
        ask_until(fails=True)
        assert failures() == 2
        undo(store)
        assert failures() == 1
        ask_until(fails=False)
        assert failures() == 0
