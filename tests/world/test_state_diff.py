"""The derived StateDiff: whatever a turn did, its diff does too; and what it can say in a field of its own it does."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.state import Fact, WorldState
from lorewright.world.state_diff import StateDiff, apply_diff, state_diff
from support import small_world as w
from support import state_strategies as some
from support.scale import scaled

SEED = {"clocks", "facts_add", "facts_update", "inventory_changes", "scene_update", "threads_update"}
PLAIN = ("clock", "fact_add", "fact_update", "inventory", "transfer", "thread")
FACT = Fact(id="f1", subject_id=w.VIKTOR, predicate="owes", object=200)


def same(state: WorldState, ops: Sequence[o.StateOp]) -> StateDiff:
    """The diff of ops that fit, which leads where they lead."""
    applied = apply(state, ops)
    assert applied.refusal is None
    diff = state_diff(ops)
    by_diff = apply_diff(state, diff)
    assert by_diff.refusal is None
    assert by_diff.state == applied.state
    assert by_diff.state.content_hash() == applied.state.content_hash()
    return diff


@settings(max_examples=scaled(12))
@given(some.turns(fit=True, before=3, ops=12))
def test_the_diff_of_a_turn_leads_to_the_same_state_as_its_ops(turn: some.Turn) -> None:
    same(*turn)


@settings(max_examples=scaled(12))
@given(some.turns())
def test_whichever_ops_of_a_turn_took_effect_their_diff_leads_to_the_same_state(turn: some.Turn) -> None:
    state, ops = turn
    working, done = state, []
    for op in ops:
        applied = apply(working, [op])
        working = applied.state
        done += [op] if applied.refusal is None else []
    same(state, done)


@st.composite
def moves(draw: st.DrawFn) -> some.Turn:
    """People come and go while time passes and scenes open: what a scene's update can say, and what it cannot."""
    state = w.small_world()
    working, ops = state, []
    for kind in draw(
        st.lists(st.sampled_from(["move", "move", "open_scene", "advance_time", "entity_add"]), max_size=7)
    ):
        strategy = some.fitting(working, kind)
        if strategy is not None:
            ops.append(draw(strategy))
            working = apply(working, ops[-1:]).state
    return state, ops


@pytest.mark.campaign
@given(moves())
def test_whoever_comes_and_goes_while_a_scene_opens_stands_where_the_ops_left_them(turn: some.Turn) -> None:
    diff = same(*turn)
    assert diff.scene_update is None or not any(isinstance(op, o.OpenScene) for op in diff.ops)


@settings(max_examples=scaled(12))
@given(some.turns(fit=True, ops=12))
def test_clocks_facts_things_and_threads_always_stand_in_their_own_fields(turn: some.Turn) -> None:
    ops = turn[1]
    diff = state_diff(ops)
    assert not [op for op in diff.ops if op.op in PLAIN]
    assert [one.id for one in diff.facts_add] == [op.fact.id for op in ops if isinstance(op, o.AddFact)]
    assert [one.id for one in diff.facts_update] == [op.fact_id for op in ops if isinstance(op, o.UpdateFact)]
    assert [one.id for one in diff.threads_update] == [op.thread_id for op in ops if isinstance(op, o.UpdateThread)]
    assert {one.id for one in diff.clocks} == {op.clock_id for op in ops if isinstance(op, o.TickClock)}


@settings(max_examples=scaled(12))
@given(some.turns())
def test_a_diff_that_does_not_fit_is_refused_and_changes_nothing(turn: some.Turn) -> None:
    state, ops = turn
    applied = apply_diff(state, state_diff(ops))
    if applied.refusal is not None:
        assert applied.state is state
        assert applied.refusal.index < len(state_diff(ops).as_ops())


@settings(max_examples=scaled(12))
@given(some.turns())
def test_a_diff_read_back_from_json_is_the_same_diff(turn: some.Turn) -> None:
    diff = state_diff(turn[1])
    assert StateDiff.model_validate_json(diff.model_dump_json()) == diff


def test_a_plain_turn_is_written_as_the_specification_writes_it() -> None:
    ops = [
        o.AdvanceTime(minutes=5),
        o.Move(entity_id=w.JO, to=w.PIER),
        o.OpenScene(location_id=w.PIER),
        o.TickClock(clock_id=w.HEAT, delta=1),
        o.TickClock(clock_id=w.HEAT, delta=2),
        o.AddFact(fact=FACT),
        o.UpdateFact(fact_id="f1", object=300),
        o.TransferItem(item_id=w.UNIT, from_id=w.PIER, to_id=w.JO),
        o.UpdateThread(thread_id=w.JIN, status="resolved"),
        o.Recall(key="rule:x"),
    ]
    written = json.loads(same(w.small_world(), ops).model_dump_json())
    assert set(written) == SEED | {"ops"}
    assert written["clocks"] == [{"id": w.HEAT, "delta": 3}]
    assert written["facts_add"] == [FACT.model_dump(mode="json")]
    assert written["facts_update"] == [{"id": "f1", "object": 300}]
    assert written["inventory_changes"] == [
        {"owner_id": w.PIER, "item_id": w.UNIT, "delta": -1},
        {"owner_id": w.JO, "item_id": w.UNIT, "delta": 1},
    ]
    assert written["scene_update"] == {"location_id": w.PIER, "present_entity_ids": [w.JO]}
    assert written["threads_update"] == [{"id": w.JIN, "status": "resolved"}]
    assert [op["op"] for op in written["ops"]] == ["advance_time", "recall"]


def test_a_clock_that_stopped_at_its_maximum_before_it_fell_is_two_changes() -> None:
    ops = [o.TickClock(clock_id=w.HEAT, delta=9), o.TickClock(clock_id=w.HEAT, delta=-1)]
    assert [one.delta for one in same(w.small_world(), ops).clocks] == [9, -1]


def test_a_scene_after_which_time_passed_stays_among_the_ops_for_it_opened_before() -> None:
    diff = same(w.small_world(), [o.OpenScene(location_id=w.PIER), o.AdvanceTime(minutes=1)])
    assert diff.scene_update is None
    assert "scene_update" not in diff.model_dump_json()


def test_whoever_passes_through_the_place_of_the_scene_is_not_said_to_be_there() -> None:
    ways = [o.Move(entity_id=w.MARA, to=w.PIER), o.Move(entity_id=w.MARA, to=w.ALLEY)]
    diff = same(w.small_world(), [o.OpenScene(location_id=w.PIER), *ways])
    assert diff.scene_update is not None
    assert (diff.scene_update.present_entity_ids, diff.ops) == ((), tuple(ways))


def test_the_stakes_of_a_thread_are_part_of_its_change() -> None:
    state = w.small_world()
    diff = same(state, [o.UpdateThread(thread_id=w.JIN, status="open", stakes="The boat leaves at six.")])
    assert diff.model_dump(mode="json")["threads_update"] == [
        {"id": w.JIN, "status": "open", "stakes": "The boat leaves at six."}
    ]
    assert apply_diff(state, diff).state.threads[w.JIN].stakes == "The boat leaves at six."
