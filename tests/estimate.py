"""How far off something is: the scenario as moves that only ever add, and the least number of them that lead somewhere.

Nothing is lost here, no clock runs out and everybody tells what they are asked: so what is out of reach by this
estimate is out of reach; what is not must be played. An atom is a tuple, (`at`, a place), (`has`, a thing); a formula is an atom,
(`all`, formulas…) or (`any`, formulas…).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from lorewright.ids import local
from lorewright.rules import conditions as c
from lorewright.rules import effects as e
from lorewright.rules.rulesets import BandName
from lorewright.world.state import OFFSTAGE, WorldState

Atom = tuple[Any, ...]
Formula = tuple[Any, ...]

ALWAYS: Formula = ("all",)
NEVER: Formula = ("any",)


@dataclass(frozen=True, slots=True)
class Move:
    """What can be done, or happens by itself where there are no `lines`: what it needs, what it adds, and what to type
    for it, the likeliest first.

    `rule` and `item` say by what one sees that it was this move and no other: the rule that spoke, the item that was
    learned. A move with `ticks` (clock, by) can be made again and again.
    """

    needs: Formula
    adds: tuple[Atom, ...]
    ticks: tuple[tuple[str, int], ...] = ()
    lines: tuple[str, ...] = ()
    bands: tuple[BandName, ...] = ("success",)
    rule: str | None = None
    item: str | None = None


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
        case ("minutes", minutes):
            return state.minutes >= minutes
        case ("early", minutes):
            return state.minutes < minutes
        case ("lies", thing, place):
            return thing in state.held_by(place)
        case ("open", door):
            return door in state.doors and not state.doors[door].locked
        case ("fact", predicate, subject):
            return any(one.predicate == predicate and local(one.subject_id) == subject for one in state.facts.values())
        case ("ended", ending):
            return state.ended == ending
        case _:
            return False


@dataclass(slots=True)
class Estimate:
    """What everything costs from one state, in moves, and by which move it is had."""

    state: WorldState
    costs: dict[Atom, float] = field(default_factory=dict)
    by: dict[Atom, Move] = field(default_factory=dict)
    # Clock and direction -> what the best move that ticks it costs, by how much it ticks, the move.
    ticks: dict[tuple[str, bool], tuple[float, int, Move]] = field(default_factory=dict)

    def of(self, given: Formula) -> float:
        """The least number of moves to it; infinite where nothing leads there."""
        match given[0]:
            case "all":
                return sum(map(self.of, given[1:]))
            case "any":
                return min(map(self.of, given[1:]), default=math.inf)
            case _:
                return self._of_atom(given)

    def _of_atom(self, atom: Atom) -> float:
        known = self.costs.get(atom)
        if known is None:
            known = 0.0 if is_true(atom, self.state) else math.inf
            self.costs[atom] = known
        if known == 0 or atom[0] not in ("clock", "below"):
            return known
        tick = self._tick(atom)
        return math.inf if tick is None else tick[0] + math.ceil(self._missing(atom) / tick[1])

    def _tick(self, atom: Atom) -> tuple[float, int, Move] | None:
        clock = self.state.clocks.get(atom[1])
        if clock is None or not 0 <= atom[2] <= clock.max:
            return None
        return self.ticks.get((atom[1], atom[0] == "clock"))

    def _missing(self, atom: Atom) -> int:
        return abs(int(atom[2]) - self.state.clocks[atom[1]].value)

    def make(self, move: Move) -> Iterator[Atom]:
        """Make a move, if it can be made; what has become cheaper by it."""
        cost = self.of(move.needs)
        if cost == math.inf:
            return
        after = cost + bool(move.lines)
        for atom in move.adds:
            if after < self.of(atom):
                self.costs[atom], self.by[atom] = after, move
                yield atom
        for clock, by in move.ticks:
            best = self.ticks.get((clock, by > 0))
            if best is None or cost < best[0]:
                self.ticks[clock, by > 0] = (cost, abs(by), move)
                yield ("clock" if by > 0 else "below", clock)

    def lead(self, given: Formula) -> list[Move]:
        """The moves that lead to it, by the cheapest way."""
        found: dict[int, Move] = {}
        self._lead(given, found)
        return list(found.values())

    def _lead(self, given: Formula, found: dict[int, Move]) -> None:
        if given[0] == "all":
            for part in given[1:]:
                self._lead(part, found)
        elif given[0] == "any":
            if len(given) > 1 and self.of(given):
                self._lead(min(given[1:], key=self.of), found)
        elif self.of(given):
            tick = self._tick(given) if given[0] in ("clock", "below") else None
            move = tick[2] if tick is not None else self.by.get(given)
            if move is not None and id(move) not in found:
                found[id(move)] = move
                self._lead(move.needs, found)

    def unmet(self, given: Formula) -> list[Atom]:
        """The atoms that are still to be had, by the cheapest way."""
        if not self.of(given):
            return []
        match given[0]:
            case "all":
                return list(dict.fromkeys(atom for part in given[1:] for atom in self.unmet(part)))
            case "any":
                return self.unmet(min(given[1:], key=self.of)) if given[1:] else []
            case _:
                return [given]

    def lacking(self, given: Formula) -> list[Atom]:
        """The atoms that nothing leads to and without which it cannot be had."""
        if self.of(given) < math.inf:
            return []
        if given[0] in ("all", "any"):
            return list(dict.fromkeys(atom for part in given[1:] for atom in self.lacking(part)))
        return [given]


class Estimator:
    """Estimates by one set of moves: a move is looked at again where something that it needs has become cheaper."""

    def __init__(self, moves: Sequence[Move]) -> None:
        self.moves = tuple(moves)
        self._needing: dict[Atom, list[int]] = {}
        for number, move in enumerate(self.moves):
            for atom in atoms(move.needs):
                self._needing.setdefault(_key(atom), []).append(number)

    def of(self, state: WorldState) -> Estimate:
        """What everything costs from a state."""
        made = Estimate(state)
        standing = tuple(_standing(state))
        moves = (*self.moves, *standing)
        waiting = deque(range(len(moves)))
        is_waiting = [True] * len(moves)
        while waiting:
            number = waiting.popleft()
            is_waiting[number] = False
            for atom in made.make(moves[number]):
                needing = self._needing.get(_key(atom), [])
                here = [n for n, one in enumerate(standing, start=len(self.moves)) if one.needs == atom]
                for other in (*needing, *here):
                    if not is_waiting[other]:
                        is_waiting[other] = True
                        waiting.append(other)
        return made


def atoms(given: Formula) -> Iterator[Atom]:
    """The atoms of a formula."""
    if given[0] in ("all", "any"):
        for part in given[1:]:
            yield from atoms(part)
    else:
        yield given


def _key(atom: Atom) -> Atom:
    """All values of a clock are had by the same moves."""
    return atom[:2] if atom[0] in ("clock", "below") else atom


def _standing(state: WorldState) -> Iterator[Move]:
    """Whoever stands somewhere now is met there."""
    for who, where in state.positions.items():
        if where != OFFSTAGE and who != state.player_id:
            yield Move(("at", where), (("present", who),))
