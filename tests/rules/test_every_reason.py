"""Every reason code: provoked by validate, found again in what resolve says, and explained on its page; and every code
with which an op is refused.

A new code needs a case here, a line in docs/reasons.md, one in rules/patch.py, and sentences of the narrator's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from lorewright import world
from lorewright.builtin.narrator.grammar import grammar
from lorewright.rules.actions import Attempt
from lorewright.rules.patch import REASON_CODES, ReasonCode
from lorewright.rules.resolve import resolve
from lorewright.rules.rulesets import Contradiction, Hindrance
from lorewright.rules.validate import validate
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.events import ActionBlocked
from lorewright.world.ruleset_state import RulesetState
from lorewright.world.state import Door, Fact, WorldState
from support import small_world as w

PAGE = Path(__file__).parents[2] / "docs" / "reasons.md"

ENDED = w.small_world(ended="raided")
AT_THE_PIER = w.after(w.small_world(), o.Move(entity_id=w.JO, to=w.PIER), o.OpenScene(location_id=w.PIER))
OPEN = w.small_world(doors={w.DOOR: Door(open=True, key_id=w.KEY)})
SHUT = w.small_world(doors={w.DOOR: Door(shut_bars=True)})
BOLTED = w.small_world(doors={w.DOOR: Door(locked=True, bolt_at=w.ALLEY)})
UNBOLTED = w.small_world(doors={w.DOOR: Door(bolt_at=w.ALLEY)})

NOTHING_LIKE_IT = "Nothing like that is here."

BOUND = o.AddCondition(who=w.JO, condition="bound")
VIKTOR_BOUND = (o.SetTurnOrder(actors=(w.VIKTOR,)), o.AddCondition(who=w.VIKTOR, condition="bound"))
DEAD = Fact(id="f", subject_id=w.VIKTOR, predicate="dead", object=True)
# Hindrances of a kind that a ruleset has; the tests' own has none else.
HINDERING = w.ruleset().model_copy(
    update={
        "conditions": {"bound": Hindrance(forbids=("search",))},
        "situations": {"blackout": Hindrance(forbids=("search",))},
        "contradictions": (Contradiction(fact="dead", forbids=("ask",)),),
    }
)
RULES = w.campaign_rules(ruleset=HINDERING)

BLOCKED: list[tuple[ReasonCode, Attempt, WorldState, str]] = [
    ("campaign_over", w.attempt("look"), ENDED, "The story has ended."),
    ("unknown_action", w.attempt("fly"), w.small_world(), "That is nothing one can do here."),
    ("not_your_turn", w.attempt("wait", actor=w.VIKTOR), w.small_world(), "Viktor does not act now."),
    ("not_your_turn", w.attempt("wait", actor="x"), w.small_world(), "Somebody else does not act now."),
    ("no_such_exit", w.go(w.ALLEY), w.small_world(exits={}), "No way leads from here to the back alley."),
    ("too_far", w.go(w.ALLEY), AT_THE_PIER, "The back alley is further than one step. One gets there by street."),
    ("not_capable", w.attempt("search"), w.after(w.small_world(), BOUND), "You are in no condition for that."),
    (
        "not_capable",
        w.attempt("search", actor=w.VIKTOR),
        w.after(w.small_world(), *VIKTOR_BOUND),
        "Viktor is in no condition for that.",
    ),
    (
        "contradicts_fact",
        w.attempt("ask", w.VIKTOR),
        w.after(w.small_world(), o.AddFact(fact=DEAD)),
        "What is known of Viktor speaks against that.",
    ),
    (
        "not_allowed_now",
        w.attempt("search"),
        w.after(w.small_world(), o.BeginSituation(situation_id="blackout")),
        "That cannot be done as things stand.",
    ),
    ("no_such_exit", w.go(w.BAR), w.small_world(), "No way leads from here to the Neon Dragon."),
    ("no_such_exit", w.attempt("go"), w.small_world(), "No way leads from here to such a place."),
    ("door_locked", w.go(w.ALLEY), w.small_world(), "The steel door is locked."),
    ("nobody_to_ask", w.attempt("ask"), w.small_world(), "It is not clear whom to ask."),
    ("object_not_found", w.attempt("ask", "town:ghost"), w.small_world(), "Nothing like that is here."),
    ("not_a_person", w.attempt("ask", w.COIN), w.small_world(), "The coin is nobody to deal with."),
    ("object_not_found", w.attempt("ask", w.UNIT), w.small_world(), "The comm unit is not to be found here."),
    ("not_to_oneself", w.attempt("ask", w.JO), w.small_world(), "That cannot be done to oneself."),
    ("nobody_named", w.attempt("persuade"), w.small_world(), "It is not clear who is meant."),
    ("nobody_named", w.attempt("give", item_id=w.CARD), w.small_world(), "It is not clear who is meant."),
    ("object_not_found", w.attempt("give", w.VIKTOR), w.small_world(), "Viktor is not to be found here."),
    ("not_in_inventory", w.attempt("give", w.VIKTOR, item_id=w.COIN), w.small_world(), "You do not have the coin."),
    (
        "not_in_inventory",
        w.attempt("attack", w.VIKTOR, item_id=w.KEY),
        w.small_world(),
        "You do not have the steel key.",
    ),
    ("not_in_inventory", w.attempt("use", w.DOOR, item_id=w.KEY), w.small_world(), "You do not have the steel key."),
    ("not_in_inventory", w.attempt("drop", w.COIN), w.small_world(), "You do not have the coin."),
    ("object_not_found", w.attempt("drop"), w.small_world(), "Nothing like that is here."),
    ("object_not_found", w.attempt("use"), w.small_world(), "Nothing like that is here."),
    ("not_openable", w.attempt("open", w.COIN), w.small_world(), "The coin is nothing that opens, shuts or locks."),
    ("object_not_found", w.attempt("open"), w.small_world(), "Nothing like that is here."),
    ("door_locked", w.attempt("open", w.DOOR), w.small_world(), "The steel door is locked."),
    ("door_locked", w.attempt("sneak", to=w.ALLEY), w.small_world(), "The steel door is locked."),
    ("door_closed", w.go(w.ALLEY), SHUT, "The steel door is shut; it has to be opened first."),
    ("door_bolted", w.go(w.ALLEY), BOLTED, "The steel door is bolted on its other side."),
    ("door_bolted", w.attempt("open", w.DOOR), BOLTED, "The steel door is bolted on its other side."),
    ("door_bolted", w.attempt("unlock", w.DOOR), BOLTED, "The steel door is bolted on its other side."),
    ("already_open", w.attempt("open", w.DOOR), OPEN, "The steel door is open already."),
    ("already_closed", w.attempt("close", w.DOOR), w.small_world(), "The steel door is shut already."),
    ("already_locked", w.attempt("lock", w.DOOR), w.small_world(), "The steel door is locked already."),
    ("nothing_to_unlock", w.attempt("unlock", w.DOOR), OPEN, "The steel door is not locked."),
    ("no_key", w.attempt("unlock", w.DOOR), w.small_world(), "You have no key to the steel door."),
    ("no_key", w.attempt("lock", w.DOOR), OPEN, "You have no key to the steel door."),
    (
        "wrong_key",
        w.attempt("unlock", w.DOOR, item_id=w.CARD),
        w.small_world(),
        "The business card does not fit the steel door.",
    ),
    ("no_lock", w.attempt("lock", w.DOOR), w.small_world(doors={w.DOOR: Door()}), "The steel door has no lock."),
    ("no_lock", w.attempt("lock", w.DOOR), UNBOLTED, "The steel door has no lock on this side."),
    ("not_present", w.attempt("ask", w.CHEN), w.small_world(), "Agent Chen is not here."),
    ("cannot_take_person", w.attempt("take", w.VIKTOR), w.small_world(), "Viktor cannot be taken."),
    ("not_takeable", w.attempt("take", w.DOOR), w.small_world(), "The steel door cannot be taken."),
    ("not_takeable", w.attempt("take", w.BAR), w.small_world(), "The Neon Dragon cannot be taken."),
    ("object_not_found", w.attempt("look", detail="gun", detail_is="absent"), w.small_world(), NOTHING_LIKE_IT),
    (
        "object_not_found",
        w.attempt("search", detail="in the gun", detail_is="absent"),
        w.small_world(),
        NOTHING_LIKE_IT,
    ),
    (
        "object_not_found",
        w.attempt("attempt", verb="load", detail="gun", detail_is="absent"),
        w.small_world(),
        NOTHING_LIKE_IT,
    ),
    (
        "only_scenery",
        w.attempt("attempt", verb="take", detail="bucket", detail_is="scenery"),
        w.small_world(),
        "That is there to be looked at, and for nothing more.",
    ),
    ("object_not_found", w.attempt("take"), w.small_world(), "Nothing like that is here."),
    (
        "object_not_found",
        w.attempt("take", w.UNIT),
        w.small_world(),
        "The comm unit is not to be found here.",
    ),
    ("object_not_found", w.attempt("take", w.KEY), w.small_world(), "The steel key is not to be found here."),
    ("already_carried", w.attempt("take", w.CARD), w.small_world(), "You carry the business card already."),
    (
        "object_not_found",
        w.attempt("look", w.UNIT),
        w.small_world(),
        "The comm unit is not to be found here.",
    ),
    ("not_present", w.attempt("look", w.CHEN), w.small_world(), "Agent Chen is not here."),
    ("not_present", w.attempt("persuade", w.CHEN), w.small_world(), "Agent Chen is not here."),
    (
        "object_not_found",
        w.attempt("persuade", w.UNIT),
        w.small_world(),
        "The comm unit is not to be found here.",
    ),
]

# What one of the cast cannot do in their own round.
OF_THE_CAST: list[tuple[ReasonCode, Attempt, WorldState, str]] = [
    (
        "not_known",
        w.attempt("tell", w.JO, actor=w.MARA, items=[w.PIER_9], topic="pier"),
        w.small_world(),
        "Mara does not know that.",
    ),
    (
        "kept_back",
        w.attempt("tell", w.JO, actor=w.VIKTOR, items=[w.DEBT], topic="debt"),
        w.small_world(),
        "Viktor keeps that back.",
    ),
]

# What a turn's second action comes to when the first one fails, or ends the story.
IN_A_ROW: list[tuple[ReasonCode, tuple[Attempt, ...]]] = [
    ("depends_on_failed", (w.go(w.ALLEY), w.attempt("ask", w.CHEN))),
]


SHAPED = w.small_world(
    ruleset=RulesetState(
        stat_schema={},
        scene_schema={
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "left": {"type": "integer", "maximum": 7},
                "mood": {"type": "string"},
                "notes": {"type": "array", "items": {"type": "string"}},
            },
        },
        stats={},
        scene={"left": 7, "mood": "calm", "notes": []},
    )
)
FACT = Fact(id="f", subject_id=w.VIKTOR, predicate="dead")
# One op for each code that `apply` refuses with, on the small world or on one that a ruleset shapes.
REFUSED: list[tuple[str, o.StateOp, WorldState]] = [
    ("unknown_entity", o.Move(entity_id="town:nobody", to=w.BAR), w.small_world()),
    ("unknown_place", o.Move(entity_id=w.JO, to=w.VIKTOR), w.small_world()),
    ("unknown_item", o.ChangeInventory(owner_id=w.JO, item_id="town:sword", delta=1), w.small_world()),
    ("unknown_clock", o.TickClock(clock_id="tide", delta=1), w.small_world()),
    ("unknown_thread", o.UpdateThread(thread_id="x", status="open"), w.small_world()),
    ("unknown_fact", o.UpdateFact(fact_id="f", object=1), w.small_world()),
    ("unknown_door", o.SetDoor(door_id=w.KEY, locked=True), w.small_world()),
    ("door_locked", o.SwingDoor(door_id=w.DOOR, open=True), w.small_world()),
    ("not_enough", o.ChangeInventory(owner_id=w.BAR, item_id=w.COIN, delta=-4), w.small_world()),
    ("same_entity", o.ChangeRelation(a=w.JO, b=w.JO, trust=1), w.small_world()),
    ("already_exists", o.AddFact(fact=FACT), w.after(w.small_world(), o.AddFact(fact=FACT))),
    ("id_taken", o.RenameIds(ids={w.JO: w.MARA}), w.small_world()),
    ("unknown_relationship", o.EndRelationship(a=w.JO, b=w.MARA, rel_type="sister"), w.small_world()),
    ("unknown_state", o.ClearCharacterState(who=w.JO, name="fear"), w.small_world()),
    ("unknown_condition", o.RemoveCondition(who=w.JO, condition="bound"), w.small_world()),
    ("unknown_threat", o.EndThreat(threat_id="raid"), w.small_world()),
    ("unknown_situation", o.EndSituation(situation_id="blackout"), w.small_world()),
    ("no_turn_order", o.PassTurn(), w.small_world()),
    ("no_persona", o.PlayAs(who=w.VIKTOR), w.small_world()),
    ("already_ended", o.EndCampaign(ending_id="raided"), ENDED),
    ("no_ruleset_state", o.SetPath(path="left", value=1), w.small_world()),
    ("unknown_character", o.SetPath(path="nerve", of=w.JO, value=1), SHAPED),
    ("unknown_path", o.SetPath(path="right", value=1), SHAPED),
    ("not_a_number", o.Increment(path="mood", value=1), SHAPED),
    ("not_a_list", o.AppendTo(path="left", value=1), SHAPED),
    ("not_there", o.RemoveFrom(path="notes", value="x"), SHAPED),
    ("breaks_schema", o.SetPath(path="left", value=8), SHAPED),
]


@pytest.mark.parametrize(("reason", "tried", "state", "message"), BLOCKED)
def test_an_impossible_attempt_gets_its_reason_and_a_plain_sentence(
    reason: ReasonCode, tried: Attempt, state: WorldState, message: str
) -> None:
    (result,) = validate((tried,), state, RULES).results
    assert (result.success, result.reason, result.message) == (False, reason, message)


@pytest.mark.parametrize(("reason", "tried", "state", "message"), BLOCKED)
def test_what_is_impossible_is_told_as_a_failure_and_changes_nothing(
    reason: ReasonCode, tried: Attempt, state: WorldState, message: str
) -> None:
    resolution = w.play(tried, state=state, rules=RULES)
    assert [(one.code, one.reason) for one in resolution.outcomes] == [("blocked", reason)]
    assert resolution.events == (ActionBlocked(action=0, reason=reason),)
    assert resolution.ops == ()


@pytest.mark.parametrize(("reason", "turn"), IN_A_ROW)
def test_a_reason_of_a_turn_with_several_actions(reason: ReasonCode, turn: tuple[Attempt, ...]) -> None:
    state, rules = w.small_world(), w.campaign_rules()
    judged = validate(turn, state, rules)
    assert judged.results[-1].reason == reason
    assert resolve(turn, judged, state, rules, w.SteadyDice(7)).outcomes[-1].reason == reason


@pytest.mark.parametrize(("reason", "tried", "state", "message"), OF_THE_CAST)
def test_a_reason_why_one_of_the_cast_cannot(
    reason: ReasonCode, tried: Attempt, state: WorldState, message: str
) -> None:
    acting = tried.action.actor_id
    judged = validate((tried,), state, RULES, acting=acting)
    assert [(one.reason, one.message) for one in judged.results] == [(reason, message)]
    resolution = resolve((tried,), judged, state, RULES, w.SteadyDice(7), acting=acting)
    assert ([one.reason for one in resolution.outcomes], resolution.ops) == ([reason], ())


def test_every_reason_is_met_in_these_tests() -> None:
    assert {reason for reason, *_ in (*BLOCKED, *OF_THE_CAST, *IN_A_ROW)} == set(get_args(ReasonCode))


def test_messages_hold_no_ids() -> None:
    assert all("town:" not in message for *_, message in (*BLOCKED, *OF_THE_CAST))


@pytest.mark.parametrize("reason", get_args(ReasonCode))
def test_the_narrator_has_three_sentences_for_every_reason(reason: str) -> None:
    assert len(grammar().get(f"blocked.{reason}", ())) >= 3


def explained(heading: str) -> list[str]:
    """The codes that a section of the page explains, in its order."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([a-z_]+)` \|", section, flags=re.MULTILINE)


def refusals_in_code() -> Iterator[str]:
    """The strings that functions of the world hand back in place of a state."""
    for path in sorted(Path(world.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and _may_refuse(node):
                for one in ast.walk(node):
                    yield from _returned(one.value) if isinstance(one, ast.Return) else ()


def _may_refuse(function: ast.FunctionDef) -> bool:
    written = "" if function.returns is None else ast.unparse(function.returns)
    return " | str" in written or "str | " in written


def _returned(value: ast.expr | None) -> Iterator[str]:
    match value:
        case ast.Constant(value=str(code)):
            yield code
        case ast.IfExp():
            yield from (*_returned(value.body), *_returned(value.orelse))
        case ast.BoolOp():
            yield from (code for one in value.values for code in _returned(one))
        case _:
            pass


@pytest.mark.parametrize(("reason", "op", "state"), REFUSED)
def test_an_op_that_does_not_fit_is_refused_and_leaves_the_state_as_it_was(
    reason: str, op: o.StateOp, state: WorldState
) -> None:
    applied = apply(state, (o.AdvanceTime(minutes=5), op))
    assert applied.refusal is not None
    assert (applied.refusal.index, applied.refusal.reason) == (1, reason)
    assert applied.state is state


def test_every_refusal_is_met_in_these_tests() -> None:
    assert {reason for reason, *_ in REFUSED} == set(refusals_in_code())


def test_the_page_explains_every_reason_in_its_order_and_none_that_there_is_not() -> None:
    assert explained("Reasons of an attempt") == list(REASON_CODES)


def test_the_page_explains_every_refusal_of_an_op_and_none_that_there_is_not() -> None:
    in_code = set(refusals_in_code())
    assert {"unknown_clock", "breaks_schema", "same_entity"} <= in_code
    assert sorted(explained("Refusals of an op")) == sorted(in_code)
