"""What a ruleset brings by itself: dominant stats, consequences of bands, timers, triggers."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.rules.actions import Attempt
from lorewright.rules.dice import FixedDice
from lorewright.rules.patch import Resolution
from lorewright.rules.rulesets import Ruleset
from lorewright.rules.validate import why_not_attempt
from lorewright.turn.views.circumstances import scene_in_words
from lorewright.world.ruleset_state import RulesetState
from lorewright.world.schemas import filled
from lorewright.world.state import OFFSTAGE, WorldState
from support import small_world as w

PERSUADE = w.attempt("persuade", w.VIKTOR)
LOW, MIDDLE, HIGH = [1], [12], [20]


def world(ruleset: Ruleset, *, stats: dict[str, Any] | None = None, alone: bool = False, **scene: Any) -> WorldState:
    """The small world as a ruleset shapes it: Jo's stats and the scene as given, all else by default."""
    schema = ruleset.character_stat_schema
    blocks = {who: filled(stats or {} if who == w.JO else {}, schema) for who in (w.JO, w.VIKTOR, w.MARA, w.CHEN)}
    if ruleset.id == "seven-minutes":
        blocks = {who: {"shyness": 5, "chemistry": 5, **block} for who, block in blocks.items()}
    held = RulesetState(
        stat_schema=schema,
        scene_schema=ruleset.scene_state_schema,
        stats=blocks,
        scene=filled(scene, ruleset.scene_state_schema),
    )
    away = {"positions": {w.JO: w.BAR, w.VIKTOR: OFFSTAGE, w.MARA: OFFSTAGE, w.CHEN: OFFSTAGE}} if alone else {}
    return w.small_world(ruleset=held, **away)


def tried(ruleset: Ruleset, attempt: Attempt, *faces: list[int], state: WorldState, **rules: Any) -> Resolution:
    return w.play(attempt, state=state, rules=w.campaign_rules(ruleset=ruleset, **rules), dice=FixedDice(faces))


def scene(resolution: Resolution, state: WorldState) -> dict[str, Any]:
    held = w.after(state, *resolution.ops).ruleset
    assert held is not None
    return dict(held.scene)


EVERYDAY, CHORUS, SEVEN = (load_ruleset(name)[0] for name in ("everyday-tension", "inner-chorus", "seven-minutes"))


@pytest.mark.parametrize(("face", "band"), [(16, "success"), (15, "mixed"), (10, "mixed"), (9, "fail"), (1, "fail")])
def test_everyday_tension_reads_its_dice_as_its_rulebook_says(face: int, band: str) -> None:
    resolution = tried(EVERYDAY, PERSUADE, [face], state=world(EVERYDAY))
    assert resolution.rolls[0].band == band


@pytest.mark.parametrize(("face", "pressure"), [(16, 0), (12, 1), (3, 1)])
def test_only_a_mixed_or_failed_check_ticks_the_pressure_clock(face: int, pressure: int) -> None:
    state = world(EVERYDAY)
    assert scene(tried(EVERYDAY, PERSUADE, [face], state=state), state)["pressure_clock"] == pressure


def test_at_six_the_scene_shifts_by_a_die_and_the_clock_begins_again() -> None:
    state = world(EVERYDAY, pressure_clock=5)
    resolution = tried(EVERYDAY, PERSUADE, LOW, [1], state=state)
    after = scene(resolution, state)
    assert (after["last_shift"], after["pressure_clock"], after["shifts"]) == ("someone_leaves", 0, 1)
    assert w.after(state, *resolution.ops).positions[w.VIKTOR] == OFFSTAGE
    assert [roll.purpose for roll in resolution.rolls] == ["persuade", "trigger:scene_shift"]
    assert "Somebody goes" in resolution.outcomes[0].then[-1]


@pytest.mark.parametrize(("face", "turning"), [([2], "call_interrupts"), ([3], "opportunity_closes")])
def test_the_other_shifts_are_a_call_and_a_lost_opportunity(face: list[int], turning: str) -> None:
    state = world(EVERYDAY, pressure_clock=5)
    after = scene(tried(EVERYDAY, PERSUADE, LOW, face, state=state), state)
    assert (after["last_shift"], after["opportunity_open"]) == (turning, turning == "call_interrupts")


def test_nobody_leaves_where_nobody_is() -> None:
    state = world(EVERYDAY, pressure_clock=5, alone=True)
    attempt = w.attempt("attempt", w.COIN, verb="juggle", trait="hands")
    assert scene(tried(EVERYDAY, attempt, LOW, [1], state=state), state)["last_shift"] == "call_interrupts"


def test_a_cost_may_be_a_number_of_the_scene() -> None:
    costs = EVERYDAY.actions["threaten"].model_copy(update={"costs": {"pressure_clock": 1}})
    ruleset = EVERYDAY.model_copy(update={"actions": {**EVERYDAY.actions, "threaten": costs}})
    state = world(EVERYDAY)
    assert scene(tried(ruleset, w.attempt("threaten", w.VIKTOR), HIGH, state=state), state)["pressure_clock"] == 1


@pytest.mark.parametrize("act", ["threaten", "attack", "persuade"])
def test_in_everyday_tension_a_clean_success_ticks_nothing(act: str) -> None:
    state = world(EVERYDAY)
    assert scene(tried(EVERYDAY, w.attempt(act, w.VIKTOR), HIGH, state=state), state)["pressure_clock"] == 0


def test_the_stat_that_an_attempts_trait_stands_for_is_added() -> None:
    state = world(EVERYDAY, stats={"logic": 4})
    attempt = w.attempt("attempt", w.COIN, verb="reckon", trait="wits")
    roll = tried(EVERYDAY, attempt, MIDDLE, state=state).rolls[0]
    assert (roll.modifier, roll.total, roll.band) == (4, 16, "success")


@pytest.mark.parametrize(("face", "band"), [(18, "success"), (17, "mixed"), (12, "mixed"), (11, "fail")])
def test_the_chorus_overrides_influences_or_is_silent(face: int, band: str) -> None:
    state = world(CHORUS, stats=dict.fromkeys(CHORUS.stats, 0))
    assert tried(CHORUS, PERSUADE, [face], state=state).rolls[0].band == band


def test_the_dominant_aspect_is_the_highest_of_those_called_upon() -> None:
    state = world(CHORUS, stats={"suggestion": 5, "physique": 8})
    resolution = tried(CHORUS, PERSUADE, [18], state=state)
    assert resolution.rolls[0].modifier == 5
    assert scene(resolution, state)["leading_aspect"] == "suggestion"
    assert scene(resolution, state)["overridden"] is True
    assert resolution.outcomes[0].say[0] in CHORUS.stats["suggestion"].say["success"]


@pytest.mark.parametrize(("physique", "band"), [(4, "fail"), (5, "mixed")])
def test_after_a_natural_reaction_another_stat_speaks_up_if_it_is_clearly_higher(physique: int, band: str) -> None:
    state = world(CHORUS, stats={"physique": physique})
    resolution = tried(CHORUS, PERSUADE, LOW, state=state)
    assert resolution.rolls[0].band == band
    assert ("stat_spoke_up" in w.event_types(resolution)) == (band == "mixed")


def test_a_failure_of_the_chorus_is_narrative_and_costs_composure_not_the_story() -> None:
    state = world(CHORUS, stats=dict.fromkeys(CHORUS.stats, 2))
    resolution = tried(CHORUS, PERSUADE, LOW, state=state)
    assert scene(resolution, state)["leading_aspect"] == "none"
    assert scene(resolution, state)["stress"] == 1
    assert resolution.outcomes[0].say


def test_under_stress_a_question_is_rolled_for() -> None:
    ask = w.attempt("ask", w.VIKTOR, items=[w.PIER_9])
    assert tried(CHORUS, ask, state=world(CHORUS, stress=3)).rolls == ()
    assert len(tried(CHORUS, ask, HIGH, state=world(CHORUS, stress=4)).rolls) == 1


def test_at_the_breaking_point_something_gives_way() -> None:
    state = world(CHORUS, stats=dict.fromkeys(CHORUS.stats, 2), stress=5)
    after = scene(tried(CHORUS, PERSUADE, LOW, [3], state=state), state)
    assert (after["last_break"], after["stress"]) == ("stray_impulse", 2)


@pytest.mark.parametrize(("face", "band"), [(10, "success"), (9, "mixed"), (4, "mixed"), (3, "fail")])
def test_a_shyness_check_is_a_d20_less_shyness_and_with_chemistry(face: int, band: str) -> None:
    state = world(SEVEN, stats={"shyness": 4, "chemistry": 2})
    roll = tried(SEVEN, PERSUADE, [face], state=state).rolls[0]
    assert (roll.expression, roll.modifier, roll.band) == ("1d20", 8, band)


def test_seven_minutes_run_with_everything_that_takes_time_and_stop_at_nothing() -> None:
    state = world(SEVEN, minutes_left=3)
    waited = tried(SEVEN, w.attempt("wait", minutes=5), state=state)
    assert scene(waited, state)["minutes_left"] == 0
    assert scene(waited, state)["door"] == "open"
    assert "Seven minutes are over" in waited.outcomes[0].then[0]


def test_a_trigger_happens_once_until_its_condition_holds_anew() -> None:
    state = world(SEVEN, minutes_left=0)
    assert "triggered" not in w.event_types(tried(SEVEN, w.attempt("wait"), state=state))


def test_where_no_comfort_is_left_somebody_steps_back() -> None:
    state = world(SEVEN, stats={"shyness": 10, "chemistry": 0}, comfort=1)
    resolution = tried(SEVEN, PERSUADE, LOW, state=state)
    assert scene(resolution, state)["comfort"] == 2
    assert "step back" in " ".join(resolution.outcomes[0].then)


def test_a_scenario_may_read_and_change_what_the_ruleset_describes() -> None:
    state = world(SEVEN)
    rule = {
        "on": {"act": "wait"},
        "when": {"path": "minutes_left", "min": 5},
        "success": [
            {"op": "set", "path": "comfort", "value": 5},
            {"op": "set", "path": "mood", "of": w.VIKTOR, "value": "calm"},
        ],
    }
    rules = w.campaign_rules(rule, ruleset=SEVEN)
    after = w.after(state, *w.play(w.attempt("wait"), state=state, rules=rules).ops)
    assert after.ruleset is not None
    assert (after.ruleset.value("comfort"), after.ruleset.value("mood", of=w.VIKTOR)) == (5, "calm")


def test_what_others_feel_is_in_no_event() -> None:
    state = world(SEVEN)
    rule = {"on": {"act": "wait"}, "success": [{"op": "set", "path": "mood", "of": w.VIKTOR, "value": "secretly glad"}]}
    resolution = w.play(w.attempt("wait"), state=state, rules=w.campaign_rules(rule, ruleset=SEVEN))
    assert "secretly glad" not in str(resolution.events)


def test_a_rule_of_the_scenario_that_rolls_has_the_rulesets_consequences_too() -> None:
    state = world(EVERYDAY)
    rule = {"on": {"act": "ask", "target": w.VIKTOR}, "check": {"stats": ["warmth"]}}
    rules = w.campaign_rules(rule, ruleset=EVERYDAY)
    resolution = w.play(w.attempt("ask", w.VIKTOR), state=state, rules=rules, dice=FixedDice([LOW]))
    assert scene(resolution, state)["pressure_clock"] == 1


@pytest.mark.parametrize("ruleset", [EVERYDAY, CHORUS, SEVEN], ids=lambda one: one.id)
def test_every_stat_has_its_texts_and_sentences_of_its_own_for_every_band(ruleset: Ruleset) -> None:
    for stat in ruleset.stats.values():
        assert all((stat.represents, stat.high, stat.low, stat.success, stat.fail))
        assert stat.say.keys() == {band.name for band in ruleset.bands}
        assert all(len(lines) >= 2 for lines in stat.say.values())


def test_the_stats_are_those_that_the_rulebooks_name() -> None:
    assert list(EVERYDAY.stats) == ["warmth", "self_awareness", "boundaries", "physicality", "logic"]
    assert list(CHORUS.stats) == [
        *("logic", "empathy", "volition", "imagination", "composure", "physique", "rhetoric", "perception"),
        "suggestion",
    ]


def test_everybody_in_seven_minutes_is_an_adult_and_the_rulebook_says_so() -> None:
    age = SEVEN.character_stat_schema["properties"]["age"]
    assert (age["minimum"], age["default"] >= 18) == (18, True)
    assert "is an adult" in SEVEN.rulebook_text
    assert "non-explicit" in SEVEN.rulebook_text
    assert "lines and veils" in SEVEN.rulebook_text
    assert SEVEN.mechanics_guidance["explicit"] is False


def test_when_the_opportunity_has_closed_nobody_is_won_over_until_one_has_been_alone() -> None:
    open_, closed = world(EVERYDAY), world(EVERYDAY, opportunity_open=False)
    rules = w.campaign_rules(ruleset=EVERYDAY)
    assert why_not_attempt(PERSUADE, open_, rules) is None
    assert why_not_attempt(PERSUADE, closed, rules) == "not_allowed_now"
    assert why_not_attempt(w.attempt("ask", w.VIKTOR), closed, rules) is None
    assert scene(tried(EVERYDAY, w.attempt("look"), state=closed), closed)["opportunity_open"] is False
    # Whoever is left alone has another moment.
    leaving = [
        {"on": {"act": "ask"}, "success": [{"depart": w.VIKTOR, "to": w.PIER}, {"depart": w.MARA, "to": w.PIER}]}
    ]
    by = w.campaign_rules(*leaving, ruleset=EVERYDAY)
    left = w.play(w.attempt("ask", w.VIKTOR), state=closed, rules=by, dice=FixedDice([]))
    assert w.after(closed, *left.ops).present_npcs() == ()
    assert scene(left, closed)["opportunity_open"] is True


def test_a_voice_that_acts_in_ones_place_does_more_than_was_meant() -> None:
    state = world(CHORUS, stats={"rhetoric": 8})
    carried = tried(CHORUS, PERSUADE, [12], [1], state=state)
    assert scene(carried, state)["overridden"] is True
    assert any("two sentences more" in sentence for sentence in carried.outcomes[-1].then)
    influenced = tried(CHORUS, PERSUADE, [5], state=state)
    assert scene(influenced, state)["overridden"] is False
    assert influenced.outcomes[-1].then == ()


def test_what_gave_way_last_and_what_shifted_last_stand_in_the_scene_of_prompts() -> None:
    broken, shifted = world(CHORUS, last_break="stray_impulse"), world(EVERYDAY, last_shift="call_interrupts")
    assert any(line.startswith("Last break: stray impulse") for line in scene_in_words(broken, CHORUS))
    assert any(line.startswith("Last shift: call interrupts") for line in scene_in_words(shifted, EVERYDAY))
    assert not any(line.startswith("Last break") for line in scene_in_words(world(CHORUS), CHORUS))
