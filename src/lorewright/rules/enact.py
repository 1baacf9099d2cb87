"""An author's effect and a state -> the ops that it means now. Whether they fit is for `apply` to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, assert_never

from lorewright.ids import content_hash, slug
from lorewright.rules import effects as e
from lorewright.world import ops as o
from lorewright.world.ops import AddFact
from lorewright.world.pressures import ESCALATION
from lorewright.world.state import Fact, Relationship, WorldState

# Promises, threats and debts as facts: who, to whom, what. Written by effects and by the player's words, read back.

PREDICATES = ("promised", "threatened", "owes")


def record_op(state: WorldState, *, by: str, to: str, predicate: str, what: str) -> tuple[str, AddFact | None]:
    """The ID of the fact that says so, and the op that adds it; None where it stands on the record already.

    Only what the player is party to is the player's to see.
    """
    fact_id = f"{by}.{predicate}.{slug(what, fallback='something')[:40]}-{content_hash(f'{to} {what}')[:8]}"
    if fact_id in state.facts:
        return fact_id, None
    is_party = state.player_id in (by, to)
    fact = Fact(
        id=fact_id,
        subject_id=by,
        predicate=predicate,
        object={"to": to, "what": what},
        visibility="player" if is_party else "gm",
        discovery_method="told" if is_party else None,
    )
    return fact_id, AddFact(fact=fact)


def recorded(state: WorldState, *, by: str, to: str, predicate: str | None = None) -> tuple[str, ...]:
    """IDs of what the one has promised to, owes or has threatened the other with, in the order in which it was said."""
    wanted = PREDICATES if predicate is None else (predicate,)
    facts = [
        fact
        for fact in state.facts_about(by)
        if fact.predicate in wanted and _to(fact) == to and fact.visibility == "player"
    ]
    return tuple(fact.id for fact in sorted(facts, key=lambda fact: (fact.discovered_turn or 0, fact.id)))


def _to(fact: Fact) -> str | None:
    return fact.object.get("to") if isinstance(fact.object, Mapping) else None


Learned = Literal["told", "found"]
_PATH_OPS: dict[str, type[o.PathOp]] = {
    "set": o.SetPath,
    "increment": o.Increment,
    "decrement": o.Decrement,
    "append": o.AppendTo,
    "remove": o.RemoveFrom,
}


def effect_ops(effect: e.Effect, state: WorldState, *, how: Learned = "told") -> tuple[o.StateOp, ...]:
    """The ops of one effect, to be applied all or none; `how` is how the player learns what it reveals."""
    match effect:
        case e.RevealEffect():
            return (o.RevealItem(item_id=effect.reveal, to=state.player_id, how=how),)
        case e.ClockEffect():
            return (o.TickClock(clock_id=effect.clock, delta=effect.by),)
        case e.RelationEffect():
            return (_relation(effect, state),)
        case e.ArriveEffect():
            return (o.Move(entity_id=effect.arrive, to=state.scene.location_id),)
        case e.DepartEffect():
            return _depart(_who(effect.depart, state), effect.to, state)
        case e.GiveEffect():
            return _give(effect.give, state)
        case e.LoseEffect():
            return (o.ChangeInventory(owner_id=state.player_id, item_id=effect.lose, delta=-1),)
        case e.PutEffect():
            return (o.ChangeInventory(owner_id=effect.at, item_id=effect.put, delta=1),)
        case e.UnlockEffect():
            return (o.SetDoor(door_id=effect.unlock, locked=False),)
        case e.ThreadEffect():
            return (o.UpdateThread(thread_id=effect.thread, status=effect.status),)
        case e.FactEffect():
            return (_fact(effect, state),)
        case e.PromiseEffect():
            return _said(effect.promise, "promised", state)
        case e.ThreatEffect():
            return _said(effect.threat, "threatened", state)
        case e.OwesEffect():
            return _said(effect.owes, "owes", state)
        case e.PathEffect():
            return (path_op(effect, None if effect.of is None else _who(effect.of, state)),)
        case e.EndEffect():
            return (o.EndCampaign(ending_id=effect.end),)
        case e.ConditionEffect() | e.StateEffect() | e.ObserveEffect() | e.TieEffect():
            return _within(effect, state)
        case e.AnnounceEffect() | e.AvertEffect() | e.SituationEffect():
            return _hanging_over(effect, state)
        case e.ProgressEffect():
            return (o.Investigate(thread_id=effect.progress, delta=effect.by),)
        case e.EscalateEffect():
            at = state.escalation.get(effect.escalate, 0)
            to = min(at + 1, len(ESCALATION) - 1) if effect.step is None else ESCALATION.index(effect.step)
            return (o.Escalate(who=effect.escalate, to=to),) if to != at else ()
        case e.PassTurnEffect():
            return (o.PassTurn(),)
        case e.TimeEffect():
            return (o.AdvanceTime(minutes=effect.minutes),)
        case _:
            assert_never(effect)


def _said(said: e.Spoken, predicate: str, state: WorldState) -> tuple[o.StateOp, ...]:
    """On the record; nothing where it stands there already."""
    by, to = _who(said.by, state), _who(said.to, state)
    _, op = record_op(state, by=by, to=to, predicate=predicate, what=said.what)
    return () if op is None else (op,)


def path_op(effect: e.PathEffect, of: str | None) -> o.StateOp:
    """The op of a change on a path; a number that is not said is 1."""
    value = 1 if effect.value is None and effect.op in ("increment", "decrement") else effect.value
    return _PATH_OPS[effect.op].model_validate({"path": effect.path, "of": of, "value": value})


def _who(entity_id: str, state: WorldState) -> str:
    return state.player_id if entity_id == "you" else entity_id


def _relation(effect: e.RelationEffect, state: WorldState) -> o.ChangeRelation:
    a, b = (_who(entity_id, state) for entity_id in effect.relation)
    return o.ChangeRelation(a=a, b=b, trust=effect.trust, tension=effect.tension, closeness=effect.closeness)


def _depart(who: str, to: str, state: WorldState) -> tuple[o.StateOp, ...]:
    """The scene goes where the player goes."""
    move = o.Move(entity_id=who, to=to)
    return (move, o.OpenScene(location_id=to)) if who == state.player_id else (move,)


def _give(item_id: str, state: WorldState) -> tuple[o.StateOp, ...]:
    """The thing comes from the place or from somebody present; where nobody has it, it comes from nowhere."""
    given = o.ChangeInventory(owner_id=state.player_id, item_id=item_id, delta=1)
    owners = (state.scene.location_id, *state.present_npcs())
    owner = next((owner for owner in owners if item_id in state.held_by(owner)), None)
    if owner is None:
        return (given,)
    return (o.ChangeInventory(owner_id=owner, item_id=item_id, delta=-1), given)


def _fact(effect: e.FactEffect, state: WorldState) -> o.AddFact | o.UpdateFact:
    """One fact per subject and predicate: established again, it gets the new object."""
    subject_id = _who(effect.subject, state)
    fact_id = f"{subject_id}.{slug(effect.fact, fallback='fact')}"
    if fact_id in state.facts:
        return o.UpdateFact(fact_id=fact_id, object=effect.object)
    return o.AddFact(fact=Fact(id=fact_id, subject_id=subject_id, predicate=effect.fact, object=effect.object))


def _within(
    effect: e.ConditionEffect | e.StateEffect | e.ObserveEffect | e.TieEffect, state: WorldState
) -> tuple[o.StateOp, ...]:
    """What changes within somebody; nothing where it is so already."""
    if isinstance(effect, e.TieEffect):
        a, b = (_who(name, state) for name in effect.tie)
        tie = Relationship(a=a, b=b, rel_type=effect.type, intensity=effect.intensity)
        return (o.SetRelationship(relationship=tie),)
    who = _who(effect.of, state)
    if isinstance(effect, e.StateEffect):
        return (o.SetCharacterState(who=who, name=effect.state, value=effect.value, level=effect.level),)
    if isinstance(effect, e.ObserveEffect):
        return (o.Observe(who=who, content=effect.observe, importance=effect.importance),)
    is_in = effect.condition in state.conditions_of(who)
    if is_in == effect.on:
        return ()
    changed = o.AddCondition if effect.on else o.RemoveCondition
    return (changed(who=who, condition=effect.condition),)


def _hanging_over(
    effect: e.AnnounceEffect | e.AvertEffect | e.SituationEffect, state: WorldState
) -> tuple[o.StateOp, ...]:
    """Threats and circumstances: one that is announced is not announced twice, and what is not there does not end."""
    if isinstance(effect, e.AnnounceEffect):
        is_new = effect.announce not in state.threats
        return (o.Announce(threat_id=effect.announce, minutes=effect.minutes),) if is_new else ()
    if isinstance(effect, e.AvertEffect):
        return (o.EndThreat(threat_id=effect.avert),) if effect.avert in state.threats else ()
    if effect.on:
        return (o.BeginSituation(situation_id=effect.situation, minutes=effect.minutes),)
    return (o.EndSituation(situation_id=effect.situation),) if effect.situation in state.situations else ()
