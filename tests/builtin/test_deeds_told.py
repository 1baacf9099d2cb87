"""How deeds are told: every band in variants enough, every slot filled, and nothing said that did not happen."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, get_args

import pytest

from lorewright.builtin.narrator import narrate
from lorewright.builtin.narrator.grammar import grammar
from lorewright.rules.rulesets import BandName
from lorewright.values.records import Recorded, ThingView
from lorewright.world.ops import ChangeRelation, SetDoor
from support.narrator_scenes import given, outcome, played

UGLY = re.compile(r"[*_`#{}\[\]|]|\w:\w|\.\.|  | [.,;:?!]|“”|\bNone\b|\bthe (?:the|The|Viktor|Agent)\b")
VIKTOR, UNIT, DOOR = "p:viktor", "p:unit", "p:steel_door"
ROLLED: list[tuple[str, str, dict[str, Any]]] = [
    ("attack", "acted", {"target_id": VIKTOR}),
    ("persuade", "acted", {"target_id": VIKTOR}),
    ("threaten", "acted", {"target_id": VIKTOR}),
    ("sneak", "acted", {}),
    ("sneak", "acted", {"target_id": VIKTOR}),
    ("sneak", "moved", {"location_id": "p:bar"}),
    ("sneak", "acted", {"location_id": "p:alley"}),
    ("attempt", "acted", {"target_id": UNIT}),
    ("attempt", "acted", {"target_id": VIKTOR}),
    ("attempt", "acted", {}),
]
PLAIN: list[tuple[str, str, dict[str, Any]]] = [
    ("tell", "acted", {"target_id": VIKTOR}),
    ("tell", "heard", {"target_id": VIKTOR}),
    ("tell", "heard_before", {"target_id": VIKTOR}),
    ("promise", "promised", {"target_id": VIKTOR}),
    ("recall", "nothing_recorded", {"target_id": VIKTOR}),
    ("drop", "dropped", {"target_id": UNIT}),
    ("give", "given", {"target_id": VIKTOR, "item_id": UNIT}),
    ("use", "used", {"target_id": UNIT}),
    ("use", "used", {"target_id": DOOR, "item_id": UNIT}),
    ("use", "used", {"target_id": VIKTOR, "item_id": UNIT}),
    ("open", "opened", {"target_id": DOOR}),
    ("close", "closed", {"target_id": DOOR}),
    ("lock", "locked", {"target_id": DOOR}),
    ("unlock", "unlocked", {"target_id": DOOR}),
    ("inventory", "listed", {}),
]


def first_sentences(kind: str, code: str, fields: dict[str, Any], turns: int) -> list[str]:
    """How the same deed is told again and again."""
    told = played([given(outcome(code, type=kind, **fields)) for _ in range(turns)])
    return [one.final_text for one in told]


@pytest.mark.parametrize("band", get_args(BandName))
@pytest.mark.parametrize(("kind", "code", "fields"), ROLLED)
def test_every_band_of_a_deed_is_told_cleanly_and_in_changing_words(
    kind: str, code: str, fields: dict[str, Any], band: BandName
) -> None:
    texts = first_sentences(kind, code, {**fields, "band": band}, 4)
    assert len({text[:30] for text in texts}) >= 3
    assert not [text for text in texts if UGLY.search(text)]


@pytest.mark.parametrize("group", sorted(name for name in grammar() if name.startswith("deed.")))
def test_every_band_of_a_deed_has_four_variants(group: str) -> None:
    counts = Counter(variant.when for variant in grammar()[group])
    assert min(counts.values()) >= 4
    bands = {dict(when).get("band") for when in counts} - {None}
    assert group == "deed.tell" or bands >= {"critical", "success", "mixed"}


@pytest.mark.parametrize(("kind", "code", "fields"), PLAIN)
def test_what_simply_happens_is_told_in_changing_words_as_well(kind: str, code: str, fields: dict[str, Any]) -> None:
    texts = first_sentences(kind, code, fields, 4)
    assert len({text[:25] for text in texts}) >= 3
    assert not [text for text in texts if UGLY.search(text)]


def test_what_one_carries_is_counted_by_name() -> None:
    carried = (ThingView(id=UNIT, name="backup comm unit"),)
    assert "the backup comm unit" in narrate(given(outcome("listed", type="inventory"), carried=carried)).final_text


@pytest.mark.parametrize("by", ["c:jo", VIKTOR])
@pytest.mark.parametrize("predicate", ["promised", "threatened", "owes"])
def test_the_record_is_quoted_in_the_words_in_which_it_was_said(by: str, predicate: str) -> None:
    to = VIKTOR if by == "c:jo" else "c:jo"
    said = [
        Recorded.model_validate({"fact_id": f"f{n}", "by_id": by, "to_id": to, "predicate": predicate, "what": what})
        for n, what in enumerate(("the ice bin stays shut", "and so does the door"))
    ]
    asked = outcome("recalled", type="recall", target_id=VIKTOR, fact_ids=("f0", "f1"))
    text = narrate(given(asked, recorded=tuple(said))).final_text
    assert "“the ice bin stays shut.”" in text
    assert "“and so does the door.”" in text
    assert not UGLY.search(text)


def test_time_that_was_lost_is_named_as_the_price_and_nothing_else_is() -> None:
    failed = outcome("acted", type="attempt", target_id=UNIT, band="fail")
    text = narrate(given(failed, minutes_lost=5)).final_text
    assert re.search(r"\btime\b|\bminutes\b|\bMinutes\b", text)
    assert "another way" not in text.lower()


def test_a_lock_that_was_turned_on_purpose_is_told_once() -> None:
    turned = outcome("unlocked", type="unlock", target_id=DOOR)
    assert narrate(given(turned)).final_text.lower().count("steel door") <= 1


def test_a_beaten_man_thinks_no_better_of_it() -> None:
    beaten = outcome("acted", type="attack", target_id=VIKTOR, band="success")
    op = ChangeRelation(a="c:jo", b=VIKTOR, trust=-1, tension=1)
    assert "better of you" not in narrate(given(beaten, ops=(op,))).final_text


def test_a_door_that_a_rule_unlocked_is_told_as_a_gain() -> None:
    asked = outcome("acted", type="persuade", target_id=VIKTOR, band="success")
    text = narrate(given(asked, ops=(SetDoor(door_id=DOOR, locked=False),))).final_text
    assert "steel door" in text
