"""Waits of several steps: for a time of day, for a length of time, for something to happen."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.rules.patch import Outcome
from lorewright.rules.rulesets import CampaignRules
from lorewright.world.state import Clock, WorldState
from support import small_world as w

TIDE = "tide"


def rules(begins: str = "20:00", **changed: Any) -> CampaignRules:
    """Rules of a story with a clock that counts from eight in the evening to midnight in eight steps of a wait."""
    wait = {"on": {"act": "wait"}, "success": [{"clock": TIDE, "by": 1}]}
    return w.campaign_rules(wait, begins=begins, until={TIDE: "00:00"}, **changed)


def world() -> WorldState:
    return w.small_world(clocks={name: Clock(id=name, name=name, max=8) for name in (TIDE, w.HEAT)})


def waited(rules: CampaignRules, **metadata: Any) -> tuple[Outcome, WorldState]:
    state = world()
    resolution = w.play(w.attempt("wait", **metadata), state=state, rules=rules)
    assert len(resolution.outcomes) == 1
    return resolution.outcomes[0], w.after(state, *resolution.ops)


@pytest.mark.parametrize(
    ("metadata", "reached"),
    [
        ({"until": "09:30"}, "21:30"),
        ({"until": "21:30"}, "21:30"),
        ({"until": "10:45"}, "22:45"),
        ({"minutes": 60}, "21:00"),
        ({"watchful": True}, "21:00"),
    ],
)
def test_a_wait_goes_on_to_the_time_that_was_named(metadata: dict[str, Any], reached: str) -> None:
    outcome, _ = waited(rules(), **metadata)
    assert (outcome.reached, outcome.cut_short) == (reached, False)


def test_every_clock_moves_as_it_would_in_as_many_single_waits() -> None:
    outcome, after = waited(rules(), until="22:00")
    assert (after.clocks[TIDE].value, outcome.minutes) == (4, 120)


def test_who_comes_ends_a_wait_short_of_its_time() -> None:
    comes = {TIDE: {2: [{"arrive": w.CHEN}]}}
    outcome, after = waited(rules(clock_effects=comes), until="23:00")
    assert (outcome.reached, outcome.cut_short) == ("21:00", True)
    assert w.CHEN in after.present_npcs()


def test_a_clock_that_counts_no_hours_ends_a_wait_where_it_rises() -> None:
    outcome, _ = waited(rules(clock_effects={TIDE: {3: [{"clock": w.HEAT, "by": 1}]}}), until="23:00")
    assert (outcome.reached, outcome.cut_short) == ("21:30", True)


def test_the_end_of_the_story_ends_a_wait() -> None:
    outcome, after = waited(rules(clock_effects={TIDE: {8: [{"end": "late"}]}}), until="03:00")
    assert after.ended is not None
    assert outcome.reached == "00:00"


def test_a_wait_without_an_end_is_one_step() -> None:
    outcome, after = waited(rules())
    assert (outcome.reached, after.clocks[TIDE].value) == ("", 1)


def test_where_no_hours_are_told_a_wait_is_as_long_as_it_is_named() -> None:
    outcome, after = waited(w.campaign_rules(), minutes=120)
    assert (outcome.reached, outcome.minutes, after.minutes) == ("", 120, 120)


def test_a_walk_that_is_cut_short_says_so() -> None:
    comes = {w.HEAT: {1: [{"arrive": w.CHEN}]}}
    walk = w.campaign_rules({"on": {"act": "go"}, "success": [{"clock": w.HEAT, "by": 1}]}, clock_effects=comes)
    steps = [w.attempt("go", to=w.PIER, towards=w.BAR), w.attempt("go", to=w.BAR, towards=w.BAR)]
    [outcome] = w.play(*steps, rules=walk).outcomes
    assert (outcome.code, outcome.cut_short) == ("moved", True)


def in_twos(begins: str = "20:00", **changed: Any) -> CampaignRules:
    """Rules of a story whose waits cost two steps of the clock, an hour."""
    wait = {"on": {"act": "wait"}, "success": [{"clock": TIDE, "by": 2}]}
    return w.campaign_rules(wait, begins=begins, until={TIDE: "00:00"}, **changed)


@pytest.mark.parametrize(
    ("metadata", "reached"),
    [({"until": "21:30"}, "21:30"), ({"minutes": 30}, "20:30"), ({"minutes": 1}, "20:01"), ({"minutes": 90}, "21:30")],
)
def test_a_wait_does_not_overshoot_its_end_where_each_costs_more(metadata: dict[str, Any], reached: str) -> None:
    outcome, _ = waited(in_twos(), **metadata)
    assert (outcome.reached, outcome.cut_short) == (reached, False)


def test_a_wait_without_an_end_costs_what_its_rule_says() -> None:
    _, after = waited(in_twos())
    assert after.clocks[TIDE].value == 2


def test_a_door_that_is_opened_during_a_wait_lets_one_through_after_it() -> None:
    opens = rules(clock_effects={TIDE: {2: [{"unlock": w.DOOR}]}})
    acts = [w.attempt("wait", until="21:00"), w.attempt("go", to=w.PIER)]
    _, gone = w.play(*acts, rules=opens, state=world()).outcomes
    assert gone.code == "moved"


def test_somebody_who_goes_about_their_affairs_does_not_end_a_walk() -> None:
    leaves = {w.HEAT: {1: [{"depart": w.VIKTOR, "to": w.PIER}]}}
    walk = w.campaign_rules({"on": {"act": "go"}, "success": [{"clock": w.HEAT, "by": 1}]}, clock_effects=leaves)
    steps = [w.attempt("go", to=w.PIER, towards=w.BAR), w.attempt("go", to=w.BAR, towards=w.BAR)]
    assert [outcome.code for outcome in w.play(*steps, rules=walk).outcomes] == ["moved", "moved"]


# A story with a pace: its hours and its minutes go together.


def paced(*written: dict[str, Any], **changed: Any) -> CampaignRules:
    """Rules of a story from eight to midnight, in which a turn takes at least five minutes."""
    return w.campaign_rules(*written, begins="20:00", until={TIDE: "00:00"}, pace=5, **changed)


def after_turns(rules: CampaignRules, *turns: str) -> WorldState:
    state = world()
    for kind in turns:
        state = w.after(state, *w.play(w.attempt(kind), state=state, rules=rules).ops)
    return state


def test_a_turn_in_which_something_is_done_takes_as_long_as_the_pace() -> None:
    after = after_turns(paced(), *["look"] * 6)
    assert (after.minutes, after.clocks[TIDE].value) == (30, 1)


def test_what_takes_longer_than_the_pace_takes_no_longer() -> None:
    assert after_turns(paced(), "wait").minutes == after_turns(w.campaign_rules(), "wait").minutes


def test_a_clock_that_is_raised_takes_its_part_of_the_hours_along() -> None:
    rises = {"on": {"act": "look"}, "success": [{"clock": TIDE, "by": 2}]}
    after = after_turns(paced(rises), "look")
    assert (after.minutes, after.clocks[TIDE].value) == (60, 2)


def test_talk_and_looks_alone_come_to_the_end_of_the_story() -> None:
    ends = paced(clock_effects={TIDE: {8: [{"end": "late"}]}})
    assert after_turns(ends, *["look"] * 48).ended is not None


def test_who_leaves_does_not_end_a_wait_for_an_hour_that_was_named() -> None:
    leaves = rules(clock_effects={TIDE: {2: [{"depart": w.VIKTOR, "to": w.PIER}]}})
    assert not waited(leaves, until="23:00")[0].cut_short
    assert waited(leaves, watchful=True)[0].reached == "21:00"


def test_a_nudge_is_told_once_when_its_condition_comes_to_hold() -> None:
    nudge = {"when": {"clock": TIDE, "min": 1}, "say": "It is half past eight.", "line": "go to the pier"}
    state, told = world(), list[str]()
    for _ in range(8):
        made = w.play(w.attempt("look"), state=state, rules=paced(nudges=[nudge]))
        told += [text for outcome in made.outcomes for text in outcome.then]
        state = w.after(state, *made.ops)
    assert told == ["It is half past eight."]


def test_what_a_nudge_tells_does_not_end_a_walk() -> None:
    nudge = {"when": {"at": w.PIER}, "say": "It is getting late."}
    steps = [w.attempt("go", to=w.PIER, towards=w.BAR), w.attempt("go", to=w.BAR, towards=w.BAR)]
    made = w.play(*steps, rules=w.campaign_rules(nudges=[nudge])).outcomes
    assert [outcome.code for outcome in made] == ["moved", "moved"]
