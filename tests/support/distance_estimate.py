"""How far off something is: the scenario as moves that only ever add, and the least number of them that lead somewhere.

Nothing is lost here, no clock runs out and everybody tells what they are asked: so what is out of reach by this
estimate is out of reach; what is not must be played.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lorewright.rules.rulesets import BandName
from lorewright.world.state import OFFSTAGE, WorldState
from support.condition_atoms import Atom, Formula, atoms, counted, is_true


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
        stands = counted(atom[1], self.state)
        if stands is None or not 0 <= atom[2] <= stands[1]:
            return None
        return self.ticks.get((atom[1], atom[0] == "clock"))

    def _missing(self, atom: Atom) -> int:
        stands = counted(atom[1], self.state)
        return 0 if stands is None else abs(int(atom[2]) - stands[0])

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


def _key(atom: Atom) -> Atom:
    """All values of a clock are had by the same moves."""
    return atom[:2] if atom[0] in ("clock", "below") else atom


def _standing(state: WorldState) -> Iterator[Move]:
    """Whoever stands somewhere now is met there."""
    for who, where in state.positions.items():
        if where != OFFSTAGE and who != state.player_id:
            yield Move(("at", where), (("present", who),))
