"""What becomes of the changes that an extractor of inner life proposes: ops, what waits for a review, what is
refused."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.rules.rulesets import Ruleset
from lorewright.turn.run.background import InnerWrites, inner_ops
from lorewright.values.inner import StateExtractorOutput
from lorewright.world.apply import apply
from lorewright.world.ops import ClearCharacterState, SetCharacterState, SetPath
from lorewright.world.state import WorldState
from support import small_world as w

RULES = w.freeform_rules().ruleset
STATES = {
    "morality": {"value": 5, "level": 7},
    "oath": {"value": "never to lie", "level": 8},
    "dread": {"value": 2, "level": 3},
    "scores": {"value": [1, 2], "level": 6},
}
SECRET = "the ledger lies under the third board"


def world(who: str = w.JO) -> WorldState:
    return w.small_world(characters={who: {"states": STATES}})


def judged(
    *changes: dict[str, Any], who: str = w.JO, state: WorldState | None = None, rules: Ruleset = RULES
) -> InnerWrites:
    return inner_ops(
        StateExtractorOutput.model_validate({"changes": changes}),
        who,
        state or world(),
        rules,
        stage="persona_extractor",
        leak=lambda text: "it quotes" if SECRET in text else None,
    )


def reasons(writes: InnerWrites) -> list[str]:
    return [one.reason for one in writes.refused]


def test_a_change_becomes_an_op_that_fits() -> None:
    writes = judged({"name": "morality", "value": 4}, {"name": "dread", "level": 6})
    assert writes.ops == (
        SetCharacterState(who=w.JO, name="morality", value=4, level=7),
        SetCharacterState(who=w.JO, name="dread", value=2, level=6),
    )
    after = apply(world(), writes.ops)
    assert after.refusal is None
    assert after.state.characters[w.JO].states["dread"].is_manifest


def test_a_state_that_is_over_is_cleared() -> None:
    assert judged({"name": "dread", "over": True}).ops == (ClearCharacterState(who=w.JO, name="dread"),)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": "Purse of Coins", "value": 4}, "unknown_state"),
        ({"name": "purse", "value": 400}, "unknown_state"),
        ({"name": "purse", "value": ["coin"]}, "unknown_state"),
        ({"name": "purse", "value": "x" * 61}, "unknown_state"),
        ({"name": "purse", "over": True}, "unknown_state"),
        ({"name": "nerve", "value": 2}, "unknown_state"),
        ({"name": "morale", "value": 5}, "no_change"),
        ({"name": "morale", "over": True}, "no_change"),
        ({"name": "morality", "value": 5}, "no_change"),
        ({"name": "morality"}, "no_change"),
        ({"name": "morality", "value": True}, "wrong_kind"),
        ({"name": "morality", "value": "low"}, "wrong_kind"),
        ({"name": "morality", "value": 9}, "too_large_a_step"),
        ({"name": "morality", "value": -100}, "too_large_a_step"),
        ({"name": "oath", "value": "x" * 201}, "too_long"),
        ({"name": "scores", "value": list(range(200))}, "too_long"),
        ({"name": "oath", "value": f"He knows that {SECRET}."}, "quotes_what_is_hidden"),
        ({"name": "oath", "value": "to talk", "reason": SECRET}, "quotes_what_is_hidden"),
        ({"name": "scores", "value": [SECRET]}, "quotes_what_is_hidden"),
    ],
)
def test_what_is_not_the_extractors_to_say_is_refused_with_its_reason(change: dict[str, Any], reason: str) -> None:
    writes = judged(change)
    assert (writes.ops, writes.reviews, reasons(writes)) == ((), (), [reason])


def test_states_of_the_ruleset_are_everybodys_and_move_like_ones_own() -> None:
    writes = judged({"name": "morale", "value": 4}, {"name": "mood", "value": "grim"}, who=w.VIKTOR)
    assert writes.ops == (
        SetCharacterState(who=w.VIKTOR, name="morale", value=4, level=6),
        SetCharacterState(who=w.VIKTOR, name="mood", value="grim", level=6),
    )
    assert reasons(judged({"name": "wounds", "value": 9}, who=w.VIKTOR)) == ["too_large_a_step"]


def test_a_state_of_its_own_is_opened_or_waits_where_that_is_not_sure() -> None:
    assert judged({"name": "debt", "value": 2, "level": 4}).ops == (
        SetCharacterState(who=w.JO, name="debt", value=2, level=4),
    )
    waiting = judged({"name": "debt", "value": 2, "confidence": 0.3})
    assert waiting.ops == ()
    assert [review.shown for review in waiting.reviews] == ["Jo: debt becomes 2 (level 6)"]


def test_only_so_many_states_are_opened() -> None:
    many = {f"state_{number}": {"value": 1, "level": 6} for number in range(RULES.new_states)}
    state = w.small_world(characters={w.JO: {"states": many}})
    assert reasons(judged({"name": "debt", "value": 2}, state=state)) == ["unknown_state"]
    closed = RULES.model_copy(update={"new_states": 0})
    assert reasons(judged({"name": "debt", "value": 2}, rules=closed)) == ["unknown_state"]


def test_a_secret_is_refused_also_where_it_would_only_have_waited() -> None:
    assert reasons(judged({"name": "oath", "value": SECRET, "confidence": 0.1})) == ["quotes_what_is_hidden"]


def test_the_same_state_moves_once() -> None:
    writes = judged({"name": "morality", "value": 4}, {"name": "morality", "value": 3})
    assert ([op.value for op in writes.ops if isinstance(op, SetCharacterState)], reasons(writes)) == (
        [4],
        ["said_twice"],
    )


def test_what_the_extractor_is_not_sure_of_waits_and_changes_nothing() -> None:
    writes = judged({"name": "oath", "value": "to talk", "confidence": 0.59, "reason": "he hesitates"})
    assert writes.ops == ()
    (review,) = writes.reviews
    assert (review.stage, review.kind, review.subject_id) == ("persona_extractor", "inner_state", w.JO)
    assert (review.shown, review.confidence, review.reason) == (
        "Jo: oath becomes to talk (level 8)",
        0.59,
        "he hesitates",
    )
    assert apply(world(), review.ops).refusal is None


@pytest.mark.parametrize(("below", "waits"), [(0.0, 0), (0.6, 0), (0.61, 1), (1.0, 1)])
def test_the_ruleset_says_what_waits(below: float, waits: int) -> None:
    rules = RULES.model_copy(update={"review_below": below})
    writes = judged({"name": "dread", "value": 3, "confidence": 0.6}, rules=rules)
    assert (len(writes.reviews), len(writes.ops)) == (waits, 1 - waits)


def test_a_ruleset_that_does_not_allow_it_is_obeyed() -> None:
    rules = RULES.model_copy(update={"allowed_ops": {"resolve": ("move",), "extract": ("observe",)}})
    assert reasons(judged({"name": "dread", "value": 3}, rules=rules)) == ["op_not_allowed"]


def shaped() -> tuple[Ruleset, WorldState]:
    schema = {
        "type": "object",
        "properties": {"mood": {"type": "string", "maxLength": 10}, "nerve": {"type": "integer"}},
    }
    owners = {"stats.mood": "extract", "stats.*": "scenario"}
    rules = RULES.model_copy(
        update={
            "character_stat_schema": schema,
            "owners": owners,
            "allowed_ops": {"extract": ("set", "character_state", "character_state_clear")},
        }
    )
    held = {"stat_schema": schema, "scene_schema": {}, "stats": {w.JO: {"mood": "wary", "nerve": 2}}}
    return rules, w.small_world(ruleset=held)


def test_a_stat_that_is_the_extractors_is_set_and_others_are_not_there() -> None:
    rules, state = shaped()
    writes = judged({"name": "mood", "value": "at\nease"}, {"name": "nerve", "value": 3}, state=state, rules=rules)
    assert writes.ops == (SetPath(path="mood", of=w.JO, value="at ease"),)
    assert reasons(writes) == ["unknown_state"]


def test_a_stat_is_held_to_its_schema() -> None:
    rules, state = shaped()
    assert reasons(judged({"name": "mood", "value": "quite beside himself"}, state=state, rules=rules)) == [
        "breaks_schema"
    ]
