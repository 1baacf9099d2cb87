"""effect_ops: what an author's effect means on the small world, kind by kind."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from lorewright.rules.effects import Effect, effect_ops
from lorewright.world import ops as o
from lorewright.world.state import OFFSTAGE, WorldState
from support import small_world as w

EFFECT: TypeAdapter[Effect] = TypeAdapter(Effect)


def meant(written: dict[str, Any], state: WorldState | None = None) -> tuple[o.StateOp, ...]:
    return effect_ops(EFFECT.validate_python(written), state or w.small_world())


def carried(owner: str, item: str, delta: int) -> o.ChangeInventory:
    return o.ChangeInventory(owner_id=owner, item_id=item, delta=delta)


@pytest.mark.parametrize(
    ("written", "op"),
    [
        ({"reveal": w.DEBT}, o.RevealItem(item_id=w.DEBT, to=w.JO, how="told")),
        ({"clock": w.HEAT}, o.TickClock(clock_id=w.HEAT, delta=1)),
        ({"clock": w.HEAT, "by": -2}, o.TickClock(clock_id=w.HEAT, delta=-2)),
        ({"relation": [w.VIKTOR, "you"], "trust": -1}, o.ChangeRelation(a=w.VIKTOR, b=w.JO, trust=-1)),
        ({"arrive": w.CHEN}, o.Move(entity_id=w.CHEN, to=w.BAR)),
        ({"depart": w.MARA, "to": w.PIER}, o.Move(entity_id=w.MARA, to=w.PIER)),
        ({"depart": w.MARA, "to": OFFSTAGE}, o.Move(entity_id=w.MARA, to=OFFSTAGE)),
        ({"lose": w.CARD}, carried(w.JO, w.CARD, -1)),
        ({"put": w.CARD, "at": w.PIER}, carried(w.PIER, w.CARD, 1)),
        ({"unlock": w.DOOR}, o.SetDoor(door_id=w.DOOR, locked=False)),
        ({"thread": w.JIN, "status": "resolved"}, o.UpdateThread(thread_id=w.JIN, status="resolved")),
        ({"end": "raided"}, o.EndCampaign(ending_id="raided")),
    ],
)
def test_an_effect_is_one_op(written: dict[str, Any], op: o.StateOp) -> None:
    assert meant(written) == (op,)


def test_what_is_revealed_can_be_found_as_well_as_told() -> None:
    (op,) = effect_ops(EFFECT.validate_python({"reveal": w.DEBT}), w.small_world(), how="found")
    assert op == o.RevealItem(item_id=w.DEBT, to=w.JO, how="found")


@pytest.mark.parametrize(("item", "owner"), [(w.COIN, w.BAR), (w.KEY, w.VIKTOR)])
def test_a_given_thing_comes_from_the_place_or_from_somebody_present(item: str, owner: str) -> None:
    assert meant({"give": item}) == (carried(owner, item, -1), carried(w.JO, item, 1))


@pytest.mark.parametrize("item", [w.UNIT, w.CARD])
def test_a_given_thing_that_nobody_else_here_has_comes_from_nowhere(item: str) -> None:
    assert meant({"give": item}) == (carried(w.JO, item, 1),)


def test_the_scene_goes_where_the_player_is_sent() -> None:
    state = w.after(w.small_world(), *meant({"depart": "you", "to": w.ALLEY}))
    assert (state.positions[w.JO], state.scene.location_id) == (w.ALLEY, w.ALLEY)


def test_a_fact_that_is_established_again_gets_the_new_object() -> None:
    state = w.small_world()
    for owed in (200, 300):
        state = w.after(state, *meant({"fact": "owes money", "subject": w.VIKTOR, "object": owed}, state))
    (fact,) = state.facts.values()
    assert (fact.subject_id, fact.predicate, fact.object) == (w.VIKTOR, "owes money", 300)
