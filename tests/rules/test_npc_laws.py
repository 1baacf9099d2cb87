"""Laws of what the cast does: whatever one of them tries, wherever the world has got to.

The worlds are those that play leads to: each begins with the small one and goes through rounds of the player and the cast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.rules.actions import Attempt
from lorewright.rules.acts import why_not_grounded
from lorewright.rules.consequences import not_theirs
from lorewright.rules.dice import SeededDice
from lorewright.rules.patch import Resolution
from lorewright.rules.reasons import why_not
from lorewright.rules.resolve import play_out
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.validate import validate
from lorewright.rules.verbs import verbs
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.ruleset_state import RulesetState
from lorewright.world.state import Entity, WorldState
from support import small_world as w

CAST = (w.VIKTOR, w.MARA, w.CHEN)
PEOPLE = (w.JO, *CAST)
THINGS = (w.KEY, w.COIN, w.UNIT, w.CARD)
PLACES = (w.BAR, w.ALLEY, w.PIER)
ITEMS = (w.PIER_9, w.GOSSIP, w.DEBT, w.LEDGER, w.STAIN)
Case = tuple[CampaignRules, WorldState, Attempt, int]
WORLD = w.small_world()
TENSE, _ = load_ruleset("everyday-tension")
RULESETS: dict[str, CampaignRules] = {
    "freeform": w.freeform_rules(),
    "everyday-tension": w.campaign_rules(ruleset=TENSE),
}


@st.composite
def attempts(draw: st.DrawFn, actors: Sequence[str] = CAST) -> Attempt:
    """Anything that somebody may try, sense or nonsense."""
    kind = draw(st.sampled_from(sorted(verbs())))
    fields = verbs()[kind].metadata.model_fields
    given_: dict[str, object] = {}
    if "item_id" in fields:
        given_["item_id"] = draw(st.sampled_from([None, *THINGS]))
    if "topic" in fields:
        given_["topic"] = draw(st.sampled_from(["", "the pier"]))
    if "whisper" in fields:
        given_["whisper"] = draw(st.booleans())
    if "trait" in fields:
        given_["trait"] = draw(st.sampled_from([None, "charm", "hands"]))
    return w.attempt(
        kind,
        draw(st.sampled_from([None, *PEOPLE, *THINGS, *PLACES, w.DOOR, "town:ghost"])),
        actor=draw(st.sampled_from(actors)),
        to=draw(st.sampled_from([None, *PLACES])),
        items=draw(st.lists(st.sampled_from(ITEMS), max_size=2, unique=True)),
        **{key: value for key, value in given_.items() if value is not None},
    )


def world_for(rules: CampaignRules) -> WorldState:
    """The small world, shaped as the ruleset shapes it; Chen waits in the alley."""
    start = w.after(w.small_world(), o.Move(entity_id=w.CHEN, to=w.ALLEY))
    ruleset = rules.ruleset
    if not ruleset.scene_state_schema:
        return start
    properties = ruleset.character_stat_schema["properties"]
    block = {name: one["default"] for name, one in properties.items() if "default" in one}
    scene = {"pressure_clock": 3, "shifts": 0, "opportunity_open": True}
    shaped = RulesetState.model_validate(
        {
            "stat_schema": ruleset.character_stat_schema,
            "scene_schema": ruleset.scene_state_schema,
            "stats": dict.fromkeys(PEOPLE, block),
            "scene": scene,
        }
    )
    return start.with_fields(ruleset=shaped, schema_version=2)


def round_of(tried: Attempt, state: WorldState, rules: CampaignRules, seed: int) -> Resolution:
    acting = tried.action.actor_id
    judged = validate([tried], state, rules, acting=acting)
    return play_out([tried], judged, state, rules, SeededDice(seed, "x", "y"), acting=acting).resolution()


@st.composite
def talk(draw: st.DrawFn, actors: Sequence[str] = CAST) -> Attempt:
    """Words to somebody that point at something."""
    actor = draw(st.sampled_from(actors))
    return w.attempt(
        draw(st.sampled_from(["tell", "ask", "persuade", "threaten"])),
        draw(st.sampled_from([who for who in PEOPLE if who != actor])),
        actor=actor,
        items=draw(st.permutations(ITEMS))[:2],
        topic="the pier",
        whisper=draw(st.booleans()),
    )


@st.composite
def reached(draw: st.DrawFn, kind: Callable[..., st.SearchStrategy[Attempt]] = attempts) -> Case:
    """Rules, a world that play led to, what one of the cast tries in it, and the dice's seed."""
    rules = RULESETS[draw(st.sampled_from(sorted(RULESETS)))]
    state = world_for(rules)
    for number, tried in enumerate(draw(st.lists(kind(PEOPLE), max_size=5))):
        state = w.after(state, *round_of(tried, state, rules, number).ops)
    return rules, state, draw(kind()), draw(st.integers(0, 50))


@given(reached())
def test_whatever_one_of_the_cast_tries_has_one_outcome_and_ops_that_fit(
    case: Case,
) -> None:
    rules, state, tried, seed = case
    written = state.to_json()
    acting = tried.action.actor_id
    judged = validate([tried], state, rules, acting=acting)
    patch = play_out([tried], judged, state, rules, SeededDice(seed, "x", "y"), acting=acting)
    again = play_out([tried], judged, state, rules, SeededDice(seed, "x", "y"), acting=acting)
    resolution = patch.resolution()
    assert resolution == again.resolution()
    assert state.to_json() == written
    assert len(resolution.outcomes) == 1
    applied = apply(state, resolution.ops)
    assert (applied.refusal, applied.state) == (None, patch.state)
    assert (resolution.outcomes[0].code == "blocked") == (not judged.results[0].success)
    if not judged.results[0].success:
        assert resolution.ops == () or state.threats or state.situations


@given(reached())
def test_every_op_of_theirs_is_one_that_the_resolver_may_write(
    case: Case,
) -> None:
    rules, state, tried, seed = case
    assert not_theirs(round_of(tried, state, rules, seed).ops, "resolve", rules.ruleset) == []


@given(reached())
def test_of_the_player_nothing_changes_but_what_is_done_to_them_in_the_open(
    case: Case,
) -> None:
    rules, state, tried, seed = case
    resolution = round_of(tried, state, rules, seed)
    after, action = w.after(state, *resolution.ops), tried.action
    assert after.positions[w.JO] == state.positions[w.JO]
    assert (after.scene, after.visits, after.minutes) == (state.scene, state.visits, state.minutes)
    assert (after.clocks, after.streaks, after.escalation) == (state.clocks, state.streaks, state.escalation)
    if after.held_by(w.JO) != state.held_by(w.JO):
        assert (action.type, action.target_id) == ("give", w.JO)
    learned = after.learned_by(w.JO) - state.learned_by(w.JO)
    if learned:
        assert state.positions[action.actor_id] == state.scene.location_id
        assert action.target_id == w.JO or not action.is_whispered
        assert action.type in ("tell", "ask", "persuade", "threaten")
        assert set(resolution.outcomes[0].item_ids) == set(learned)
    if after.conditions_of(w.JO) != state.conditions_of(w.JO):
        assert (action.type, action.target_id) == ("attack", w.JO)


@given(st.one_of(reached(), reached(talk)))
def test_nobody_is_told_anything_but_what_whoever_tells_it_knew(
    case: Case,
) -> None:
    rules, state, tried, seed = case
    after = w.after(state, *round_of(tried, state, rules, seed).ops)
    for who in PEOPLE:
        for item in sorted(after.learned_by(who) - state.learned_by(who)):
            holder, _, rest = item.rpartition(":")
            if tried.action.type == "search":
                assert who == tried.action.actor_id
                continue
            speaker = tried.action.actor_id if tried.action.type == "tell" else tried.action.target_id
            own = holder == speaker and rest.startswith("knows")
            opened = holder == speaker and state.has_learned(w.JO, item)
            assert own or opened or state.has_learned(str(speaker), item)


@given(st.one_of(reached(), reached(talk)))
def test_what_is_whispered_only_its_target_learns(
    case: Case,
) -> None:
    rules, state, tried, seed = case
    action = tried.action
    if not action.is_whispered:
        return
    resolution = round_of(tried, state, rules, seed)
    after = w.after(state, *resolution.ops)
    ends = {action.actor_id, action.target_id}
    assert all(who in ends for who in PEOPLE if after.learned_by(who) != state.learned_by(who))
    assert all(set(event.audience or ()) <= ends for event in resolution.events if event.audience is not None)


def in_their_place(state: WorldState, who: str) -> WorldState:
    """The same world with somebody else for the player, who is one of the cast in turn."""
    swapped: dict[str, Entity] = {
        **state.entities,
        who: state.entities[who].model_copy(update={"type": "player"}),
        w.JO: state.entities[w.JO].model_copy(update={"type": "npc"}),
    }
    scene = state.scene.model_copy(update={"location_id": state.positions[who]})
    return state.with_fields(entities=swapped, player_id=who, scene=scene)


@given(reached())
def test_nobody_can_do_what_a_player_in_their_place_could_not(
    case: Case,
) -> None:
    rules, state, tried, _ = case
    who, action = tried.action.actor_id, tried.action
    as_npc = why_not(action, state, rules.ruleset, acting=who)
    as_player = why_not(action, in_their_place(state, who), rules.ruleset)
    # What is too far for the one is no way at all for another who has not been there.
    ways = {"too_far", "no_such_exit"}
    assert as_npc == as_player or {as_npc, as_player} == ways


@pytest.mark.parametrize("acting", [None, w.JO, w.VIKTOR])
@given(tried=attempts((*PEOPLE, "town:ghost")))
def test_nobody_ever_acts_for_somebody_else(acting: str | None, tried: Attempt) -> None:
    (judged,) = validate([tried], WORLD, RULESETS["freeform"], acting=acting).results
    if judged.success:
        assert tried.action.actor_id == (acting or w.JO)


@given(items=st.lists(st.sampled_from(ITEMS), min_size=1, max_size=3, unique=True), who=st.sampled_from(CAST))
def test_whether_somebody_may_tell_is_a_question_of_what_they_know(items: list[str], who: str) -> None:
    tried = w.attempt("tell", w.JO, actor=who, items=items, topic="x")
    knows_one = who == w.VIKTOR and any(item in (w.PIER_9, w.GOSSIP) for item in items)
    assert (why_not_grounded(tried, WORLD) is None) == knows_one
