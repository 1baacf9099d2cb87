"""Ops on a ruleset's paths: refused with a reason, or done so that scene and stat blocks fit their schemas still."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lorewright.errors import StateMisfit
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState, read_state
from support import small_world as w
from support import state_strategies as some
from support.shaped_world import shaped


def value(state: WorldState, path: str, of: str | None = None) -> Any:
    assert state.ruleset is not None
    return state.ruleset.value(path, of=of)


op_lists = st.lists(some.stray_path_ops, max_size=8)


def reached(ops: list[Any]) -> WorldState:
    state = shaped()
    for op in ops:
        state = apply(state, [op]).state
    return state


states = op_lists.map(reached)


@given(states, op_lists)
def test_whatever_is_done_scene_and_stat_blocks_fit_their_schemas(state: WorldState, ops: list[Any]) -> None:
    after = apply(state, ops).state
    assert after.ruleset is not None
    assert list(after.ruleset.misfits()) == []


@given(states, op_lists)
def test_ops_never_raise_never_mutate_and_refuse_whole_lists(state: WorldState, ops: list[Any]) -> None:
    before = state.to_json()
    applied = apply(state, ops)
    assert state.to_json() == before
    if applied.refusal is not None:
        assert applied.state == state
        assert applied.refusal.field is not None
        assert apply(state, ops[: applied.refusal.index]).refusal is None


@given(states)
def test_a_state_is_the_same_when_it_is_written_and_read(state: WorldState) -> None:
    read = read_state(state.to_json())
    assert read == state
    assert read.content_hash() == state.content_hash()


@given(states, some.paths, some.owners, some.values)
def test_what_is_set_stands_there(state: WorldState, path: str, of: str | None, given_value: Any) -> None:
    applied = apply(state, [o.SetPath(path=path, of=of, value=given_value)])
    if applied.refusal is None:
        assert plain(value(applied.state, path, of)) == given_value


@given(states, some.path_amounts)
def test_an_increment_never_lowers_and_a_decrement_never_raises(state: WorldState, by: float) -> None:
    before = value(state, "minutes_left")
    assert value(apply(state, [o.Increment(path="minutes_left", value=by)]).state, "minutes_left") >= before
    assert value(apply(state, [o.Decrement(path="minutes_left", value=by)]).state, "minutes_left") <= before


@given(states, st.text(max_size=3))
def test_what_is_appended_is_the_last_and_can_be_removed(state: WorldState, note: str) -> None:
    applied = apply(state, [o.AppendTo(path="notes", value=note)])
    if applied.refusal is None:
        assert value(applied.state, "notes")[-1] == note
        removed = w.after(applied.state, o.RemoveFrom(path="notes", value=note))
        assert len(value(removed, "notes")) == len(value(state, "notes"))


def test_a_number_stops_at_the_bounds_of_its_schema_as_a_clock_does() -> None:
    assert value(w.after(shaped(), o.Decrement(path="minutes_left", value=9)), "minutes_left") == 0
    assert value(w.after(shaped(), o.Increment(path="shyness", of=w.VIKTOR, value=5)), "shyness", w.VIKTOR) == 10


@pytest.mark.parametrize(
    ("reason", "op"),
    [
        ("unknown_path", o.SetPath(path="moon", value=1)),
        ("unknown_path", o.SetPath(path="weather.rain", value=1)),
        ("unknown_path", o.Increment(path="minutes_left", of=w.JO)),
        ("unknown_character", o.SetPath(path="shyness", of=w.MARA, value=1)),
        ("not_a_number", o.Increment(path="pressure")),
        ("not_a_number", o.Decrement(path="heat")),
        ("not_a_list", o.AppendTo(path="minutes_left", value=1)),
        ("not_a_list", o.RemoveFrom(path="minutes_left", value=7)),
        ("not_there", o.RemoveFrom(path="notes", value="b")),
        ("not_there", o.RemoveFrom(path="pressure")),
        ("breaks_schema", o.SetPath(path="minutes_left", value=8)),
        ("breaks_schema", o.SetPath(path="minutes_left", value=True)),
        ("breaks_schema", o.RemoveFrom(path="minutes_left")),
        ("breaks_schema", o.Decrement(path="minutes_left", value=0.5)),
        ("breaks_schema", o.AppendTo(path="notes", value=3)),
    ],
)
def test_an_op_that_does_not_fit_is_refused_with_its_reason_and_its_field(reason: str, op: Any) -> None:
    refusal = apply(shaped(), [o.AdvanceTime(minutes=1), op]).refusal
    assert refusal is not None
    assert (refusal.index, refusal.reason) == (1, reason)
    assert refusal.field == (f"scene.{op.path}" if op.of is None else f"stats.{op.of}.{op.path}")


def test_a_state_without_such_a_part_refuses_its_ops() -> None:
    refusal = apply(w.small_world(), [o.SetPath(path="minutes_left", value=1)]).refusal
    assert refusal is not None
    assert refusal.reason == "no_ruleset_state"


@pytest.mark.parametrize("number", [-1, float("nan"), float("inf"), 10**17])
def test_an_amount_is_finite_and_not_below_zero(number: float) -> None:
    with pytest.raises(ValidationError):
        o.Increment(path="minutes_left", value=number)


def test_a_state_that_its_ruleset_does_not_shape_is_written_as_version_1() -> None:
    state = w.small_world()
    assert state.schema_version == 1
    assert '"ruleset"' not in state.to_json()
    assert read_state(state.to_json()) == state


def test_a_state_that_its_ruleset_shapes_is_version_2() -> None:
    assert shaped().schema_version == 2
    assert '"schema_version":2' in shaped().to_json()


def test_a_stored_state_that_does_not_fit_is_an_error_that_names_the_field() -> None:
    damaged = shaped().to_json().replace('"minutes_left":7', '"minutes_left":70')
    with pytest.raises(StateMisfit, match=r"scene\.minutes_left: 70") as caught:
        read_state(damaged)
    assert caught.value.hint


def test_a_stat_block_that_does_not_fit_is_an_error_that_names_whose() -> None:
    damaged = shaped().to_json().replace('"shyness":9', '"shyness":"very"')
    with pytest.raises(StateMisfit, match=rf"stats\.{w.VIKTOR}\.shyness"):
        read_state(damaged)


def test_a_state_of_a_version_to_come_is_refused() -> None:
    with pytest.raises(StateMisfit, match="schema_version"):
        read_state(w.small_world().to_json().replace('"schema_version":1', '"schema_version":4'))


def test_whole_numbers_with_two_bounds_are_gauges_for_everyone_to_see() -> None:
    assert [(one.id, one.name, one.value, one.max) for one in shaped().gauges()] == [
        ("minutes_left", "Minutes left", 7, 7)
    ]
    assert {"id": "minutes_left", "name": "Minutes left", "value": 7, "max": 7} in shaped().clocks_shown()


def test_the_same_values_in_another_order_have_the_same_hash() -> None:
    one = w.after(shaped(), o.SetPath(path="pressure", value="up"), o.SetPath(path="heat", value=1))
    other = w.after(shaped(), o.SetPath(path="heat", value=1), o.SetPath(path="pressure", value="up"))
    assert one.content_hash() == other.content_hash()
