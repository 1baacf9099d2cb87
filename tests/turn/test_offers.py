"""Suggestions hold to what a ruleset has actions for, and offer what it has of its own."""

from __future__ import annotations

from lorewright.rules.conditions import PathIs
from lorewright.rules.effects import PathEffect
from lorewright.rules.rulesets import ActionType, CampaignRules, Need, Ruleset
from lorewright.turn.run.dry_run import DryRun
from lorewright.turn.run.suggestions import suggest
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.turn.views.scope import own_offers
from lorewright.world.ruleset_state import RulesetState
from lorewright.world.state import WorldState
from support import small_world as w

POLISH = ActionType(
    summary="Polish it",
    verbs=("polish", "rub"),
    needs=(Need(when=PathIs.model_validate({"path": "$target", "is": "dull"}), say="That shines."),),
)
BOW = ActionType(summary="Bow", verbs=("bow",))


def with_types(*left_out: str, **own: ActionType) -> Ruleset:
    shipped = w.ruleset()
    kept = {kind: one for kind, one in shipped.actions.items() if kind not in left_out}
    return shipped.model_copy(update={"actions": {**kept, **own}})


def things(**shine: str) -> WorldState:
    held = RulesetState(stat_schema={}, scene_schema={"type": "object"}, stats={}, scene=shine)
    return w.small_world(ruleset=held, inventory={w.BAR: {w.COIN: 1, w.UNIT: 1, w.CARD: 1}})


def test_own_types_are_offered_with_what_nothing_stands_against() -> None:
    state = things(coin="dull", unit="bright", card="dull")
    assert own_offers(state, with_types(polish=POLISH, bow=BOW), limit=3) == (
        "polish the business card",
        "polish the coin",
    )


def test_a_type_whose_effect_is_about_its_target_is_offered_too() -> None:
    mark = ActionType(
        summary="Mark", verbs=("mark",), effects={"success": (PathEffect(op="set", path="$target", value="x"),)}
    )
    assert len(own_offers(things(), with_types(mark=mark), limit=2)) == 2


def test_what_is_offered_turns_with_the_time() -> None:
    state = things(coin="dull", unit="dull", card="dull")
    ruleset = with_types(polish=POLISH)
    first = [own_offers(state.model_copy(update={"minutes": n}), ruleset, limit=1)[0] for n in range(3)]
    assert len(set(first)) == 3


def suggested(ruleset: Ruleset, **shine: str) -> tuple[str, ...]:
    state = things(**shine)
    return suggest(DryRun(CampaignRules(ruleset=ruleset), ()), Acquaintance(state, ()), ())


def test_nothing_is_suggested_that_the_ruleset_has_no_action_for() -> None:
    assert {line.split()[0] for line in suggested(w.ruleset(), coin="dull")} == {"take", "go"}
    assert {line.split()[0] for line in suggested(with_types("go"), coin="dull")} == {"take"}
    assert suggested(with_types("ask", "go", "take", polish=POLISH), coin="dull") == ("polish the coin",)
