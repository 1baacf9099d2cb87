"""Hypothesis strategies: ops that fit the small world or do not, and the states that they lead to."""

from __future__ import annotations

from hypothesis import strategies as st

import worlds as w
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.state import OFFSTAGE, Entity, Fact, WorldState

NOBODY = "town:nobody"

ids = st.sampled_from([w.JO, w.VIKTOR, w.MARA, w.CHEN, w.BAR, w.PIER, w.DOOR, w.KEY, w.COIN, w.UNIT, OFFSTAGE, NOBODY])
numbers = st.integers(min_value=-9, max_value=9)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
item_ids = st.sampled_from([w.PIER_9, w.DEBT, w.LEDGER])
entities = st.builds(
    Entity,
    id=ids | st.sampled_from(["town:rat", "town:cellar"]),
    type=st.sampled_from(["npc", "location", "item", "other"]),
    name=st.text(max_size=12),
    attrs=st.dictionaries(st.text(max_size=4), json_values, max_size=2),
)
facts = st.builds(Fact, id=st.sampled_from(["f1", "f2"]), subject_id=ids, predicate=st.just("is"), object=json_values)
how = st.sampled_from(["told", "found", "overheard", "witnessed"])

state_ops = st.one_of(
    st.builds(o.AdvanceTime, minutes=st.integers(min_value=0, max_value=600)),
    st.builds(o.Move, entity_id=ids, to=ids),
    st.builds(o.OpenScene, location_id=ids),
    st.builds(o.ChangeInventory, owner_id=ids, item_id=ids, delta=numbers),
    st.builds(o.TickClock, clock_id=st.sampled_from([w.HEAT, w.DOOM, "no_clock"]), delta=numbers),
    st.builds(o.RevealItem, item_id=item_ids, to=ids, how=how),
    st.builds(o.ChangeRelation, a=ids, b=ids, trust=numbers, tension=numbers, closeness=numbers),
    st.builds(o.UpdateThread, thread_id=st.sampled_from([w.JIN, "no_thread"]), status=st.text(max_size=8)),
    st.builds(o.AddFact, fact=facts),
    st.builds(o.UpdateFact, fact_id=st.sampled_from(["f1", "f2"]), object=json_values),
    st.builds(o.SetDoor, door_id=st.sampled_from([w.DOOR, "no_door"]), locked=st.booleans()),
    st.builds(o.SwingDoor, door_id=st.sampled_from([w.DOOR, "no_door"]), open=st.booleans()),
    st.builds(o.TransferItem, item_id=ids, from_id=ids, to_id=ids, quantity=st.integers(min_value=1, max_value=4)),
    st.builds(o.AddEntity, entity=entities, at=st.none() | ids),
    st.builds(o.Recall, key=st.text(max_size=8)),
    st.builds(o.EndCampaign, ending_id=st.just("delivered")),
)
op_lists = st.lists(state_ops, max_size=8)


def reached_by(ops: list[o.StateOp]) -> WorldState:
    """The small world after those of the ops that fit, one by one."""
    state = w.small_world()
    for op in ops:
        state = apply(state, [op]).state
    return state


states = op_lists.map(reached_by)
