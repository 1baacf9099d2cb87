"""Conditions and effects of a scenario -> atoms, the single facts that can be true of a state.

An atom is a tuple, (`at`, a place), (`has`, a thing); a formula is an atom, (`all`, formulas…) or (`any`, formulas…).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import chain, product
from typing import Any, assert_never

from lorewright.ids import local, shown_item
from lorewright.rules import conditions as c
from lorewright.rules import effects as e
from lorewright.rules.actions import done_key, tried_key
from lorewright.world.state import WorldState

Atom = tuple[Any, ...]
Formula = tuple[Any, ...]

# A condition with more ways to hold than this is taken as a whole.
_MOST_WAYS = 16

ALWAYS: Formula = ("all",)
NEVER: Formula = ("any",)


def formula(condition: c.Condition | None, *, holds: bool = True) -> Formula:
    """Return a condition, or with `holds=False` its contrary, as a formula; without a condition, one that always
    holds."""
    match condition:
        case None:
            return ALWAYS
        case c.Has():
            return ("has" if holds else "lacks", condition.has)
        case c.At():
            return ("at" if holds else "away", condition.at)
        case c.Present():
            return ("present" if holds else "absent", condition.present)
        case c.Visited():
            return ("visited" if holds else "unvisited", condition.visited)
        case c.ClockIs():
            return _between(condition.clock, condition.min, condition.max, holds=holds)
        case c.PathIs() if condition.of is None and condition.is_ is None:
            low, high = condition.min, condition.max
            least = None if low is None else math.ceil(low)
            return _between(gauge(condition.path), least, None if high is None else math.floor(high), holds=holds)
        case c.ThreadIs():
            return ("thread" if holds else "other", condition.thread, condition.status)
        case c.Revealed():
            return ("learned" if holds else "unlearned", condition.revealed)
        case c.TimeIs():
            return ("minutes" if holds else "early", condition.minutes)
        case c.Did():
            return ("did", condition.by, condition.did) if holds else ALWAYS
        case c.Tried():
            return ("tried", condition.by, condition.tried) if holds else ALWAYS
        case c.AllOf():
            return ("all" if holds else "any", *(formula(part, holds=holds) for part in condition.all))
        case c.AnyOf():
            return ("any" if holds else "all", *(formula(part, holds=holds) for part in condition.any))
        case c.Not():
            return formula(condition.not_, holds=not holds)
        case (
            c.PathIs()
            | c.Company()
            | c.ConditionIs()
            | c.StateIs()
            | c.FactIs()
            | c.Announced()
            | c.SituationIs()
            | c.ProgressIs()
            | c.EscalationIs()
            | c.TurnIs()
            | c.RelationIs()
        ):
            # A condition without atoms is taken to hold: an estimate may be too low, never too high.
            return ALWAYS
        case _:
            assert_never(condition)


# How people are told of an atom; one without a row is told by its parts.
_WORDS = {
    "has": "having {}",
    "lacks": "being without {}",
    "at": "being at {}",
    "away": "being anywhere but at {}",
    "present": "{} being here",
    "absent": "{} being away",
    "visited": "having been at {}",
    "unvisited": "never having been at {}",
    "clock": "the clock {} at {}",
    "below": "the clock {} at {} at most",
    "thread": "the thread {} being {}",
    "other": "the thread {} not being {}",
    "learned": "knowing {}",
    "unlearned": "not knowing {}",
    "minutes": "{} minutes gone by",
    "early": "less than {} minutes gone by",
    "applied": "the rule {}",
    "fired": "the rule {} with {}",
    "by": "the rule {} by {}",
    "way": "the rule {} in its way {}",
    "found": "finding {}",
    "ended": "the ending {}",
    "open": "{} being unlocked",
    "lies": "{} lying at {}",
    "stands": "{} being at {}",
    "fact": "the fact {} of {}",
}


def describe_atom(atom: Atom) -> str:
    """Return an atom in the words of an author: `the clock storm at 6`."""
    kind, *parts = atom
    shown = [part if not isinstance(part, str) else shown_item(part) if "#" in part else local(part) for part in parts]
    words = _WORDS.get(kind)
    return words.format(*shown) if words is not None else " ".join(map(str, (kind, *shown)))


def unmodelled(condition: c.Condition | None) -> Iterator[c.Condition]:
    """Yield the parts of a condition that have no atoms, which a search does not work towards."""
    match condition:
        case c.AllOf() | c.AnyOf():
            for part in condition.all if isinstance(condition, c.AllOf) else condition.any:
                yield from unmodelled(part)
        case c.Not():
            yield from unmodelled(condition.not_)
        case c.RelationIs() | c.FactIs() | c.ConditionIs() | c.StateIs() | c.SituationIs() | c.ProgressIs():
            yield condition
        case _:
            pass


def gauge(path: str) -> str:
    """Return the name by which an atom calls a number of the ruleset's scene, where others name a clock."""
    return f"scene.{path}"


def _between(clock: str, low: int | None, high: int | None, *, holds: bool) -> Formula:
    """Return the formula of a clock between two values, both included, or of a clock outside of them."""
    if holds:
        parts = (
            *(() if low is None else (("clock", clock, low),)),
            *(() if high is None else (("below", clock, high),)),
        )
        return parts[0] if len(parts) == 1 else ("all", *parts)
    under = () if low is None else (("below", clock, low - 1),)
    return ("any", *under, *(() if high is None else (("clock", clock, high + 1),)))


def counted(clock: str, state: WorldState) -> tuple[int, int] | None:
    """Return the value and the maximum of a clock, or of a number of the ruleset's scene; None where there is none."""
    if clock in state.clocks:
        return state.clocks[clock].value, state.clocks[clock].max
    found = () if state.ruleset is None else state.ruleset.gauges()
    return next(((found_gauge.value, found_gauge.max) for found_gauge in found if gauge(found_gauge.id) == clock), None)


def added(effects: Iterable[e.Effect], player_id: str) -> Iterator[Atom]:
    """Yield the atoms that effects make true; those of clocks are left out, see `ticked`."""
    for effect in effects:
        match effect:
            case e.RevealEffect():
                yield ("learned", effect.reveal)
            case e.ArriveEffect():
                yield ("present", effect.arrive)
            case e.DepartEffect():
                who = player_id if effect.depart == "you" else effect.depart
                yield ("at", effect.to) if who == player_id else ("stands", who, effect.to)
                yield ("absent", who)
            case e.GiveEffect():
                yield ("has", effect.give)
            case e.LoseEffect():
                yield ("lacks", effect.lose)
            case e.PutEffect():
                yield ("lies", effect.put, effect.at)
            case e.UnlockEffect():
                yield ("open", effect.unlock)
            case e.ThreadEffect():
                yield ("thread", effect.thread, effect.status)
                yield ("other", effect.thread, effect.status)
            case e.FactEffect():
                yield ("fact", effect.fact, local(effect.subject))
            case e.EndEffect():
                yield ("ended", effect.end)
            case _:
                pass


def ticked(effects: Iterable[e.Effect]) -> tuple[tuple[str, int], ...]:
    """Return the clocks and the numbers of the scene that effects move, each with its step."""
    return tuple(chain.from_iterable(map(_ticks, effects)))


def _ticks(effect: e.Effect) -> Iterator[tuple[str, int]]:
    match effect:
        case e.ClockEffect() if effect.by:
            yield effect.clock, effect.by
        case e.PathEffect() if effect.of is None and effect.op in ("increment", "decrement"):
            by = 1 if effect.value is None else math.ceil(effect.value)
            yield gauge(effect.path), by if effect.op == "increment" else -by
        case _:
            pass


def is_true(atom: Atom, state: WorldState) -> bool:
    """Tell whether an atom holds in a state."""
    match atom:
        case ("has", thing):
            return thing in state.held_by(state.player_id)
        case ("lacks", thing):
            return thing not in state.held_by(state.player_id)
        case ("at", place):
            return bool(state.scene.location_id == place)
        case ("away", place):
            return bool(state.scene.location_id != place)
        case ("present", who):
            return who in state.present()
        case ("absent", who):
            return who not in state.present()
        case ("stands", who, place):
            return bool(state.positions.get(who) == place)
        case ("visited", place):
            return place in state.visits
        case ("unvisited", place):
            return place not in state.visits
        case ("clock", clock, value):
            stands = counted(clock, state)
            return stands is not None and bool(stands[0] >= value)
        case ("below", clock, value):
            stands = counted(clock, state)
            return stands is not None and bool(stands[0] <= value)
        case ("thread", thread, status):
            return thread in state.threads and bool(state.threads[thread].status == status)
        case ("other", thread, status):
            return thread in state.threads and bool(state.threads[thread].status != status)
        case ("learned", item):
            return state.has_learned(state.player_id, item)
        case ("unlearned", item):
            return not state.has_learned(state.player_id, item)
        case ("unspent", rule):
            return f"rule:{rule}" not in state.recall
        case ("minutes", minutes):
            return bool(state.minutes >= minutes)
        case ("early", minutes):
            return bool(state.minutes < minutes)
        case ("near", thing):
            return thing in state.held_by(state.player_id) or thing in state.held_by(state.scene.location_id)
        case ("lies", thing, place):
            return thing in state.held_by(place)
        case ("open", door):
            return door in state.doors and not state.doors[door].locked
        case ("ajar", door):
            return door in state.doors and state.doors[door].open
        case ("fact", predicate, subject):
            return any(
                fact.predicate == predicate and local(fact.subject_id) == subject for fact in state.facts.values()
            )
        case ("did", who, act):
            return done_key(who, act) in state.recall
        case ("tried", who, act):
            return tried_key(who, act) in state.recall
        case ("ended", ending):
            return bool(state.ended == ending)
        case _:
            return False


def atoms(given: Formula) -> Iterator[Atom]:
    """Yield the atoms of a formula, in its order."""
    if given[0] in ("all", "any"):
        for part in given[1:]:
            yield from atoms(part)
    else:
        yield given


def alternatives(given: Formula) -> list[Formula]:
    """Return the ways in which a formula can hold, each as a formula without `any`; a formula with too many ways is
    returned as it is."""
    match given[0]:
        case "any":
            return [way for part in given[1:] for way in alternatives(part)]
        case "all":
            parts = [alternatives(part) for part in given[1:]]
            if math.prod(map(len, parts)) > _MOST_WAYS:
                return [given]
            return [("all", *chain.from_iterable(map(atoms, ways))) for ways in product(*parts)]
        case _:
            return [given]
