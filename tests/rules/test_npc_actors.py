"""People of the cast act under the rules that hold for the player: what they may do, what it does, what it leaves alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from lorewright.rules.actions import Attempt
from lorewright.rules.dice import Dice, FixedDice
from lorewright.rules.patch import Outcome, ReasonCode, Resolution
from lorewright.rules.resolve import resolve
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.validate import validate
from lorewright.world import ops as o
from lorewright.world.state import OFFSTAGE, Entity, WorldState
from support import small_world as w

ALEX = "town:alex"


def attempt(kind: str, target: str | None = None, *, actor: str = w.VIKTOR, **given: Any) -> Attempt:
    return w.attempt(kind, target, actor=actor, **given)


def act(
    *attempts: Attempt,
    state: WorldState | None = None,
    rules: CampaignRules | None = None,
    dice: Dice | None = None,
    acting: str = w.VIKTOR,
) -> Resolution:
    """One of the cast has their round."""
    state, rules = state or w.small_world(), rules or w.freeform_rules()
    judged = validate(attempts, state, rules, acting=acting)
    return resolve(attempts, judged, state, rules, dice or FixedDice([]), acting=acting)


def after(*attempts: Attempt, state: WorldState | None = None, **given: Any) -> WorldState:
    state = state or w.small_world()
    return w.after(state, *act(*attempts, state=state, **given).ops)


def outcome(tried: Attempt, **given: Any) -> Outcome:
    (one,) = act(tried, **given).outcomes
    return one


def reason(tried: Attempt, state: WorldState | None = None, *, acting: str = w.VIKTOR) -> ReasonCode | None:
    (result,) = validate([tried], state or w.small_world(), w.freeform_rules(), acting=acting).results
    return result.reason


# Whose round it is.


@pytest.mark.parametrize("actor", [w.JO, w.MARA, "town:nobody"])
def test_nobody_acts_in_the_round_of_another(actor: str) -> None:
    assert reason(attempt("wait", actor=actor)) == "not_your_turn"


def test_in_the_players_own_round_the_cast_does_not_act() -> None:
    (result,) = validate([attempt("wait")], w.small_world(), w.freeform_rules()).results
    assert result.reason == "not_your_turn"


def test_another_persona_of_the_players_is_nobodys_to_command() -> None:
    alex = Entity(id=ALEX, type="player", name="Alex")
    state = w.after(w.small_world(), o.AddEntity(entity=alex, at=w.BAR))
    assert reason(attempt("wait", actor=ALEX), state, acting=ALEX) == "not_your_turn"
    assert reason(attempt("give", ALEX, item_id=w.KEY), state) is None


def test_in_an_order_of_turns_only_whoever_is_next_may_end_one() -> None:
    written = w.ruleset().model_dump(mode="json", by_alias=True)
    written["actions"]["wait"]["ends_turn"] = True
    rules = w.campaign_rules(ruleset=written)
    state = w.after(w.small_world(), o.SetTurnOrder(actors=(w.JO, w.VIKTOR)))
    (early,) = validate([attempt("wait")], state, rules, acting=w.VIKTOR).results
    (free,) = validate([attempt("look")], state, rules, acting=w.VIKTOR).results
    (due,) = validate([attempt("wait")], w.after(state, o.PassTurn()), rules, acting=w.VIKTOR).results
    assert (early.reason, free.reason, due.reason) == ("not_your_turn", None, None)


# What is possible is what would be possible for the player.


def test_a_locked_door_bars_whoever_has_no_key_and_lets_by_who_has() -> None:
    assert reason(attempt("go", actor=w.MARA, to=w.ALLEY), acting=w.MARA) == "door_locked"
    assert reason(attempt("go", to=w.ALLEY)) is None


def test_one_cannot_give_what_one_has_not_nor_speak_to_whom_one_does_not_see() -> None:
    assert reason(attempt("give", w.JO, item_id=w.CARD)) == "not_in_inventory"
    assert reason(attempt("ask", w.CHEN)) == "not_present"
    assert reason(attempt("take", w.CARD)) == "object_not_found"


def test_whoever_is_nowhere_does_nothing() -> None:
    tried = attempt("wait", actor=w.CHEN)
    (result,) = validate([tried], w.small_world(), w.freeform_rules(), acting=w.CHEN).results
    assert (result.reason, result.message) == ("not_present", "Agent Chen is not here.")


def test_a_condition_hinders_the_one_who_is_in_it() -> None:
    state = w.after(w.small_world(), o.AddCondition(who=w.VIKTOR, condition="bound"))
    assert reason(attempt("go", to=w.ALLEY), state) == "not_capable"
    assert reason(attempt("go", actor=w.MARA, to=w.PIER), state, acting=w.MARA) is None


def test_what_they_lack_is_said_of_them_and_not_of_the_player() -> None:
    tried = [attempt("drop", w.COIN), attempt("unlock", w.DOOR)]
    state = w.after(w.small_world(), o.ChangeInventory(owner_id=w.VIKTOR, item_id=w.KEY, delta=-1))
    judged = [validate([one], state, w.freeform_rules(), acting=w.VIKTOR).results[0] for one in tried]
    assert [one.message for one in judged] == ["Viktor does not have the coin.", "Viktor has no key to the steel door."]


def test_a_failure_of_theirs_changes_nothing() -> None:
    resolution = act(attempt("give", w.JO, item_id=w.CARD))
    assert resolution.ops == ()
    assert [one.code for one in resolution.outcomes] == ["blocked"]


# Coming and going.


def test_who_goes_leaves_the_scene_where_it_is() -> None:
    resolution = act(attempt("go", to=w.ALLEY))
    state = w.after(w.small_world(), *resolution.ops)
    assert state.positions[w.VIKTOR] == w.ALLEY
    assert state.scene == w.small_world().scene and state.visits == w.small_world().visits
    assert w.event_types(resolution) == ["departure"]


def test_who_comes_in_is_seen_to_come() -> None:
    away = w.after(w.small_world(), o.Move(entity_id=w.MARA, to=w.PIER))
    resolution = act(attempt("go", actor=w.MARA, to=w.BAR), state=away, acting=w.MARA)
    (event,) = resolution.events
    assert (event.type, event.audience) == ("arrival", None)
    assert w.MARA in w.after(away, *resolution.ops).present_npcs()


def test_what_somebody_does_elsewhere_is_known_there_alone() -> None:
    away = w.after(w.small_world(), o.Move(entity_id=w.MARA, to=w.PIER))
    (event,) = act(attempt("take", w.UNIT, actor=w.MARA), state=away, acting=w.MARA).events
    assert event.audience == (w.MARA,)


# What it costs.


def test_what_they_do_takes_no_time_and_ticks_no_clock() -> None:
    rules = w.campaign_rules(ruleset=w.ruleset({"ask": {"heat": 1}}))
    state = after(attempt("ask", w.JO), rules=rules)
    assert (state.minutes, state.clocks[w.HEAT].value) == (0, 0)


def test_a_ruleset_may_have_them_pay() -> None:
    written = w.ruleset({"ask": {"heat": 1}}).model_dump(mode="json", by_alias=True)
    rules = w.campaign_rules(ruleset={**written, "npcs_pay": True})
    state = after(attempt("ask", w.JO), rules=rules)
    assert (state.minutes, state.clocks[w.HEAT].value) == (2, 1)


# What they know.


def told(item: str, target: str = w.JO, **given: Any) -> Attempt:
    return attempt("tell", target, items=[item], topic="the pier", **given)


def test_what_somebody_knows_they_may_tell_and_bystanders_overhear() -> None:
    resolution = act(told(w.PIER_9))
    state = w.after(w.small_world(), *resolution.ops)
    assert state.reveals[w.JO][w.PIER_9].how == "told"
    assert state.reveals[w.MARA][w.PIER_9].how == "overheard"
    assert (resolution.outcomes[0].code, resolution.outcomes[0].item_ids) == ("heard", (w.PIER_9,))


def test_what_two_of_the_cast_say_aloud_the_player_overhears() -> None:
    state = after(told(w.PIER_9, w.MARA))
    assert state.reveals[w.JO][w.PIER_9].how == "overheard"
    assert state.reveals[w.MARA][w.PIER_9].how == "told"


def test_what_is_whispered_reaches_its_target_and_nobody_else() -> None:
    resolution = act(told(w.PIER_9, w.MARA, whisper=True))
    state = w.after(w.small_world(), *resolution.ops)
    assert {who for who in state.reveals if state.has_learned(who, w.PIER_9)} == {w.MARA}
    (one,) = resolution.outcomes
    assert one.whispered and one.item_ids == ()


def test_of_what_is_whispered_the_two_ends_alone_may_know() -> None:
    resolution = act(attempt("threaten", w.MARA, topic="the police", whisper=True), dice=w.SteadyDice(3))
    assert resolution.events and {event.audience for event in resolution.events} == {(w.VIKTOR, w.MARA)}


def test_what_the_player_whispers_is_not_overheard() -> None:
    known = w.after(w.small_world(), o.RevealItem(item_id=w.LEDGER, to=w.JO, how="found"))
    tried = w.attempt("tell", w.VIKTOR, items=[w.LEDGER], topic="ledger", whisper=True)
    state = w.after(known, *w.play(tried, state=known).ops)
    assert state.has_learned(w.VIKTOR, w.LEDGER) and not state.has_learned(w.MARA, w.LEDGER)


def test_who_is_asked_in_a_whisper_answers_in_one() -> None:
    tried = w.attempt("ask", w.VIKTOR, items=[w.PIER_9], topic="pier", whisper=True)
    state = w.after(w.small_world(), *w.play(tried).ops)
    assert state.has_learned(w.JO, w.PIER_9) and not state.has_learned(w.MARA, w.PIER_9)


@pytest.mark.parametrize(
    ("item", "actor", "why"),
    [
        (w.PIER_9, w.MARA, "not_known"),
        (w.DEBT, w.MARA, "not_known"),
        (w.LEDGER, w.VIKTOR, "not_known"),
        (w.DEBT, w.VIKTOR, "kept_back"),
    ],
)
def test_nobody_tells_what_they_do_not_know_or_keep_back(item: str, actor: str, why: ReasonCode) -> None:
    tried = told(item, actor=actor)
    assert reason(tried, acting=actor) == why
    resolution = act(tried, acting=actor)
    assert (resolution.ops, resolution.outcomes[0].reason) == ((), why)


def test_what_was_told_to_somebody_they_may_pass_on() -> None:
    state = w.after(w.small_world(), o.RevealItem(item_id=w.PIER_9, to=w.MARA, how="overheard"))
    assert outcome(told(w.PIER_9, actor=w.MARA), state=state, acting=w.MARA).code == "heard"


def test_what_is_kept_back_may_be_told_once_the_player_knows_it() -> None:
    state = w.after(w.small_world(), o.RevealItem(item_id=w.DEBT, to=w.JO, how="told"))
    assert after(told(w.DEBT, w.MARA), state=state).has_learned(w.MARA, w.DEBT)
    assert outcome(told(w.DEBT), state=state).code == "heard_before"


def test_an_item_that_is_named_and_not_grounded_is_not_known() -> None:
    tried = attempt("tell", w.JO, lore_item_id="town:viktor:knows#nothing", topic="pier")
    assert reason(tried) == "not_known"


def test_words_that_point_at_nothing_are_words() -> None:
    assert outcome(attempt("tell", w.JO, topic="the weather")).code == "acted"


def test_one_of_the_cast_may_ask_another_and_keeps_what_they_hear() -> None:
    tried = attempt("ask", w.VIKTOR, actor=w.MARA, items=[w.PIER_9], topic="pier")
    state = after(tried, acting=w.MARA)
    assert state.reveals[w.MARA][w.PIER_9].how == "told"
    assert state.reveals[w.JO][w.PIER_9].how == "overheard"


def test_the_player_is_asked_and_answers_nothing_by_themselves() -> None:
    resolution = act(attempt("ask", w.JO, topic="the ledger"))
    assert (resolution.ops, resolution.outcomes[0].code) == ((), "acted")


def test_what_is_found_is_kept_by_the_finder_and_still_there_for_the_player() -> None:
    rules = w.freeform_rules(on_find={w.LEDGER: [{"clock": w.HEAT, "by": 1}]})
    resolution = act(attempt("search", items=[w.LEDGER]), rules=rules)
    state = w.after(w.small_world(), *resolution.ops)
    assert state.has_learned(w.VIKTOR, w.LEDGER)
    assert not state.has_learned(w.JO, w.LEDGER) and not state.has_learned(w.MARA, w.LEDGER)
    assert state.clocks[w.HEAT].value == 0
    assert w.play(w.attempt("search", items=[w.LEDGER]), state=state).outcomes[0].code == "found"


# Words that bind, things that change hands.


def test_their_word_stands_on_the_record_for_the_player_to_see() -> None:
    state = after(attempt("promise", w.JO, topic="bring the boat"))
    (fact,) = state.facts.values()
    assert (fact.subject_id, fact.predicate, fact.visibility) == (w.VIKTOR, "promised", "player")


def test_a_promise_between_two_of_the_cast_is_not_the_players_to_see() -> None:
    (fact,) = after(attempt("promise", w.MARA, topic="bring the boat")).facts.values()
    assert fact.visibility == "gm"


def test_a_gift_changes_hands_and_wins_a_step_of_trust() -> None:
    state = after(attempt("give", w.JO, item_id=w.KEY))
    assert state.held_by(w.JO)[w.KEY] == 1 and w.KEY not in state.held_by(w.VIKTOR)
    (relation,) = state.relations.values()
    assert ({relation.a, relation.b}, relation.trust) == ({w.JO, w.VIKTOR}, 1)


# Dice.


def dice_of(resolution: Resolution) -> list[str]:
    return [one.purpose for one in resolution.rolls]


def test_what_is_said_to_the_player_is_not_rolled_for() -> None:
    tried = [attempt(kind, w.JO, topic="to leave") for kind in ("persuade", "threaten", "promise", "tell", "ask")]
    resolution = act(*tried)
    assert dice_of(resolution) == []
    assert w.JO not in w.after(w.small_world(), *resolution.ops).streaks


def test_a_gesture_is_not_rolled_for_and_what_takes_skill_is() -> None:
    assert dice_of(act(attempt("attempt", w.JO, verb="nod"))) == []
    assert dice_of(act(attempt("attempt", w.DOOR, verb="pick", trait="hands"), dice=FixedDice([10]))) == ["attempt"]


def test_their_own_traits_count_and_those_of_the_player_do_not() -> None:
    entities = {**w.entities(), w.VIKTOR: w.person(w.VIKTOR, "Viktor", traits={"nerve": 2})}
    (roll,) = act(attempt("attack", w.MARA), state=w.small_world(entities=entities), dice=w.SteadyDice(10)).rolls
    assert (roll.modifier, roll.actor_id) == (2, w.VIKTOR)
    (none,) = act(attempt("attack", w.MARA), dice=w.SteadyDice(10)).rolls
    assert none.modifier == 0


@pytest.mark.parametrize("total", [3, 8, 10, 12])
def test_a_check_of_theirs_costs_the_player_nothing_of_their_own(total: int) -> None:
    tried = [attempt("persuade", w.MARA, topic="to leave"), attempt("attempt", w.DOOR, verb="force", trait="nerve")]
    before = w.after(w.small_world(), o.SetStreak(who=w.JO, failures=2))
    resolution = act(*tried, state=before, dice=w.SteadyDice(total))
    state = w.after(before, *resolution.ops)
    assert (state.clocks, state.minutes, state.streaks) == (before.clocks, 0, before.streaks)
    assert state.escalation == {}
    assert all(one.say == () and one.then == () for one in resolution.outcomes)


def test_an_attack_that_hits_the_player_hurts_and_one_that_fails_hurts_whoever_tried() -> None:
    hit = after(attempt("attack", w.JO), dice=w.SteadyDice(10))
    assert hit.conditions_of(w.JO) == ("wounded",)
    missed = after(attempt("attack", w.JO), dice=w.SteadyDice(3))
    assert (missed.conditions_of(w.JO), missed.conditions_of(w.VIKTOR)) == ((), ("wounded",))


def test_the_player_is_told_what_has_come_over_them() -> None:
    (one,) = act(attempt("attack", w.JO), dice=w.SteadyDice(10)).outcomes
    assert one.then == ("You are hurt, and it shows.",)


# What authors and rulesets write.


def test_a_rule_is_about_the_player_unless_it_says_who() -> None:
    rule: dict[str, Any] = {"on": {"act": "take", "target": w.COIN}, "success": [{"clock": w.HEAT, "by": 1}]}
    of_viktor, of_anybody = ({**rule, "on": {**rule["on"], "by": by}} for by in (w.VIKTOR, "npc"))

    def heat(written: dict[str, Any], tried: Attempt) -> int:
        state = after(tried, rules=w.freeform_rules(written), acting=tried.action.actor_id)
        return state.clocks[w.HEAT].value

    by_viktor, by_mara = attempt("take", w.COIN), attempt("take", w.COIN, actor=w.MARA)
    assert [heat(one, by_viktor) for one in (rule, of_viktor, of_anybody)] == [0, 1, 1]
    assert [heat(one, by_mara) for one in (rule, of_viktor, of_anybody)] == [0, 0, 1]
    for written in (of_viktor, of_anybody):
        players = w.play(w.attempt("take", w.COIN), rules=w.freeform_rules(written))
        assert w.after(w.small_world(), *players.ops).clocks[w.HEAT].value == 0


def test_what_a_ruleset_brings_you_it_brings_whoever_acts() -> None:
    written = w.ruleset().model_dump(mode="json", by_alias=True)
    written["actions"]["drop"]["effects"] = {
        "success": [{"condition": "careless"}, {"relation": ["somebody", "you"], "tension": 1}, {"give": w.UNIT}]
    }
    state = after(attempt("drop", w.KEY), rules=w.campaign_rules(ruleset=written))
    assert (state.conditions_of(w.VIKTOR), state.conditions_of(w.JO)) == (("careless",), ())
    assert w.UNIT not in state.held_by(w.JO) and w.UNIT in state.held_by(w.PIER)
    assert [sorted((one.a, one.b)) for one in state.relations.values()] == [sorted((w.JO, w.VIKTOR))]


def test_a_need_is_about_whoever_acts() -> None:
    written = w.ruleset().model_dump(mode="json", by_alias=True)
    written["actions"]["wait"]["needs"] = [{"when": {"has": w.KEY}, "say": "Not without the key."}]
    rules = w.campaign_rules(ruleset=written)
    judged = [validate([attempt("wait", actor=who)], w.small_world(), rules, acting=who) for who in (w.VIKTOR, w.MARA)]
    assert [one.results[0].reason for one in judged] == [None, "not_allowed_now"]


def test_what_happens_by_itself_is_about_the_player_and_the_one_who_acted() -> None:
    triggers = [
        {
            "id": "alarm",
            "when": {"clock": w.HEAT, "min": 1},
            "effects": [{"depart": "somebody", "to": w.PIER}, {"condition": "seen"}],
        }
    ]
    written = w.ruleset().model_dump(mode="json", by_alias=True)
    rule = {"on": {"act": "take", "by": "npc"}, "success": [{"clock": w.HEAT, "by": 1}]}
    rules = w.campaign_rules(rule, ruleset={**written, "triggers": triggers})
    state = after(attempt("take", w.COIN), rules=rules)
    assert state.positions[w.VIKTOR] == w.PIER and state.positions[w.MARA] == w.BAR
    assert state.conditions_of(w.JO) == ("seen",)


def test_an_ending_may_be_reached_by_what_one_of_the_cast_does() -> None:
    rules = w.freeform_rules(endings=[{"id": "gone", "when": {"not": {"present": w.VIKTOR}}, "say": "He is gone."}])
    assert after(attempt("go", to=w.ALLEY), rules=rules).ended == "gone"


def several(kinds: Sequence[str]) -> list[Attempt]:
    return [attempt(kind) for kind in kinds]


def test_a_round_of_several_acts_is_judged_on_what_each_leaves() -> None:
    tried = [attempt("open", w.DOOR), attempt("go", to=w.ALLEY), attempt("give", w.JO, item_id=w.KEY)]
    assert [one.code for one in act(*tried).outcomes] == ["opened", "moved", "blocked"]


def test_nobody_stands_about_offstage() -> None:
    assert w.small_world().positions[w.CHEN] == OFFSTAGE
    assert act(attempt("tell", w.CHEN, topic="x")).outcomes[0].reason == "not_present"
