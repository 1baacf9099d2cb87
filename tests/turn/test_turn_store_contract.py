"""What every store of turns keeps to: a campaign's file, and the memory of a game that is thrown away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.copying import copy_tables
from lorewright.errors import (
    ActionIdReused,
    CampaignError,
    HeadMoved,
    LorewrightError,
    NotFound,
    ProviderError,
    TurnUndone,
)
from lorewright.llm.doubles import ScriptedModel
from lorewright.storage.heads import HeadRow
from lorewright.storage.postgres.store import PostgresStore
from lorewright.turn.run.commit import run_turn
from lorewright.turn.run.pipeline import think
from lorewright.turn.stages.stages import Stages
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.store.turn_store import MemoryStore, RewindingStore, redo, undo, undo_played
from lorewright.turn.views.draft import (
    Draft,
    Head,
    Recorder,
    Setting,
    Submission,
    no_history,
    nothing_tried,
    recent_story,
)
from support import harbour as h
from support.postgres_server import new_database

LINES = (
    *("look", "take rope", "frobnicate quietly", "ask Osk about Lin"),
    *("go door", "wait", "go tavern", "ask Osk about debt"),
)


@dataclass
class Game:
    """A store with the rules and stages of a campaign; `another` opens the same turns for another thread."""

    store: RewindingStore
    setting: Setting
    stages: Stages
    app: App

    def say(self, text: str, action_id: str) -> str:
        return asyncio.run(run_turn(self.store, Submission(text, action_id), self.setting, self.stages))

    def draft(self, text: str, action_id: str) -> Draft:
        submission = Submission(text, action_id)
        return asyncio.run(think(self.store.head(), submission, self.setting, self.stages, Recorder()))

    def another(self) -> RewindingStore:
        if not isinstance(self.store, CampaignStore):
            return self.store
        return CampaignStore(self.app.campaigns.shelf.place("game"))

    def seen(self) -> tuple[object, ...]:
        """All that can be seen of the store."""
        store = self.store
        return store.head(), store.position(), store.path(), store.undone()


def same(head: Head, other: Head) -> bool:
    """Whether two heads differ in their revision alone; what is kept of a scene may be more than it was."""
    return replace(head, revision=0, scene_lore=()) == replace(other, revision=0, scene_lore=())


@contextmanager
def begun(tmp_path: Path, kind: str, server: str = "") -> Iterator[Game]:
    """A campaign that is begun, its turns kept in a store of that kind."""
    elsewhere = PostgresStore(new_database(server)) if server else None
    app = h.harbour(tmp_path)
    with ExitStack() as stack:
        if elsewhere is not None:
            stack.callback(elsewhere.close)
            with app.campaigns.reading("game") as store_of_file:
                copy_tables(store_of_file.database, elsewhere.database("game"), "game")
            app = replace(app, elsewhere=elsewhere)
        campaign = stack.enter_context(app.campaigns.open("game"))
        store: RewindingStore = MemoryStore(campaign.store.head()) if kind == "memory" else campaign.store
        # What is looked up of the past is the file's.
        yield Game(
            store,
            replace(campaign.setting, history=no_history, story=recent_story, tried=nothing_tried),
            campaign.stages,
            app,
        )


@pytest.fixture(params=["file", "memory", pytest.param("postgres", marks=pytest.mark.server)])
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Game]:
    server = request.getfixturevalue("postgres") if request.param == "postgres" else ""
    with begun(tmp_path, request.param, server) as made:
        yield made


def test_a_turn_is_the_head_once_it_is_committed_and_the_next_one_follows_it(game: Game) -> None:
    before = game.store.head()
    for number, line in enumerate(LINES, start=1):
        told = json.loads(game.say(line, f"a{number}"))
        head = game.store.head()
        assert (head.turn_id, head.turn_no, head.revision) == (told["turn_id"], number, before.revision + number)
        assert game.store.position() == HeadRow(head.turn_id, number, head.revision)
        assert head.options == tuple(told["suggested_actions"])
        assert line in [message.content for no, message in head.recent if no == number]
    path = game.store.path()
    assert [turn.player_text for turn in path] == ["", *LINES]
    assert [turn.turn_no for turn in path] == list(range(len(LINES) + 1))
    assert [turn.kind for turn in path][:4] == ["start", "play", "play", "clarification"]
    assert game.store.path(last=2) == path[-2:]
    assert [game.store.turn(turn.turn_id) for turn in path] == path


@pytest.mark.campaign
def test_the_state_of_every_turn_can_be_had_and_is_the_one_that_was_committed(game: Game) -> None:
    states = [game.store.head().state]
    for number in range(28):
        game.say(LINES[number % len(LINES)], f"a{number}")
        states.append(game.store.head().state)
    other = game.another()
    for turn, state in zip(game.store.path(), states, strict=True):
        assert other.state_at(turn.turn_id) == state
        assert state.content_hash() == turn.state_hash
    if isinstance(other, CampaignStore):
        # Where it shows: a complete state stands at every 25th turn and at the head, any other is rebuilt.
        kept = other.database.rows("SELECT turn_no FROM world_states JOIN turns USING (campaign_id, turn_id)")
        assert sorted(row["turn_no"] for row in kept) == [0, 25, 28]
        other.close()
    for unknown in (game.store.state_at, game.store.turn):
        with pytest.raises(NotFound):
            unknown("turn_nowhere")


def test_the_same_action_id_gives_the_same_bytes_and_plays_nothing(game: Game) -> None:
    first = game.say("take rope", "a1")
    game.say("go door", "a2")
    before = game.seen()
    assert game.say("take rope", "a1") == first
    assert game.store.stored_result(Submission("take rope", "a1")) == first
    assert game.store.stored_result(Submission("take rope", "new")) is None
    assert game.seen() == before


def test_an_action_id_with_other_words_is_refused_and_changes_nothing(game: Game) -> None:
    game.say("take rope", "a1")
    before = game.seen()
    with pytest.raises(ActionIdReused):
        game.say("look", "a1")
    with pytest.raises(ActionIdReused):
        game.store.commit(game.draft("look", "a1"))
    assert game.seen() == before


def test_the_action_id_of_a_turn_that_was_taken_back_is_refused_until_it_is_done_again(game: Game) -> None:
    told = game.say("take rope", "a1")
    undo(game.store)
    before = game.seen()
    with pytest.raises(TurnUndone):
        game.say("take rope", "a1")
    with pytest.raises(TurnUndone):
        game.store.commit(game.draft("take rope", "a1"))
    assert game.seen() == before
    redo(game.store)
    assert game.say("take rope", "a1") == told


def test_a_draft_is_committed_on_the_head_that_it_was_thought_from_or_not_at_all(game: Game) -> None:
    late = game.draft("take rope", "late")
    game.say("look", "early")
    before = game.seen()
    with pytest.raises(HeadMoved):
        game.store.commit(late)
    assert game.seen() == before


def test_a_head_that_went_away_and_came_back_is_another_one_to_a_draft(game: Game) -> None:
    game.say("look", "a1")
    late = game.draft("take rope", "late")
    undo(game.store)
    redo(game.store)
    before = game.seen()
    with pytest.raises(HeadMoved):
        game.store.commit(late)
    with pytest.raises(HeadMoved):
        game.store.move_head(HeadRow(late.head.turn_id, 1, late.head.revision), late.head.turn_id, late.head.state)
    assert game.seen() == before


def test_of_drafts_that_are_committed_at_once_on_one_head_one_becomes_a_turn(game: Game) -> None:
    drafts = [game.draft("look", f"a{number}") for number in range(6)]

    def commit(draft: Draft) -> str | None:
        store = game.another()
        try:
            return store.commit(draft)
        except HeadMoved:
            return None
        finally:
            if isinstance(store, CampaignStore):
                store.close()

    with ThreadPoolExecutor(len(drafts)) as pool:
        told = list(pool.map(commit, drafts))
    (kept,) = [one for one in told if one is not None]
    assert game.store.position().turn_no == 1
    assert [turn.turn_id for turn in game.store.path()][1:] == [json.loads(kept)["turn_id"]]


def test_a_turn_that_is_thought_again_because_others_were_faster_follows_them(game: Game) -> None:
    heads = [game.store.head()]
    read = game.store.head
    game.say("look", "first")
    game.store.head = lambda: heads.pop() if heads else read()  # type: ignore[method-assign]
    assert json.loads(game.say("take rope", "second"))["turn_no"] == 2


def test_turns_are_taken_back_and_done_again_and_the_revision_only_grows(game: Game) -> None:
    heads = [game.store.head()]
    for number, line in enumerate(LINES[:4]):
        game.say(line, f"a{number}")
        heads.append(game.store.head())
    revision = heads[-1].revision
    assert undo(game.store, turns=3) == heads[1].turn_id
    assert game.store.undone() == [head.turn_id for head in heads[:1:-1]]
    assert same(game.store.head(), heads[1])
    assert redo(game.store) == heads[2].turn_id
    assert same(game.store.head(), heads[2])
    assert game.store.position().revision == revision + 2
    # Who plays on leaves what was undone; it is kept all the same.
    told = json.loads(game.say("wait", "other"))
    assert (told["turn_no"], game.store.undone()) == (3, [])
    assert game.store.turn(heads[4].turn_id).player_text == LINES[3]
    with pytest.raises(CampaignError, match="nothing to redo"):
        redo(game.store)
    with pytest.raises(CampaignError):
        undo(game.store, turns=9)
    assert game.store.position().revision == revision + 3


def test_a_question_back_is_taken_back_with_the_turn_before_it(game: Game) -> None:
    for number, line in enumerate(("take rope", "frobnicate quietly")):
        game.say(line, f"a{number}")
    assert undo_played(game.store)[1] == "take rope"
    assert game.store.position().turn_no == 0


def test_a_submission_that_fails_is_kept_apart(game: Game) -> None:
    game.say("look", "a1")
    before = game.seen()
    failing = h.with_models(game.app, {"narrator": ScriptedModel([ProviderError("the server is gone")])})
    with failing.campaigns.open("game") as broken, pytest.raises(LorewrightError):
        asyncio.run(run_turn(game.store, Submission("take rope", "a2"), game.setting, broken.stages))
    assert game.seen() == before
    (attempt,) = game.store.attempts()
    assert (attempt["user_action_id"], attempt["player_text"]) == ("a2", "take rope")
    assert (attempt["head_turn_id"], attempt["error_code"]) == (before[1].turn_id, "provider_failed")  # type: ignore[attr-defined]
    assert json.loads(game.say("take rope", "a2"))["turn_no"] == 2


@pytest.mark.campaign
def test_both_answer_the_same_words_with_the_same_bytes(tmp_path: Path) -> None:
    with begun(tmp_path / "one", "file") as file, begun(tmp_path / "two", "memory") as memory:
        for number, line in enumerate(("look", "undo", *LINES, "undo", "undo", "redo", *LINES[::-1])):
            if line in ("undo", "redo"):
                moved = [undo(one.store) if line == "undo" else redo(one.store) for one in (file, memory)]
                assert moved[0] == moved[1]
            else:
                assert file.say(line, f"a{number}") == memory.say(line, f"a{number}")
            assert file.seen() == memory.seen()
            # The order of its maps is a part of a state: what is told may follow it.
            assert file.store.head().state.model_dump_json() == memory.store.head().state.model_dump_json()


def test_what_is_played_in_memory_from_a_head_leaves_the_campaign_as_it_is(tmp_path: Path) -> None:
    with begun(tmp_path, "file") as file:
        for number, line in enumerate(LINES[:5]):
            file.say(line, f"a{number}")
        before = file.seen()
        aside = replace(file, store=MemoryStore(file.store.head()))
        told = [aside.say(line, line) for line in ("wait", "go tavern")]
        assert aside.store.position().turn_no == 7
        with pytest.raises(CampaignError):
            undo(aside.store, turns=3)
        assert file.seen() == before
        assert [file.say(line, line) for line in ("wait", "go tavern")] == told
