"""Each path of the state and each kind of op has its owner; what is not one's to propose is refused with a reason."""

from __future__ import annotations

from typing import get_args

import pytest

from lorewright.campaigns.scenarios.rulesets import load_ruleset, ruleset_names
from lorewright.rules.consequences import not_theirs
from lorewright.rules.patch import REASON_CODES, ReasonCode
from lorewright.rules.rulesets import Owner
from lorewright.world import ops as o
from support import small_world as w

SEVEN, _ = load_ruleset("seven-minutes")


@pytest.mark.parametrize(
    ("by", "op", "reason"),
    [
        ("resolve", o.Decrement(path="minutes_left"), None),
        ("extract", o.Decrement(path="minutes_left"), "not_its_path"),
        ("extract", o.SetPath(path="pressure", value="rising"), None),
        ("extract", o.SetPath(path="mood", of=w.JO, value="calm"), None),
        ("extract", o.RemoveFrom(path="mood", of=w.JO), "op_not_allowed"),
        ("resolve", o.SetPath(path="age", of=w.JO, value=40), "not_its_path"),
        ("extract", o.ChangeRelation(a=w.JO, b=w.VIKTOR, trust=1), None),
        ("extract", o.ChangeInventory(owner_id=w.JO, item_id=w.COIN, delta=1), "op_not_allowed"),
        ("scenario", o.AdvanceTime(minutes=1), "op_not_allowed"),
    ],
)
def test_a_stage_may_propose_what_is_its_own(by: Owner, op: o.StateOp, reason: str | None) -> None:
    found = not_theirs([op], by, SEVEN)
    assert [one.reason for one in found] == ([] if reason is None else [reason])


def test_every_path_of_a_ruleset_that_ships_has_an_owner() -> None:
    for name in ruleset_names():
        ruleset, _ = load_ruleset(name)
        for part, schema in (("scene", ruleset.scene_state_schema), ("stats", ruleset.character_stat_schema)):
            assert all(ruleset.owner_of(f"{part}.{key}") for key in schema.get("properties", {}))


def test_every_reason_code_is_explained() -> None:
    assert list(REASON_CODES) == list(get_args(ReasonCode))
