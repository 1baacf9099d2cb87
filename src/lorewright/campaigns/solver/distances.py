"""Moves and a state -> the least number of moves to each atom, as an estimate that is never too high.

Moves only add atoms here: nothing is lost, no clock runs out, everybody tells what they are asked. So an atom that is
infinitely far by this estimate cannot be had by these moves; any other must be tried.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lorewright.campaigns.solver.atoms import Atom, Formula, atoms, counted, is_true
from lorewright.campaigns.solver.lines import the
from lorewright.rules.rulesets import BandName
from lorewright.rules.verbs import typed
from lorewright.world.state import OFFSTAGE, WorldState


@dataclass(frozen=True, slots=True)
class SolverMove:
    """An act of the player, or an event that happens by itself where there are no `lines`: the formula that it needs,
    the atoms that it adds, and the lines to type for it, the likeliest first.

    A line did this move and no other if `rule` applied to it or `item` was learned by it. A move with `ticks`
    (clock, by) can be made again and again.
    """

    needs: Formula
    adds: tuple[Atom, ...]
    ticks: tuple[tuple[str, int], ...] = ()
    lines: tuple[str, ...] = ()
    bands: tuple[BandName, ...] = ("success",)
    rule: str | None = None
    item: str | None = None


@dataclass(slots=True)
class Distances:
    """The number of moves from one state to each atom, and the last of these moves."""

    state: WorldState
    costs: dict[Atom, float] = field(default_factory=dict)
    by: dict[Atom, SolverMove] = field(default_factory=dict)
    # Clock and direction -> the cost of the best move that ticks it, its step, the move.
    ticks: dict[tuple[str, bool], tuple[float, int, SolverMove]] = field(default_factory=dict)

    def of(self, given: Formula) -> float:
        """Return the least number of moves to a formula; infinite where nothing leads there."""
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

    def _tick(self, atom: Atom) -> tuple[float, int, SolverMove] | None:
        stands = counted(atom[1], self.state)
        if stands is None or not 0 <= atom[2] <= stands[1]:
            return None
        return self.ticks.get((atom[1], atom[0] == "clock"))

    def _missing(self, atom: Atom) -> int:
        stands = counted(atom[1], self.state)
        return 0 if stands is None else abs(int(atom[2]) - stands[0])

    def make(self, move: SolverMove) -> Iterator[Atom]:
        """Make a move, if it can be made; yield the atoms that have become cheaper by it."""
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

    def lead(self, given: Formula) -> list[SolverMove]:
        """Return the moves that lead to a formula by the cheapest way."""
        found: dict[int, SolverMove] = {}
        self._lead(given, found)
        return list(found.values())

    def _lead(self, given: Formula, found: dict[int, SolverMove]) -> None:
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
        """Return the atoms that the cheapest way to a formula still lacks."""
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
        """Return the atoms of a formula that nothing leads to, where it cannot hold without them."""
        if self.of(given) < math.inf:
            return []
        if given[0] in ("all", "any"):
            return list(dict.fromkeys(atom for part in given[1:] for atom in self.lacking(part)))
        return [given]


class DistanceEstimator:
    """Estimates of distances by one set of moves. A move is looked at again when an atom that it needs has become
    cheaper."""

    def __init__(self, moves: Sequence[SolverMove]) -> None:
        self.moves = tuple(moves)
        self._needing: dict[Atom, list[int]] = {}
        for number, move in enumerate(self.moves):
            for atom in atoms(move.needs):
                self._needing.setdefault(_key(atom), []).append(number)

    def of(self, state: WorldState) -> Distances:
        """Return the distances from a state."""
        made = Distances(state)
        standing = tuple(_standing(state))
        moves = (*self.moves, *standing)
        waiting = deque(range(len(moves)))
        is_waiting = [True] * len(moves)
        while waiting:
            number = waiting.popleft()
            is_waiting[number] = False
            for atom in made.make(moves[number]):
                needing = self._needing.get(_key(atom), [])
                here = [n for n, move in enumerate(standing, start=len(self.moves)) if move.needs == atom]
                for other in (*needing, *here):
                    if not is_waiting[other]:
                        is_waiting[other] = True
                        waiting.append(other)
        return made


def _key(atom: Atom) -> Atom:
    """Return the key of the moves that can lead to an atom: all values of a clock share theirs."""
    return atom[:2] if atom[0] in ("clock", "below") else atom


def _standing(state: WorldState) -> Iterator[SolverMove]:
    """Yield a move for each character who stands somewhere now and for each thing that lies somewhere: the player meets
    and takes them there."""
    for who, where in state.positions.items():
        if where != OFFSTAGE and who != state.player_id:
            yield SolverMove(("at", where), (("present", who),))
    for place in state.exits:
        for thing in state.held_by(place):
            if lines := typed("grab", thing=the(state.name_of(thing))):
                yield SolverMove(("at", place), (("near", thing), ("has", thing)), lines=tuple(lines))
