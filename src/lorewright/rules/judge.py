"""An author's condition and a state -> whether it holds. One about a thing that is not there does not."""

from __future__ import annotations

from typing import assert_never

from lorewright.rules import conditions as c
from lorewright.rules.actions import done_key, tried_key
from lorewright.rules.reach import company
from lorewright.world.pressures import ESCALATION
from lorewright.world.state import OFFSTAGE, WorldState, relation_key


def holds(condition: c.Condition, state: WorldState, *, you: str | None = None) -> bool:
    """Whether the condition holds now; an empty `all` does, an empty `any` does not. `you` is who is meant by that and
    by what names nobody (to carry a thing, to be at a place, to have learned something): the player unless said."""
    you = state.player_id if you is None else you
    match condition:
        case c.Has():
            return condition.has in state.held_by(_who(condition.of, you))
        case c.At():
            return _place_of(you, state) == condition.at
        case c.Present():
            return condition.present == you or condition.present in company(you, state)
        case c.Visited():
            return _place_of(you, state) == condition.visited or condition.visited in state.visits
        case c.ClockIs():
            return _clock_is(condition, state)
        case c.ThreadIs():
            thread = state.threads.get(condition.thread)
            return thread is not None and thread.status == condition.status
        case c.Revealed():
            return state.has_learned(_who(condition.to, you), condition.revealed)
        case c.TimeIs():
            return state.minutes >= condition.minutes
        case c.PathIs():
            return _path_is(condition, state, you)
        case c.Company():
            return bool(company(you, state)) == condition.company
        case c.ConditionIs():
            return condition.condition in state.conditions_of(_who(condition.of, you))
        case c.StateIs():
            return _state_is(condition, state, you)
        case c.FactIs():
            return _fact_is(condition, state, you)
        case c.Announced():
            return condition.announced in state.threats
        case c.SituationIs():
            return condition.situation in state.situations
        case c.ProgressIs():
            asked = state.threads.get(condition.progress)
            return asked is not None and asked.progress >= condition.min
        case c.EscalationIs():
            return state.escalation.get(condition.escalation, 0) >= ESCALATION.index(condition.min)
        case c.TurnIs():
            acting = state.player_id if state.turn_order is None else state.turn_order.current
            return acting == _who(condition.turn, you)
        case c.RelationIs():
            return _relation_is(condition, state, you)
        case c.Did():
            return done_key(condition.by, condition.did) in state.recall
        case c.Tried():
            return tried_key(condition.by, condition.tried) in state.recall
        case c.AllOf():
            return all(holds(part, state, you=you) for part in condition.all)
        case c.AnyOf():
            return any(holds(part, state, you=you) for part in condition.any)
        case c.Not():
            return not holds(condition.not_, state, you=you)
        case _:
            assert_never(condition)


def _clock_is(condition: c.ClockIs, state: WorldState) -> bool:
    clock = state.clocks.get(condition.clock)
    if clock is None or clock.value < condition.min:
        return False
    return condition.max is None or clock.value <= condition.max


def _path_is(condition: c.PathIs, state: WorldState, you: str) -> bool:
    if state.ruleset is None:
        return False
    of = None if condition.of is None else _who(condition.of, you)
    value = state.ruleset.value(condition.path, of=of)
    if condition.is_ is not None:
        return bool(value == condition.is_)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return (condition.min is None or value >= condition.min) and (condition.max is None or value <= condition.max)


def _state_is(condition: c.StateIs, state: WorldState, you: str) -> bool:
    """What is not manifest is nobody's to act upon."""
    character = state.characters.get(_who(condition.of, you))
    held = None if character is None else character.states.get(condition.state)
    if held is None or not held.is_manifest:
        return False
    return condition.is_ is None or bool(held.value == condition.is_)


def _fact_is(condition: c.FactIs, state: WorldState, you: str) -> bool:
    return any(
        fact.predicate == condition.fact
        and not fact.is_only_told
        and (fact.object is not False if condition.is_ is None else fact.object == condition.is_)
        for fact in state.facts_about(_who(condition.subject, you))
    )


def _relation_is(condition: c.RelationIs, state: WorldState, you: str) -> bool:
    between = relation_key(_who(condition.regard, you), _who(condition.to, you))
    relation = state.relations.get(between)
    stands = 0 if relation is None else getattr(relation, condition.in_)
    return (condition.min is None or stands >= condition.min) and (condition.max is None or stands <= condition.max)


def _who(name: str, you: str) -> str:
    return you if name == "you" else name


def _place_of(you: str, state: WorldState) -> str:
    """Where somebody is; the player is where the scene is."""
    return state.scene.location_id if you == state.player_id else state.positions.get(you, OFFSTAGE)
