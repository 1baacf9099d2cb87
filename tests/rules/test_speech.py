"""What is said beside questions: told on, pressed for, promised, held against one."""

from __future__ import annotations

from lorewright.rules.actions import Attempt
from lorewright.rules.effects import recorded_facts
from lorewright.rules.patch import Outcome
from lorewright.world import ops as o
from lorewright.world.state import Reveal, WorldState
from support import small_world as w

KNOWING = w.after(w.small_world(), o.RevealItem(item_id=w.LEDGER, to=w.JO, how="found"))


def after(*attempts: Attempt, state: WorldState | None = None, total: int = 10) -> WorldState:
    start = state or w.small_world()
    return w.after(start, *w.play(*attempts, state=start, rules=w.freeform_rules(), dice=w.SteadyDice(total)).ops)


def outcome(tried: Attempt, state: WorldState | None = None, total: int = 10) -> Outcome:
    (one,) = w.play(tried, state=state, rules=w.freeform_rules(), dice=w.SteadyDice(total)).outcomes
    return one


def tell(*items: str) -> Attempt:
    return w.attempt("tell", w.VIKTOR, items=items, topic="the ledger")


def test_whoever_is_told_learns_it_and_bystanders_overhear() -> None:
    state = after(tell(w.LEDGER), state=KNOWING)
    assert state.reveals[w.VIKTOR][w.LEDGER] == Reveal(how="told", minute=2)
    assert state.reveals[w.MARA][w.LEDGER].how == "overheard"
    assert outcome(tell(w.LEDGER), KNOWING).code == "heard"


def test_what_they_know_is_no_news_to_them() -> None:
    told = after(tell(w.LEDGER), state=KNOWING)
    assert outcome(tell(w.LEDGER), told).code == "heard_before"
    own = w.after(w.small_world(), o.RevealItem(item_id=w.PIER_9, to=w.JO, how="told"))
    assert outcome(tell(w.PIER_9), own).code == "heard_before"


def test_nobody_can_tell_what_they_have_not_learned() -> None:
    assert outcome(tell(w.LEDGER)).code == "acted"
    assert after(tell(w.LEDGER)).reveals == {}


def test_pressing_wins_what_is_known_and_never_what_is_withheld() -> None:
    pressed = w.attempt("persuade", w.VIKTOR, items=[w.DEBT, w.PIER_9], topic="jin")
    assert (outcome(pressed).code, outcome(pressed).item_ids) == ("told", (w.PIER_9,))
    kept = w.attempt("threaten", w.VIKTOR, items=[w.DEBT], topic="debt")
    assert (outcome(kept, total=13).code, outcome(kept, total=13).item_ids) == ("deflected", ())


def test_a_rule_of_the_scenario_opens_what_is_withheld() -> None:
    rules = w.freeform_rules({"on": {"act": "persuade", "topic": "debt"}, "success": [{"reveal": w.DEBT}]})
    pressed = w.attempt("persuade", w.VIKTOR, items=[w.DEBT], topic="debt")
    (one,) = w.play(pressed, rules=rules).outcomes
    assert one.item_ids == (w.DEBT,)


def test_a_failed_try_wins_nothing() -> None:
    pressed = w.attempt("persuade", w.VIKTOR, items=[w.PIER_9], topic="jin")
    assert (outcome(pressed, total=4).code, outcome(pressed, total=4).item_ids) == ("acted", ())


def test_the_players_word_stands_on_the_record_and_is_remembered() -> None:
    state = after(w.attempt("promise", w.VIKTOR, topic="bring it back"))
    asked = outcome(w.attempt("recall", w.VIKTOR, about="promised", by="you"), state)
    (fact_id,) = asked.fact_ids
    assert asked.code == "recalled"
    assert state.facts[fact_id].object == {"to": w.VIKTOR, "what": "bring it back"}
    assert state.facts[fact_id].subject_id == w.JO


def test_a_promise_given_twice_stands_once() -> None:
    word = w.attempt("promise", w.VIKTOR, topic="bring it back")
    assert after(word, state=after(word)).facts == after(word).facts


def test_what_was_never_said_is_denied() -> None:
    assert outcome(w.attempt("recall", w.VIKTOR, about="owes")).code == "nothing_recorded"
    state = after(w.attempt("promise", w.VIKTOR, topic="bring it back"))
    assert outcome(w.attempt("recall", w.MARA, about="promised", by="you"), state).code == "nothing_recorded"
    assert outcome(w.attempt("recall", w.VIKTOR, about="promised"), state).code == "nothing_recorded"


def test_a_threat_that_goes_home_is_remembered_and_one_that_fails_is_not() -> None:
    threat = w.attempt("threaten", w.VIKTOR, topic="the police")
    assert recorded_facts(after(threat), by=w.JO, to=w.VIKTOR, predicate="threatened")
    assert not recorded_facts(after(threat, total=4), by=w.JO, to=w.VIKTOR)


def test_a_scenario_records_promises_threats_and_debts() -> None:
    said = [
        {"promise": {"by": w.VIKTOR, "to": "you", "what": "keep the ice bin shut"}},
        {"threat": {"by": w.MARA, "to": "you", "what": "call the watch"}},
        {"owes": {"by": "you", "to": w.VIKTOR, "what": "one credstick"}},
    ]
    rules = w.freeform_rules({"on": {"act": "wait"}, "success": said})
    state = w.after(w.small_world(), *w.play(w.attempt("wait"), rules=rules).ops)
    assert len(recorded_facts(state, by=w.VIKTOR, to=w.JO, predicate="promised")) == 1
    assert len(recorded_facts(state, by=w.MARA, to=w.JO, predicate="threatened")) == 1
    assert len(recorded_facts(state, by=w.JO, to=w.VIKTOR, predicate="owes")) == 1


def test_what_others_promise_each_other_is_not_the_players_to_see() -> None:
    rules = w.freeform_rules(
        {"on": {"act": "wait"}, "success": [{"promise": {"by": w.VIKTOR, "to": w.MARA, "what": "half of it"}}]}
    )
    state = w.after(w.small_world(), *w.play(w.attempt("wait"), rules=rules).ops)
    (fact,) = state.facts.values()
    assert fact.visibility != "player"
    assert recorded_facts(state, by=w.VIKTOR, to=w.MARA) == ()
