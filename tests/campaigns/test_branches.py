"""Branches: nothing is lost by a rollback, every branch goes on from its own past, and nothing of another is known."""

from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.branches import LooseEnd, Stretch, branch, rollback, switch, tree
from lorewright.errors import CampaignError, HeadMoved, NotFound, TurnUndone
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.storage.heads import add_branch, branch_rows, head_row
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.store.turn_store import redo, undo
from support import harbour as h

LINES = ("look", "ask Osk about Lin", "take rope", "go door")


def played(tmp_path: Path, *lines: str) -> App:
    app = h.harbour(tmp_path)
    h.say(app, *(lines or LINES))
    return app


def said(store: CampaignStore) -> list[str]:
    return [turn["player_text"] for turn in store.turns()][1:]


def remembered(app: App) -> str:
    """Everything that may be found of what happened, by those who see all of it and by the player."""
    found = []
    for viewer in ("gm", "player"):
        for words in ("Lin boat", "rope", "quay door", "counter letter pangolin", "wait look take"):
            query = LoreRetrievalQuery(keywords=words, viewer=viewer, corpus="history", limit=50, max_tokens=9_000)
            found.append(app.lore.retrieve(query, campaign_id="game").result.model_dump_json())
    return "\n".join(found)


def drawn(stretch: Stretch) -> Any:
    turns = f"{stretch.first_turn_no}-{stretch.turn_no} {'+'.join(stretch.branches)}{'*' * stretch.is_head}"
    return [turns, *map(drawn, stretch.children)]


def test_a_rollback_names_the_head_that_it_leaves_and_a_switch_goes_back_to_it(tmp_path: Path) -> None:
    app = played(tmp_path)
    with app.campaigns.reading("game") as store:
        before = store.head()
        moved = rollback(store, to="2")
        assert (moved.turn_no, moved.branch, moved.kept_as) == (2, "main", "main-turn4")
        assert said(store) == list(LINES[:2])
        switch(store, "main-turn4")
        after = store.head()
        assert said(store) == list(LINES)
        assert (after.state, after.options, after.recent) == (before.state, before.options, before.recent)
        assert [row.name for row in branch_rows(store.database) if row.at_hand] == ["main-turn4"]


def test_what_was_rolled_back_can_be_done_again_at_the_prompt(tmp_path: Path) -> None:
    app = played(tmp_path)
    with app.campaigns.reading("game") as store:
        rollback(store, turns=3)
        for _ in range(3):
            redo(store)
        assert said(store) == list(LINES)


def test_a_head_that_has_a_name_gets_no_other(tmp_path: Path) -> None:
    app = played(tmp_path)
    with app.campaigns.reading("game") as store:
        branch(store, turn="4", name="far")
        assert rollback(store, to="1").kept_as == "far"
        switch(store, "far")
        assert rollback(store, to="1").kept_as == "far-turn4"
        assert {row.name: row.head_turn_no for row in branch_rows(store.database)} == {
            "main": 1,
            "far": 1,
            "far-turn4": 4,
        }


def test_a_name_that_is_taken_is_numbered(tmp_path: Path) -> None:
    app = played(tmp_path)
    with app.campaigns.reading("game") as store:
        branch(store, turn="0", name="main-turn4")
        assert rollback(store).kept_as == "main-turn4-2"


def test_branches_go_on_by_themselves_and_the_tree_shows_them(tmp_path: Path) -> None:
    app = played(tmp_path)
    with app.campaigns.reading("game") as store:
        made = branch(store, turn="2", name="what_if")
        assert (made.head_turn_no, made.at_hand) == (2, False)
        assert said(store) == list(LINES)
        switch(store, "what_if")
    h.say(app, "wait", "search under the counter", "wait")
    with app.campaigns.reading("game") as store:
        assert said(store) == [*LINES[:2], "wait", "search under the counter", "wait"]
        assert drawn(tree(store).root) == ["0-2 ", ["3-4 main"], ["3-5 what_if*"]]
        branch(store, turn="3", name="early")
        assert drawn(tree(store).root) == ["0-2 ", ["3-4 main"], ["3-3 early", ["4-5 what_if*"]]]
        switch(store, "main")
        assert said(store) == list(LINES)
        assert [turn["turn_no"] for turn in store.turns()] == [0, 1, 2, 3, 4]


def test_what_no_branch_holds_is_told_and_can_be_named(tmp_path: Path) -> None:
    app = played(tmp_path)
    with app.campaigns.reading("game") as store:
        left = store.turns()[-1]
        undo(store, turns=2)
        assert tree(store).loose_ends == (LooseEnd(left["turn_id"], 4, 2, can_be_redone=True),)
    h.say(app, "wait")
    with app.campaigns.reading("game") as store:
        assert tree(store).loose_ends == (LooseEnd(left["turn_id"], 4, 2, can_be_redone=False),)
        branch(store, turn=left["turn_id"], name="rescued")
        assert tree(store).loose_ends == ()
        switch(store, "rescued")
        assert said(store) == list(LINES)


def test_names_and_turns_that_are_none_are_refused_and_change_nothing(tmp_path: Path) -> None:
    app = played(tmp_path)
    with app.campaigns.reading("game") as store:
        other = store.turns()[4]["turn_id"]
        undo(store, turns=2)
        before = "\n".join(store.database._connection.iterdump())
        refused: list[tuple[type[CampaignError] | type[NotFound], str, Any]] = [
            (CampaignError, "there is a branch main already", lambda: branch(store, turn="1", name="main")),
            (CampaignError, "cannot be the name", lambda: branch(store, turn="1", name="../x")),
            (CampaignError, "cannot be the name", lambda: branch(store, turn="1", name="x" * 61)),
            (NotFound, "no turn 3 on the way", lambda: branch(store, turn="3", name="x")),
            (NotFound, "no turn 999999", lambda: branch(store, turn="9" * 70, name="x")),
            (NotFound, "no turn nowhere", lambda: branch(store, turn="nowhere", name="x")),
            (NotFound, "there is no branch side", lambda: switch(store, "side")),
            (CampaignError, "the branch at hand", lambda: switch(store, "main")),
            (CampaignError, "not before the last one", lambda: rollback(store, to="2")),
            (CampaignError, "not before the last one", lambda: rollback(store, to=other)),
            (CampaignError, "only 2 turns", lambda: rollback(store, turns=3)),
            (NotFound, "no turn -1", lambda: rollback(store, to="-1")),
        ]
        for kind, words, attempt in refused:
            with pytest.raises(kind, match=words) as caught:
                attempt()
            assert caught.value.hint
        assert "\n".join(store.database._connection.iterdump()) == before


def test_a_rollback_a_branch_and_a_switch_raise_the_revision_each(tmp_path: Path) -> None:
    app = played(tmp_path)
    with app.campaigns.reading("game") as store:
        revisions = [head_row(store.database).revision]
        for change in (
            lambda: rollback(store),
            lambda: branch(store, turn="1", name="a"),
            lambda: switch(store, "a"),
            lambda: switch(store, "main"),
        ):
            change()
            revisions.append(head_row(store.database).revision)
        assert revisions == [4, 5, 6, 7, 8]


def test_complete_states_stay_at_the_heads_of_branches(tmp_path: Path) -> None:
    app = played(tmp_path, *LINES, "look")

    def kept() -> list[int]:
        sql = "SELECT turn_no FROM world_states JOIN turns USING (campaign_id, turn_id) ORDER BY turn_no"
        return [row["turn_no"] for row in store.database.rows(sql)]

    with app.campaigns.reading("game") as store:
        branch(store, turn="2", name="mid")
        assert kept() == [0, 2, 5]
        rollback(store, to="3")
        assert kept() == [0, 2, 3, 5]
        switch(store, "mid")
        assert kept() == [0, 2, 3, 5]
    h.say(app, "wait")
    with app.campaigns.reading("game") as store:
        assert kept() == [0, 2, 3, 3, 5]


@pytest.mark.campaign
def test_history_and_scene_lore_follow_the_branch_with_the_indexes_deleted_between(tmp_path: Path) -> None:
    straight, app = h.harbour(tmp_path / "straight"), h.harbour(tmp_path / "astray")
    for one in (straight, app):
        h.say(one, "look", "ask Osk about Lin")
    with app.campaigns.reading("game") as store:
        branch(store, turn="2", name="side")
        switch(store, "side")
    h.say(app, "search under the counter", "go door", "ask Bea about the cellar")
    assert h.DISCOVERABLE in remembered(app)
    aside = remembered(app)
    shutil.rmtree(app.workspace.indexes)
    with app.campaigns.reading("game") as store:
        switch(store, "main")
    # From here all is, byte for byte, as if `side` had never been.
    for one in (straight, app):
        with one.campaigns.open("game") as campaign:
            asyncio.run(campaign.submit("wait", action_id="a1"))
    assert remembered(app) == remembered(straight)
    with app.campaigns.reading("game") as store, straight.campaigns.reading("game") as other:
        assert replace(store.head(), revision=0) == replace(other.head(), revision=0)
    shutil.rmtree(app.workspace.indexes)
    with app.campaigns.reading("game") as store:
        switch(store, "side")
    assert remembered(app) == aside


def test_an_action_id_of_another_branch_is_refused_until_one_is_back_on_it(tmp_path: Path) -> None:
    app = played(tmp_path)
    with app.campaigns.open("game") as campaign:
        first = asyncio.run(campaign.submit("wait", action_id="a1"))
        branch(campaign.store, turn="2", name="side")
        switch(campaign.store, "side")
        with pytest.raises(TurnUndone, match="another branch"):
            asyncio.run(campaign.submit("wait", action_id="a1"))
        switch(campaign.store, "main")
        assert asyncio.run(campaign.submit("wait", action_id="a1")) == first


def test_the_same_words_on_two_branches_from_one_turn_are_two_turns(tmp_path: Path) -> None:
    app = played(tmp_path)
    with app.campaigns.reading("game") as store:
        branch(store, turn="4", name="side")
    one = h.say(app, "wait")[0]
    with app.campaigns.reading("game") as store:
        switch(store, "side")
    two = h.say(app, "wait")[0]
    assert (one["turn_no"], two["turn_no"]) == (5, 5)
    assert one["turn_id"] != two["turn_id"]


def test_a_campaign_that_is_open_while_its_branch_is_switched_goes_on_with_the_other(tmp_path: Path) -> None:
    app = played(tmp_path)
    with app.campaigns.open("game") as campaign:
        asyncio.run(campaign.submit("ask Bea about the cellar"))
        with app.campaigns.reading("game") as store:
            branch(store, turn="1", name="side")
            switch(store, "side")
        told = json.loads(asyncio.run(campaign.submit("look")))
        assert told["turn_no"] == 2
        assert said(campaign.store) == ["look", "look"]


def test_a_head_that_moved_meanwhile_refuses_the_branch_and_the_switch(tmp_path: Path) -> None:
    app = played(tmp_path)
    with app.campaigns.reading("game") as store:
        branch(store, turn="2", name="side")
        stale = head_row(store.database)
        # The head goes away and comes back: the same turn under another revision.
        undo(store)
        redo(store)
        before = "\n".join(store.database._connection.iterdump())
        side = next(row for row in branch_rows(store.database) if row.name == "side")
        with pytest.raises(HeadMoved):
            add_branch(store.database, "game", stale, name="x", turn_id=stale.turn_id, state_json="{}", time="")
        with pytest.raises(HeadMoved):
            store.move_head(stale, side.head_turn_id, store.state_at(side.head_turn_id), onto="side")
        assert "\n".join(store.database._connection.iterdump()) == before
