"""apply: all or nothing, never an exception, never a change of what was given."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.state import OFFSTAGE, Entity, Fact, Reveal, WorldState
from support import small_world as w
from support import state_strategies as some
from support.scale import scaled

FACT = Fact(id="f1", subject_id=w.VIKTOR, predicate="owes", object=200)
RAT = Entity(id="town:rat", type="npc", name="Rat")
KNIFE = Entity(id="town:knife", type="item", name="knife")


@settings(max_examples=scaled(12))
@given(some.turns())
def test_apply_never_raises_and_never_mutates_what_it_is_given(turn: some.Turn) -> None:
    state, ops = turn
    before = state.to_json()
    apply(state, ops)
    assert state.to_json() == before


@settings(max_examples=scaled(12))
@given(some.turns())
def test_a_refused_list_leaves_the_state_equal(turn: some.Turn) -> None:
    state, ops = turn
    applied = apply(state, ops)
    if applied.refusal is not None:
        assert applied.state == state
        assert applied.state.content_hash() == state.content_hash()
        assert apply(state, ops[: applied.refusal.index]).refusal is None


@settings(max_examples=scaled(12))
@given(some.turns(fit=True))
def test_ops_that_fit_are_all_done_and_the_same_ops_give_the_same_hash(turn: some.Turn) -> None:
    state, ops = turn
    assert apply(state, ops).refusal is None
    assert apply(state, ops).state.content_hash() == apply(state, ops).state.content_hash()


@settings(max_examples=scaled(12))
@given(some.turns(fit=True), st.integers(0, 8))
def test_two_lists_in_a_row_are_one_list(turn: some.Turn, at: int) -> None:
    state, ops = turn
    half = apply(state, ops[:at])
    assert apply(half.state, ops[at:]).state == apply(state, ops).state


@given(some.states)
def test_clocks_keep_their_bounds(state: WorldState) -> None:
    assert all(0 <= clock.value <= clock.max for clock in state.clocks.values())


@given(some.states)
def test_nobody_holds_less_than_one_of_a_thing(state: WorldState) -> None:
    assert all(quantity > 0 for held in state.inventory.values() for quantity in held.values())


@given(some.states)
def test_a_pair_of_people_has_one_relation_in_normal_order(state: WorldState) -> None:
    for key, relation in state.relations.items():
        assert relation.a < relation.b
        assert key == f"{relation.a}|{relation.b}"


def test_the_order_of_two_people_does_not_matter_to_their_relation() -> None:
    one = w.after(w.small_world(), o.ChangeRelation(a=w.VIKTOR, b=w.JO, trust=1))
    both = w.after(one, o.ChangeRelation(a=w.JO, b=w.VIKTOR, trust=2, tension=-1))
    assert [(r.trust, r.tension) for r in both.relations.values()] == [(3, -1)]


def test_offstage_is_a_place_for_characters_and_for_no_scene() -> None:
    gone = w.after(w.small_world(), o.Move(entity_id=w.MARA, to=OFFSTAGE))
    assert gone.present_npcs() == (w.VIKTOR,)
    assert apply(gone, [o.OpenScene(location_id=OFFSTAGE)]).refusal is not None


def test_the_first_telling_of_an_item_counts() -> None:
    told = w.after(w.small_world(), o.RevealItem(item_id=w.DEBT, to=w.JO, how="told"))
    again = w.after(told, o.AdvanceTime(minutes=9), o.RevealItem(item_id=w.DEBT, to=w.JO, how="found"))
    assert again.reveals[w.JO][w.DEBT] == Reveal(how="told", minute=0)


def test_a_scene_counts_its_number_and_the_visits_of_its_place() -> None:
    state = w.after(w.small_world(), o.AdvanceTime(minutes=5), o.OpenScene(location_id=w.PIER))
    assert (state.scene.id, state.scene.opened_minute, state.visits[w.PIER]) == ("scene_002", 5, 1)


def test_a_new_thing_lies_where_it_was_put_and_a_new_person_stands_there() -> None:
    knife, rat = o.AddEntity(entity=KNIFE, at=w.BAR), o.AddEntity(entity=RAT, at=w.BAR)
    state = w.after(w.small_world(), knife, rat)
    assert state.held_by(w.BAR) == {w.COIN: 3, KNIFE.id: 1}
    assert RAT.id in state.present_npcs()


def test_what_was_established_can_be_established_otherwise() -> None:
    state = w.after(w.small_world(), o.AddFact(fact=FACT), o.UpdateFact(fact_id="f1", object=300))
    assert state.facts["f1"].object == 300


def test_threads_doors_and_the_narrators_memory_change() -> None:
    state = w.after(
        w.small_world(),
        o.UpdateThread(thread_id=w.JIN, status="resolved"),
        o.SetDoor(door_id=w.DOOR, locked=False),
        o.Recall(key="rule:x"),
        o.Recall(key="rule:x"),
    )
    assert state.threads[w.JIN].status == "resolved"
    assert not state.doors[w.DOOR].locked
    assert state.recall == {"rule:x": 2}


@given(some.states)
def test_no_door_is_open_and_locked(state: WorldState) -> None:
    assert not any(door.open and door.locked for door in state.doors.values())


def test_a_door_swings_and_locking_closes_it() -> None:
    opened = w.after(w.small_world(), o.SetDoor(door_id=w.DOOR, locked=False), o.SwingDoor(door_id=w.DOOR, open=True))
    assert opened.doors[w.DOOR].open
    locked = w.after(opened, o.SetDoor(door_id=w.DOOR, locked=True)).doors[w.DOOR]
    assert (locked.locked, locked.open) == (True, False)


def test_a_state_without_open_doors_is_written_as_before_there_were_any() -> None:
    written = w.small_world().model_dump(mode="json")["doors"][w.DOOR]
    assert written == {"locked": True, "key_id": w.KEY}


def test_what_one_loses_the_other_gains() -> None:
    state = w.after(w.small_world(), o.TransferItem(item_id=w.COIN, from_id=w.BAR, to_id=w.MARA, quantity=2))
    assert (state.held_by(w.BAR), state.held_by(w.MARA)) == ({w.COIN: 1}, {w.COIN: 2})


@pytest.mark.parametrize(
    ("reason", "op"),
    [
        ("unknown_entity", o.Move(entity_id=w.KEY, to=w.BAR)),
        ("unknown_place", o.Move(entity_id=w.JO, to=w.VIKTOR)),
        ("unknown_place", o.OpenScene(location_id=some.NOBODY)),
        ("unknown_place", o.AddEntity(entity=RAT)),
        ("unknown_place", o.AddEntity(entity=KNIFE, at=w.VIKTOR)),
        ("unknown_entity", o.ChangeInventory(owner_id=some.NOBODY, item_id=w.COIN, delta=1)),
        ("unknown_item", o.ChangeInventory(owner_id=w.JO, item_id="town:sword", delta=1)),
        ("not_enough", o.ChangeInventory(owner_id=w.BAR, item_id=w.COIN, delta=-4)),
        ("unknown_clock", o.TickClock(clock_id="time", delta=1)),
        ("unknown_entity", o.RevealItem(item_id=w.DEBT, to=w.KEY, how="told")),
        ("same_entity", o.ChangeRelation(a=w.JO, b=w.JO, trust=1)),
        ("unknown_entity", o.ChangeRelation(a=w.JO, b=some.NOBODY, trust=1)),
        ("unknown_thread", o.UpdateThread(thread_id="x", status="open")),
        ("unknown_fact", o.UpdateFact(fact_id="f1", object=1)),
        ("unknown_door", o.SetDoor(door_id=w.KEY, locked=True)),
        ("unknown_door", o.SwingDoor(door_id=w.KEY, open=True)),
        ("door_locked", o.SwingDoor(door_id=w.DOOR, open=True)),
        ("same_entity", o.TransferItem(item_id=w.CARD, from_id=w.JO, to_id=w.JO)),
        ("not_enough", o.TransferItem(item_id=w.CARD, from_id=w.JO, to_id=w.MARA, quantity=2)),
        ("unknown_entity", o.TransferItem(item_id=w.CARD, from_id=w.JO, to_id=some.NOBODY)),
        ("unknown_item", o.TransferItem(item_id="town:sword", from_id=w.JO, to_id=w.MARA)),
        ("already_exists", o.AddEntity(entity=RAT.model_copy(update={"id": w.MARA}), at=w.BAR)),
    ],
)
def test_an_op_that_does_not_fit_is_refused_with_its_reason(reason: str, op: o.StateOp) -> None:
    refusal = apply(w.small_world(), [o.AdvanceTime(minutes=1), op]).refusal
    assert refusal is not None
    assert (refusal.index, refusal.reason) == (1, reason)


@pytest.mark.parametrize(
    ("reason", "op"),
    [("already_exists", o.AddFact(fact=FACT)), ("already_ended", o.EndCampaign(ending_id="raided"))],
)
def test_what_happens_once_is_refused_the_second_time(reason: str, op: o.StateOp) -> None:
    refusal = apply(w.after(w.small_world(), op), [op]).refusal
    assert refusal is not None
    assert refusal.reason == reason
