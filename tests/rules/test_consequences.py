"""What a scenario adds: its rules and their bands, the thresholds of its clocks, its endings."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.rules.dice import FixedDice
from lorewright.rules.patch import Resolution
from lorewright.world import ops as o
from lorewright.world.events import (
    Arrived,
    CampaignEnded,
    CheckRolled,
    ClockTicked,
    ClockTriggered,
    Departed,
    EffectRefused,
)
from lorewright.world.state import OFFSTAGE, WorldState
from support import small_world as w

PERSUADE = w.attempt("persuade", w.VIKTOR)
BRIBE: dict[str, Any] = {
    "on": {"act": "persuade", "target": w.VIKTOR},
    "check": {"add": "charm"},
    "success": [{"reveal": w.DEBT}],
    "mixed": [{"reveal": w.DEBT}, {"clock": w.HEAT}],
    "fail": [{"relation": [w.VIKTOR, "you"], "trust": -1}],
    "say": {"success": "He nods.", "fail": "He laughs."},
}


def after(resolution: Resolution, state: WorldState | None = None) -> WorldState:
    return w.after(state or w.small_world(), *resolution.ops)


def bribed(total: int, **changed: Any) -> Resolution:
    return w.play(PERSUADE, rules=w.campaign_rules({**BRIBE, **changed}), dice=FixedDice([total]))


@pytest.mark.parametrize(
    ("total", "band", "code", "learned", "heat", "say"),
    [
        (12, "critical", "told", (w.DEBT,), 0, ("He nods.",)),
        (10, "success", "told", (w.DEBT,), 0, ("He nods.",)),
        (7, "mixed", "told", (w.DEBT,), 1, ()),
        (6, "fail", "acted", (), 0, ("He laughs.",)),
    ],
)
def test_the_dice_choose_the_band_and_the_band_its_effects(
    total: int, band: str, code: str, learned: tuple[str, ...], heat: int, say: tuple[str, ...]
) -> None:
    resolution = bribed(total)
    (outcome,) = resolution.outcomes
    assert (outcome.band, outcome.code, outcome.item_ids, outcome.say) == (band, code, learned, say)
    assert after(resolution).clocks[w.HEAT].value == heat
    assert resolution.rolls[outcome.roll or 0].band == band


def test_a_roll_carries_the_trait_and_is_told_without_any_text() -> None:
    resolution = bribed(10)
    (roll,) = resolution.rolls
    assert (roll.expression, roll.modifier, roll.purpose, roll.actor_id) == ("2d6", 1, "rule0", w.JO)
    assert resolution.events[0] == CheckRolled(rule="rule0", roll=0, total=10, band="success")


def test_a_check_may_bring_its_own_dice() -> None:
    assert bribed(10, check={"dice": "1d20+2"}).rolls[0].expression == "1d20+2"


def test_a_critical_with_effects_of_its_own_has_those() -> None:
    resolution = bribed(12, critical=[{"give": w.KEY}], say={"critical": "Take it."})
    assert w.KEY in after(resolution).held_by(w.JO)
    assert resolution.outcomes[0].item_ids == ()
    assert resolution.outcomes[0].say == ("Take it.",)


def test_a_rule_without_a_check_rolls_nothing_and_replaces_what_the_action_does() -> None:
    rule = {"on": {"act": "wait"}, "success": [{"reveal": w.STAIN}], "say": {"success": "You notice it."}}
    resolution = w.play(w.attempt("wait"), rules=w.campaign_rules(rule))
    (outcome,) = resolution.outcomes
    assert (outcome.code, outcome.item_ids, outcome.band, outcome.roll) == ("found", (w.STAIN,), None, None)
    assert outcome.say == ("You notice it.",)
    assert not resolution.rolls


def test_what_a_rule_reveals_again_is_known_and_not_learned() -> None:
    knowing = w.after(w.small_world(), o.RevealItem(item_id=w.DEBT, to=w.JO, how="told"))
    rules = w.campaign_rules({"on": {"act": "persuade"}, "success": [{"reveal": w.DEBT}]})
    (outcome,) = w.play(PERSUADE, state=knowing, rules=rules).outcomes
    assert (outcome.code, outcome.item_ids, outcome.known_item_ids) == ("acted", (), (w.DEBT,))


@pytest.mark.parametrize(
    ("trigger", "applies"),
    [
        ({"act": "ask"}, True),
        ({"act": "look"}, False),
        ({"act": "ask", "target": w.VIKTOR}, True),
        ({"act": "ask", "target": w.MARA}, False),
        ({"act": "ask", "at": w.BAR}, True),
        ({"act": "ask", "at": w.PIER}, False),
        ({"act": "ask", "topic": "debt"}, True),
        ({"act": "ask", "topic": "money"}, True),
        ({"act": "ask", "topic": "jin"}, True),
        ({"act": "ask", "topic": "town:jin"}, True),
        ({"act": "ask", "topic": "weather"}, False),
        ({"act": "ask", "topic": ["weather", "money"]}, True),
        ({"act": "ask", "topic": ["weather", "rent"]}, False),
    ],
)
def test_a_rule_is_about_what_its_trigger_says(trigger: dict[str, Any], applies: bool) -> None:
    rules = w.campaign_rules({"on": trigger, "success": [{"clock": w.HEAT}]})
    tried = w.attempt("ask", w.VIKTOR, items=[w.DEBT], topics=["money", "town:jin"])
    (outcome,) = w.play(tried, rules=rules).outcomes
    assert outcome.code == ("acted" if applies else "deflected")


def test_a_rule_for_a_way_names_the_place_as_its_target() -> None:
    rule = {"on": {"act": "go", "target": w.PIER}, "success": [{"depart": "you", "to": w.ALLEY}]}
    assert after(w.play(w.go(w.PIER), rules=w.campaign_rules(rule))).scene.location_id == w.ALLEY


def test_the_first_rule_that_fits_and_whose_condition_holds_is_taken() -> None:
    rules = w.campaign_rules(
        {"on": {"act": "wait"}, "when": {"has": w.UNIT}, "success": [{"end": "first"}]},
        {"on": {"act": "wait"}, "when": {"has": w.CARD}, "success": [{"thread": w.JIN, "status": "second"}]},
        {"on": {"act": "wait"}, "success": [{"end": "third"}]},
    )
    state = after(w.play(w.attempt("wait"), rules=rules))
    assert (state.threads[w.JIN].status, state.ended) == ("second", None)


def test_a_rule_with_once_works_once_in_a_turn_and_in_those_after() -> None:
    rules = w.campaign_rules({"on": {"act": "wait"}, "once": True, "success": [{"clock": w.HEAT}]})
    first = w.play(w.attempt("wait"), w.attempt("wait"), rules=rules)
    assert first.ops.count(o.Recall(key="rule:rule0")) == 1
    assert first.ops.count(o.TickClock(clock_id=w.HEAT, delta=1)) == 1
    later = w.play(w.attempt("wait"), state=after(first), rules=rules)
    assert not [op for op in later.ops if isinstance(op, o.TickClock)]


def test_a_rule_adds_to_what_the_action_does_by_itself() -> None:
    rules = w.campaign_rules({"on": {"act": "go"}, "success": [{"clock": w.HEAT}]})
    walked = w.play(w.go(w.PIER), rules=rules)
    assert walked.outcomes[0].code == "moved"
    assert after(walked).clocks[w.HEAT].value == 1


def test_what_fails_its_check_is_left_undone() -> None:
    rules = w.campaign_rules({"on": {"act": "go"}, "check": {}, "fail": [{"clock": w.HEAT}]})
    walked = w.play(w.go(w.PIER), rules=rules, dice=FixedDice([3]))
    assert (walked.outcomes[0].code, walked.outcomes[0].band) == ("acted", "fail")
    assert after(walked).scene.location_id == w.BAR


def test_an_effect_that_does_not_fit_is_skipped_and_said() -> None:
    effects = [{"lose": w.UNIT}, {"fact": "owes", "subject": w.JO, "object": "secret"}, {"clock": w.HEAT}]
    resolution = w.play(w.attempt("wait"), rules=w.campaign_rules({"on": {"act": "wait"}, "success": effects}))
    assert resolution.events[0] == EffectRefused(reason="not_enough", effect={"lose": w.UNIT})
    assert after(resolution).clocks[w.HEAT].value == 1


def raising(by: int, **fields: Any) -> Resolution:
    """A turn in which heat rises, with clock effects."""
    rule = {"on": {"act": "wait"}, "success": [{"clock": w.HEAT, "by": by}]}
    return w.play(w.attempt("wait"), rules=w.campaign_rules(rule, **fields))


def test_a_clock_sets_off_every_threshold_that_it_passes_in_order() -> None:
    effects = {w.HEAT: {4: [{"arrive": w.CHEN}], 2: [{"depart": w.MARA, "to": OFFSTAGE}], 5: [{"end": "raided"}]}}
    resolution = raising(4, clock_effects=effects)
    assert resolution.events == (
        ClockTicked(clock=w.HEAT, before=0, after=4),
        ClockTriggered(clock=w.HEAT, value=2),
        Departed(entity=w.MARA),
        ClockTriggered(clock=w.HEAT, value=4),
        Arrived(entity=w.CHEN),
    )
    assert after(resolution).present_npcs() == (w.CHEN, w.VIKTOR)


def test_a_threshold_that_was_reached_before_is_not_set_off_again() -> None:
    warm = w.after(w.small_world(), o.TickClock(clock_id=w.HEAT, delta=4))
    rule = {"on": {"act": "wait"}, "success": [{"clock": w.HEAT}]}
    rules = w.campaign_rules(rule, clock_effects={w.HEAT: {4: [{"end": "raided"}]}})
    assert "clock_triggered" not in w.event_types(w.play(w.attempt("wait"), state=warm, rules=rules))


def test_a_clock_may_set_off_another() -> None:
    effects = {w.HEAT: {1: [{"clock": w.DOOM, "by": 2}]}, w.DOOM: {2: [{"end": "doomed"}]}}
    resolution = raising(1, clock_effects=effects)
    assert after(resolution).ended == "doomed"
    assert w.event_types(resolution)[-1] == "campaign_ended"


def test_clocks_that_set_off_each_other_for_ever_come_to_rest() -> None:
    effects = {
        w.HEAT: {1: [{"clock": w.HEAT, "by": -1}, {"clock": w.DOOM}]},
        w.DOOM: {1: [{"clock": w.DOOM, "by": -1}, {"clock": w.HEAT}]},
    }
    assert w.event_types(raising(1, clock_effects=effects)).count("clock_triggered") == 20


def test_nothing_is_set_off_once_the_campaign_has_ended() -> None:
    effects = {w.HEAT: {1: [{"end": "raided"}], 2: [{"arrive": w.CHEN}]}}
    resolution = raising(3, clock_effects=effects)
    assert after(resolution).ended == "raided"
    assert w.CHEN not in after(resolution).present()


ENDINGS = [
    {"id": "raided", "say": "They come."},
    {"id": "away", "when": {"at": w.PIER}, "say": "You are out."},
    {"id": "gone", "when": {"minutes": 5}, "say": "Too late."},
]


def test_the_first_ending_whose_condition_holds_ends_the_campaign() -> None:
    resolution = w.play(w.go(w.PIER), rules=w.campaign_rules(endings=ENDINGS))
    assert resolution.ops[-1] == o.EndCampaign(ending_id="away")
    assert resolution.events[-1] == CampaignEnded(ending="away", scope="world_affecting")


def test_an_ending_waits_for_its_condition_or_for_an_effect() -> None:
    assert after(w.play(w.attempt("look"), rules=w.campaign_rules(endings=ENDINGS))).ended is None
    rule = {"on": {"act": "wait"}, "success": [{"end": "raided"}]}
    assert after(w.play(w.attempt("wait"), rules=w.campaign_rules(rule, endings=ENDINGS))).ended == "raided"


def test_a_search_that_finds_nothing_says_so_whatever_a_rule_adds() -> None:
    rules = w.campaign_rules({"on": {"act": "search"}, "success": [{"clock": w.HEAT}], "say": {"success": "Dust."}})
    (outcome,) = w.play(w.attempt("search"), rules=rules).outcomes
    assert (outcome.code, outcome.say) == ("nothing_found", ("Dust.",))


def test_a_rule_about_an_item_is_not_about_what_only_shares_a_word_with_it() -> None:
    rules = w.campaign_rules({"on": {"act": "ask", "topic": "debt"}, "success": [{"clock": w.HEAT}]})
    beside = w.play(w.attempt("ask", w.VIKTOR, items=[w.PIER_9, w.DEBT]), rules=rules)
    assert after(beside).clocks[w.HEAT].value == 0
    meant = w.play(w.attempt("ask", w.VIKTOR, items=[w.DEBT]), rules=rules)
    assert after(meant).clocks[w.HEAT].value == 1


def test_an_item_that_is_known_gives_way_to_the_next_that_is_new() -> None:
    rules = w.campaign_rules({"on": {"act": "ask", "topic": "debt"}, "success": [{"clock": w.HEAT}]})
    told = w.after(w.small_world(), o.RevealItem(item_id=w.PIER_9, to=w.JO, how="told"))
    asked = w.play(w.attempt("ask", w.VIKTOR, items=[w.PIER_9, w.DEBT]), state=told, rules=rules)
    assert after(asked, told).clocks[w.HEAT].value == 1
