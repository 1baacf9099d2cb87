"""The form of an act, the kind that the interpreter took it for: any action may have one, and nothing depends on it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lorewright.builtin.parser.acts.kinds import kinds
from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.rules.actions import Action
from lorewright.rules.dice import SeededDice
from lorewright.rules.resolve import play_out
from lorewright.rules.validate import validate
from lorewright.rules.verbs import verbs
from lorewright.turn.run.submitted import UNKNOWN, reading_of
from lorewright.values.scope import Named, Scope
from support import small_world as w

TENSE, _ = load_ruleset("everyday-tension")
RULES = (w.freeform_rules(), w.campaign_rules(ruleset=TENSE))


@pytest.mark.parametrize("kind", [*verbs(), "juggle"])
def test_any_action_may_have_a_form(kind: str) -> None:
    acted = w.attempt(kind, w.VIKTOR, form="joke").action
    assert acted.form == "joke"
    assert Action.model_validate_json(acted.model_dump_json()) == acted
    assert "form" not in w.attempt(kind, w.VIKTOR, form="").action.words


@pytest.mark.parametrize("said", ({"form": "joke"}, {"deed": "wait"}, {"beyond": "t:bar"}, {"if_none": True}))
def test_what_the_interpreter_alone_says_of_an_action_is_read_again_from_its_record(said: dict[str, Any]) -> None:
    for kind in verbs():
        acted = Action(actor_id="t:player", type=kind)
        acted = acted.model_copy(update={"metadata": {**acted.metadata, **said}})
        assert Action.model_validate(acted.model_dump(mode="json")) == acted


def test_an_action_without_a_form_is_written_as_before() -> None:
    assert "form" not in w.attempt("ask", w.VIKTOR, topic="the pier", form="").action.model_dump_json()
    assert '"form"' not in w.play(w.attempt("look")).outcomes[0].model_dump_json()


@pytest.mark.parametrize("form", ["Joke!", "x" * 41, 7, "a joke"])
def test_a_form_is_a_name(form: Any) -> None:
    with pytest.raises(ValidationError):
        w.attempt("ask", w.VIKTOR, form=form)


def test_an_outcome_has_the_form_of_its_action_whether_it_was_possible_or_not() -> None:
    asked, blocked = w.play(w.attempt("ask", w.VIKTOR, form="ask_way"), w.attempt("take", w.CHEN, form="take")).outcomes
    assert (asked.form, blocked.code, blocked.form) == ("ask_way", "blocked", "take")


@given(
    kind=st.sampled_from(sorted(verbs())),
    form=st.sampled_from(sorted(kinds())),
    target=st.sampled_from([None, w.VIKTOR, w.MARA, w.KEY, w.UNIT]),
    to=st.sampled_from([None, w.ALLEY]),
    seed=st.integers(0, 50),
)
def test_a_form_changes_neither_the_state_nor_the_dice(
    kind: str, form: str, target: str | None, to: str | None, seed: int
) -> None:
    for rules in RULES:
        ends = []
        for given_ in ({}, {"form": form}):
            tried, state = [w.attempt(kind, target, to=to, **given_)], w.small_world()
            patch = play_out(tried, validate(tried, state, rules), state, rules, SeededDice(seed, "state", "turn"))
            outcomes = [outcome.model_copy(update={"form": ""}) for outcome in patch.outcomes]
            ends.append((patch.state, patch.rolls, patch.ops, patch.events, outcomes))
        assert ends[0] == ends[1]


def test_what_a_program_sends_does_not_say_how_it_is_told() -> None:
    scope = Scope(place=Named(id=w.BAR, name="bar", kind="place"), player=Named(id=w.JO, name="Jo", kind="person"))
    sent = Action(actor_id=w.JO, type="wait", metadata={"form": "joke", "deed": "win"})
    (known,) = reading_of([sent], scope, {}).proposed_actions
    assert (known.form, known.deed, known.actor_id == UNKNOWN) == ("", "", False)
