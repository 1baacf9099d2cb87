"""Who was there remembers what was to be seen, and no more; what was done to people changes how they stand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.campaigns.scenarios.rulesets import load_ruleset, ruleset_names
from lorewright.rules.actions import Attempt
from lorewright.rules.observations import BOUND, MOST, observe
from lorewright.rules.rulesets import CampaignRules
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.state import WorldState, relation_key
from support import small_world as w

FREEFORM, _ = load_ruleset("freeform")


def ops_of(
    *tried: Attempt, state: WorldState | None = None, rules: CampaignRules | None = None, total: int = 10, **given: Any
) -> tuple[o.StateOp, ...]:
    state, rules = state or w.small_world(), rules or w.freeform_rules()
    resolution = w.play(*tried, state=state, rules=rules, dice=w.SteadyDice(total))
    after = w.after(state, *resolution.ops)
    return observe(resolution, state, after, ruleset=rules.ruleset, **given)


def remembered(*tried: Attempt, who: str = w.VIKTOR, **given: Any) -> list[tuple[str, int]]:
    ops = ops_of(*tried, **given)
    return [(op.content, op.importance) for op in ops if isinstance(op, o.Observe) and op.who == who]


def regards(*tried: Attempt, **given: Any) -> list[tuple[str, int, int]]:
    """(key of the pair, trust, tension) of every change between two people."""
    changes = [op for op in ops_of(*tried, **given) if isinstance(op, o.ChangeRelation)]
    return [(relation_key(op.a, op.b), op.trust, op.tension) for op in changes]


@pytest.mark.parametrize(
    ("tried", "memory"),
    [
        (
            w.attempt("ask", w.VIKTOR, topic="Agent Chen and the money"),
            ("Jo asked Viktor: “Agent Chen and the money”.", 1),
        ),
        (w.attempt("ask", w.VIKTOR, topic="the money"), ("Jo asked Viktor: “the money”.", 1)),
        (w.attempt("tell", w.VIKTOR, topic="it rains"), ("Jo talked to Viktor: “it rains”.", 1)),
        (w.attempt("promise", w.VIKTOR, topic="to pay"), ("Jo gave Viktor a promise: “to pay”.", 4)),
        (w.attempt("threaten", w.VIKTOR), ("Jo threatened Viktor.", 5)),
        (w.attempt("attack", w.VIKTOR), ("Jo attacked Viktor.", 5)),
        (w.attempt("give", w.VIKTOR, item_id=w.CARD), ("Jo gave the business card to Viktor.", 4)),
        (w.attempt("take", w.COIN), ("Jo took the coin.", 2)),
        (w.attempt("search"), ("Jo searched the Neon Dragon.", 2)),
        (w.attempt("search", items=[w.LEDGER]), ("Jo searched the Neon Dragon and found something.", 3)),
        (w.attempt("use", w.COIN, item_id=w.CARD), ("Jo used the business card on the coin.", 1)),
        (w.go(w.PIER), ("Jo left the Neon Dragon.", 1)),
        (w.attempt("wave"), ("Jo made a sign.", 1)),
        (w.attempt("wave", w.VIKTOR), ("Jo made a sign to Viktor.", 1)),
        (w.attempt("laugh", w.VIKTOR), ("Jo laughed at Viktor.", 1)),
        (w.attempt("dance", w.VIKTOR), ("Jo danced with Viktor.", 1)),
        (w.attempt("sing"), ("Jo sang.", 1)),
        (w.attempt("knock"), ("Jo knocked.", 1)),
        (w.attempt("knock", w.COIN), ("Jo knocked on the coin.", 1)),
        (w.attempt("sit"), ("Jo sat down.", 1)),
        (w.attempt("stand"), ("Jo stood up.", 1)),
        (w.attempt("touch", w.VIKTOR), ("Jo touched Viktor.", 1)),
        (w.attempt("greet", w.VIKTOR), ("Jo greeted Viktor.", 1)),
        (w.attempt("farewell", w.VIKTOR), ("Jo said goodbye to Viktor.", 1)),
        (w.attempt("thank", w.VIKTOR), ("Jo thanked Viktor.", 1)),
        (w.attempt("apologise", w.VIKTOR), ("Jo apologised to Viktor.", 3)),
    ],
)
def test_what_is_done_is_remembered_by_whom_it_is_done_to(tried: Attempt, memory: tuple[str, int]) -> None:
    assert memory in remembered(tried)


def test_bystanders_remember_it_too_and_it_weighs_less_with_them() -> None:
    assert remembered(w.attempt("threaten", w.VIKTOR), who=w.MARA) == [("Jo threatened Viktor.", 4)]


def test_the_player_remembers_for_themselves() -> None:
    assert remembered(w.attempt("promise", w.VIKTOR, topic="to pay"), who=w.JO) == [
        ("Jo gave Viktor a promise: “to pay”.", 3)
    ]


def test_who_is_not_there_remembers_nothing() -> None:
    assert remembered(w.attempt("threaten", w.VIKTOR), who=w.CHEN) == []


def test_whoever_comes_is_seen_where_they_come_to() -> None:
    state = w.after(w.small_world(), o.Move(entity_id=w.CHEN, to=w.PIER))
    assert remembered(w.go(w.PIER), who=w.CHEN, state=state) == [("Jo came to Pier 9.", 1)]


def test_what_is_done_after_a_step_is_seen_where_it_leads() -> None:
    state = w.after(w.small_world(), o.Move(entity_id=w.CHEN, to=w.PIER))
    tried = (w.go(w.PIER), w.attempt("take", w.UNIT))
    assert ("Jo took the comm unit.", 2) in remembered(*tried, who=w.CHEN, state=state)
    assert ("Jo took the comm unit.", 2) not in remembered(*tried, who=w.VIKTOR, state=state)


def test_who_sneaks_well_is_not_seen_to_go() -> None:
    assert remembered(w.attempt("sneak", to=w.PIER), total=12) == []
    assert remembered(w.attempt("sneak", to=w.PIER), total=3) == [("Jo tried to slip by unseen.", 2)]


def test_of_a_whisper_others_see_that_there_was_one() -> None:
    tried = w.attempt("threaten", w.VIKTOR, topic="the police", whisper=True)
    assert remembered(tried, who=w.MARA) == [("Jo whispered something to Viktor.", 2)]
    assert remembered(tried, who=w.VIKTOR) == [("Jo threatened Viktor: “the police”.", 5)]


KINDS = ("ask", "tell", "persuade", "threaten", "promise")
SECRET = "the ledger lies under the third board"


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_said_is_remembered_by_all_who_heard_it(kind: str) -> None:
    for who in (w.JO, w.VIKTOR, w.MARA):
        texts = [text for text, _ in remembered(w.attempt(kind, w.VIKTOR, topic=SECRET), who=who)]
        assert any(text.endswith(f": “{SECRET}”.") for text in texts)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_whispered_is_remembered_by_its_two_ends(kind: str) -> None:
    tried = w.attempt(kind, w.VIKTOR, topic=SECRET, whisper=True)
    assert not any("ledger" in text for text, _ in remembered(tried, who=w.MARA))
    for who in (w.JO, w.VIKTOR):
        assert any("ledger" in text for text, _ in remembered(tried, who=who))


def test_words_without_an_end_are_cut() -> None:
    texts = [text for text, _ in remembered(w.attempt("tell", w.VIKTOR, topic="la " * 60))]
    assert all(len(text) < 200 for text in texts) and any(text.endswith(" …”.") for text in texts)


def test_in_a_recorded_turn_of_the_first_version_no_memory_holds_what_was_said() -> None:
    for kind in KINDS:
        ops = ops_of(w.attempt(kind, w.VIKTOR, topic=SECRET), keeps_words=False)
        texts = [op.content for op in ops if isinstance(op, o.Observe)]
        assert texts and not any("ledger" in text for text in texts)
        assert w.JO not in {op.who for op in ops if isinstance(op, o.Observe)}


def test_what_was_not_possible_is_not_seen() -> None:
    assert ops_of(w.attempt("give", w.VIKTOR, item_id=w.COIN)) == ()


def test_an_audience_is_whoever_may_know_at_all() -> None:
    assert remembered(w.attempt("threaten", w.VIKTOR), who=w.MARA, audience={w.VIKTOR}) == []


def test_a_round_leaves_a_few_memories_and_those_that_matter_most() -> None:
    tried = [w.attempt("ask", w.VIKTOR), w.attempt("take", w.COIN), w.attempt("drop", w.COIN)]
    tried += [w.attempt("promise", w.VIKTOR, topic="to pay"), w.attempt("give", w.VIKTOR, item_id=w.CARD)]
    kept = remembered(*tried)
    assert len(kept) == MOST
    assert [importance for _, importance in kept] == [2, 4, 4]


def test_the_same_seen_again_is_one_memory_and_a_stronger_one() -> None:
    state = w.small_world()
    for _ in range(2):
        state = w.after(state, *ops_of(w.attempt("threaten", w.VIKTOR), state=state))
    (memory,) = state.observations[w.MARA].values()
    assert memory.reinforcement_count == 1


def test_who_was_hurt_and_who_came_is_remembered() -> None:
    rule = {"on": {"act": "take"}, "success": [{"arrive": w.CHEN}, {"condition": "wounded", "of": w.MARA}]}
    kept = remembered(w.attempt("take", w.COIN), rules=w.freeform_rules(rule))
    assert kept == [("Jo took the coin.", 2), ("Agent Chen came.", 2), ("Mara was wounded.", 4)] or len(kept) == MOST
    assert {("Agent Chen came.", 2), ("Mara was wounded.", 4)} <= set(kept)


# How they stand to each other.


def test_a_threat_stands_between_two_where_the_dice_brought_nothing() -> None:
    assert regards(w.attempt("threaten", w.VIKTOR), total=10) == [(relation_key(w.JO, w.VIKTOR), 0, 1)]


@pytest.mark.parametrize("kind", ["greet", "thank", "apologise"])
def test_a_civility_eases_what_strain_there_is_and_makes_no_friends(kind: str) -> None:
    tense = w.after(w.small_world(), o.ChangeRelation(a=w.VIKTOR, b=w.JO, tension=2))
    assert regards(w.attempt(kind, w.VIKTOR), state=tense) == [(relation_key(w.VIKTOR, w.JO), 0, -1)]
    assert regards(w.attempt(kind, w.VIKTOR)) == []


def test_civilities_count_once_a_day_between_two() -> None:
    state = w.after(w.small_world(), o.ChangeRelation(a=w.VIKTOR, b=w.JO, tension=3))
    again = w.after(state, *w.play(w.attempt("greet", w.VIKTOR), state=state).ops)
    assert regards(w.attempt("thank", w.VIKTOR), state=again) == []
    day_after = w.after(again, o.AdvanceTime(minutes=24 * 60))
    assert len(regards(w.attempt("thank", w.VIKTOR), state=day_after)) == 1


def test_what_the_rules_have_moved_already_is_left_as_it_is() -> None:
    rule = {"on": {"act": "threaten"}, "success": [{"relation": [w.VIKTOR, w.JO], "tension": 3}]}
    assert regards(w.attempt("threaten", w.VIKTOR), rules=w.freeform_rules(rule)) == []


def test_nothing_goes_further_than_its_bound() -> None:
    state = w.after(w.small_world(), o.ChangeRelation(a=w.JO, b=w.VIKTOR, tension=BOUND))
    assert regards(w.attempt("threaten", w.VIKTOR), state=state) == []


def test_who_stands_well_with_the_one_attacked_takes_it_ill() -> None:
    state = w.after(w.small_world(), o.ChangeRelation(a=w.MARA, b=w.VIKTOR, trust=2))
    assert regards(w.attempt("attack", w.VIKTOR), state=state) == [(relation_key(w.JO, w.MARA), 0, 1)]
    assert regards(w.attempt("attack", w.VIKTOR)) == []


@pytest.mark.parametrize(("predicate", "trust", "tension"), [("broke_promise", -2, 1), ("kept_promise", 1, 0)])
def test_a_word_broken_or_kept_changes_what_stands_between_two(predicate: str, trust: int, tension: int) -> None:
    rule = {"on": {"act": "wait"}, "success": [{"fact": predicate, "subject": w.JO, "object": "viktor"}]}
    assert regards(w.attempt("wait"), rules=w.freeform_rules(rule)) == [(relation_key(w.JO, w.VIKTOR), trust, tension)]


# What a ruleset allows.


def test_a_ruleset_that_lets_the_resolver_write_no_memories_gets_none() -> None:
    assert ops_of(w.attempt("threaten", w.VIKTOR), rules=w.campaign_rules()) == ()


def test_every_ruleset_of_stories_that_ships_lets_the_cast_remember() -> None:
    for name in sorted(set(ruleset_names()) - {"tic-tac-toe"}):
        assert "observe" in load_ruleset(name)[0].allowed_ops["resolve"]


ATTEMPTS = st.builds(
    lambda kind, target, item, to, whisper: w.attempt(
        kind, target, to=to, **({"item_id": item} if item and kind in ("give", "use", "attack") else {}),
        **({"whisper": True, "topic": "Mara"} if whisper and kind in ("ask", "tell", "threaten", "promise") else {}),
    ),
    st.sampled_from(["ask", "tell", "threaten", "promise", "attack", "give", "take", "drop", "use", "go", "sneak"]),
    st.sampled_from([None, w.VIKTOR, w.MARA, w.CHEN, w.COIN, w.DOOR, w.JO]),
    st.sampled_from([None, w.CARD, w.COIN]),
    st.sampled_from([None, w.PIER, w.ALLEY]),
    st.booleans(),
)  # fmt: skip


@given(st.lists(ATTEMPTS, max_size=4), st.integers(2, 12))
def test_whatever_is_remembered_fits_and_is_the_same_every_time(tried: list[Attempt], total: int) -> None:
    state, rules = w.small_world(), w.freeform_rules()
    resolution = w.play(*tried, rules=rules, dice=w.SteadyDice(total))
    after = w.after(state, *resolution.ops)
    ops = observe(resolution, state, after, ruleset=FREEFORM)
    assert ops == observe(resolution, state, after, ruleset=FREEFORM)
    applied = apply(after, ops)
    assert applied.refusal is None
    assert all(sum(isinstance(op, o.Observe) and op.who == who for op in ops) <= MOST for who in after.positions)
    assert (applied.state.positions, applied.state.inventory, applied.state.reveals) == (
        after.positions,
        after.inventory,
        after.reveals,
    )
