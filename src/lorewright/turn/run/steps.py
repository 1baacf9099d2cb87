"""The steps of a turn: what all of them work with, and the values that they hand on. A step is given the point of the
turn that it begins at, and returns a value that says at which point it ended."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.rules.actions import Action, Attempt
from lorewright.rules.dice import Dice
from lorewright.rules.patch import Outcome, Resolution, Roll, Validation
from lorewright.scene_lore.models import SceneLore
from lorewright.turn.stages.stages import Stages
from lorewright.turn.views.draft import Head, Recorder, Setting, Submission
from lorewright.turn.views.point import WHISPER, TurnPoint
from lorewright.turn.views.views import TurnViews
from lorewright.values.annotations import LorebookEntry, Review, Summary
from lorewright.values.proposals import NpcIntent
from lorewright.values.records import (
    InterpreterOutput,
    Message,
    NarratorInput,
    NarratorOutput,
    PlannerOutput,
    Premise,
    TurnListener,
)
from lorewright.values.scenery import SceneryView
from lorewright.world.apply import apply
from lorewright.world.events import EngineEvent
from lorewright.world.ops import StateOp
from lorewright.world.state import WorldState

# Jobs that run concurrently: all succeed, or the first failure is raised.


async def gather(*jobs: Coroutine[Any, Any, Any]) -> list[Any]:
    """Run jobs concurrently and return their results in order. If one fails the others are stopped; all have ended when
    this raises the error of the first job, in that order, that failed."""
    if not jobs:
        return []
    if len(jobs) == 1:
        return [await jobs[0]]
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    failures = [error for error in ended if isinstance(error, BaseException)]
    if failures:
        raise next((error for error in failures if not isinstance(error, asyncio.CancelledError)), failures[0])
    return list(ended)


# What all steps work with.


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The collaborators of all steps of a turn. `head` is as the turn found it, before a change of persona. The
    recorder, the listener and the dice go on from step to step; all else stays as it is."""

    head: Head
    submission: Submission
    setting: Setting
    stages: Stages
    recorder: Recorder
    listener: TurnListener
    dice: Dice
    views: TurnViews

    @property
    def turn_no(self) -> int:
        """Return the number that the turn will have."""
        return self.head.turn_no + 1


# The values that steps hand on, in the order of a turn.


@dataclass(frozen=True, slots=True)
class TurnOpening:
    """The beginning of a turn: the ops of a change of persona, the player's intention, and the scene's lore."""

    ops: tuple[StateOp, ...]
    intention: Message
    scene: SceneLore
    at: TurnPoint


@dataclass(frozen=True, slots=True)
class PlayerReading:
    """The reading of the player's words: each action with the items that its words point at, the judgement of all, what
    the words claim, checked, and what they are about where that is no entity. `intention` is the message with the
    words, and what they were read as."""

    output: InterpreterOutput
    attempts: tuple[Attempt, ...]
    judged: Validation
    premises: tuple[Premise, ...]
    scenery: tuple[SceneryView, ...]
    intention: Message
    at: TurnPoint


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """The plan for the narration of the player's round."""

    output: PlannerOutput
    at: TurnPoint


@dataclass(frozen=True, slots=True)
class Round:
    """One round: who acted, with which words, the states before and after it, and who saw it.

    In the player's own round `intent` is None. `resolution` has what was done in it, `judged` how it was judged. `ops`
    are those of the resolution, then what those who saw it remember; the latter are not yet in `after`.
    """

    who: str
    intention: Message
    before: WorldState
    after: WorldState
    resolution: Resolution
    judged: Validation
    audience: tuple[str, ...]
    actions: tuple[Action, ...]
    ops: tuple[StateOp, ...]
    at: TurnPoint
    intent: NpcIntent | None = None
    scenery: tuple[SceneryView, ...] = ()

    @property
    def events(self) -> tuple[EngineEvent, ...]:
        """Return the events of the round, in order."""
        return self.resolution.events

    @property
    def rolls(self) -> tuple[Roll, ...]:
        """Return the dice of the round that the player is shown, in order: none of a whisper that they do not hear."""
        return () if self.hidden else self.resolution.rolls

    @property
    def is_between_two(self) -> bool:
        """Return True if it was whispered."""
        return self.intention.subtype == WHISPER

    @property
    def hidden(self) -> bool:
        """Return True if it was whispered to another character than the player's, who sees that, and hears none of the
        words."""
        return self.is_between_two and self.after.player_id not in self.audience


@dataclass(frozen=True, slots=True)
class Narration:
    """A narration with its input; the additions of it and of the jobs beside it, as ops, events and annotations."""

    output: NarratorOutput
    given: NarratorInput
    ops: tuple[StateOp, ...]
    events: tuple[EngineEvent, ...]
    lorebook: tuple[LorebookEntry, ...]
    reviews: tuple[Review, ...]
    summary: Summary | None
    at: TurnPoint


# The rounds and narrations of a turn, in order of time.
Course = Sequence[Round | Narration]


def rounds_of(course: Course) -> list[Round]:
    """Return the rounds of a turn so far, in order."""
    return [step for step in course if isinstance(step, Round)]


def narrations_of(course: Course) -> list[Narration]:
    """Return the narrations of a turn so far, in order."""
    return [step for step in course if isinstance(step, Narration)]


def outcomes_seen(rounds: Iterable[Round], who: str) -> tuple[Outcome, ...]:
    """Return the outcomes of rounds that somebody saw, in order."""
    return tuple(outcome for round_ in rounds if who in round_.audience for outcome in round_.resolution.outcomes)


def apply_fitting(state: WorldState, ops: Iterable[StateOp]) -> tuple[WorldState, tuple[StateOp, ...]]:
    """Apply ops, each by itself; return the state and the ops that fitted. The others are dropped: memories, counts of
    used phrases, results of background jobs."""
    done: list[StateOp] = []
    for op in ops:
        applied = apply(state, (op,))
        if applied.refusal is None:
            state = applied.state
            done.append(op)
    return state, tuple(done)
