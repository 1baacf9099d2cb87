"""Things that change hands, and doors: what each deed does, and the laws that hold whatever is tried."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.rules.actions import Attempt
from lorewright.rules.patch import OutcomeCode, ReasonCode
from lorewright.rules.resolve import resolve
from lorewright.rules.validate import validate
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.state import Door, WorldState
from support import small_world as w

FREEFORM = w.freeform_rules()
WITH_KEY = w.after(w.small_world(), o.TransferItem(item_id=w.KEY, from_id=w.VIKTOR, to_id=w.JO))
UNLOCKED = w.after(w.small_world(), o.SetDoor(door_id=w.DOOR, locked=False))
OPEN = w.after(UNLOCKED, o.SwingDoor(door_id=w.DOOR, open=True))


def after(*attempts: Attempt, state: WorldState | None = None) -> WorldState:
    start = state or w.small_world()
    return w.after(start, *w.play(*attempts, state=start).ops)


def code(tried: Attempt, state: WorldState | None = None) -> OutcomeCode:
    (outcome,) = w.play(tried, state=state).outcomes
    return outcome.code


def reason(tried: Attempt, state: WorldState | None = None) -> ReasonCode | None:
    (outcome,) = w.play(tried, state=state).outcomes
    return outcome.reason


def test_what_is_dropped_lies_there_and_can_be_taken_again() -> None:
    dropped = after(w.attempt("drop", w.CARD))
    assert dropped.held_by(w.BAR)[w.CARD] == 1
    assert w.CARD not in dropped.held_by(w.JO)
    assert after(w.attempt("take", w.CARD), state=dropped).held_by(w.JO) == {w.CARD: 1}


def test_what_is_taken_and_dropped_in_one_turn_lies_where_it_lay() -> None:
    assert after(w.attempt("take", w.COIN), w.attempt("drop", w.COIN)).inventory == w.small_world().inventory


def test_a_gift_changes_hands_and_wins_a_step_of_trust_once() -> None:
    gift = w.attempt("give", w.MARA, item_id=w.CARD)
    given_once = after(gift)
    assert given_once.held_by(w.MARA) == {w.CARD: 1}
    assert given_once.relations[f"{w.JO}|{w.MARA}"].trust == 1
    back = w.after(given_once, o.TransferItem(item_id=w.CARD, from_id=w.MARA, to_id=w.JO))
    assert after(gift, state=back).relations[f"{w.JO}|{w.MARA}"].trust == 1


def test_a_rule_about_a_gift_speaks_for_its_worth() -> None:
    rules = w.campaign_rules(
        {"on": {"act": "give", "target": w.MARA, "item": w.CARD}, "success": [{"clock": w.HEAT, "by": -1}]}
    )
    resolution = w.play(w.attempt("give", w.MARA, item_id=w.CARD), rules=rules)
    state = w.after(w.small_world(), *resolution.ops)
    assert (state.held_by(w.MARA), state.relations) == ({w.CARD: 1}, {})


def test_a_rule_that_takes_the_gift_away_has_done_it() -> None:
    rules = w.campaign_rules({"on": {"act": "give", "item": w.CARD}, "success": [{"lose": w.CARD}]})
    resolution = w.play(w.attempt("give", w.MARA, item_id=w.CARD), rules=rules)
    assert resolution.outcomes[0].code == "acted"
    assert w.after(w.small_world(), *resolution.ops).held_by(w.MARA) == {}


def test_a_rule_about_another_thing_says_nothing() -> None:
    rules = w.campaign_rules({"on": {"act": "give", "item": w.COIN}, "success": [{"lose": w.CARD}]})
    assert w.play(w.attempt("give", w.MARA, item_id=w.CARD), rules=rules).outcomes[0].code == "given"


def test_a_key_in_hand_unlocks_and_opens_and_the_way_is_free_afterwards() -> None:
    state = after(w.attempt("open", w.DOOR), state=WITH_KEY)
    assert state.doors[w.DOOR] == Door(locked=False, open=True, key_id=w.KEY)
    without = w.after(state, o.TransferItem(item_id=w.KEY, from_id=w.JO, to_id=w.VIKTOR))
    assert code(w.go(w.ALLEY), without) == "moved"


def test_unlocking_before_going_lets_one_through_in_the_same_turn() -> None:
    codes = [one.code for one in w.play(w.attempt("unlock", w.DOOR), w.go(w.ALLEY), state=WITH_KEY).outcomes]
    assert codes == ["unlocked", "moved"]


def test_a_key_used_on_its_door_turns_the_lock_to_and_fro() -> None:
    use = w.attempt("use", w.DOOR, item_id=w.KEY)
    assert code(use, WITH_KEY) == "unlocked"
    assert code(use, after(use, state=WITH_KEY)) == "locked"


def test_anything_else_used_does_nothing_by_itself() -> None:
    assert code(w.attempt("use", w.CARD)) == "used"
    assert code(w.attempt("use", w.DOOR, item_id=w.CARD)) == "used"
    assert w.play(w.attempt("use", w.VIKTOR, item_id=w.CARD)).ops == (o.AdvanceTime(minutes=1),)


@pytest.mark.parametrize(
    ("tried", "state", "wanted"),
    [
        (w.attempt("open", w.DOOR), UNLOCKED, "opened"),
        (w.attempt("open", w.DOOR, item_id=w.KEY), WITH_KEY, "opened"),
        (w.attempt("close", w.DOOR), OPEN, "closed"),
        (
            w.attempt("lock", w.DOOR),
            w.after(OPEN, o.TransferItem(item_id=w.KEY, from_id=w.VIKTOR, to_id=w.JO)),
            "locked",
        ),
        (w.attempt("unlock", w.DOOR, item_id=w.KEY), WITH_KEY, "unlocked"),
    ],
)
def test_a_door_does_as_it_is_told(tried: Attempt, state: WorldState, wanted: OutcomeCode) -> None:
    assert code(tried, state) == wanted


def test_locking_an_open_door_shuts_it() -> None:
    state = w.after(OPEN, o.TransferItem(item_id=w.KEY, from_id=w.VIKTOR, to_id=w.JO))
    assert after(w.attempt("lock", w.DOOR), state=state).doors[w.DOOR].open is False


def test_a_door_without_a_key_has_no_lock_to_turn() -> None:
    state = w.small_world(doors={w.DOOR: Door()})
    assert reason(w.attempt("lock", w.DOOR), state) == "no_lock"


def _fitting(kind: str, target: str | None, to: str | None, item: str | None) -> Attempt:
    """An attempt whose metadata its type may have."""
    with_item = {"give", "use", "open", "lock", "unlock", "attack", "persuade", "threaten", "attempt"}
    return w.attempt(kind, target, to=to, **({"item_id": item} if kind in with_item else {}))


KINDS = st.sampled_from(
    "go take drop give use open close lock unlock look sneak wait attempt fly ask tell persuade threaten attack promise "
    "recall search inventory".split()
)
TARGETS = st.none() | st.sampled_from(
    [w.JO, w.VIKTOR, w.MARA, w.CHEN, w.BAR, w.DOOR, w.KEY, w.COIN, w.UNIT, w.CARD, "x:y"]
)
TRIED = st.builds(
    _fitting,
    KINDS,
    TARGETS,
    st.none() | st.sampled_from([w.BAR, w.ALLEY, w.PIER, "x:y"]),
    st.none() | st.sampled_from([w.KEY, w.COIN, w.CARD, w.UNIT]),
)


@given(
    st.lists(TRIED, max_size=4),
    st.integers(min_value=2, max_value=13),
    st.sampled_from([w.small_world(), WITH_KEY, OPEN]),
)
def test_whatever_is_tried_the_ops_fit_and_no_thing_is_lost_or_made(
    attempts: list[Attempt], total: int, state: WorldState
) -> None:
    resolution = resolve(attempts, validate(attempts, state, FREEFORM), state, FREEFORM, w.SteadyDice(total))
    applied = apply(state, resolution.ops)
    assert applied.refusal is None
    assert _things(applied.state) == _things(state)
    assert len(resolution.outcomes) == len(attempts)


@given(TRIED, st.sampled_from([w.small_world(), WITH_KEY, OPEN]))
def test_what_is_blocked_changes_nothing(tried: Attempt, state: WorldState) -> None:
    resolution = resolve([tried], validate([tried], state, FREEFORM), state, FREEFORM, w.SteadyDice(10))
    if resolution.outcomes[0].code == "blocked":
        assert resolution.ops == ()
        assert resolution.rolls == ()


def _things(state: WorldState) -> dict[str, int]:
    counts: dict[str, int] = {}
    for held in state.inventory.values():
        for item, number in held.items():
            counts[item] = counts.get(item, 0) + number
    return dict(sorted(counts.items()))
