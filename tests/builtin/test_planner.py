"""The planner's twin: notes in order, and how near the clocks are."""

from __future__ import annotations

import pytest

from lorewright.builtin.planner import plan
from lorewright.rules.actions import Action
from lorewright.rules.patch import ActionResult
from lorewright.values.packet import ContextPacket
from lorewright.values.records import PlannerInput

ASK = Action(actor_id="c:jo", type="ask", target_id="p:viktor", metadata={"topic": "jin"})
PACKET = ContextPacket.model_validate(
    {"entities": [{"id": "p:viktor", "name": "Viktor"}], "clocks": [{"value": 1, "max": 6}]}
)


def test_each_action_becomes_one_note_and_a_blocked_one_says_so() -> None:
    go = Action(actor_id="c:jo", type="go", location_id="p:moon")
    results = (ActionResult(action_index=0, success=True), ActionResult(action_index=1, success=False))
    planned = plan(PlannerInput(packet=PACKET, actions=(ASK, go), results=results))
    assert planned.beats == ("let Viktor answer", "say why not: bring the player to the next place")
    assert planned.next_suggestions == ()


@pytest.mark.parametrize(("value", "tension"), [(0, "none"), (1, "none"), (2, "rising"), (5, "peak"), (6, "peak")])
def test_the_tension_is_that_of_the_fullest_clock(value: int, tension: str) -> None:
    packet = ContextPacket.model_validate({"clocks": [{"value": value, "max": 6}, {"value": 0, "max": 4}]})
    assert plan(PlannerInput(packet=packet, actions=(), results=())).tension_move == tension


def test_a_packet_without_names_and_clocks_is_no_error() -> None:
    packet = ContextPacket.model_validate({"entities": [{"id": "p:viktor"}], "clocks": [{"max": 0}]})
    planned = plan(PlannerInput(packet=packet, actions=(ASK,), results=()))
    assert (planned.beats, planned.tension_move) == (("let the person asked answer",), "none")
