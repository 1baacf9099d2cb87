"""Hypothesis strategies for ops on what characters carry within and on what hangs over a scene; see `strategies`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from lorewright.world import ops as o
from lorewright.world.state import Relationship, Thread, WorldState
from support import small_world as w

Ops = st.SearchStrategy[Any]

PEOPLE = (w.JO, w.VIKTOR, w.MARA, w.CHEN)
KINDS = ("sister", "employer")
NAMES = ("mood", "morality")
CONDITIONS = ("bound", "wounded")
SEEN = ("The lamp went out.", "the  LAMP went out.", "Viktor lied.")
THREATS = ("raid", "flood")
SITUATIONS = ("blackout", "panic")
# Beside somebody whom the world knows there is always one whom it does not.
anybody = st.sampled_from([*PEOPLE, w.KEY, "town:nobody"])
inner_values = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6) | st.lists(st.text(max_size=2))
levels = st.integers(1, 10)
importance = st.integers(1, 5)
minutes = st.integers(0, 600)
tags = st.lists(st.text(max_size=4), max_size=2).map(tuple)
relationships = st.builds(
    Relationship,
    a=anybody,
    b=anybody,
    rel_type=st.sampled_from(KINDS),
    intensity=st.integers(-9, 9),
    notes=st.dictionaries(st.text(max_size=3), inner_values, max_size=2),
)


def investigated() -> WorldState:
    """The small world with a thread whose progress is counted."""
    return w.small_world(threads={w.JIN: Thread(id=w.JIN, title="Where is Jin?", progress=1, needed=3)})


inner_strays: tuple[Ops, ...] = (
    st.builds(
        o.UpdateEntity, entity_id=anybody, name=st.none() | st.text(min_size=1, max_size=6), tags=st.none() | tags
    ),
    st.builds(o.SetRelationship, relationship=relationships),
    st.builds(o.EndRelationship, a=anybody, b=anybody, rel_type=st.sampled_from(KINDS)),
    st.builds(o.SetCharacterState, who=anybody, name=st.sampled_from(NAMES), value=inner_values, level=levels),
    st.builds(o.ClearCharacterState, who=anybody, name=st.sampled_from(NAMES)),
    st.builds(o.AddCondition, who=anybody, condition=st.sampled_from(CONDITIONS)),
    st.builds(o.RemoveCondition, who=anybody, condition=st.sampled_from(CONDITIONS)),
    st.builds(o.Observe, who=anybody, content=st.sampled_from(SEEN), importance=importance),
    st.builds(o.SetStreak, who=anybody, failures=st.integers(0, 3)),
    st.builds(o.Escalate, who=anybody, to=st.integers(0, 3)),
    st.builds(o.Announce, threat_id=st.sampled_from(THREATS), minutes=minutes),
    st.builds(o.EndThreat, threat_id=st.sampled_from(THREATS)),
    st.builds(o.BeginSituation, situation_id=st.sampled_from(SITUATIONS), minutes=st.none() | minutes),
    st.builds(o.EndSituation, situation_id=st.sampled_from(SITUATIONS)),
    st.builds(o.Investigate, thread_id=st.sampled_from([w.JIN, "no_thread"]), delta=st.integers(-4, 4)),
    st.builds(o.SetTurnOrder, actors=st.lists(anybody, max_size=3).map(tuple)),
    st.builds(o.PassTurn),
)


def one_of(choices: Sequence[Any], make: Callable[[Any], Ops]) -> Ops | None:
    """Ops about one of the choices; None where there is none."""
    return st.sampled_from(list(choices)).flatmap(make) if choices else None


def _updates(state: WorldState) -> Ops:
    def make(entity_id: str) -> Ops:
        known = state.entities[entity_id]
        names = st.text(min_size=1, max_size=6).filter(lambda name: name != known.name)
        return st.builds(o.UpdateEntity, entity_id=st.just(entity_id), name=names) | st.builds(
            o.UpdateEntity, entity_id=st.just(entity_id), tags=tags.filter(lambda new: new != known.tags)
        )

    return st.sampled_from(sorted(state.entities)).flatmap(make)


def _relationships(state: WorldState) -> Ops:
    known = {w.as_json(one.model_dump(mode="json")) for one in state.relationships.values()}
    new = relationships.filter(
        lambda one: (
            one.a != one.b
            and {one.a, one.b} <= state.entities.keys()
            and w.as_json(one.model_dump(mode="json")) not in known
        )
    )
    return st.builds(o.SetRelationship, relationship=new)


def _ends_of_relationships(state: WorldState) -> Ops | None:
    held = sorted((one.a, one.b, one.rel_type) for one in state.relationships.values())
    return one_of(held, lambda one: st.just(o.EndRelationship(a=one[0], b=one[1], rel_type=one[2])))


def _states(state: WorldState) -> Ops:
    def make(where: tuple[str, str]) -> Ops:
        who, name = where
        held = state.characters[who].states.get(name) if who in state.characters else None
        known = None if held is None else (w.as_json(held.value), held.level)
        ops = st.builds(o.SetCharacterState, who=st.just(who), name=st.just(name), value=inner_values, level=levels)
        return ops.filter(lambda op: (w.as_json(op.value), op.level) != known)

    return st.sampled_from([(who, name) for who in PEOPLE for name in NAMES]).flatmap(make)


def _ends_of_states(state: WorldState) -> Ops | None:
    held = [(who, name) for who, one in state.characters.items() for name in one.states]
    return one_of(held, lambda one: st.just(o.ClearCharacterState(who=one[0], name=one[1])))


def _conditions(state: WorldState, *, held: bool) -> list[tuple[str, str]]:
    of = {who: state.characters[who].conditions if who in state.characters else () for who in PEOPLE}
    return [(who, one) for who in PEOPLE for one in CONDITIONS if (one in of[who]) is held]


def _progress(state: WorldState) -> Ops | None:
    ways = [
        (one.id, sign)
        for one in state.threads.values()
        for sign in (-1, 1)
        if (one.progress > 0 if sign < 0 else not one.needed or one.progress < one.needed)
    ]
    deltas = st.integers(1, 4)
    return one_of(
        ways, lambda way: st.builds(o.Investigate, thread_id=st.just(way[0]), delta=deltas.map(lambda by: by * way[1]))
    )


def _situations(state: WorldState) -> Ops:
    def another(op: o.BeginSituation) -> bool:
        held = state.situations.get(op.situation_id)
        return held is None or held.until != (None if op.minutes is None else state.minutes + op.minutes)

    begun = st.builds(o.BeginSituation, situation_id=st.sampled_from(SITUATIONS), minutes=st.none() | minutes)
    return begun.filter(another)


def _orders(state: WorldState) -> Ops:
    held = state.turn_order
    orders = st.lists(st.sampled_from(PEOPLE), max_size=3, unique=True).map(tuple)
    return st.builds(o.SetTurnOrder, actors=orders.filter(lambda new: new != (held.actors if held else ())))


def _passes(state: WorldState) -> Ops | None:
    several = state.turn_order is not None and len(state.turn_order.actors) > 1
    return st.just(o.PassTurn()) if several else None


def _counts(state: WorldState, kind: Callable[..., Any], field: str, number: str) -> Ops:
    held = getattr(state, field)
    new = [(who, count) for who in PEOPLE for count in range(4) if held.get(who, 0) != count]
    return st.sampled_from(new).map(lambda one: kind(**{"who": one[0], number: one[1]}))


INNER_FITTING: dict[str, Callable[[WorldState], Ops | None]] = {
    "entity_update": _updates,
    "relationship": _relationships,
    "relationship_end": _ends_of_relationships,
    "character_state": _states,
    "character_state_clear": _ends_of_states,
    "condition_add": lambda state: one_of(
        _conditions(state, held=False), lambda one: st.just(o.AddCondition(who=one[0], condition=one[1]))
    ),
    "condition_remove": lambda state: one_of(
        _conditions(state, held=True), lambda one: st.just(o.RemoveCondition(who=one[0], condition=one[1]))
    ),
    "observe": lambda state: st.builds(
        o.Observe, who=st.sampled_from(PEOPLE), content=st.sampled_from(SEEN), importance=importance
    ),
    "streak": lambda state: _counts(state, o.SetStreak, "streaks", "failures"),
    "escalate": lambda state: _counts(state, o.Escalate, "escalation", "to"),
    "threat": lambda state: one_of(
        [one for one in THREATS if one not in state.threats],
        lambda one: st.builds(o.Announce, threat_id=st.just(one), minutes=minutes),
    ),
    "threat_end": lambda state: one_of(sorted(state.threats), lambda one: st.just(o.EndThreat(threat_id=one))),
    "situation": _situations,
    "situation_end": lambda state: one_of(
        sorted(state.situations), lambda one: st.just(o.EndSituation(situation_id=one))
    ),
    "progress": _progress,
    "turn_order": _orders,
    "turn_pass": _passes,
}
