"""resolve: in order, in part if need be, paid for in any case, and its ops are all that it did."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.rules.actions import Attempt
from lorewright.rules.dice import FixedDice, SeededDice
from lorewright.rules.patch import Patch, Resolution, Validation
from lorewright.rules.resolve import play_out, resolve
from lorewright.rules.validate import validate
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.events import ActionBlocked
from lorewright.world.state import WorldState
from support import small_world as w
from support import state_strategies as some
from support.scale import scaled

EFFECTS: list[dict[str, Any]] = [
    {"reveal": w.DEBT},
    {"clock": w.HEAT, "by": 2},
    {"clock": w.DOOM, "by": -1},
    {"relation": [w.VIKTOR, "you"], "trust": 1},
    {"arrive": w.CHEN},
    {"arrive": some.NOBODY},
    {"depart": w.MARA, "to": w.PIER},
    {"depart": "you", "to": w.ALLEY},
    {"give": w.KEY},
    {"lose": w.CARD},
    {"put": w.CARD, "at": w.BAR},
    {"unlock": w.DOOR},
    {"thread": w.JIN, "status": "resolved"},
    {"fact": "owes", "subject": w.VIKTOR, "object": 200},
    {"end": "raided"},
]
effect_lists = st.lists(st.sampled_from(EFFECTS), max_size=4)
kinds = st.sampled_from(["look", "go", "ask", "take", "search", "wait", "persuade"])
rules = st.builds(
    lambda written, heat, found: w.campaign_rules(
        *written,
        clock_effects={w.HEAT: {2: heat, 4: [{"clock": w.DOOM, "by": 4}]}, w.DOOM: {3: heat}},
        on_find={w.LEDGER: found},
        endings=[{"id": "late", "when": {"minutes": 60}, "say": "Late."}],
        ruleset=w.ruleset({"search": {"heat": 1, "cred": 1}, "wait": {"heat": -1}}),
    ),
    st.lists(
        st.fixed_dictionaries(
            {
                "on": st.fixed_dictionaries({"act": kinds}),
                "once": st.booleans(),
                "check": st.none() | st.just({"add": "charm"}),
                "success": effect_lists,
                "mixed": effect_lists,
                "fail": effect_lists,
            }
        ),
        max_size=3,
    ),
    effect_lists,
    effect_lists,
)
attempts = st.lists(
    st.builds(
        w.attempt,
        kinds,
        st.none() | some.ids,
        to=st.none() | some.ids,
        items=st.lists(st.sampled_from([w.PIER_9, w.GOSSIP, w.DEBT, w.LEDGER, w.STAIN]), max_size=3),
    ),
    max_size=5,
)


@settings(max_examples=scaled(15))
@given(attempts, some.states, rules)
def test_the_ops_of_a_resolution_give_its_working_copy(tried: list[Attempt], state: WorldState, campaign: Any) -> None:
    before = state.to_json()
    patch = play_out(tried, validate(tried, state, campaign), state, campaign, SeededDice(1, "h", "a"))
    applied = apply(state, patch.resolution().ops)
    assert applied.refusal is None
    assert applied.state == patch.state
    assert state.to_json() == before


@settings(max_examples=scaled(15))
@given(attempts, some.states, rules)
def test_the_same_inputs_give_the_same_resolution(tried: list[Attempt], state: WorldState, campaign: Any) -> None:
    def resolved(given_state: WorldState) -> Resolution:
        dice = SeededDice(1, given_state.content_hash(), "a")
        return resolve(tried, validate(tried, given_state, campaign), given_state, campaign, dice)

    assert resolved(state) == resolved(WorldState.model_validate_json(state.to_json()))


@settings(max_examples=scaled(15))
@given(attempts, some.states, rules)
def test_every_attempt_has_one_outcome_and_a_resolution_survives_json(
    tried: list[Attempt], state: WorldState, campaign: Any
) -> None:
    resolution = resolve(tried, validate(tried, state, campaign), state, campaign, SeededDice(1, "h", "a"))
    assert [outcome.action_index for outcome in resolution.outcomes] == list(range(len(tried)))
    assert Resolution.model_validate_json(resolution.model_dump_json()) == resolution


def test_a_blocked_attempt_changes_nothing_and_costs_nothing() -> None:
    resolution = w.play(w.go(w.ALLEY))
    (outcome,) = resolution.outcomes
    assert (outcome.code, outcome.reason, outcome.minutes) == ("blocked", "door_locked", 0)
    assert resolution.ops == ()
    assert resolution.events == (ActionBlocked(action=0, reason="door_locked"),)


def test_a_turn_may_happen_in_part() -> None:
    resolution = w.play(w.attempt("take", w.COIN), w.go(w.ALLEY), w.attempt("wait"))
    assert [outcome.code for outcome in resolution.outcomes] == ["taken", "blocked", "waited"]


def test_what_no_longer_fits_when_its_time_comes_depends_on_what_failed() -> None:
    climb = {"on": {"act": "go"}, "check": {}, "fail": [{"clock": w.HEAT}]}
    resolution = w.play(w.go(w.PIER), w.attempt("take", w.UNIT), rules=w.campaign_rules(climb), dice=FixedDice([5]))
    assert [outcome.reason for outcome in resolution.outcomes] == [None, "depends_on_failed"]
    assert resolution.outcomes[0].band == "fail"


def test_after_the_end_nothing_more_is_resolved() -> None:
    rules = w.campaign_rules({"on": {"act": "wait"}, "success": [{"end": "raided"}]})
    resolution = w.play(w.attempt("wait"), w.attempt("take", w.COIN), rules=rules)
    assert [outcome.reason for outcome in resolution.outcomes] == [None, "campaign_over"]
    assert resolution.ops[-1] == o.EndCampaign(ending_id="raided")


@pytest.mark.parametrize("clock_id", ["heat", "town:heat"])
def test_costs_fall_due_whatever_comes_of_it(clock_id: str) -> None:
    heat = w.small_world().clocks[w.HEAT].model_copy(update={"id": clock_id})
    state = w.small_world(clocks={clock_id: heat})
    rules = w.campaign_rules(
        {"on": {"act": "search"}, "check": {}}, ruleset=w.ruleset({"search": {"heat": 2, "cred": 1}})
    )
    resolution = w.play(w.attempt("search"), state=state, rules=rules, dice=FixedDice([2]))
    assert resolution.ops[:2] == (o.AdvanceTime(minutes=10), o.TickClock(clock_id=clock_id, delta=2))
    assert resolution.outcomes[0].band == "fail"


def test_a_cost_can_set_off_a_clock() -> None:
    rules = w.campaign_rules(
        ruleset=w.ruleset({"search": {"heat": 1}}), clock_effects={w.HEAT: {1: [{"arrive": w.CHEN}]}}
    )
    resolution = w.play(w.attempt("search"), rules=rules)
    assert w.event_types(resolution) == ["clock_ticked", "clock_triggered", "arrival"]


def test_a_question_to_the_player_resolves_nothing() -> None:
    asked = Validation(clarification="Which door?")
    resolution = resolve([w.attempt("wait")], asked, w.small_world(), w.campaign_rules(), FixedDice([]))
    assert resolution == Resolution()


def test_a_validation_of_other_attempts_is_an_error() -> None:
    with pytest.raises(ValueError, match="shorter"):
        resolve([w.attempt("wait")], Validation(), w.small_world(), w.campaign_rules(), FixedDice([]))


def test_an_op_of_our_own_that_does_not_fit_is_our_mistake() -> None:
    patch = Patch(w.small_world())
    with pytest.raises(RuntimeError, match="unknown_clock"):
        patch.do(o.AdvanceTime(minutes=1), o.TickClock(clock_id="no_clock", delta=1))
    assert patch.state == w.small_world()
    assert not patch.ops
