"""Turns, rollbacks, branches, switches, undo and redo in any order, with the indexes deleted between any two of them."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from itertools import count

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from lorewright.bootstrap import App
from lorewright.campaigns import branches
from lorewright.campaigns.checks import check
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import begin, end
from lorewright.errors import CampaignError
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.storage.heads import branch_rows, head_row, path_to, undone_turns
from lorewright.storage.integrity import campaign_row
from lorewright.storage.projection import PROJECTED, projected_rows, projected_turn
from lorewright.storage.sittings import active_session_row
from lorewright.turn.store.projection import all_rows
from lorewright.turn.store.rows import OPS
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.store.turn_store import redo, undo
from lorewright.world.apply import apply
from lorewright.world.state import WorldState
from support import harbour as h
from support.scale import scaled

MOVES = ("go door", "go tavern", "take rope", "drop rope", "wait", "search under the counter", "frobnicate the gizmo")
_CAMPAIGNS = count()


class Branching(RuleBasedStateMachine):
    """What a campaign must be after each step, kept beside it in the plainest way. `app` is set by the test."""

    app: App

    @initialize()
    def begin_a_campaign(self) -> None:
        self.id = f"game{next(_CAMPAIGNS)}"
        self.app.campaigns.new("night_boat", campaign_id=self.id, seed=1)
        self.asked = 0
        self.revision = 0
        with self.app.campaigns.reading(self.id) as store:
            self.head: str = head_row(store.database).turn_id
        self.parents: dict[str, str | None] = {self.head: None}
        # The word that a turn asked about and that nobody knows, where it was asked in vain: the turn is found by it.
        self.words: dict[str, str] = {}
        self.heads = {"main": self.head}
        self.at_hand = "main"
        self.pile: list[str] = []
        self.open: OpenCampaign | None = None
        self.stack = ExitStack()

    @rule()
    def sit_down_or_stand_up(self) -> None:
        """Keep the campaign open from now on while others change it, or open it for each turn."""
        if self.open is None:
            self.open = self.stack.enter_context(self.app.campaigns.open(self.id))
        else:
            self._stand_up()

    @rule(moves=st.lists(st.sampled_from(MOVES), min_size=1, max_size=3))
    def play(self, moves: list[str]) -> None:
        for move in moves:
            self._submit(move)

    @rule(later=st.integers(0, 4))
    def ask(self, later: int) -> None:
        """What the last few turns told stands in every packet; what was told before them is looked up."""
        self.asked += 1
        word = "qu" + "".join("bdfglmnprs"[int(digit)] + "o" for digit in str(self.asked)) + "x"
        told = self._submit(f"ask Osk about {word}")
        if told["validation"]["results"] and told["validation"]["results"][0]["success"]:
            self.words[self.head] = word
        for _ in range(later):
            self._submit("wait")

    @precondition(lambda self: self._depth() > 0)
    @rule(turns=st.integers(1, 4))
    def roll_back(self, turns: int) -> None:
        turns = min(turns, self._depth())

        def back(store: CampaignStore) -> None:
            moved = branches.rollback(store, turns=turns)
            assert moved.kept_as is not None
            assert self.heads.setdefault(moved.kept_as, self.head) == self.head
            self._take_back(turns)

        self._change(back)

    @rule(turns=st.integers(1, 3))  # There may not be so many.
    def undo(self, turns: int) -> None:
        def back(store: CampaignStore) -> None:
            undo(store, turns=turns)
            self._take_back(turns)

        self._change(back)

    @rule()
    def redo(self) -> None:
        def again(store: CampaignStore) -> None:
            redo(store)
            self.head = self.heads[self.at_hand] = self.pile.pop()

        self._change(again)

    @precondition(lambda self: len(self.heads) < 5)
    @rule(data=st.data())
    def branch(self, data: st.DataObject) -> None:
        name, turn = f"b{len(self.heads)}", data.draw(st.sampled_from(list(self.parents)))

        def begin(store: CampaignStore) -> None:
            branches.branch(store, turn=turn, name=name)
            self.heads[name] = turn

        self._change(begin)

    @precondition(lambda self: len(self.heads) > 1)
    @rule(data=st.data())
    def switch(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(set(self.heads) - {self.at_hand})))

        def go(store: CampaignStore) -> None:
            branches.switch(store, name)
            self.at_hand, self.head, self.pile = name, self.heads[name], []

        self._change(go)

    @rule()
    def begin_or_end_a_sitting(self) -> None:
        with self.app.campaigns.open(self.id) as campaign:
            active = active_session_row(campaign.store.database)
            if active is None:
                begin(campaign)
            else:
                end(campaign, active)

    @rule()
    def lose_the_indexes(self) -> None:
        shutil.rmtree(self.app.workspace.indexes, ignore_errors=True)

    @invariant()
    def the_head_is_where_it_was_put_and_its_state_is_what_its_ops_lead_to(self) -> None:
        with self.app.campaigns.reading(self.id) as store:
            row, path = head_row(store.database), path_to(store.database, self.head)
            assert (row.turn_id, row.revision) == (self.head, self.revision)
            assert [turn["turn_id"] for turn in path] == self._ancestors()
            assert [turn["turn_no"] for turn in path] == list(range(len(path)))
            sql = "SELECT text_of(state_json) AS state_json FROM world_states WHERE turn_id = ?"
            state = WorldState.model_validate_json(store.database.rows(sql, path[0]["turn_id"])[0]["state_json"])
            for turn in path[1:]:
                applied = apply(state, OPS.validate_json(turn["ops_json"]))
                assert applied.refusal is None
                state = applied.state
                assert state.content_hash() == turn["state_hash"]
            assert store.head().state.to_json() == state.to_json()
            assert {one.name: one.head_turn_id for one in branch_rows(store.database)} == self.heads
            assert [one.name for one in branch_rows(store.database) if one.at_hand] == [self.at_hand]
            assert undone_turns(store.database) == self.pile
            told = {table: set(projected_rows(store.database, table)) for table in PROJECTED}
            assert (projected_turn(store.database), told) == (
                self.head,
                all_rows(self.id, state, campaign_row(store.database)["rules_json"]),
            )

    @invariant()
    def history_tells_of_the_way_to_the_head_and_of_nothing_else(self) -> None:
        way = set(self._ancestors())
        for viewer in ("gm", "player"):
            asked = " ".join(["Ada Osk tavern rope", *self.words.values()])
            query = LoreRetrievalQuery(keywords=asked, viewer=viewer, corpus="history", limit=50, max_tokens=9_000)
            chunks = self.app.lore.retrieve(query, campaign_id=self.id).result.chunks
            assert {chunk.metadata["turn_id"] for chunk in chunks} <= way
            found = " ".join(chunk.text for chunk in chunks)
            known = {word for turn, word in self.words.items() if turn in way}
            assert {word for word in self.words.values() if word in found} == known

    def teardown(self) -> None:
        if hasattr(self, "id"):
            self._stand_up()
            assert check(self.app.campaigns.path(self.id)).findings == ()

    def _submit(self, line: str) -> dict[str, object]:
        with nullcontext(self.open) if self.open else self.app.campaigns.open(self.id) as campaign:
            told: dict[str, object] = json.loads(asyncio.run(campaign.submit(line)))
            self._was_told_of_this_way_alone(campaign.store, str(told["turn_id"]))
        self.parents[str(told["turn_id"])] = self.head
        self.head = self.heads[self.at_hand] = str(told["turn_id"])
        self.pile = []
        self.revision += 1
        return told

    def _was_told_of_this_way_alone(self, store: CampaignStore, turn_id: str) -> None:
        """Whatever the stages of a turn were given, nothing of it happened on another way."""
        given = json.dumps([record["input"] for record in store.stage_records(turn_id)])
        elsewhere = {word for turn, word in self.words.items() if turn not in self._ancestors()}
        assert not {word for word in elsewhere if word in given}

    def _stand_up(self) -> None:
        self.open = None
        self.stack.close()

    def _change(self, change: Callable[[CampaignStore], None]) -> None:
        """Do it, or be refused and change nothing."""
        with self.app.campaigns.reading(self.id) as store:
            try:
                change(store)
            except CampaignError:
                return
        self.revision += 1

    def _take_back(self, turns: int) -> None:
        for _ in range(turns):
            self.pile.append(self.head)
            parent = self.parents[self.head]
            assert parent is not None
            self.head = self.heads[self.at_hand] = parent

    def _depth(self) -> int:
        return len(self._ancestors()) - 1

    def _ancestors(self) -> list[str]:
        path: list[str] = []
        at: str | None = self.head
        while at is not None:
            path.append(at)
            at = self.parents[at]
        return path[::-1]


@pytest.mark.campaign
def test_whatever_is_done_the_story_is_the_way_from_the_root_to_the_head(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    # CAMPAIGN_SCALE=5 for the thirty stories that were told when this was written.
    Branching.app = h.harbour(tmp_path_factory.mktemp("branching"))
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    run_state_machine_as_test(
        Branching, settings=settings(max_examples=scaled(6), stateful_step_count=20, suppress_health_check=checks)
    )
