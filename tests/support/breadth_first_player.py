"""A player who tries everything: for each thing that a scenario promises the lines that lead there, found on states
alone.

The search is over states of the world, by the real rules with the dice wished for, most promising first. What it finds
is a plan; a plan proves nothing until it is played (`reach.py`).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lorewright.rules.conditions import Condition
from lorewright.rules.consequences import rule_for
from lorewright.rules.effects import RevealEffect
from lorewright.rules.patch import Roll
from lorewright.rules.rulesets import BandName, Rule
from lorewright.world.events import EffectRefused, EngineEvent, ItemFound
from lorewright.world.state import WorldState
from support.condition_atoms import Atom, alternatives, atoms, formula, is_true
from support.distance_estimate import Estimate, Estimator, Move
from support.dry_run import DryRun, Step
from support.scenario_moves import Board

MOST_TURNS = 60
# So many states are looked at for one goal before it is given up: first by what seems to lead there, then by all lines.
PATIENCE = (800, 120)
# How much more a step that is still to go counts than one that was made: high is quick, low finds short plans.
_HASTE = 3


@dataclass(frozen=True, slots=True)
class Goal:
    """Something to be reached, as an atom of the estimate, and what to call it."""

    kind: str
    atom: Atom
    name: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A goal that was not reached, how near one came, by what lines, and what was still missing."""

    goal: Goal
    missing: str
    nearest: tuple[Step, ...] = ()

    def __str__(self) -> str:
        way = "; ".join(map(str, self.nearest)) or "the start"
        return f"{self.goal.kind} {self.goal.name}: {self.missing} (nearest after: {way})"


@dataclass(frozen=True, slots=True)
class Node:
    """A state on the way, and the step that led to it."""

    state: WorldState
    before: Node | None = None
    step: Step | None = None
    turns: int = 0
    fired: frozenset[Atom] = frozenset()

    def plan(self) -> tuple[Step, ...]:
        """The steps from the start."""
        return () if self.before is None or self.step is None else (*self.before.plan(), self.step)


@dataclass(slots=True)
class Search:
    """Plans for goals in one scenario, from its start."""

    run: DryRun
    start: WorldState
    board: Board = field(init=False)
    moves: list[Move] = field(init=False)
    estimator: Estimator = field(init=False)
    # Every state that was seen, by what matters of it; and again for each thing that fired only on another way to it.
    known: dict[object, tuple[Node, Estimate]] = field(default_factory=dict)
    fired: set[Atom] = field(default_factory=set)
    _in_question: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.board = Board(self.run, self.start)
        self.moves = self.board.moves()
        self.estimator = Estimator(self.moves)
        self._in_question = _asked_after(self.moves)
        self._note(Node(self.start))

    def goals(self) -> list[Goal]:
        """All that there is to reach, the farthest kinds first."""
        name, rules = self.board.name, self.run.rules
        items = [item for ones in self.board.found_at.values() for item in ones]
        return [
            *(Goal("ending", ("ended", one.id), one.id) for one in rules.endings if not _is_others_doing(one.when)),
            *(goal for rule in rules.rules for goal in self._openings(rule)),
            *(Goal("find", ("found", item), item) for item in rules.on_find),
            *(Goal("item", ("learned", item.id), item.id) for item in items),
            *(Goal("person", ("present", who), name(who)) for who in self.board.people),
            *(Goal("place", ("at", place), name(place)) for place in self.board.places),
        ]

    def _openings(self, rule: Rule) -> Iterator[Goal]:
        """The ways in which a rule opens what is kept back: by each band, each act, each way in which its condition can
        hold."""
        bands = [band for band in _bands(rule) if _opened(rule, band) & self.board.withheld]
        if not bands:
            return
        for band in bands:
            yield Goal("way of opening", ("fired", rule.id, band), f"{rule.id} ({band})")
        for act in rule.on.acts if len(rule.on.acts) > 1 else ():
            yield Goal("way of opening", ("by", rule.id, act), f"{rule.id} (by {act})")
        ways = alternatives(formula(rule.when))
        for number, way in enumerate(ways if len(ways) > 1 else ()):
            shown = ", ".join(map(_shown, atoms(way)))
            yield Goal("way of opening", ("way", rule.id, number), f"{rule.id} (with {shown})")

    def plan(self, goal: Goal) -> Node | Failure:
        """The way to a goal, or how near one came: first by what seems to lead there, then by everything."""
        known = [node for node, _ in self.known.values() if self.is_reached(goal, node)]
        if known:
            return min(known, key=lambda node: node.turns)
        target = ("learned", goal.atom[1]) if goal.kind == "find" else goal.atom
        guess = self.known[self._key(self.start)][1]
        if guess.of(target) == math.inf:
            return Failure(goal, f"nothing leads to it; it needs {_needs(guess, target, self.moves)}")
        found = self._plan(goal, target, helpful=True, patience=PATIENCE[0])
        return found if isinstance(found, Node) else self._plan(goal, target, helpful=False, patience=PATIENCE[1])

    def _plan(self, goal: Goal, target: Atom, *, helpful: bool, patience: int) -> Node | Failure:
        """Go on from whatever was seen before, the most promising first."""
        queue = [(self._promise(node, guess, target), n) for n, (node, guess) in enumerate(self.known.values())]
        heapq.heapify(queue)
        looked_at = list(self.known.values())
        while queue and queue[0][0] < math.inf and patience > 0:
            patience -= 1
            node, guess = looked_at[heapq.heappop(queue)[1]]
            for child in self._children(node, guess, target, helpful=helpful):
                if self.is_reached(goal, child):
                    self._note(child)
                    return child
                ahead = self._note(child)
                if ahead is not None:
                    heapq.heappush(queue, (self._promise(child, ahead, target), len(looked_at)))
                    looked_at.append((child, ahead))
        node, guess = min(looked_at, key=lambda one: (one[0].state.ended is not None, one[1].of(target)))
        missing = ", ".join(map(_shown, _open_needs(guess, target)))
        why = "given up" if patience == 0 else "no state is left to try"
        return Failure(goal, f"{why}, about {guess.of(target):.0f} steps away; missing are {missing}", node.plan())

    def _promise(self, node: Node, guess: Estimate, target: Atom) -> float:
        """Less is better; infinite where it is no use to go on."""
        if node.state.ended is not None or node.turns >= MOST_TURNS:
            return math.inf
        return node.turns + _HASTE * guess.of(target)

    def _note(self, node: Node) -> Estimate | None:
        """Remember a node; None where one was known that is as good. What fired on the way to it is part of it: a node that
        is reached otherwise is another."""
        key = self._key(node.state)
        known = self.known.get(key)
        if known is not None:
            if node.fired - self.fired:
                self.known[(key, node.fired)] = (node, known[1])
                self.fired |= node.fired
            return None
        self.fired |= node.fired
        guess = self.estimator.of(node.state)
        self.known[key] = (node, guess)
        return guess

    def is_reached(self, goal: Goal, node: Node) -> bool:
        """Whether a goal is reached in a state, by the step that led there where that matters."""
        if goal.kind in ("way of opening", "find"):
            return goal.atom in node.fired
        return is_true(goal.atom, node.state)

    def _children(self, node: Node, guess: Estimate, target: Atom, *, helpful: bool) -> Iterator[Node]:
        moves = guess.lead(target) if helpful else self.moves
        for move in moves:
            if not move.lines or guess.of(move.needs):
                continue
            for band in move.bands:
                child = self._by(node, move, band)
                if child is not None:
                    yield child

    def _by(self, node: Node, move: Move, band: BandName) -> Node | None:
        """What the move comes to: by the first of its lines that does what it is for, else by the first that does
        anything."""
        second: Node | None = None
        for line in move.lines:
            child = self.after(node, Step(line, band))
            if child is None:
                continue
            if _is_it(move, child, band):
                return child
            second = second or child
        return None if move.rule is not None else second

    def after(self, node: Node, step: Step) -> Node | None:
        """The node that a step leads to; None where it is asked back, refused, or its dice cannot fall so."""
        patch = self.run.try_step(node.state, step)
        if patch is None:
            return None
        return self.node_after(node, step, patch.state, patch.rolls, patch.events)

    def node_after(
        self, node: Node, step: Step, after: WorldState, rolls: Sequence[Roll], events: Sequence[EngineEvent]
    ) -> Node:
        """The node of a state that a step led to by these dice and events."""
        fired = frozenset(self._fired(node.state, step, after, rolls, events))
        return Node(after, node, step, node.turns + 1, fired)

    def _fired(
        self, before: WorldState, step: Step, after: WorldState, rolls: Sequence[Roll], events: Sequence[EngineEvent]
    ) -> Iterator[Atom]:
        """The rule that spoke with its band, and the items that were found with all that belongs to it."""
        new = after.learned_by(after.player_id) - before.learned_by(before.player_id)
        for attempt in self.run.attempts(before, step.line) or ():
            rule = rule_for(attempt, before, self.run.rules)
            if rule is None:
                continue
            band = next((roll.band for roll in rolls if roll.purpose == rule.id), None)
            if band is None and rule.check is not None:
                continue
            opened = _opened(rule, band or "success")
            if not opened or opened & new:
                yield ("fired", rule.id, band or "success")
                if opened:
                    yield ("by", rule.id, attempt.action.type)
                    for number, way in enumerate(alternatives(formula(rule.when))):
                        if all(is_true(atom, before) for atom in atoms(way)):
                            yield ("way", rule.id, number)
        yield from (("found", item) for item in _finds(events))

    def _key(self, state: WorldState) -> tuple[object, ...]:
        """What of a state can matter to what comes: two states that share it need not both be looked at."""
        asked = self._in_question
        return (
            tuple(sorted(state.positions.items())),
            tuple(sorted((owner, tuple(sorted(held.items()))) for owner, held in state.inventory.items() if held)),
            state.learned_by(state.player_id) & asked,
            frozenset(state.visits) & asked,
            tuple((one.id, one.status) for one in state.threads.values()),
            tuple((one.id, one.value) for one in state.clocks.values()),
            tuple(sorted((door, one.locked, one.open) for door, one in state.doors.items())),
            frozenset(key for key in state.recall if key.startswith("rule:")),
            frozenset(state.facts),
            () if state.ruleset is None else tuple((one.id, one.value) for one in state.ruleset.gauges()),
            state.ended,
        )


def _is_others_doing(when: Condition | None) -> bool:
    """Whether somebody else must do something of themselves for it, however it comes about: no player can type that."""
    return all(any(atom[0] == "did" for atom in atoms(way)) for way in alternatives(formula(when)))


def _is_it(move: Move, after: Node, band: BandName) -> bool:
    """Whether what was done was the move and no other."""
    if move.rule is not None:
        return ("fired", move.rule, band) in after.fired
    return move.item is None or after.state.has_learned(after.state.player_id, move.item)


def _asked_after(moves: Iterable[Move]) -> frozenset[str]:
    """Items and places that some move's needs name, and items that one looks for."""
    named = ("learned", "unlearned", "visited", "unvisited")
    found = {atom[1] for move in moves for atom in atoms(move.needs) if atom[0] in named}
    return frozenset(found | {move.item for move in moves if move.item is not None})


def _bands(rule: Rule) -> list[BandName]:
    if rule.check is None:
        return ["success"]
    return [band for band in ("success", "mixed", "critical", "fail") if band != "critical" or rule.critical]


def _opened(rule: Rule, band: BandName) -> frozenset[str]:
    """The items that a band of a rule reveals."""
    effects = {"critical": rule.critical or rule.success, "mixed": rule.mixed, "fail": rule.fail}.get(
        band, rule.success
    )
    return frozenset(one.reveal for one in effects if isinstance(one, RevealEffect))


def _finds(events: Sequence[EngineEvent]) -> Iterator[str]:
    """The items that were found in a turn in which every effect fitted."""
    if not any(isinstance(event, EffectRefused) for event in events):
        yield from (event.item for event in events if isinstance(event, ItemFound))


def _needs(guess: Estimate, target: Atom, moves: Sequence[Move]) -> str:
    """What nothing leads to, of what would lead to the target."""
    lacking = {atom for move in moves if target in move.adds for atom in guess.lacking(move.needs)}
    return " or ".join(sorted(map(_shown, lacking))) or "a rule, an effect or a way that leads to it"


def _open_needs(guess: Estimate, target: Atom) -> list[Atom]:
    """What the move that would bring the target still needs."""
    move = guess.by.get(target)
    return (guess.unmet(move.needs) if move is not None else []) or [target]


def _shown(atom: Atom) -> str:
    return " ".join(str(part) for part in atom)
