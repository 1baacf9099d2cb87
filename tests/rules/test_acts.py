"""What actions do where no rule of a scenario says otherwise; every outcome is met at least once."""

from __future__ import annotations

from typing import get_args

import pytest

from lorewright.rules.actions import Attempt
from lorewright.rules.patch import OutcomeCode
from lorewright.world import ops as o
from lorewright.world.events import ItemTaken, SceneChanged
from lorewright.world.state import Door, Fact, Reveal, WorldState
from support import small_world as w


def knowing(*items: str) -> WorldState:
    return w.after(w.small_world(), *(o.RevealItem(item_id=item, to=w.JO, how="told") for item in items))


def ask(*items: str) -> Attempt:
    return w.attempt("ask", w.VIKTOR, items=items, topic="jin")


PROMISED = o.AddFact(
    fact=Fact(id="f", subject_id=w.VIKTOR, predicate="promised", object={"to": w.JO, "what": "a drink"})
)
OUTCOMES: list[tuple[OutcomeCode, Attempt, WorldState]] = [
    ("looked", w.attempt("look"), w.small_world()),
    ("moved", w.go(w.PIER), w.small_world()),
    ("told", ask(w.PIER_9), w.small_world()),
    ("told", ask(w.PIER_9, w.DEBT), w.small_world()),
    ("told", ask(w.PIER_9, w.GOSSIP), knowing(w.PIER_9)),
    ("told_before", ask(w.PIER_9), knowing(w.PIER_9)),
    ("told_before", ask(w.DEBT), knowing(w.DEBT)),
    ("deflected", ask(w.DEBT), w.small_world()),
    ("told", ask(w.DEBT, w.PIER_9), w.small_world()),
    ("told_before", ask(w.PIER_9, w.DEBT), knowing(w.PIER_9)),
    ("told_before", ask(w.DEBT, w.PIER_9), knowing(w.PIER_9)),
    ("does_not_know", ask(), w.small_world()),
    ("does_not_know", ask("town:mara:knows#prices", w.LEDGER), w.small_world()),
    ("acted", w.attempt("persuade", w.VIKTOR), w.small_world()),
    ("taken", w.attempt("take", w.COIN), w.small_world()),
    ("found", w.attempt("search", items=[w.LEDGER]), w.small_world()),
    ("found_before", w.attempt("search", items=[w.LEDGER]), knowing(w.LEDGER)),
    ("nothing_found", w.attempt("search"), w.small_world()),
    ("nothing_found", w.attempt("search", items=["town:pier:discoverable#rope"]), w.small_world()),
    ("waited", w.attempt("wait"), w.small_world()),
    ("listed", w.attempt("inventory"), w.small_world()),
    ("heard", w.attempt("tell", w.MARA, items=[w.PIER_9], topic="jin"), knowing(w.PIER_9)),
    ("heard_before", w.attempt("tell", w.VIKTOR, items=[w.PIER_9], topic="jin"), knowing(w.PIER_9)),
    ("promised", w.attempt("promise", w.VIKTOR, topic="bring it back"), w.small_world()),
    ("recalled", w.attempt("recall", w.VIKTOR), w.after(w.small_world(), PROMISED)),
    ("nothing_recorded", w.attempt("recall", w.VIKTOR), w.small_world()),
    ("dropped", w.attempt("drop", w.CARD), w.small_world()),
    ("given", w.attempt("give", w.VIKTOR, item_id=w.CARD), w.small_world()),
    ("used", w.attempt("use", w.CARD), w.small_world()),
    ("opened", w.attempt("open", w.DOOR), w.small_world(doors={w.DOOR: Door()})),
    ("closed", w.attempt("close", w.DOOR), w.small_world(doors={w.DOOR: Door(open=True)})),
    ("locked", w.attempt("lock", w.DOOR), w.small_world(doors={w.DOOR: Door(key_id=w.CARD)})),
    ("unlocked", w.attempt("unlock", w.DOOR), w.small_world(doors={w.DOOR: Door(locked=True, key_id=w.CARD)})),
    ("blocked", w.go(w.ALLEY), w.small_world()),
]


@pytest.mark.parametrize(("code", "tried", "state"), OUTCOMES)
def test_an_attempt_has_its_outcome(code: OutcomeCode, tried: Attempt, state: WorldState) -> None:
    (outcome,) = w.play(tried, state=state).outcomes
    assert outcome.code == code
    assert (outcome.actor_id, outcome.type, outcome.words) == (w.JO, tried.action.type, tried.action.words)


def test_every_outcome_is_met_in_these_tests() -> None:
    assert {code for code, *_ in OUTCOMES} == set(get_args(OutcomeCode))


def beside(item: str, *asked: str) -> Attempt:
    tried = ask(*asked)
    return tried.model_copy(update={"grounding": tried.grounding.model_copy(update={"beside": (w.grounded(item),)})})


@pytest.mark.parametrize(
    ("code", "tried", "state"),
    [
        ("does_not_know", beside(w.GOSSIP), w.small_world()),
        ("deflected", beside(w.GOSSIP, w.DEBT), w.small_world()),
        ("told_before", beside(w.GOSSIP, w.PIER_9), knowing(w.PIER_9)),
    ],
)
def test_what_is_told_beside_a_question_is_learned_and_leaves_it_unanswered(
    code: OutcomeCode, tried: Attempt, state: WorldState
) -> None:
    (outcome,) = w.play(tried, state=state).outcomes
    assert (outcome.code, outcome.item_ids) == (code, (w.GOSSIP,))


def test_nothing_is_told_beside_an_answer_nor_twice() -> None:
    (answered,) = w.play(beside(w.GOSSIP, w.PIER_9)).outcomes
    assert answered.item_ids == (w.PIER_9,)
    (again,) = w.play(beside(w.GOSSIP), state=knowing(w.GOSSIP)).outcomes
    assert again.item_ids == ()


def test_going_moves_the_player_and_opens_a_scene_after_the_minutes_of_the_way() -> None:
    resolution = w.play(w.go(w.PIER))
    assert resolution.ops == (
        o.AdvanceTime(minutes=5),
        o.Move(entity_id=w.JO, to=w.PIER),
        o.OpenScene(location_id=w.PIER),
    )
    assert resolution.events == (SceneChanged(from_id=w.BAR, to_id=w.PIER),)
    assert resolution.outcomes[0].minutes == 5


def test_what_is_told_is_overheard_by_whoever_stands_by() -> None:
    resolution = w.play(ask(w.PIER_9))
    reveals = w.after(w.small_world(), *resolution.ops).reveals
    assert reveals[w.JO][w.PIER_9] == Reveal(how="told", minute=2)
    assert reveals[w.MARA][w.PIER_9].how == "overheard"
    assert w.VIKTOR not in reveals
    assert resolution.outcomes[0].item_ids == (w.PIER_9,)


def test_what_was_told_before_is_named_as_known_and_not_as_learned() -> None:
    (outcome,) = w.play(ask(w.PIER_9, w.GOSSIP), state=knowing(w.PIER_9, w.GOSSIP)).outcomes
    assert (outcome.item_ids, outcome.known_item_ids) == ((), (w.PIER_9,))


def test_what_is_kept_back_leaves_no_trace() -> None:
    resolution = w.play(ask(w.DEBT))
    assert resolution.ops == (o.AdvanceTime(minutes=2),)
    assert w.DEBT not in resolution.model_dump_json()


def test_what_is_found_is_witnessed_and_brings_its_effects() -> None:
    rules = w.campaign_rules(on_find={w.LEDGER: [{"give": w.UNIT}, {"clock": w.HEAT}]})
    resolution = w.play(w.attempt("search", items=[w.LEDGER, w.STAIN]), rules=rules)
    state = w.after(w.small_world(), *resolution.ops)
    assert state.reveals[w.JO][w.LEDGER].how == "found"
    assert {state.reveals[who][w.LEDGER].how for who in (w.MARA, w.VIKTOR)} == {"witnessed"}
    assert w.UNIT in state.held_by(w.JO)
    assert w.event_types(resolution) == ["item_found", "clock_ticked"]
    assert resolution.outcomes[0].item_ids == (w.LEDGER,)


def test_a_second_search_finds_the_next_thing() -> None:
    searching = w.attempt("search", items=[w.LEDGER, w.STAIN])
    found = [outcome.item_ids for outcome in w.play(searching, searching, searching).outcomes]
    assert found == [(w.LEDGER,), (w.STAIN,), ()]


@pytest.mark.parametrize(("wanted", "taken"), [(1, 1), (2, 2), (9, 3)])
def test_one_takes_as_many_as_one_wants_and_as_there_are(wanted: int, taken: int) -> None:
    resolution = w.play(w.attempt("take", w.COIN, quantity=wanted))
    state = w.after(w.small_world(), *resolution.ops)
    assert state.held_by(w.JO)[w.COIN] == taken
    assert state.held_by(w.BAR).get(w.COIN, 0) == 3 - taken
    assert resolution.events == (ItemTaken(item=w.COIN, quantity=taken),)


def test_waiting_lets_the_named_time_pass() -> None:
    resolution = w.play(w.attempt("wait", minutes=60))
    assert resolution.ops == (o.AdvanceTime(minutes=60),)
    assert resolution.outcomes[0].minutes == 60
