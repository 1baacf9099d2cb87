"""What the extractor is shown of a turn, and which of its refusals mean that a narration has to be told anew."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.turn.checks.accepting import Accepted, Refused
from lorewright.turn.run.narrate import contradicted
from lorewright.world.ops import AddFact
from lorewright.world.state import Fact, WorldState
from support import small_world as w


def known(**fact: Any) -> WorldState:
    made = Fact.model_validate(
        {"id": "f", "subject_id": w.VIKTOR, "predicate": "Eye colour", "object": "Grey.", **fact}
    )
    return w.after(w.small_world(), AddFact(fact=made))


def refused(reason: str = "contradicts_fact", **proposal: Any) -> Accepted:
    said = {"subject_id": w.VIKTOR, "predicate": "eye_colour", "detail": "Brown.", **proposal}
    return Accepted(refused=(Refused(kind="established_fact", reason=reason, proposal=said),))


def test_a_contradiction_says_what_was_said_and_what_is_so() -> None:
    said = contradicted(refused(), known())
    assert said == "it says of Viktor: eye_colour: Brown. The established fact is: Eye colour: Grey."


def test_of_what_is_hidden_nothing_is_given_away() -> None:
    said = contradicted(refused(), known(visibility="gm"))
    assert said is not None
    assert "Grey" not in said


@pytest.mark.parametrize(
    "reason", ["already_exists", "the_resolvers", "unknown_entity", "quotes_what_is_hidden", "op_not_allowed"]
)
def test_no_other_refusal_makes_a_narration_untrue(reason: str) -> None:
    assert contradicted(refused(reason), known()) is None


def test_what_was_only_told_may_have_changed() -> None:
    assert contradicted(refused(), known(discovery_method="narrated")) is None
