"""What follows from an attempt beside its outcome: tiers, rows of failures, people who go further, threats, inquiries."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.rules.patch import Resolution
from lorewright.rules.rulesets import CampaignRules
from lorewright.world import ops as o
from lorewright.world.events import ConsequenceEnacted, Escalated
from lorewright.world.state import Clock, Thread, WorldState
from support import small_world as w

FAIL, MIXED, SUCCESS = 3, 8, 10
ATTACK = w.attempt("attack", w.VIKTOR)
PERSUADE = w.attempt("persuade", w.VIKTOR)
QUIET = {"streak": None, "escalation": {}}


def rules(*written: dict[str, Any], ruleset: dict[str, Any] | None = None, **fields: Any) -> CampaignRules:
    """Freeform with some of its parts otherwise."""
    shipped = w.freeform_rules(*written, **fields)
    changed = {**shipped.ruleset.model_dump(mode="json", by_alias=True), **(ruleset or {})}
    return CampaignRules.model_validate({**shipped.model_dump(mode="json", by_alias=True), "ruleset": changed})


def tried(*attempts: Any, total: int = SUCCESS, state: WorldState | None = None, by: CampaignRules) -> Resolution:
    return w.play(*attempts, state=state, rules=by, dice=w.SteadyDice(total))


def after(resolution: Resolution, state: WorldState | None = None) -> WorldState:
    return w.after(state or w.small_world(), *resolution.ops)


def tiers(resolution: Resolution) -> list[int]:
    return [event.tier for event in resolution.events if isinstance(event, ConsequenceEnacted)]


# Tiers.


@pytest.mark.parametrize("risk", ["safe", "risky", "dangerous"])
@pytest.mark.parametrize("total", [MIXED, FAIL])
def test_the_tier_of_a_check_decides_how_much_follows(risk: str, total: int) -> None:
    check = {"summary": "attempt", "minutes": 3, "check": {"risk": risk}}
    actions = {**rules().ruleset.model_dump(mode="json", by_alias=True)["actions"], "attempt": check}
    found = tried(w.attempt("attempt", w.COIN), total=total, by=rules(ruleset={**QUIET, "actions": actions}))
    state = after(found)
    assert tiers(found) == [{"safe": 0, "risky": 1, "dangerous": 2}[risk]]
    assert state.minutes == (8 if risk == "safe" else 3)
    assert state.clocks[w.HEAT].value == (0 if risk == "safe" else 1)
    hurt = risk == "dangerous" and total == FAIL
    assert state.conditions_of(w.JO) == (("wounded",) if hurt else ())


def test_where_a_clock_counts_harm_that_is_what_a_dangerous_fail_ticks() -> None:
    state = w.small_world(clocks={"harm": Clock(id="harm", name="Harm", max=4)})
    found = tried(ATTACK, total=FAIL, state=state, by=rules(ruleset=QUIET))
    # One for the attempt, which costs that whatever comes of it, and one for the fail.
    assert after(found, state).clocks["harm"].value == 2
    assert after(found, state).conditions_of(w.JO) == ()


def test_whoever_is_wounded_is_not_wounded_twice() -> None:
    state = w.after(w.small_world(), o.AddCondition(who=w.JO, condition="wounded"))
    found = tried(ATTACK, total=FAIL, state=state, by=rules(ruleset=QUIET))
    assert after(found, state).conditions_of(w.JO) == ("wounded",)


def test_a_condition_weighs_on_the_dice() -> None:
    by = rules(ruleset={"conditions": {"wounded": {"modifier": -2}}, "situations": {"rain": {"modifier": -1}}})
    state = w.after(
        w.small_world(), o.AddCondition(who=w.JO, condition="wounded"), o.BeginSituation(situation_id="rain")
    )
    plain, hindered = (tried(PERSUADE, state=one, by=by).rolls[0].modifier for one in (w.small_world(), state))
    assert hindered == plain - 3


# Rows of failures.


def test_failures_in_a_row_are_counted_and_a_success_ends_the_row() -> None:
    by = rules()
    once = after(tried(PERSUADE, total=FAIL, by=by))
    assert once.streaks == {w.JO: 1}
    assert after(tried(PERSUADE, total=MIXED, state=once, by=by), once).streaks == {}


def test_the_third_failure_in_a_row_brings_what_binds_and_begins_a_new_row() -> None:
    state = w.after(w.small_world(), o.SetStreak(who=w.JO, failures=2))
    found = tried(PERSUADE, total=FAIL, state=state, by=rules())
    assert "streak_broke" in w.event_types(found)
    assert after(found, state).streaks == {}
    assert after(found, state).clocks[w.HEAT].value == 1
    assert found.outcomes[0].then == ("It has gone wrong once too often, and now it shows.",)


def test_the_consequence_binds_though_a_rule_of_the_scenario_says_what_a_failure_brings() -> None:
    rule = {"on": {"act": "persuade"}, "check": {"add": "charm"}, "fail": [{"clock": w.DOOM, "by": 1}]}
    state = w.after(w.small_world(), o.SetStreak(who=w.JO, failures=2))
    found = after(tried(PERSUADE, total=FAIL, state=state, by=rules(rule)), state)
    assert (found.clocks[w.DOOM].value, found.clocks[w.HEAT].value) == (1, 1)


def test_what_is_not_rolled_for_neither_lengthens_nor_ends_the_row() -> None:
    state = w.after(w.small_world(), o.SetStreak(who=w.JO, failures=1))
    assert after(tried(w.attempt("look"), state=state, by=rules()), state).streaks == {w.JO: 1}


# How far people go.


def test_whoever_is_attacked_goes_from_soft_to_hard_to_lethal_and_no_further() -> None:
    state, steps = w.small_world(), []
    for _ in range(4):
        found = tried(ATTACK, state=state, by=rules())
        state = after(found, state)
        steps += [event.after for event in found.events if isinstance(event, Escalated)]
    assert steps == ["soft", "hard", "lethal"]
    assert state.escalation == {w.VIKTOR: 3}
    assert "wounded" in state.conditions_of(w.JO)


def test_a_profile_of_the_scenario_goes_before_that_of_the_ruleset() -> None:
    profile = {"hard": {"effects": [{"depart": w.VIKTOR, "to": w.PIER}], "say": "Viktor has had enough."}}
    found = tried(ATTACK, by=rules(escalation={w.VIKTOR: profile}))
    state = after(found)
    assert (state.escalation, state.positions[w.VIKTOR]) == ({w.VIKTOR: 2}, w.PIER)
    assert found.outcomes[0].then == ("Viktor has had enough.",)


def test_a_threat_that_works_provokes_nobody_and_one_that_fails_does() -> None:
    threaten = w.attempt("threaten", w.VIKTOR)
    levels = [after(tried(threaten, total=total, by=rules())).escalation for total in (SUCCESS, FAIL)]
    assert levels == [{}, {w.VIKTOR: 1}]


def test_whoever_was_driven_out_by_it_goes_no_further() -> None:
    rule = {"on": {"act": "attack"}, "success": [{"depart": w.VIKTOR, "to": w.PIER}]}
    assert after(tried(ATTACK, by=rules(rule))).escalation == {}


def test_an_author_may_have_somebody_leave_off() -> None:
    rule = {"on": {"act": "wait"}, "success": [{"escalate": w.VIKTOR, "step": "none"}]}
    state = w.after(w.small_world(), o.Escalate(who=w.VIKTOR, to=2))
    assert after(tried(w.attempt("wait"), state=state, by=rules(rule)), state).escalation == {}


# Threats and circumstances.

GANG = {
    "title": "They are looking for you",
    "effects": [{"arrive": w.CHEN}],
    "say": "Chen has found you.",
    "unless": {"at": w.PIER},
    "averted": "You are gone before they come.",
}


def threatened(minutes: int) -> WorldState:
    return w.after(w.small_world(), o.Announce(threat_id="gang", minutes=minutes))


def test_a_threat_comes_to_pass_when_it_is_due_and_not_before() -> None:
    by = rules(threats={"gang": GANG})
    early = tried(w.attempt("ask", w.MARA), state=threatened(10), by=by)
    assert after(early, threatened(10)).threats.keys() == {"gang"}
    due = tried(w.attempt("wait"), state=threatened(10), by=by)
    assert w.CHEN in after(due, threatened(10)).present_npcs()
    assert (due.outcomes[0].then, after(due, threatened(10)).threats) == (("Chen has found you.",), {})
    assert "threat_came" in w.event_types(due)


def test_a_threat_is_averted_by_what_averts_it() -> None:
    found = tried(w.go(w.PIER), state=threatened(2), by=rules(threats={"gang": GANG}))
    state = after(found, threatened(2))
    assert (state.threats, w.CHEN in state.present_npcs()) == ({}, False)
    assert found.outcomes[0].then == ("You are gone before they come.",)


def test_a_threat_that_is_announced_again_keeps_its_time() -> None:
    rule = {"on": {"act": "look"}, "success": [{"announce": "gang", "minutes": 90}]}
    found = tried(w.attempt("look"), state=threatened(10), by=rules(rule, threats={"gang": GANG}))
    assert after(found, threatened(10)).threats["gang"].due == 10
    assert "effect_refused" not in w.event_types(found)


def test_threats_that_announce_each_other_come_to_an_end() -> None:
    first = {"title": "a", "effects": [{"announce": "b", "minutes": 0}]}
    second = {"title": "b", "effects": [{"announce": "a", "minutes": 0}]}
    state = w.after(w.small_world(), o.Announce(threat_id="a", minutes=0))
    found = tried(w.attempt("wait"), state=state, by=rules(threats={"a": first, "b": second}))
    assert 1 < w.event_types(found).count("threat_came") <= 20


def test_a_circumstance_ends_when_its_time_is_over() -> None:
    rule = {"on": {"act": "look"}, "success": [{"situation": "rain", "minutes": 10}]}
    begun = after(tried(w.attempt("look"), by=rules(rule)))
    assert begun.situations["rain"].until == 10
    found = tried(w.attempt("wait"), state=begun, by=rules(rule))
    assert after(found, begun).situations == {}
    assert "situation_ended" in w.event_types(found)


# Inquiries.


def looked_into(**changed: Any) -> WorldState:
    return w.small_world(threads={w.JIN: Thread(id=w.JIN, title="Where is Jin?", needed=2, **changed)})


INQUIRY = {"clues": [w.PIER_9, w.LEDGER], "needed": 2, "effects": [{"thread": w.JIN, "status": "solved"}], "say": "So."}


def test_each_clue_is_a_step_and_the_last_one_bears_the_fruit() -> None:
    by = rules(inquiries={w.JIN: INQUIRY})
    state = looked_into()
    one = after(tried(w.attempt("ask", w.VIKTOR, items=[w.PIER_9]), state=state, by=by), state)
    assert (one.threads[w.JIN].progress, one.threads[w.JIN].status) == (1, "open")
    found = tried(w.attempt("search", items=[w.LEDGER]), state=one, by=by)
    two = after(found, one)
    assert (two.threads[w.JIN].progress, two.threads[w.JIN].status) == (2, "solved")
    assert found.outcomes[0].then == ("So.",)
    scopes = {event.type: event.scope for event in found.events}
    assert (scopes["thread_changed"], scopes["progress_made"]) == ("world_affecting", "campaign")


def test_what_is_learned_again_is_no_step() -> None:
    by = rules(inquiries={w.JIN: INQUIRY})
    state = looked_into()
    ask = w.attempt("ask", w.VIKTOR, items=[w.PIER_9])
    one = after(tried(ask, state=state, by=by), state)
    assert after(tried(ask, state=one, by=by), one).threads[w.JIN].progress == 1


def test_an_effect_may_bring_an_inquiry_to_its_end_as_well() -> None:
    rule = {"on": {"act": "look"}, "success": [{"progress": w.JIN, "by": 5}]}
    state = looked_into()
    found = after(tried(w.attempt("look"), state=state, by=rules(rule, inquiries={w.JIN: INQUIRY})), state)
    assert (found.threads[w.JIN].progress, found.threads[w.JIN].status) == (2, "solved")


def test_clocks_that_a_threat_moves_reach_their_thresholds() -> None:
    threat = {"title": "rain", "effects": [{"clock": w.HEAT, "by": 2}]}
    by = rules(threats={"rain": threat}, clock_effects={w.HEAT: {2: [{"arrive": w.CHEN}]}})
    state = w.after(w.small_world(), o.Announce(threat_id="rain", minutes=1))
    assert w.CHEN in after(tried(w.attempt("wait"), state=state, by=by), state).present_npcs()


# What comes over one is told.


def test_what_comes_over_the_player_is_told_when_it_comes_and_not_again() -> None:
    rule = {
        "on": {"act": "look"},
        "success": [{"condition": "bound"}, {"situation": "rain"}, {"announce": "gang", "minutes": 9}],
    }
    by = rules(rule, threats={"gang": GANG}, ruleset={"situations": {"rain": {"say": "It begins to rain."}}})
    found = tried(w.attempt("look"), by=by)
    assert found.outcomes[0].then == ("You can hardly move.", "It begins to rain.", "They are looking for you")
    state = after(found)
    assert tried(w.attempt("look"), state=state, by=by).outcomes[0].then == ()


def test_what_others_are_in_is_not_told_as_ones_own() -> None:
    rule = {"on": {"act": "look"}, "success": [{"condition": "bound", "of": w.MARA}]}
    assert tried(w.attempt("look"), by=rules(rule)).outcomes[0].then == ()
