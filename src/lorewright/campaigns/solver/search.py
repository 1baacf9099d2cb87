"""A campaign's rules, a state and a goal -> the lines that lead there, searched by the real rules with wished dice.

The search is best first, over states, by the estimate of `distances`. A path that it finds is a plan: only playing it
proves that the goal is reached (`authoring/reach/`).
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from lorewright.campaigns.solver.atoms import Atom, alternatives, atoms, describe_atom, formula, is_true, unmodelled
from lorewright.campaigns.solver.distances import DistanceEstimator, Distances, SolverMove
from lorewright.campaigns.solver.goals import FIRED_ATOMS, Goal, GoalKind, opened_by
from lorewright.campaigns.solver.scenario_model import LONGEST_WAIT, ScenarioModel
from lorewright.ids import local
from lorewright.rules.conditions import Condition
from lorewright.rules.consequences import rule_for
from lorewright.rules.patch import Roll
from lorewright.rules.rulesets import BandName
from lorewright.turn.run.dry_run import DryRun, Step
from lorewright.world.events import EffectRefused, EngineEvent, ItemFound
from lorewright.world.state import WorldState

MOST_TURNS = 60
# So many states are gone on from for a goal by the moves that seem to lead there, then so many by every move.
GUIDED_STATES = 800
UNGUIDED_STATES = 120
# How much more a move that is still to be made counts than one that was made: a high weight is quick, a low one finds
# short plans.
_HASTE = 3
# Up to so many steps in a row are left out of a plan at once.
_LONGEST_CUT = 6
# After so many random moves in a row that lead nowhere the search begins again at the start.
_MOST_REFUSED = 40


@dataclass(slots=True)
class SearchBudget:
    """The bounds of a search: seconds by `clock`, lines that are tried (None: no bound), states that are gone on from
    for each goal."""

    seconds: float | None = None
    lines: int | None = None
    states: int = GUIDED_STATES
    clock: Callable[[], float] = time.monotonic
    lines_tried: int = 0
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()

    @property
    def elapsed(self) -> float:
        """Return the seconds since the budget was made."""
        return self.clock() - self._began

    @property
    def is_spent(self) -> bool:
        """Tell whether the seconds or the lines are used up."""
        if self.lines is not None and self.lines_tried >= self.lines:
            return True
        return self.seconds is not None and self.elapsed >= self.seconds


@dataclass(frozen=True, slots=True)
class Unreached:
    """A goal that was not reached, what is missing, and the steps to the nearest state. With `exhaustive` nothing that
    the rules, the ruleset and the packs hold leads to it; else it was only not found within the bounds."""

    goal: Goal
    missing: str
    nearest: tuple[Step, ...] = ()
    exhaustive: bool = False

    def __str__(self) -> str:
        way = "; ".join(map(str, self.nearest)) or "the start"
        return f"{self.goal.kind} {self.goal.name}: {self.missing} (nearest after: {way})"


@dataclass(frozen=True, slots=True)
class SearchNode:
    """A state on the way, the step that led to it, and the atoms that `fired` in that step; `rolled` tells whether dice
    were thrown."""

    state: WorldState
    before: SearchNode | None = None
    step: Step | None = None
    turns: int = 0
    fired: frozenset[Atom] = frozenset()
    rolled: bool = False

    def path(self) -> tuple[SearchNode, ...]:
        """Return the nodes from the start to this one."""
        nodes = [self]
        while nodes[-1].before is not None:
            nodes.append(nodes[-1].before)
        return tuple(reversed(nodes))

    def plan(self) -> tuple[Step, ...]:
        """Return the steps from the start."""
        return tuple(node.step for node in self.path() if node.step is not None)


@dataclass(slots=True)
class GoalSearch:
    """Plans for goals in one campaign, from one state. The states that were seen for one goal are gone on from for the
    next."""

    run: DryRun
    start: WorldState
    budget: SearchBudget = field(default_factory=SearchBudget)
    model: ScenarioModel = field(init=False)
    moves: list[SolverMove] = field(init=False)
    estimator: DistanceEstimator = field(init=False)
    # The nodes by what matters of their state; and again for each atom that fired only on another way to it.
    known: dict[object, tuple[SearchNode, Distances]] = field(default_factory=dict)
    fired: set[Atom] = field(default_factory=set)
    _in_question: frozenset[str] = field(init=False)
    _minutes: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.model = ScenarioModel(self.run, self.start)
        self.moves = self.model.moves()
        self.estimator = DistanceEstimator(self.moves)
        self._in_question = _asked_after(self.moves)
        self._minutes = _minutes_asked_after(self.moves)
        self._note(SearchNode(self.start))

    def goals(self, *kinds: GoalKind) -> list[Goal]:
        """Return the goals of these kinds, else all; see `ScenarioModel.goals`."""
        return [goal for goal in self.model.goals() if not kinds or goal.kind in kinds]

    def plan(self, goal: Goal) -> SearchNode | Unreached:
        """Return the node at which a goal is reached, else how near the search came: first by the moves that seem to
        lead there, then by every move."""
        known = [node for node, _ in self.known.values() if self.is_reached(goal, node)]
        if known:
            return min(known, key=lambda node: node.turns)
        target = ("learned", goal.atom[1]) if goal.kind == "find" else goal.atom
        guess = self.known[self.key(self.start)][1]
        if guess.of(target) == math.inf:
            missing = f"nothing leads to it; it needs {_needs(guess, target, self.moves)}"
            return Unreached(goal, missing, exhaustive=self._is_out_of_reach(target))
        found = self._plan(goal, target, guided=True, states=self.budget.states)
        if isinstance(found, SearchNode) or self.budget.is_spent:
            return found
        if any(move.lines for move in guess.lead(target)):
            return self._plan(goal, target, guided=False, states=min(UNGUIDED_STATES, self.budget.states))
        # No line seems to lead there: its distance says nothing.
        return self._wander(goal) or self._plan(goal, target, guided=False, states=self.budget.states)

    def _wander(self, goal: Goal) -> SearchNode | None:
        """Return the node at which random moves from the start reach a goal; None if none of half as many moves as the
        budget has states does. They are the same in every process."""
        chance = Random(0)
        node, moves, refused = SearchNode(self.start), [move for move in self.moves if move.lines], 0
        for _ in range(self.budget.states // 2):
            if self.budget.is_spent:
                break
            if refused > _MOST_REFUSED or node.turns >= MOST_TURNS:
                node, refused = SearchNode(self.start), 0
            # A move that cannot be made costs little, an estimate of all moves much.
            move = chance.choice(moves)
            child = self._by(node, move, chance.choice(move.bands))
            if child is None:
                refused += 1
                continue
            self._note(child)
            if self.is_reached(goal, child):
                return child
            # Other endings are passed by, so that they do not cut short the way to this one.
            if child.state.ended is None:
                node, refused = child, 0
            else:
                refused += 1
        return None

    def shorten(self, goal: Goal, node: SearchNode) -> SearchNode:
        """Return a node at which the goal is reached, too, without the steps that can be left out."""
        best, begins = node, 0
        while begins < best.turns and not self.budget.is_spent:
            path, plan = best.path(), best.plan()
            longest = min(_LONGEST_CUT, best.turns - begins)
            cuts = (self._replayed(goal, path[begins], plan[begins + cut :]) for cut in range(longest, 0, -1))
            shorter = next((found for found in cuts if found is not None), None)
            if shorter is None:
                begins += 1
            else:
                best = shorter
        return best

    def _replayed(self, goal: Goal, node: SearchNode, steps: Sequence[Step]) -> SearchNode | None:
        """Return the node at which these steps reach the goal; None where they do not."""
        for step in steps:
            child = None if node.state.ended is not None else self.after(node, step)
            if child is None:
                return None
            node = child
            if self.is_reached(goal, node):
                return node
        return node if self.is_reached(goal, node) else None

    def _is_out_of_reach(self, target: Atom) -> bool:
        """Tell whether a target is out of reach even if all that is not searched for happens by itself."""
        estimator = DistanceEstimator((*self.moves, *self.model.unsearched(self.start)))
        return estimator.of(self.start).of(target) == math.inf

    def _plan(self, goal: Goal, target: Atom, *, guided: bool, states: int) -> SearchNode | Unreached:
        """Go on from the known nodes, the most promising first."""
        queue = [(self._promise(node, guess, target), n) for n, (node, guess) in enumerate(self.known.values())]
        heapq.heapify(queue)
        looked_at = list(self.known.values())
        while queue and queue[0][0] < math.inf and states > 0 and not self.budget.is_spent:
            states -= 1
            node, guess = looked_at[heapq.heappop(queue)[1]]
            for child in self._children(node, guess, target, guided=guided):
                ahead = self._note(child)
                if self.is_reached(goal, child):
                    return child
                if ahead is not None:
                    heapq.heappush(queue, (self._promise(child, ahead, target), len(looked_at)))
                    looked_at.append((child, ahead))
        node, guess = min(looked_at, key=lambda seen: (seen[0].state.ended is not None, seen[1].of(target)))
        missing = ", ".join(map(self._told, _open_needs(guess, target)))
        why = "given up" if states == 0 or self.budget.is_spent else "no state is left to try"
        steps = max(1, round(guess.of(target)))
        away = f"about {steps} step{'' if steps == 1 else 's'} away"
        return Unreached(goal, f"{why}, {away}; still missing: {missing}", node.plan())

    def _told(self, atom: Atom) -> str:
        """Return an atom in words; of a rule also what its condition asks for that no search works towards."""
        words = describe_atom(atom)
        if atom[0] not in FIRED_ATOMS:
            return words
        when = next((rule.when for rule in self.run.rules.rules if rule.id == atom[1]), None)
        beyond = ", ".join(map(_as_written, unmodelled(when)))
        return words + (f" (it also needs {beyond}, which this search meets by chance alone)" if beyond else "")

    def first_steps(self, goal: Goal) -> Iterator[Step]:
        """Yield the steps towards a goal that can be taken at the start, the nearest deed first: of the moves that seem
        to lead there, and of those that lead to them, the ones whose needs are met and that the rules allow. Ways are
        gone for the sake of a deed, and by themselves only where no deed is left. Nothing is searched for."""
        guess = self.estimator.of(self.start)
        if guess.of(goal.atom) == math.inf:
            return
        for move in _nearest_first(guess.lead(goal.atom), guess):
            leading = [move] if not guess.of(move.needs) else guess.lead(move.needs)
            for first in _nearest_first(leading, guess):
                if not guess.of(first.needs):
                    instead = () if _is_deed(first) or not first.ticks else self._waits_for(first, guess)
                    yield from (step for way in (*instead, first) if (step := self._step_of(way)) is not None)

    def _waits_for(self, move: SolverMove, guess: Distances) -> Iterator[SolverMove]:
        """Yield the moves that move the same clock where one stands: nobody walks about for the sake of time."""
        for other in self.moves:
            is_same = other is not move and other.lines and set(other.ticks) & set(move.ticks)
            if is_same and not guess.of(other.needs) and (step := self._step_of(other)) is not None:
                attempts = self.run.attempts(self.start, step.line) or ()
                if all(attempt.action.location_id is None for attempt in attempts):
                    yield other
                    return

    def _step_of(self, move: SolverMove) -> Step | None:
        """Return the step at the start that does a move as well as it can be done; None where there is none."""
        for band in move.bands[:1]:
            child = self._by(SearchNode(self.start), move, band)
            if child is not None and _is_done(move, child, band):
                return child.step
        return None

    def find_way(
        self, state: WorldState, goals: Sequence[Goal], is_there: Callable[[SearchNode], bool], *, states: int
    ) -> SearchNode | None:
        """Return the first node that `is_there` accepts on the way from a state towards the nearest of some goals; None
        if none is found from so many states. Nothing of it is remembered."""
        for guided in (True, False):
            search = copy(self)
            search.start, search.known, search.fired = state, {}, set()
            search._note(SearchNode(state))
            found = search._look_for(goals, is_there, guided=guided, states=states)
            if found is not None:
                return found
        return None

    def _look_for(
        self, goals: Sequence[Goal], is_there: Callable[[SearchNode], bool], *, guided: bool, states: int
    ) -> SearchNode | None:
        looked_at = list(self.known.values())
        queue = [(0.0, 0)]
        while queue and states > 0 and not self.budget.is_spent:
            states -= 1
            node, guess = looked_at[heapq.heappop(queue)[1]]
            target = min((goal.atom for goal in goals), key=guess.of)
            for child in self._children(node, guess, target, guided=guided):
                if is_there(child):
                    return child
                ahead = self._note(child)
                rank = math.inf if ahead is None else min(self._promise(child, ahead, goal.atom) for goal in goals)
                if ahead is not None and rank < math.inf:
                    heapq.heappush(queue, (rank, len(looked_at)))
                    looked_at.append((child, ahead))
        return None

    def _promise(self, node: SearchNode, guess: Distances, target: Atom) -> float:
        """Return the rank of a node, the least first; infinite where it is no use to go on."""
        if node.state.ended is not None or node.turns >= MOST_TURNS:
            return math.inf
        return node.turns + _HASTE * guess.of(target)

    def _note(self, node: SearchNode) -> Distances | None:
        """Remember a node; return None where its state was known. If something fired on the way to it for the first
        time, it is remembered beside the node that was known."""
        key = self.key(node.state)
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

    def is_reached(self, goal: Goal, node: SearchNode) -> bool:
        """Tell whether a goal is reached at a node: in its state, or by the step that led there."""
        if goal.atom[0] in FIRED_ATOMS:
            return goal.atom in node.fired
        return is_true(goal.atom, node.state)

    def _children(self, node: SearchNode, guess: Distances, target: Atom, *, guided: bool) -> Iterator[SearchNode]:
        tried: set[tuple[tuple[str, ...], BandName, str | None]] = set()
        for move in guess.lead(target) if guided else self.moves:
            if not move.lines or guess.of(move.needs):
                continue
            for band in move.bands:
                if (move.lines, band, move.rule) in tried:
                    continue
                tried.add((move.lines, band, move.rule))
                child = self._by(node, move, band)
                if child is not None:
                    yield child
                if self.budget.is_spent:
                    return

    def _by(self, node: SearchNode, move: SolverMove, band: BandName) -> SearchNode | None:
        """Return the node that a move leads to: by the first of its lines that does the move, else by the first that
        does anything."""
        second: SearchNode | None = None
        for line in move.lines:
            if self.budget.is_spent:
                break
            child = self.after(node, Step(line, band))
            if child is None:
                continue
            if _is_done(move, child, band):
                return child
            second = second or child
        return None if move.rule is not None else second

    def after(self, node: SearchNode, step: Step) -> SearchNode | None:
        """Return the node that a step leads to; None where it is asked back, refused, or its dice cannot fall so."""
        self.budget.lines_tried += 1
        patch = self.run.try_step(node.state, step)
        if patch is None:
            return None
        return self.node_after(node, step, patch.state, patch.rolls, patch.events)

    def node_after(
        self, node: SearchNode, step: Step, after: WorldState, rolls: Sequence[Roll], events: Sequence[EngineEvent]
    ) -> SearchNode:
        """Return the node of a state that a step led to with these rolls and events."""
        fired = frozenset(self._fired(node.state, step, after, rolls, events))
        return SearchNode(after, node, step, node.turns + 1, fired, bool(rolls))

    def _fired(
        self, before: WorldState, step: Step, after: WorldState, rolls: Sequence[Roll], events: Sequence[EngineEvent]
    ) -> Iterator[Atom]:
        """Yield the rules that applied, with band and act, and the items that were found with all their effects."""
        new = after.learned_by(after.player_id) - before.learned_by(before.player_id)
        for attempt in self.run.attempts(before, step.line) or ():
            rule = rule_for(attempt, before, self.run.rules)
            if rule is None:
                continue
            band = next((roll.band for roll in rolls if roll.purpose == rule.id), None)
            if band is None and rule.check is not None:
                continue
            yield ("applied", rule.id)
            opened = opened_by(rule, band or "success")
            if not opened or opened & new:
                yield ("fired", rule.id, band or "success")
                if opened:
                    yield ("by", rule.id, attempt.action.type)
                    for number, way in enumerate(alternatives(formula(rule.when))):
                        if all(is_true(atom, before) for atom in atoms(way)):
                            yield ("way", rule.id, number)
        yield from (("found", item) for item in _finds(events))

    def key(self, state: WorldState) -> tuple[object, ...]:
        """Return all of a state that can matter to what comes: of two states with one key only the first is gone on
        from."""
        asked = self._in_question
        return (
            tuple(sorted(state.positions.items())),
            tuple(sorted((owner, tuple(sorted(held.items()))) for owner, held in state.inventory.items() if held)),
            state.learned_by(state.player_id) & asked,
            frozenset(state.visits) & asked,
            tuple((thread.id, thread.status) for thread in state.threads.values()),
            tuple((clock.id, clock.value) for clock in state.clocks.values()),
            tuple(sorted((door, seen.locked, seen.open) for door, seen in state.doors.items())),
            frozenset(key for key in state.recall if key.startswith("rule:")),
            frozenset(state.facts),
            tuple((gauge.id, gauge.value) for gauge in state.gauges()),
            () if state.ruleset is None else tuple(_words_in(state.ruleset.scene)),
            self._time(state),
            state.ended,
        )

    def _time(self, state: WorldState) -> object:
        """Return how far the time has come, where something waits for a time."""
        if not self._minutes:
            return None
        past = sum(state.minutes >= asked for asked in self._minutes)
        return past, min(state.minutes, self._minutes[-1]) // LONGEST_WAIT


def _is_done(move: SolverMove, after: SearchNode, band: BandName) -> bool:
    """Tell whether a step did the move and no other."""
    if move.rule is not None:
        return ("fired", move.rule, band) in after.fired
    return move.item is None or after.state.has_learned(after.state.player_id, move.item)


def _nearest_first(moves: Sequence[SolverMove], guess: Distances) -> list[SolverMove]:
    """Return the moves that a player makes: deeds by how near they are, then ways, and what only moves a clock."""
    typed = [move for move in reversed(moves) if move.lines]
    return sorted(typed, key=lambda move: (not _is_deed(move), guess.of(move.needs)))


def _is_deed(move: SolverMove) -> bool:
    """Tell whether a move is neither a way nor good for nothing but the time that it takes."""
    is_way = any(atom[0] == "at" for atom in move.adds)
    return not is_way and any(atom[0] not in (*FIRED_ATOMS, "minutes") for atom in move.adds)


def _asked_after(moves: Iterable[SolverMove]) -> frozenset[str]:
    """Return the items and places that some move needs, and the items that a move is made for."""
    named = ("learned", "unlearned", "visited", "unvisited")
    found = {atom[1] for move in moves for atom in atoms(move.needs) if atom[0] in named}
    return frozenset(found | {move.item for move in moves if move.item is not None})


def _minutes_asked_after(moves: Iterable[SolverMove]) -> tuple[int, ...]:
    """Return the times that some move needs, in minutes, the earliest first."""
    return tuple(sorted({atom[1] for move in moves for atom in atoms(move.needs) if atom[0] in ("minutes", "early")}))


def _words_in(scene: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts of a ruleset's scene with their names, those of nested parts, too."""
    for name, value in scene.items():
        if isinstance(value, str):
            yield name, value
        elif isinstance(value, Mapping):
            yield from _words_in(value)


def _finds(events: Sequence[EngineEvent]) -> Iterator[str]:
    """Yield the items that were found in a turn in which no effect was refused."""
    if not any(isinstance(event, EffectRefused) for event in events):
        yield from (event.item for event in events if isinstance(event, ItemFound))


def _needs(guess: Distances, target: Atom, moves: Sequence[SolverMove]) -> str:
    """Return, in words, what nothing leads to among the needs of the moves that lead to the target."""
    lacking = {atom for move in moves if target in move.adds for atom in guess.lacking(move.needs)}
    return " or ".join(sorted(map(describe_atom, lacking))) or "a rule, an effect or a way that leads to it"


def _open_needs(guess: Distances, target: Atom) -> list[Atom]:
    """Return the atoms that the move to the target still needs."""
    move = guess.by.get(target)
    return (guess.unmet(move.needs) if move is not None else []) or [target]


def _as_written(condition: Condition) -> str:
    """Return a condition as an author writes it: `{regard: tobin, min: 1}`."""
    data = condition.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude_none=True)
    parts = (f"{key}: {local(value) if isinstance(value, str) else value}" for key, value in data.items())
    return f"{{{', '.join(parts)}}}"
