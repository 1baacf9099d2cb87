"""Effects as authors write them (`{clock: heat, by: 1}`): data until the moment when they become ops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, assert_never

from pydantic import Discriminator, Field, Tag, model_validator

from lorewright.ids import content_hash, slug
from lorewright.rules import effects as e
from lorewright.world import ops as o
from lorewright.world.frozen import Frozen
from lorewright.world.ops import AddFact
from lorewright.world.schemas import LARGEST, is_json
from lorewright.world.state import Fact, Relationship, WorldState
from lorewright.world.things import ESCALATION, MANIFEST_LEVEL, PREDICATES

# Promises, threats and debts as facts: who, to whom, what. Written by effects and by the player's words.


def record_op(
    state: WorldState, *, by: str, to: str, predicate: str, what: str, whispered: bool = False
) -> tuple[str, AddFact | None]:
    """Return the ID of the fact that records it, and the op that adds it; None for the op where it is on record
    already.

    Only records that involve a persona are visible to players: to those whose personas are there, or, where it is
    whispered, are a part of it.
    """
    fact_id = f"{by}.{predicate}.{slug(what, fallback='something')[:40]}-{content_hash(f'{to} {what}')[:8]}"
    if fact_id in state.facts:
        return fact_id, None
    is_party = state.is_players(by) or state.is_players(to)
    there = () if whispered else state.present()
    fact = Fact(
        id=fact_id,
        subject_id=by,
        predicate=predicate,
        object={"to": to, "what": what},
        visibility="player" if is_party else "gm",
        discovery_method="told" if is_party else None,
        known_to=state.knowers((by, to, *there)) if is_party else (),
    )
    return fact_id, AddFact(fact=fact)


def recorded_facts(state: WorldState, *, by: str, to: str, predicate: str | None = None) -> tuple[str, ...]:
    """Return IDs of what `by` has promised to, owes or has threatened `to` with, in the order in which it was said."""
    wanted = PREDICATES if predicate is None else (predicate,)
    facts = [
        fact
        for fact in state.facts_about(by)
        if fact.predicate in wanted and _to(fact) == to and fact.is_shown("player", None)
    ]
    return tuple(fact.id for fact in sorted(facts, key=lambda fact: (fact.discovered_turn or 0, fact.id)))


def _to(fact: Fact) -> str | None:
    return fact.object.get("to") if isinstance(fact.object, Mapping) else None


# Ops of effects: an author's effect and a state -> its ops now. Whether they fit is for `apply` to decide.

Learned = Literal["told", "found"]
_PATH_OPS: dict[str, type[o.PathOp]] = {
    "set": o.SetPath,
    "increment": o.Increment,
    "decrement": o.Decrement,
    "append": o.AppendTo,
    "remove": o.RemoveFrom,
}


def effect_ops(effect: e.Effect, state: WorldState, *, how: Learned = "told") -> tuple[o.StateOp, ...]:
    """Return the ops of one effect, to be applied all or none; `how` is how the player learns what it reveals."""
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
            return _depart_ops(_character_id(effect.depart, state), effect.to, state)
        case e.GiveEffect():
            return _give_ops(effect.give, state)
        case e.LoseEffect():
            return (o.ChangeInventory(owner_id=state.player_id, item_id=effect.lose, delta=-1),)
        case e.PutEffect():
            return (o.ChangeInventory(owner_id=effect.at, item_id=effect.put, delta=1),)
        case e.UnlockEffect():
            return (o.SetDoor(door_id=effect.unlock, locked=False),)
        case e.ThreadEffect():
            return (o.UpdateThread(thread_id=effect.thread, status=effect.status, stakes=effect.stakes),)
        case e.FactEffect():
            return (_fact_op(effect, state),)
        case e.PromiseEffect():
            return _record_ops(effect.promise, "promised", state)
        case e.ThreatEffect():
            return _record_ops(effect.threat, "threatened", state)
        case e.OwesEffect():
            return _record_ops(effect.owes, "owes", state)
        case e.PathEffect():
            return (path_op(effect, None if effect.of is None else _character_id(effect.of, state)),)
        case e.EndEffect():
            return (o.EndCampaign(ending_id=effect.end),)
        case e.ConditionEffect() | e.StateEffect() | e.ObserveEffect() | e.TieEffect():
            return _inner_ops(effect, state)
        case e.AnnounceEffect() | e.AvertEffect() | e.SituationEffect():
            return _threat_ops(effect, state)
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


def _record_ops(said: e.Spoken, predicate: str, state: WorldState) -> tuple[o.StateOp, ...]:
    """Return the op that records it; empty where it is on record already."""
    by, to = _character_id(said.by, state), _character_id(said.to, state)
    _, op = record_op(state, by=by, to=to, predicate=predicate, what=said.what)
    return () if op is None else (op,)


def path_op(effect: e.PathEffect, of: str | None) -> o.StateOp:
    """Return the op of a change on a path; a missing number is 1."""
    value = 1 if effect.value is None and effect.op in ("increment", "decrement") else effect.value
    return _PATH_OPS[effect.op].model_validate({"path": effect.path, "of": of, "value": value})


def _character_id(entity_id: str, state: WorldState) -> str:
    return state.player_id if entity_id == "you" else entity_id


def _relation(effect: e.RelationEffect, state: WorldState) -> o.ChangeRelation:
    a, b = (_character_id(entity_id, state) for entity_id in effect.relation)
    return o.ChangeRelation(a=a, b=b, trust=effect.trust, tension=effect.tension, closeness=effect.closeness)


def _depart_ops(who: str, to: str, state: WorldState) -> tuple[o.StateOp, ...]:
    """Return the ops of a departure; the scene goes where the player goes."""
    move = o.Move(entity_id=who, to=to)
    return (move, o.OpenScene(location_id=to)) if who == state.player_id else (move,)


def _give_ops(item_id: str, state: WorldState) -> tuple[o.StateOp, ...]:
    """Return the transfer of a thing from the place or from somebody present; a thing that nobody has is created."""
    given = o.ChangeInventory(owner_id=state.player_id, item_id=item_id, delta=1)
    owners = (state.scene.location_id, *state.present_npcs())
    owner = next((owner for owner in owners if item_id in state.held_by(owner)), None)
    if owner is None:
        return (given,)
    return (o.ChangeInventory(owner_id=owner, item_id=item_id, delta=-1), given)


def _fact_op(effect: e.FactEffect, state: WorldState) -> o.AddFact | o.UpdateFact:
    """Return the op for a fact, one per subject and predicate: established again, it gets the new object."""
    subject_id = _character_id(effect.subject, state)
    fact_id = f"{subject_id}.{slug(effect.fact, fallback='fact')}"
    if fact_id in state.facts:
        return o.UpdateFact(fact_id=fact_id, object=effect.object)
    known_to = state.knowers(state.present())
    fact = Fact(id=fact_id, subject_id=subject_id, predicate=effect.fact, object=effect.object, known_to=known_to)
    return o.AddFact(fact=fact)


def _inner_ops(
    effect: e.ConditionEffect | e.StateEffect | e.ObserveEffect | e.TieEffect, state: WorldState
) -> tuple[o.StateOp, ...]:
    """Return the ops of an inner change; empty where nothing changes."""
    if isinstance(effect, e.TieEffect):
        a, b = (_character_id(name, state) for name in effect.tie)
        tie = Relationship(a=a, b=b, rel_type=effect.type, intensity=effect.intensity)
        return (o.SetRelationship(relationship=tie),)
    who = _character_id(effect.of, state)
    if isinstance(effect, e.StateEffect):
        return (o.SetCharacterState(who=who, name=effect.state, value=effect.value, level=effect.level),)
    if isinstance(effect, e.ObserveEffect):
        return (o.Observe(who=who, content=effect.observe, importance=effect.importance),)
    is_in = effect.condition in state.conditions_of(who)
    if is_in == effect.on:
        return ()
    changed = o.AddCondition if effect.on else o.RemoveCondition
    return (changed(who=who, condition=effect.condition),)


def _threat_ops(
    effect: e.AnnounceEffect | e.AvertEffect | e.SituationEffect, state: WorldState
) -> tuple[o.StateOp, ...]:
    """Return the ops of threats and circumstances: an announced threat is not announced twice, and a missing one cannot
    end.
    """
    if isinstance(effect, e.AnnounceEffect):
        is_new = effect.announce not in state.threats
        return (o.Announce(threat_id=effect.announce, minutes=effect.minutes),) if is_new else ()
    if isinstance(effect, e.AvertEffect):
        return (o.EndThreat(threat_id=effect.avert),) if effect.avert in state.threats else ()
    if effect.on:
        return (o.BeginSituation(situation_id=effect.situation, minutes=effect.minutes),)
    return (o.EndSituation(situation_id=effect.situation),) if effect.situation in state.situations else ()


# The effects as authors write them, as data.


class RevealEffect(Frozen):
    """The player learns an item (`viktor/withholds#debt`)."""

    reveal: str


class ClockEffect(Frozen):
    """A clock moves."""

    clock: str
    by: int = 1


class RelationEffect(Frozen):
    """What stands between two people changes; `you` is the player."""

    relation: tuple[str, str]
    trust: int = 0
    tension: int = 0
    closeness: int = 0


class ArriveEffect(Frozen):
    """A character comes to the scene's place."""

    arrive: str


class DepartEffect(Frozen):
    """A character leaves for another place."""

    depart: str
    to: str


class GiveEffect(Frozen):
    """The player gets a thing."""

    give: str


class LoseEffect(Frozen):
    """The player loses a thing that they carry."""

    lose: str


class PutEffect(Frozen):
    """A thing comes to lie in a place."""

    put: str
    at: str


class UnlockEffect(Frozen):
    """A door is unlocked."""

    unlock: str


class ThreadEffect(Frozen):
    """A thread gets another status, and with `stakes` something else depends on it."""

    thread: str
    status: str
    stakes: str | None = Field(default=None, exclude_if=lambda stakes: stakes is None)


class FactEffect(Frozen):
    """Something becomes established."""

    fact: str = Field(description="The predicate")
    subject: str
    object: Any = None


class Spoken(Frozen):
    """Who said it, to whom, and what; `you` is the player, and `what` completes `to …` or is a thing owed."""

    by: str
    to: str
    what: str = Field(min_length=1, max_length=200)


class PromiseEffect(Frozen):
    """Somebody gives their word; it stands on the record (`promise: {by: viktor, to: you, what: "…"}`)."""

    promise: Spoken


class ThreatEffect(Frozen):
    """Somebody is threatened with something; it stands on the record."""

    threat: Spoken


class OwesEffect(Frozen):
    """Somebody owes somebody something from now on; it stands on the record."""

    owes: Spoken


class PathEffect(Frozen):
    """A path of the ruleset's scene changes, or one of somebody's stat block: `of` is somebody, `you`, or in a ruleset
    `target` (whom it was aimed at) or `somebody` (anyone there). In a ruleset `$stat` is the stat of the check."""

    op: Literal["set", "increment", "decrement", "append", "remove"]
    path: str
    of: str | None = None
    value: Any = None

    @model_validator(mode="after")
    def _with_a_fitting_value(self) -> Self:
        """Reject errors that otherwise only a turn would find: a count that is no number, nothing to set."""
        if self.op in ("increment", "decrement"):
            if self.value is not None and (type(self.value) not in (int, float) or not 0 <= self.value <= LARGEST):
                raise ValueError(f"{self.op} by a number from 0 upward")
        elif self.op != "remove" and self.value is None:
            raise ValueError(f"{self.op} needs a value")
        elif not is_json(self.value):
            raise ValueError("write JSON, with numbers that are finite and not too large")
        return self


class ConditionEffect(Frozen):
    """A character (`you` where nobody is named) comes into a condition, or with `on: false` out of it."""

    condition: str
    of: str = "you"
    on: bool = True


class StateEffect(Frozen):
    """A character's inner state gets a value; below level 6 it is not manifest yet."""

    state: str
    of: str = "you"
    value: Any
    level: int = Field(default=MANIFEST_LEVEL, ge=1, le=10)


class ObserveEffect(Frozen):
    """A character remembers something; the same once more strengthens it."""

    observe: str = Field(min_length=1, max_length=500)
    of: str
    importance: int = Field(default=3, ge=1, le=5)


class TieEffect(Frozen):
    """The first is something to the second from now on (`tie: [viktor, mira], type: employer`)."""

    tie: tuple[str, str]
    type: str
    intensity: int = 0


class AnnounceEffect(Frozen):
    """A threat of the scenario hangs over the scene, and falls due in so many minutes unless it is averted."""

    announce: str
    minutes: int = Field(ge=0)


class AvertEffect(Frozen):
    """A threat is averted."""

    avert: str


class SituationEffect(Frozen):
    """A circumstance begins, for so many minutes or until it ends; with `on: false` it ends."""

    situation: str
    minutes: int | None = Field(default=None, ge=0)
    on: bool = True


class ProgressEffect(Frozen):
    """A thread has been looked into further."""

    progress: str
    by: int = 1


class EscalateEffect(Frozen):
    """Somebody goes a step further against the player, or to a step that is named (`none`: they leave off)."""

    escalate: str
    step: Literal["none", "soft", "hard", "lethal"] | None = None


class PassTurnEffect(Frozen):
    """The turn passes to the next in the order."""

    pass_turn: Literal[True]


class TimeEffect(Frozen):
    """Time goes by."""

    minutes: int = Field(ge=0)


class EndEffect(Frozen):
    """An ending is reached."""

    end: str


_KINDS = (
    "reveal",
    "clock",
    "relation",
    "arrive",
    "depart",
    "give",
    "lose",
    "put",
    "unlock",
    "thread",
    "fact",
    "promise",
    "threat",
    "owes",
    "path",
    "end",
    *("condition", "state", "observe", "tie", "announce", "avert", "situation", "progress", "escalate", "pass_turn"),
    "minutes",
)


def _kind(value: object) -> str | None:
    if isinstance(value, dict):
        return next((kind for kind in _KINDS if kind in value), None)
    return next((kind for kind in _KINDS if hasattr(value, kind)), None)


Effect = Annotated[
    Annotated[RevealEffect, Tag("reveal")]
    | Annotated[ClockEffect, Tag("clock")]
    | Annotated[RelationEffect, Tag("relation")]
    | Annotated[ArriveEffect, Tag("arrive")]
    | Annotated[DepartEffect, Tag("depart")]
    | Annotated[GiveEffect, Tag("give")]
    | Annotated[LoseEffect, Tag("lose")]
    | Annotated[PutEffect, Tag("put")]
    | Annotated[UnlockEffect, Tag("unlock")]
    | Annotated[ThreadEffect, Tag("thread")]
    | Annotated[FactEffect, Tag("fact")]
    | Annotated[PromiseEffect, Tag("promise")]
    | Annotated[ThreatEffect, Tag("threat")]
    | Annotated[OwesEffect, Tag("owes")]
    | Annotated[PathEffect, Tag("path")]
    | Annotated[EndEffect, Tag("end")]
    | Annotated[ConditionEffect, Tag("condition")]
    | Annotated[StateEffect, Tag("state")]
    | Annotated[ObserveEffect, Tag("observe")]
    | Annotated[TieEffect, Tag("tie")]
    | Annotated[AnnounceEffect, Tag("announce")]
    | Annotated[AvertEffect, Tag("avert")]
    | Annotated[SituationEffect, Tag("situation")]
    | Annotated[ProgressEffect, Tag("progress")]
    | Annotated[EscalateEffect, Tag("escalate")]
    | Annotated[PassTurnEffect, Tag("pass_turn")]
    | Annotated[TimeEffect, Tag("minutes")],
    Discriminator(_kind),
]
