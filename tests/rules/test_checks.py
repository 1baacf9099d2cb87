"""Checks that an action's type brings along: what each band means where no rule of the scenario speaks."""

from __future__ import annotations

import pytest

from lorewright.rules.actions import Attempt
from lorewright.rules.dice import FixedDice
from lorewright.rules.patch import Resolution
from lorewright.world import ops as o
from lorewright.world.state import Clock, WorldState
from support import small_world as w

PERSUADE = w.attempt("persuade", w.VIKTOR, topic="jin", items=[w.PIER_9, w.GOSSIP])
THREATEN = w.attempt("threaten", w.VIKTOR)
ATTACK = w.attempt("attack", w.VIKTOR)
SNEAK = w.attempt("sneak", to=w.PIER)
POLISH = w.attempt("attempt", w.COIN, verb="polish", trait="hands")
RISKY = [PERSUADE, THREATEN, ATTACK, SNEAK, POLISH, w.attempt("attempt", w.MARA, verb="hug", trait="charm")]
QUIET = w.small_world(clocks={w.DOOM: Clock(id=w.DOOM, name="Doom", max=4)})


def tried(attempt: Attempt, total: int, state: WorldState | None = None, **fields: object) -> Resolution:
    return w.play(attempt, state=state, rules=w.freeform_rules(**fields), dice=w.SteadyDice(total))


def after(attempt: Attempt, total: int, state: WorldState | None = None) -> WorldState:
    return w.after(state or w.small_world(), *tried(attempt, total, state).ops)


@pytest.mark.parametrize("attempt", RISKY)
@pytest.mark.parametrize("state", [w.small_world(), QUIET])
def test_a_failure_always_changes_something_beside_the_time(attempt: Attempt, state: WorldState) -> None:
    resolution = tried(attempt, 4, state)
    changes = [op for op in resolution.ops if not isinstance(op, o.AdvanceTime)]
    lost = [event for event in resolution.events if event.type == "time_lost"]
    assert changes or lost
    assert resolution.outcomes[0].band == "fail"


@pytest.mark.parametrize("attempt", RISKY)
def test_what_comes_off_at_a_price_ticks_the_clock_of_what_goes_wrong(attempt: Attempt) -> None:
    own = w.freeform_rules().ruleset.row(attempt.action.type).costs.get("heat", 0)
    assert after(attempt, 8).clocks[w.HEAT].value == own + 1


def test_without_such_a_clock_the_price_is_somebodys_regard_and_without_anybody_time() -> None:
    assert after(POLISH, 8, QUIET).relations[f"{w.JO}|{w.MARA}"].tension == 1
    alone = w.after(QUIET, o.Move(entity_id=w.VIKTOR, to=w.PIER), o.Move(entity_id=w.MARA, to=w.PIER))
    assert [event.type for event in tried(POLISH, 8, alone).events][-1] == "time_lost"
    assert after(POLISH, 8, alone).minutes == 8


def test_a_clock_that_the_scenario_marks_is_the_price() -> None:
    clocks = {
        w.HEAT: Clock(id=w.HEAT, name="Heat", max=6),
        w.DOOM: Clock(id=w.DOOM, name="Doom", max=4, tags=("cost",)),
    }
    state = w.small_world(clocks=clocks)
    assert after(POLISH, 8, state).clocks[w.DOOM].value == 1


def test_a_critical_wins_more_they_know_or_a_step_of_regard() -> None:
    assert tried(PERSUADE, 12).outcomes[0].item_ids == (w.PIER_9, w.GOSSIP)
    bare = w.attempt("persuade", w.VIKTOR)
    assert after(bare, 12).relations[f"{w.JO}|{w.VIKTOR}"].trust == 1


def test_a_critical_deed_takes_back_some_of_what_went_wrong() -> None:
    hot = w.after(w.small_world(), o.TickClock(clock_id=w.HEAT, delta=3))
    assert after(POLISH, 12, hot).clocks[w.HEAT].value == 2


def test_a_critical_with_nothing_more_to_win_takes_no_time() -> None:
    assert after(POLISH, 10).minutes == 3
    assert after(POLISH, 12).minutes == 0
    assert after(SNEAK, 12).minutes == 5


def test_a_rule_may_be_about_several_acts() -> None:
    rules = w.freeform_rules({"on": {"act": ["ask", "persuade"], "target": w.VIKTOR}, "success": [{"clock": w.DOOM}]})
    for kind in ("ask", "persuade"):
        state = w.after(w.small_world(), *w.play(w.attempt(kind, w.VIKTOR), rules=rules).ops)
        assert state.clocks[w.DOOM].value == 1


@pytest.mark.parametrize("total", [4, 8, 10, 12])
def test_an_attack_costs_regard_and_never_kills(total: int) -> None:
    state = after(ATTACK, total)
    assert state.relations[f"{w.JO}|{w.VIKTOR}"].tension >= 1
    assert w.VIKTOR in state.present_npcs()
    assert (f"{w.VIKTOR}.beaten_by" in state.facts) == (total > 6)


def test_sneaking_gets_there_unless_it_fails() -> None:
    assert after(SNEAK, 10).scene.location_id == w.PIER
    assert after(SNEAK, 4).scene.location_id == w.BAR
    assert tried(SNEAK, 10).outcomes[0].minutes == 6


def test_what_a_rule_says_of_a_way_holds_for_whoever_sneaks_along_it() -> None:
    rules = w.freeform_rules({"on": {"act": "go"}, "success": [{"clock": w.DOOM}]})
    state = w.after(w.small_world(), *w.play(SNEAK, rules=rules, dice=w.SteadyDice(10)).ops)
    assert (state.scene.location_id, state.clocks[w.DOOM].value) == (w.PIER, 1)


def test_the_trait_is_that_of_the_verb_before_that_of_the_type() -> None:
    charming = w.attempt("attempt", w.MARA, verb="hug", trait="charm")
    for attempt, modifier in ((charming, 1), (POLISH, 0), (PERSUADE, 1), (ATTACK, 0)):
        resolution = w.play(attempt, rules=w.freeform_rules(), dice=FixedDice([10]))
        assert resolution.rolls[0].modifier == modifier


def test_a_rule_of_the_scenario_speaks_in_place_of_the_check() -> None:
    rules = w.freeform_rules({"on": {"act": "attack"}, "success": [{"clock": w.DOOM}], "say": {"success": "He bows."}})
    resolution = w.play(ATTACK, rules=rules)
    assert (resolution.rolls, resolution.outcomes[0].say) == ((), ("He bows.",))


def test_a_threat_that_goes_well_wins_nobody_over() -> None:
    resolution = tried(THREATEN, 12)
    gained = [op for op in resolution.ops if isinstance(op, o.ChangeRelation) and op.trust > 0]
    assert resolution.outcomes[0].band == "critical" and gained == []
    won = tried(w.attempt("persuade", w.VIKTOR), 12)
    assert [op.trust for op in won.ops if isinstance(op, o.ChangeRelation)] == [1]
