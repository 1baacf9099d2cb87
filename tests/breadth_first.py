"""A player who tries everything: for each thing that a scenario promises the lines that lead there, found on the state
alone, then played.

The search is over states of the world by real rules with the dice wished for, cheapest and most promising first. What
it finds is a plan; a plan proves nothing until it is played through the pipeline with dice that nobody chose but by
saying a line again. `python tests/breadth_first.py [SCENARIO]` prints what was reached, and how.
"""

from __future__ import annotations

import asyncio
import heapq
import math
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dry_run import DryRun, Step
from estimate import Atom, Estimate, Move, estimate, is_true
from lorewright.bootstrap import open_app
from lorewright.campaigns.campaigns import OpenCampaign
from lorewright.lore_bootstrap import make_workspace
from lorewright.rules.consequences import rule_for
from lorewright.rules.dice import SeededDice
from lorewright.rules.effects import RevealEffect
from lorewright.rules.outcomes import EngineEvent
from lorewright.rules.patch import Patch
from lorewright.rules.rulesets import BandName, Rule
from lorewright.turn.result import TurnResult
from lorewright.turn.rewinding import undo_to
from lorewright.world.state import WorldState
from moves import Scenario

MOST_TURNS = 60
# So many states are looked at for one goal before it is given up: first by what seems to lead there, then by all lines.
PATIENCE = (400, 120)
# How much more a step that is still to go counts than one that was made: high is quick, low finds short plans.
_HASTE = 3
# A line is said so often until its dice fall as the plan has it: 2d6 come to twelve once in 36.
_THROWS = 400


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
        way = "; ".join(step.line for step in self.nearest) or "the start"
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
    scenario: Scenario = field(init=False)
    moves: list[Move] = field(init=False)
    rules: dict[str, Rule] = field(init=False)
    _in_question: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.scenario = Scenario(self.run, self.start)
        self.moves = self.scenario.moves()
        self.rules = {rule.id: rule for rule in self.run.rules.rules}
        self._in_question = _asked_after(self.moves)

    def goals(self) -> list[Goal]:
        """All that there is to reach, the farthest kinds first."""
        name, rules = self.scenario.name, self.run.rules
        withheld = self.scenario.withheld()
        items = [item for ones in self.scenario.found_at.values() for item in ones]
        return [
            *(Goal("ending", ("ended", one.id), one.id) for one in rules.endings),
            *(
                Goal("way of opening", ("fired", rule.id, band), f"{rule.id} ({band})")
                for rule in rules.rules
                for band in _bands(rule)
                if _opened(rule, band) & withheld
            ),
            *(Goal("find", ("found", item), item) for item in rules.on_find),
            *(Goal("item", ("learned", item.id), item.id) for item in items),
            *(Goal("person", ("present", who), name(who)) for who in self.scenario.people),
            *(Goal("place", ("at", place), name(place)) for place in self.scenario.places),
        ]

    def plan(self, goal: Goal) -> Node | Failure:
        """The way to a goal, or how near one came: first by what seems to lead there, then by everything."""
        nearest = Failure(goal, "nothing was tried")
        for helpful, patience in zip((True, False), PATIENCE, strict=True):
            found = self._plan(goal, helpful=helpful, patience=patience)
            if isinstance(found, Node):
                return found
            nearest = found
            if not found.nearest and found.missing.startswith("nothing leads"):
                return found
        return nearest

    def _plan(self, goal: Goal, *, helpful: bool, patience: int) -> Node | Failure:
        target = ("learned", goal.atom[1]) if goal.kind == "find" else goal.atom
        first = Node(self.start)
        if is_true(target, self.start):
            return first
        guess = estimate(self.start, self.moves)
        if guess.of(target) == math.inf:
            return Failure(goal, f"nothing leads to it: it needs {_needs(guess, target, self.moves)}")
        seen = {self._key(self.start)}
        queue = [(guess.of(target), 0, first, guess)]
        best, made = (guess.of(target), first, guess), 0
        while queue and patience > 0:
            _, _, node, guess = heapq.heappop(queue)
            patience -= 1
            for child in self._children(node, guess, target, helpful=helpful):
                if self.is_reached(goal, child):
                    return child
                key = self._key(child.state)
                if key in seen or child.state.ended is not None or child.turns >= MOST_TURNS:
                    continue
                seen.add(key)
                ahead = estimate(child.state, self.moves)
                far = ahead.of(target)
                if far == math.inf:
                    continue
                made += 1
                heapq.heappush(queue, (child.turns + _HASTE * far, made, child, ahead))
                if far < best[0]:
                    best = (far, child, ahead)
        missing = ", ".join(_shown(atom) for atom in _open_needs(best[2], target)) or "nothing that can be named"
        why = "no state is left to try" if not queue else "given up"
        return Failure(goal, f"{why}, about {best[0]:.0f} steps away; missing are {missing}", best[1].plan())

    def is_reached(self, goal: Goal, node: Node) -> bool:
        """Whether a goal is reached in a state, by the step that led there where that matters."""
        if goal.kind in ("way of opening", "find"):
            return goal.atom in node.fired
        return is_true(goal.atom, node.state)

    def _children(self, node: Node, guess: Estimate, target: Atom, *, helpful: bool) -> Iterator[Node]:
        moves = guess.lead(target) if helpful else [move for move in self.moves if move.lines is not None]
        for move in moves:
            if move.lines is None or guess.of(move.needs):
                continue
            for band in move.bands:
                child = self._by(node, move, band)
                if child is not None:
                    yield child

    def _by(self, node: Node, move: Move, band: BandName) -> Node | None:
        """What the move comes to: by the first of its lines that does what it is for, else by the first that does
        anything."""
        second: Node | None = None
        for line in move.lines(node.state) if move.lines is not None else ():
            child = self.after(node, Step(line, band))
            if child is None:
                continue
            if self._is_it(move, node, child, band):
                return child
            second = second or child
        return None if move.rule is not None else second

    def _is_it(self, move: Move, before: Node, after: Node, band: BandName) -> bool:
        if move.rule is not None:
            return ("fired", move.rule, band) in after.fired
        if move.item is not None:
            return after.state.has_learned(after.state.player_id, move.item)
        return True

    def after(self, node: Node, step: Step) -> Node | None:
        """The node that a step leads to; None where it is asked back, refused, or its dice cannot fall so."""
        patch = self.run.try_step(node.state, step)
        if patch is None:
            return None
        return Node(patch.state, node, step, node.turns + 1, frozenset(self._fired(node.state, step, patch)))

    def _fired(self, before: WorldState, step: Step, patch: Patch) -> Iterator[Atom]:
        """The rule that spoke with its band, and the items that were found with all that belongs to it."""
        after = patch.state
        new = after.learned_by(after.player_id) - before.learned_by(before.player_id)
        for attempt in self.run.attempts(before, step.line) or ():
            rule = rule_for(attempt, before, self.run.rules)
            if rule is None:
                continue
            band = next((roll.band for roll in patch.rolls if roll.purpose == rule.id), None)
            if band is None and rule.check is not None:
                continue
            opened = _opened(rule, band or "success")
            if not opened or opened & new:
                yield ("fired", rule.id, band or "success")
        yield from (("found", item) for item in _finds(patch.events))

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
            tuple(sorted((door, one.locked) for door, one in state.doors.items())),
            frozenset(key for key in state.recall if key.startswith("rule:")),
            frozenset(state.facts),
            state.ended,
        )


def _asked_after(moves: Iterable[Move]) -> frozenset[str]:
    """Items and places that some move's needs name."""
    found: set[str] = set()

    def walk(given: Atom) -> None:
        if given[0] in ("all", "any"):
            for part in given[1:]:
                walk(part)
        elif given[0] in ("learned", "unlearned", "visited", "unvisited"):
            found.add(given[1])

    for move in moves:
        walk(move.needs)
        found.update([move.item] if move.item is not None else [])
    return frozenset(found)


def _bands(rule: Rule) -> list[BandName]:
    if rule.check is None:
        return ["success"]
    return [band for band in ("success", "mixed", "critical", "fail") if band != "critical" or rule.critical]


def _opened(rule: Rule, band: BandName) -> frozenset[str]:
    """The items that a band of a rule reveals."""
    effects = {"critical": rule.critical or rule.success, "mixed": rule.mixed, "fail": rule.fail}.get(band, rule.success)
    return frozenset(one.reveal for one in effects if isinstance(one, RevealEffect))


def _finds(events: Sequence[EngineEvent]) -> Iterator[str]:
    """The items that were found in a turn in which every effect fitted."""
    if not any(event.type == "effect_refused" for event in events):
        yield from (event.details["item"] for event in events if event.type == "item_found")


def _needs(guess: Estimate, target: Atom, moves: Sequence[Move]) -> str:
    """What nothing leads to, of what would lead to the target."""
    lacking = {atom for move in moves if target in move.adds for atom in guess.lacking(move.needs)}
    return " or ".join(sorted(map(_shown, lacking))) or "a rule, an effect or a way that leads to it"


def _open_needs(guess: Estimate, target: Atom) -> list[Atom]:
    """What the moves of the cheapest way still need, beside what they bring one another."""
    lead = guess.lead(target)
    brought = {atom for move in lead for atom in move.adds}
    needs = [atom for move in lead for atom in _atoms(move.needs) if atom not in brought and not is_true(atom, guess.state)]
    return list(dict.fromkeys(needs)) or [target]


def _atoms(given: Atom) -> Iterator[Atom]:
    if given[0] in ("all", "any"):
        for part in given[1:]:
            yield from _atoms(part)
    else:
        yield given


def _shown(atom: Atom) -> str:
    return " ".join(str(part) for part in atom)


@dataclass(slots=True)
class Proof:
    """Plans played through the real pipeline in one campaign, whose turns are taken back between them."""

    campaign: OpenCampaign
    search: Search
    played: list[Node] = field(default_factory=list)
    turns: int = 0
    throws: int = 0

    def play(self, plan: Sequence[Step]) -> list[Node]:
        """The nodes on the way, as they were played.

        Raises:
            AssertionError: a turn was asked back, came to something else than without the pipeline, or no dice fell so.
        """
        shared = 0
        while shared < min(len(plan), len(self.played)) and self.played[shared].step == plan[shared]:
            shared += 1
        if shared < len(self.played):
            undo_to(self.campaign.store, shared)
            del self.played[shared:]
        for step in plan[shared:]:
            self.played.append(self._say(step))
        return list(self.played)

    def _say(self, step: Step) -> Node:
        head = self.campaign.store.head()
        before, node = head.state, self.played[-1] if self.played else Node(head.state)
        attempts = self.search.run.attempts(before, step.line)
        assert attempts is not None, f"{step.line!r} was asked back"
        wished = self.search.run.try_step(before, step)
        assert wished is not None, f"{step.line!r} does not work here"
        bands = [roll.band for roll in wished.rolls]
        for _ in range(_THROWS):
            self.throws += 1
            action_id = f"try-{self.throws}"
            dice = SeededDice(self.campaign.setting.seed, before.truth_hash(), action_id)
            patch = self.search.run.play(before, attempts, dice, turn_no=head.turn_no + 1)
            if [roll.band for roll in patch.rolls] == bands:
                break
        else:
            raise AssertionError(f"{step.line!r} never came to {step.band} in {_THROWS} throws")
        result = TurnResult.model_validate_json(asyncio.run(self.campaign.submit(step.line, action_id=action_id)))
        assert result.clarification_question is None, f"{step.line!r}: {result.clarification_question}"
        after = self.campaign.store.head().state
        assert after.truth_hash() == patch.state.truth_hash(), f"{step.line!r} came to something else when it was played"
        self.turns += 1
        fired = frozenset(self.search._fired(before, step, patch))
        return Node(after, node, step, node.turns + 1, fired)


@dataclass(frozen=True, slots=True)
class Reach:
    """What was reached by which lines, played, and what was not."""

    goals: tuple[Goal, ...]
    ways: dict[Goal, tuple[Step, ...]]
    failures: tuple[Failure, ...]


def reach(campaign: OpenCampaign) -> Reach:
    """Plan for every goal, then play the plans, the longest first: what one shows on its way need not be played again."""
    run = DryRun(campaign.setting)
    start = campaign.store.head().state
    search = Search(run, start)
    goals = search.goals()
    plans: dict[Goal, tuple[Step, ...]] = {}
    failures: list[Failure] = []
    for goal in goals:
        if goal in plans:
            continue
        found = search.plan(goal)
        if isinstance(found, Failure):
            failures.append(found)
            continue
        _note(search, goals, _path(found), plans)
    return _played(campaign, search, goals, plans, failures)


def _played(
    campaign: OpenCampaign,
    search: Search,
    goals: Sequence[Goal],
    plans: dict[Goal, tuple[Step, ...]],
    failures: list[Failure],
) -> Reach:
    proof = Proof(campaign, search)
    ways: dict[Goal, tuple[Step, ...]] = {}
    _note(search, goals, [Node(search.start)], ways)
    for goal, plan in sorted(plans.items(), key=lambda one: (-len(one[1]), [step.line for step in one[1]])):
        if goal in ways:
            continue
        try:
            nodes = proof.play(plan)
        except AssertionError as problem:
            failures.append(Failure(goal, str(problem), plan))
            continue
        _note(search, goals, nodes, ways)
        if goal not in ways:
            failures.append(Failure(goal, "the plan was played and did not reach it", plan))
    return Reach(tuple(goals), ways, tuple(failures))


def _path(node: Node) -> list[Node]:
    return [*(_path(node.before) if node.before is not None else ()), node]


def _note(search: Search, goals: Iterable[Goal], nodes: Sequence[Node], ways: dict[Goal, tuple[Step, ...]]) -> None:
    """Note each goal that is reached on the way, with the steps to it, where it was not reached before."""
    steps = tuple(node.step for node in nodes if node.step is not None)
    offset = len(nodes) - len(steps)
    for number, node in enumerate(nodes):
        for goal in goals:
            if goal not in ways and search.is_reached(goal, node):
                ways[goal] = steps[: number + 1 - offset]


def reach_of(scenario: str, folder: Path, *, seed: int = 1) -> Reach:
    """What can be reached in a scenario of the checkout, or in a file, in a workspace below the folder."""
    make_workspace(folder / "workspace")
    app = open_app(folder / "workspace")
    app.campaigns.new(scenario, campaign_id="game", seed=seed)
    with app.campaigns.open("game") as campaign:
        return reach(campaign)


def main() -> None:
    """Print for a scenario what was reached and how."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        found = reach_of(sys.argv[1] if len(sys.argv) > 1 else "dead_drop", Path(folder))
    for goal, way in found.ways.items():
        print(f"{goal.kind} {goal.name} ({len(way)}): {'; '.join(step.line for step in way)}")  # noqa: T201
    for failure in found.failures:
        print(f"NOT {failure}")  # noqa: T201
    print(f"{len(found.ways)} of {len(found.goals)} in {time.monotonic() - began:.1f} s")  # noqa: T201


if __name__ == "__main__":
    main()
