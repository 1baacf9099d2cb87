"""Each kind of op does what its law says and nothing else; and most of what the tests try takes effect."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.ops import OP_KINDS
from lorewright.world.state import WorldState
from support import small_world as w
from support import state_strategies as some
from support.scale import scaled
from support.state_laws import LAWS


def holds(before: WorldState, op: o.StateOp, after: WorldState) -> None:
    """The state after an op is what its law makes of the state before, and nothing else has changed."""
    expected = before.model_dump(mode="json")
    LAWS[op.op](expected, op)
    expected["schema_version"] = after.schema_version  # whose law is another test
    assert w.as_json(after.model_dump(mode="json")) == w.as_json(expected)


def test_every_kind_of_op_has_a_law_and_ops_to_try_it_with() -> None:
    assert set(LAWS) == set(OP_KINDS) == set(some.FITTING)


@pytest.mark.parametrize("kind", OP_KINDS)
# Thirty of each kind are tried with CAMPAIGN_SCALE=5.
@settings(max_examples=scaled(6))
@given(data=st.data())
def test_an_op_that_fits_changes_what_its_law_says_and_nothing_else(kind: str, data: st.DataObject) -> None:
    state = data.draw(some.states)
    fitting = some.fitting(state, kind)
    if fitting is None:
        state = some.busy()
        fitting = some.fitting(state, kind)
    assert fitting is not None
    op = data.draw(fitting)
    applied = apply(state, [op])
    assert applied.refusal is None
    assert applied.state != state
    holds(state, op, applied.state)


@given(some.states, some.strays)
def test_an_op_that_may_not_fit_changes_what_its_law_says_or_nothing(state: WorldState, op: o.StateOp) -> None:
    applied = apply(state, [op])
    if applied.refusal is None:
        holds(state, op, applied.state)
    else:
        assert applied.state == state


@pytest.mark.campaign
def test_most_ops_that_are_tried_fit_and_take_effect_and_each_kind_does() -> None:
    tried: Counter[str] = Counter()
    effective: Counter[str] = Counter()

    def try_turns(often: str) -> None:
        @settings(derandomize=True, max_examples=10, database=None)
        @given(some.turns(often=often))
        def try_a_turn(turn: some.Turn) -> None:
            state, ops = turn
            for op in ops:
                after = apply(state, [op]).state
                tried[op.op] += 1
                effective[op.op] += after.content_hash() != state.content_hash()
                state = after

        try_a_turn()

    for kind in OP_KINDS:
        try_turns(kind)
    assert tried.total() > 500
    assert effective.total() >= 0.6 * tried.total()
    assert all(effective[kind] for kind in OP_KINDS), effective
