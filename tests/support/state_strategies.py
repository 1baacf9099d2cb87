"""Hypothesis strategies: states that can come about, and ops upon them, most of which fit and take effect.

`fitting(state, kind)` is of ops of one kind that can change that state: whatever it draws does. `strays` know nothing
of the state. A turn is a state with a list of both, each op drawn for the state that
those before it lead to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.state import OFFSTAGE, Entity, Fact, Relationship, WorldState
from support import small_world as w
from support.inner_strategies import INNER_FITTING, inner_strays, investigated, one_of
from support.shaped_world import SCENE, STATS, shaped

NOBODY = "town:nobody"
SHIFTS = ("trust", "tension", "closeness")

Turn = tuple[WorldState, list[o.StateOp]]
Ops = st.SearchStrategy[Any]

ids = st.sampled_from([w.JO, w.VIKTOR, w.MARA, w.CHEN, w.BAR, w.PIER, w.DOOR, w.KEY, w.COIN, w.UNIT, OFFSTAGE, NOBODY])
numbers = st.integers(min_value=-9, max_value=9)
amounts = st.integers(min_value=1, max_value=9)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
item_ids = st.sampled_from([w.PIER_9, w.DEBT, w.LEDGER])
how = st.sampled_from(["told", "found", "overheard", "witnessed", "noticed"])
statuses = ("open", "stalled", "resolved")
entity_fields: dict[str, Any] = {
    "name": st.text(max_size=12),
    "attrs": st.dictionaries(st.text(max_size=4), json_values, max_size=2),
}
fact_ids = ("f1", "f2", "f3")
fact_fields: dict[str, Any] = {"subject_id": ids, "predicate": st.just("is"), "object": json_values}

paths = st.sampled_from(
    ["minutes_left", "heat", "pressure", "notes", "weather", "weather.wind", "shyness", "mood", "x.y", "."]
)
owners = st.none() | st.sampled_from([w.JO, w.VIKTOR, w.MARA])
values = st.integers(-3, 12) | st.text(max_size=9) | st.booleans() | st.lists(st.text(max_size=2), max_size=4)
path_amounts = st.integers(0, 9) | st.floats(0, 9, allow_nan=False)

stray_entities = st.builds(
    Entity,
    id=ids | st.sampled_from(["town:rat", "town:cellar"]),
    type=st.sampled_from(["npc", "location", "item", "other"]),
    **entity_fields,
)
stray_path_ops = st.one_of(
    st.builds(o.SetPath, path=paths, of=owners, value=values),
    st.builds(o.Increment, path=paths, of=owners, value=path_amounts),
    st.builds(o.Decrement, path=paths, of=owners, value=path_amounts),
    st.builds(o.AppendTo, path=paths, of=owners, value=values),
    st.builds(o.RemoveFrom, path=paths, of=owners, value=st.none() | values),
)
strays: Ops = st.one_of(
    st.builds(o.AdvanceTime, minutes=st.integers(min_value=0, max_value=600)),
    st.builds(o.Move, entity_id=ids, to=ids),
    st.builds(o.OpenScene, location_id=ids),
    st.builds(o.ChangeInventory, owner_id=ids, item_id=ids, delta=numbers),
    st.builds(o.TickClock, clock_id=st.sampled_from([w.HEAT, w.DOOM, "no_clock"]), delta=numbers),
    st.builds(o.RevealItem, item_id=item_ids, to=ids, how=how),
    st.builds(o.ChangeRelation, a=ids, b=ids, trust=numbers, tension=numbers, closeness=numbers),
    st.builds(o.UpdateThread, thread_id=st.sampled_from([w.JIN, "no_thread"]), status=st.sampled_from(statuses)),
    st.builds(o.AddFact, fact=st.builds(Fact, id=st.sampled_from(fact_ids), **fact_fields)),
    st.builds(o.UpdateFact, fact_id=st.sampled_from(fact_ids), object=json_values),
    st.builds(o.SetDoor, door_id=st.sampled_from([w.DOOR, "no_door"]), locked=st.booleans()),
    st.builds(o.SwingDoor, door_id=st.sampled_from([w.DOOR, "no_door"]), open=st.booleans()),
    st.builds(o.TransferItem, item_id=ids, from_id=ids, to_id=ids, quantity=st.integers(min_value=1, max_value=4)),
    st.builds(o.AddEntity, entity=stray_entities, at=st.none() | ids),
    st.builds(o.Recall, key=st.text(max_size=8)),
    st.builds(o.EndCampaign, ending_id=st.just("delivered")),
    st.builds(o.PlayAs, who=ids),
    stray_path_ops,
    *inner_strays,
)


def busy() -> WorldState:
    """The shaped world in the middle of things: whatever can be changed, ended or taken away is there."""
    people = ({"who": w.VIKTOR, "name": "mood", "value": "sour"}, {"who": w.MARA, "name": "morality", "value": 3})
    sister = Relationship(a=w.MARA, b=w.VIKTOR, rel_type="sister", intensity=2)
    return w.after(
        shaped(weather={"wind": 3}),
        o.AddFact(fact=Fact(id="f1", subject_id=w.VIKTOR, predicate="owes", object=200)),
        o.SetDoor(door_id=w.DOOR, locked=False),
        o.TickClock(clock_id=w.HEAT, delta=2),
        *(o.SetCharacterState(**one) for one in people),
        o.AddCondition(who=w.MARA, condition="wounded"),
        o.SetRelationship(relationship=sister),
        o.Announce(threat_id="raid", minutes=9),
        o.BeginSituation(situation_id="panic"),
        o.SetTurnOrder(actors=(w.JO, w.VIKTOR)),
        o.SetStreak(who=w.JO, failures=2),
    ).with_fields(personas=(w.JO, w.MARA))


def fitting(state: WorldState, kind: str) -> Ops | None:
    """Ops of a kind that fit the state and change it; None where there are none."""
    return FITTING[kind](state)


def _places(state: WorldState) -> list[str]:
    return sorted(one.id for one in state.entities.values() if one.type == "location")


def _moves(state: WorldState) -> Ops | None:
    ways = [(who, to) for who, at in state.positions.items() for to in (*_places(state), OFFSTAGE) if to != at]
    return one_of(ways, lambda way: st.just(o.Move(entity_id=way[0], to=way[1])))


def _switches(state: WorldState) -> Ops | None:
    others = [one for one in state.personas if one != state.player_id and state.positions[one] != OFFSTAGE]
    return one_of(others, lambda who: st.just(o.PlayAs(who=who)))


def _changes_of_inventory(state: WorldState) -> Ops:
    things = sorted(one.id for one in state.entities.values() if one.type == "item")
    gains = st.builds(
        o.ChangeInventory,
        owner_id=st.sampled_from(sorted(state.entities)),
        item_id=st.sampled_from(things),
        delta=amounts,
    )
    losses = one_of(
        _held(state),
        lambda held: st.builds(
            o.ChangeInventory, owner_id=st.just(held[0]), item_id=st.just(held[1]), delta=st.integers(-held[2], -1)
        ),
    )
    return gains if losses is None else gains | losses


def _held(state: WorldState) -> list[tuple[str, str, int]]:
    return [(owner, item, number) for owner, held in state.inventory.items() for item, number in held.items()]


def _transfers(state: WorldState) -> Ops | None:
    return one_of(
        _held(state),
        lambda held: st.builds(
            o.TransferItem,
            item_id=st.just(held[1]),
            from_id=st.just(held[0]),
            to_id=st.sampled_from(sorted(set(state.entities) - {held[0]})),
            quantity=st.integers(1, held[2]),
        ),
    )


def _ticks(state: WorldState) -> Ops | None:
    ways = [(clock.id, sign) for clock in state.clocks.values() for sign in (-1, 1) if _can_tick(clock, sign)]
    return one_of(
        ways, lambda way: st.builds(o.TickClock, clock_id=st.just(way[0]), delta=amounts.map(lambda by: by * way[1]))
    )


def _can_tick(clock: Any, sign: int) -> bool:
    return bool(clock.value < clock.max if sign > 0 else clock.value > 0)


def _reveals(state: WorldState) -> Ops | None:
    items = [w.PIER_9, w.DEBT, w.LEDGER, w.GOSSIP]
    new = [(to, item) for to in state.positions for item in items if not state.has_learned(to, item)]
    return one_of(new, lambda one: st.builds(o.RevealItem, item_id=st.just(one[1]), to=st.just(one[0]), how=how))


def _changes_of_relations(state: WorldState) -> Ops:
    people = sorted(state.entities)
    pairs = st.lists(st.sampled_from(people), min_size=2, max_size=2, unique=True)
    shifts = st.fixed_dictionaries(dict.fromkeys(SHIFTS, numbers)).filter(lambda one: any(one.values()))
    return st.builds(lambda two, by: o.ChangeRelation(a=two[0], b=two[1], **by), pairs, shifts)


def _updates_of_threads(state: WorldState) -> Ops | None:
    new = [(one.id, status) for one in state.threads.values() for status in statuses if status != one.status]
    return one_of(new, lambda one: st.just(o.UpdateThread(thread_id=one[0], status=one[1])))


def _new_facts(state: WorldState) -> Ops | None:
    free = [one for one in fact_ids if one not in state.facts]
    return one_of(free, lambda one: st.builds(o.AddFact, fact=st.builds(Fact, id=st.just(one), **fact_fields)))


def _updates_of_facts(state: WorldState) -> Ops | None:
    def another(fact_id: str) -> Ops:
        known = w.as_json(state.facts[fact_id].object)
        objects = json_values.filter(lambda value: w.as_json(value) != known)
        return st.builds(o.UpdateFact, fact_id=st.just(fact_id), object=objects)

    return one_of(sorted(state.facts), another)


def _swings(state: WorldState) -> Ops | None:
    free = [door for door, one in state.doors.items() if not one.locked]
    return one_of(free, lambda door: st.just(o.SwingDoor(door_id=door, open=not state.doors[door].open)))


def _new_entities(state: WorldState) -> Ops | None:
    free = [one for one in ("town:rat", "town:cellar", "town:knife", "town:saw") if one not in state.entities]
    places = st.sampled_from(_places(state))

    def make(entity_id: str) -> Ops:
        things = st.builds(
            Entity, id=st.just(entity_id), type=st.sampled_from(["item", "location", "other"]), **entity_fields
        )
        people = st.builds(Entity, id=st.just(entity_id), type=st.just("npc"), **entity_fields)
        return st.builds(o.AddEntity, entity=things, at=st.none() | places) | st.builds(
            o.AddEntity, entity=people, at=places
        )

    return one_of(free, make)


# What stands at a path of the shaped world, as a way to values that fit there.
_VALUES: dict[tuple[str | None, str], Ops] = {
    (None, "minutes_left"): st.integers(0, 7),
    (None, "heat"): st.floats(0, 2.5) | st.integers(-9, 2),
    (None, "pressure"): st.text(max_size=8),
    (None, "notes"): st.lists(st.text(max_size=2), max_size=3),
    (None, "weather"): st.just({}) | st.fixed_dictionaries({"wind": numbers}),
    (None, "weather.wind"): numbers,
    (w.JO, "shyness"): st.integers(0, 10),
    (w.VIKTOR, "shyness"): st.integers(0, 10),
    (w.JO, "mood"): st.text(max_size=8),
}
# Where a number can be counted, and its bounds.
_COUNTED = {(None, "minutes_left"): (0, 7), (w.JO, "shyness"): (0, 10), (w.VIKTOR, "shyness"): (0, 10)}
_CAN_GO = ((None, "heat"), (None, "pressure"), (None, "weather"), (w.JO, "mood"))


def _sets(state: WorldState) -> Ops | None:
    if state.ruleset is None:
        return None

    def make(where: tuple[str | None, str]) -> Ops:
        known = w.as_json(state.ruleset.value(where[1], of=where[0]) if state.ruleset else None)
        new = _VALUES[where].filter(lambda value: w.as_json(value) != known)
        return st.builds(o.SetPath, of=st.just(where[0]), path=st.just(where[1]), value=new)

    return one_of(list(_VALUES), make)


def _counts(state: WorldState, kind: type[Any], bound: int) -> Ops | None:
    held = state.ruleset
    if held is None:
        return None
    free = [where for where, ends in _COUNTED.items() if held.value(where[1], of=where[0]) != ends[bound]]
    return one_of(free, lambda where: st.builds(kind, of=st.just(where[0]), path=st.just(where[1]), value=amounts))


def _appends(state: WorldState) -> Ops | None:
    if state.ruleset is None or len(state.ruleset.value("notes")) > 2:
        return None
    return st.builds(o.AppendTo, path=st.just("notes"), value=st.text(max_size=2))


def _removals(state: WorldState) -> Ops | None:
    held = state.ruleset
    if held is None:
        return None
    notes = [o.RemoveFrom(path="notes", value=note) for note in held.value("notes")]
    whole = [o.RemoveFrom(of=of, path=path) for of, path in _CAN_GO if held.value(path, of=of) is not None]
    return one_of([*notes, *whole], st.just)


def _reshapings(state: WorldState) -> Ops | None:
    """Another stat with a default, in a schema that the state is not held to yet."""
    if state.ruleset is None:
        return None
    known = state.ruleset.stat_schema["properties"].get("nerve", {}).get("maximum")
    other = st.integers(10, 99).filter(lambda most: most != known)
    nerve = other.map(lambda most: {"type": "integer", "default": 1, "maximum": most})
    schemas = nerve.map(lambda one: {**STATS, "properties": {**STATS["properties"], "nerve": one}})
    return schemas.map(lambda stats: o.Reshape(stat_schema=stats, scene_schema=SCENE))


def _renamings(state: WorldState) -> Ops | None:
    """A fact under an ID that nothing else has; other ops know the people and places by name."""
    fresh = next(name for number in range(len(state.facts) + 1) if (name := f"new:f{number}") not in state.facts)
    return one_of(sorted(state.facts), lambda old: st.just(o.RenameIds(ids={old: fresh})))


FITTING: dict[str, Callable[[WorldState], Ops | None]] = {
    "advance_time": lambda state: st.builds(o.AdvanceTime, minutes=st.integers(1, 600)),
    "move": _moves,
    "open_scene": lambda state: st.builds(o.OpenScene, location_id=st.sampled_from(_places(state))),
    "inventory": _changes_of_inventory,
    "transfer": _transfers,
    "clock": _ticks,
    "reveal": _reveals,
    "relation": _changes_of_relations,
    "thread": _updates_of_threads,
    "fact_add": _new_facts,
    "fact_update": _updates_of_facts,
    "door": lambda state: one_of(
        sorted(state.doors), lambda door: st.just(o.SetDoor(door_id=door, locked=not state.doors[door].locked))
    ),
    "door_swing": _swings,
    "entity_add": _new_entities,
    "recall": lambda state: st.builds(o.Recall, key=st.text(max_size=8)),
    "end": lambda state: None if state.ended else st.just(o.EndCampaign(ending_id="delivered")),
    "set": _sets,
    "increment": lambda state: _counts(state, o.Increment, 1),
    "decrement": lambda state: _counts(state, o.Decrement, 0),
    "append": _appends,
    "remove": _removals,
    "reshape": _reshapings,
    "rename_ids": _renamings,
    "play_as": _switches,
    **INNER_FITTING,
}


@st.composite
def fitting_ops(draw: st.DrawFn, state: WorldState, often: str | None = None) -> Any:
    """An op that fits the state and changes it, of any kind that can; every other one of the kind `often`."""
    wanted = None if often is None or draw(st.booleans()) else fitting(state, often)
    if wanted is not None:
        return draw(wanted)
    kinds = [*reversed(FITTING)]  # the first are drawn most often, and those that come last here can seldom be done
    while True:  # time can always go on
        kind = draw(st.sampled_from(kinds))
        strategy = fitting(state, kind)
        if strategy is not None:
            return draw(strategy)
        kinds.remove(kind)


def ops_on(state: WorldState, often: str | None = None) -> Ops:
    """Ops of every kind upon a state; one of five knows nothing of it."""
    return st.integers(0, 4).flatmap(lambda number: strays if number == 4 else fitting_ops(state, often))


@st.composite
def turns(draw: st.DrawFn, *, fit: bool = False, often: str | None = None, before: int = 4, ops: int = 8) -> Turn:
    """A state that can come about, and ops upon it in a row; with `fit` all of them fit."""
    state = draw(st.sampled_from([w.small_world, busy, shaped, investigated, busy]))()
    for _ in range(draw(st.integers(0, before))):
        state = apply(state, [draw(ops_on(state))]).state
    working, found = state, []
    for _ in range(draw(st.integers(0, ops))):
        op = draw(fitting_ops(working, often) if fit else ops_on(working, often))
        working = apply(working, [op]).state
        found.append(op)
    return state, found


states = turns(ops=0, before=6).map(lambda turn: turn[0])
