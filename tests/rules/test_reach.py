"""Ways that are known: through places that one has been to, and through charted ones."""

from __future__ import annotations

from lorewright.rules.reach import known_way
from lorewright.world.state import CHARTED_TAG, Scene
from support import small_world as w


def test_a_place_behind_one_that_is_charted_is_gone_to_without_having_been_there() -> None:
    state = w.small_world(scene=Scene(location_id=w.PIER), positions={w.JO: w.PIER}, visits={w.PIER: 1})
    bar = state.entities[w.BAR].model_copy(update={"tags": (CHARTED_TAG,)})
    charted = state.model_copy(update={"entities": {**state.entities, w.BAR: bar}})
    action = w.go(w.ALLEY).action
    assert known_way(action, state) == ()
    assert known_way(action, charted) == (w.BAR, w.ALLEY)
