"""WorldState: immutable, the same in JSON, with few questions that it answers itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from pydantic import TypeAdapter, ValidationError

from lorewright.ids import canonical_json, content_hash
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.state import Fact, WorldState, pair, relation_key
from support import small_world as w
from support import state_strategies as some

STATE_OP: TypeAdapter[o.StateOp] = TypeAdapter(o.StateOp)


@given(some.states)
def test_a_state_read_back_from_json_is_the_same_state(state: WorldState) -> None:
    again = WorldState.model_validate_json(state.to_json())
    assert again == state
    assert again.content_hash() == state.content_hash()


@given(some.turns())
def test_an_op_read_back_from_json_is_the_same_op(turn: some.Turn) -> None:
    for op in turn[1]:
        assert STATE_OP.validate_json(op.model_dump_json()) == op


def test_nothing_in_a_state_can_be_written_to() -> None:
    state: Any = w.small_world()
    with pytest.raises(ValidationError):
        state.minutes = 5
    with pytest.raises(TypeError):
        state.positions[w.JO] = w.PIER
    with pytest.raises(TypeError):
        state.inventory[w.JO][w.COIN] = 99


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(ValidationError):
        w.small_world(weather="rain")


def test_the_order_of_entries_does_not_change_the_hash() -> None:
    state = w.small_world()
    turned = w.small_world(entities=dict(reversed(list(state.entities.items()))))
    assert turned.content_hash() == state.content_hash()


def test_the_player_comes_first_among_those_present() -> None:
    state = w.small_world()
    assert state.present() == (w.JO, w.MARA, w.VIKTOR)
    assert state.present_npcs() == (w.MARA, w.VIKTOR)


def test_what_one_has_learned_is_known_of_nobody_else() -> None:
    state = w.after(w.small_world(), o.RevealItem(item_id=w.DEBT, to=w.MARA, how="overheard"))
    assert state.learned_by(w.MARA) == {w.DEBT}
    assert state.has_learned(w.MARA, w.DEBT)
    assert not state.learned_by(w.JO)


def test_a_thing_without_a_name_is_called_by_its_id() -> None:
    assert w.small_world().name_of(w.VIKTOR) == "Viktor"
    assert w.small_world().name_of(some.NOBODY) == some.NOBODY


def test_a_pair_has_one_key() -> None:
    assert pair("b", "a") == ("a", "b")
    assert relation_key("b", "a") == relation_key("a", "b") == "a|b"


@pytest.mark.campaign
@given(some.turns())
def test_a_state_is_written_as_if_no_other_had_been_written_before(turn: some.Turn) -> None:
    state, ops = turn
    states = [state]
    for op in ops:
        states[-1].to_json()
        states.append(apply(states[-1], [op]).state)
    for state in reversed(states):
        bare = state.model_dump(mode="json")
        assert state.to_json() == canonical_json(bare)
        assert state.truth_hash() == content_hash(canonical_json({key: bare[key] for key in bare if key != "recall"}))


@pytest.mark.campaign
@given(some.turns())
def test_a_state_that_shares_fields_with_one_that_was_read_is_as_it_would_be_read(turn: some.Turn) -> None:
    state, ops = turn
    before = WorldState.model_validate_json(state.to_json())
    after = before
    for op in ops:
        after = apply(after, [op]).state
    # Not sorted: the order of the entries is a part of what is compared.
    assert (
        after.as_read_after(before).model_dump_json()
        == WorldState.model_validate_json(after.to_json()).model_dump_json()
    )


def test_facts_are_found_by_their_subject_in_every_state_that_was_made_of_another() -> None:
    first = Fact(id="f1", subject_id=w.VIKTOR, predicate="owes", object=200)
    second = Fact(id="f2", subject_id=w.VIKTOR, predicate="is", object="tired")
    bare = w.small_world()
    one = w.after(bare, o.AddFact(fact=first))
    assert one.facts_about(w.VIKTOR) == (first,)
    two = w.after(one, o.AddFact(fact=second))
    assert [state.facts_about(w.VIKTOR) for state in (two, one, bare, two)] == [
        (first, second),
        (first,),
        (),
        (first, second),
    ]
    assert two.facts_about(w.MARA) == ()
