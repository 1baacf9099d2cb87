"""Conditions and effects of a scenario as atoms: what can be true of a state, one by one.

An atom is a tuple, (`at`, a place), (`has`, a thing); a formula is an atom, (`all`, formulas…) or (`any`, formulas…).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import chain, product
from typing import Any, assert_never

from lorewright.ids import local
from lorewright.rules import conditions as c
from lorewright.rules import effects as e
from lorewright.world.state import WorldState

Atom = tuple[Any, ...]
Formula = tuple[Any, ...]

# A condition with more ways to hold than this is taken as a whole.
_MOST_WAYS = 16

ALWAYS: Formula = ("all",)
NEVER: Formula = ("any",)


def formula(condition: c.Condition | None, *, holds: bool = True) -> Formula:
    """A condition, or its contrary, as a formula."""
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
            low, high = ("clock", condition.clock, condition.min), ("below", condition.clock, condition.max)
            if holds:
                return low if condition.max is None else ("all", low, high)
            over = NEVER if condition.max is None else ("clock", condition.clock, condition.max + 1)
            return ("any", ("below", condition.clock, condition.min - 1), over)
        case c.ThreadIs():
            return ("thread" if holds else "other", condition.thread, condition.status)
        case c.Revealed():
            return ("learned" if holds else "unlearned", condition.revealed)
        case c.TimeIs():
            return ("minutes" if holds else "early", condition.minutes)
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
        ):
            # What no atom is made of is taken to hold: an estimate may be too hopeful, never too grim.
            return ALWAYS
        case _:
            assert_never(condition)


def added(effects: Iterable[e.Effect], player_id: str) -> Iterator[Atom]:
    """What effects add, but for clocks."""
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
    """The clocks that effects move, and by how much."""
    return tuple((one.clock, one.by) for one in effects if isinstance(one, e.ClockEffect) and one.by)


def is_true(atom: Atom, state: WorldState) -> bool:
    """Whether an atom holds in a state."""
    match atom:
        case ("has", thing):
            return thing in state.held_by(state.player_id)
        case ("lacks", thing):
            return thing not in state.held_by(state.player_id)
        case ("at", place):
            return state.scene.location_id == place
        case ("away", place):
            return state.scene.location_id != place
        case ("present", who):
            return who in state.present()
        case ("absent", who):
            return who not in state.present()
        case ("stands", who, place):
            return state.positions.get(who) == place
        case ("visited", place):
            return place in state.visits
        case ("unvisited", place):
            return place not in state.visits
        case ("clock", clock, value):
            return clock in state.clocks and state.clocks[clock].value >= value
        case ("below", clock, value):
            return clock in state.clocks and state.clocks[clock].value <= value
        case ("thread", thread, status):
            return thread in state.threads and state.threads[thread].status == status
        case ("other", thread, status):
            return thread in state.threads and state.threads[thread].status != status
        case ("learned", item):
            return state.has_learned(state.player_id, item)
        case ("unlearned", item):
            return not state.has_learned(state.player_id, item)
        case ("unspent", rule):
            return f"rule:{rule}" not in state.recall
        case ("minutes", minutes):
            return state.minutes >= minutes
        case ("early", minutes):
            return state.minutes < minutes
        case ("lies", thing, place):
            return thing in state.held_by(place)
        case ("open", door):
            return door in state.doors and not state.doors[door].locked
        case ("ajar", door):
            return door in state.doors and state.doors[door].open
        case ("fact", predicate, subject):
            return any(one.predicate == predicate and local(one.subject_id) == subject for one in state.facts.values())
        case ("ended", ending):
            return state.ended == ending
        case _:
            return False


def atoms(given: Formula) -> Iterator[Atom]:
    """The atoms of a formula."""
    if given[0] in ("all", "any"):
        for part in given[1:]:
            yield from atoms(part)
    else:
        yield given


def alternatives(given: Formula) -> list[Formula]:
    """The ways in which a formula can hold, each as what must hold for it; one too manifold is left as it is."""
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
