"""A turn while it is thought: what it starts from, its stages, and its results so far."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lorewright.errors import SettingsError
from lorewright.llm.model import Model
from lorewright.llm.prompt_template import Prompts
from lorewright.rules.actions import Action
from lorewright.rules.dice import Dice
from lorewright.rules.patch import ActionResult, EngineEvent, Outcome, Resolution, Roll
from lorewright.rules.rulesets import TurnProfile
from lorewright.turn.stages.extract.stage import Extract
from lorewright.turn.stages.inner.stage import CharacterExtract, PersonaExtract
from lorewright.turn.stages.interpret.stage import Interpret
from lorewright.turn.stages.narrate.stage import Narrate
from lorewright.turn.stages.npc_intent.stage import Intend
from lorewright.turn.stages.plan.stage import Plan
from lorewright.turn.stages.resolution.stage import Resolve
from lorewright.turn.stages.stages import Stages
from lorewright.turn.stages.summarise.stage import Summarise
from lorewright.turn.views.draft import Head, Recorder, Setting, Submission
from lorewright.turn.views.narrator_input import TurnStream
from lorewright.turn.views.views import TurnViews
from lorewright.values.annotations import LorebookEntry, Review, Summary
from lorewright.values.records import NarratorInput, NarratorOutput, Premise, TurnListener
from lorewright.world.apply import apply
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


# Models by stage -> the stages of a turn. A stage without a model is built in.

# By the names that their prompts have.
STAGES = (
    *(Interpret.name, Plan.name, Resolve.name, Narrate.name, Extract.name),
    *(Intend.name, PersonaExtract.name, CharacterExtract.name, Summarise.name),
)
# The stages in which other characters act of their own accord.
_OF_SEVERAL = (Intend.name, PersonaExtract.name, CharacterExtract.name)


def stages_of(profile: TurnProfile) -> tuple[str, ...]:
    """Return the stages that a turn of a profile may run."""
    return tuple(stage for stage in STAGES if profile != "freeform" or stage not in _OF_SEVERAL)


def make_stages(models: Mapping[str, Model], prompts: Prompts | None = None) -> Stages:
    """Return the stages, each with its model if it has one; without prompts they are shown their whole input as JSON.

    Raises:
        SettingsError: a model was given to an unknown stage.
    """
    unknown = sorted(set(models) - set(STAGES))
    if unknown:
        raise SettingsError(f"there is no stage {unknown[0]}", hint=f"one of {', '.join(STAGES)}")
    return Stages(
        interpret=Interpret(models.get(Interpret.name), prompts),
        plan=Plan(models.get(Plan.name), prompts),
        resolve=Resolve(models.get(Resolve.name), prompts),
        narrate=Narrate(models.get(Narrate.name), prompts),
        extract=Extract(models.get(Extract.name), prompts),
        npc_intent=Intend(models.get(Intend.name), prompts),
        persona_extractor=PersonaExtract(models.get(PersonaExtract.name), prompts),
        character_extractor=CharacterExtract(models.get(CharacterExtract.name), prompts),
        summarise=Summarise(models.get(Summarise.name), prompts),
    )


# The results of a turn so far, and what each of its steps works with.


@dataclass(slots=True)
class TurnProgress:
    """The results of a turn so far, in order; `state` is the working copy with all of them.

    `seen` are the outcomes with who saw each; `told` the narrations, each with its input; `premises` what the player
    claimed.
    """

    state: WorldState
    ops: list[StateOp] = field(default_factory=list)
    events: list[EngineEvent] = field(default_factory=list)
    rolls: list[Roll] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    results: list[ActionResult] = field(default_factory=list)
    seen: list[tuple[Outcome, tuple[str, ...]]] = field(default_factory=list)
    told: list[tuple[NarratorOutput, NarratorInput]] = field(default_factory=list)
    premises: tuple[Premise, ...] = ()
    reviews: list[Review] = field(default_factory=list)
    lorebook: list[LorebookEntry] = field(default_factory=list)
    summary: Summary | None = None

    def take(self, resolution: Resolution, state: WorldState, *, audience: Sequence[str]) -> None:
        """Go on with the state that a resolution led to; `audience` are those who saw its outcomes."""
        self.state = state
        self.ops += resolution.ops
        self.events += resolution.events
        # The dice of a whisper that the player does not hear are not shown to them.
        self.rolls += resolution.rolls if state.player_id in audience else ()
        self.seen += [(outcome, tuple(audience)) for outcome in resolution.outcomes]

    def do(self, ops: Iterable[StateOp]) -> None:
        """Apply ops, each by itself, and drop those that do not fit: memories, counts of used phrases."""
        for op in ops:
            applied = apply(self.state, (op,))
            if applied.refusal is None:
                self.state = applied.state
                self.ops.append(op)

    def seen_by(self, who: str) -> tuple[Outcome, ...]:
        """Return the outcomes that somebody saw, in order."""
        return tuple(outcome for outcome, audience in self.seen if who in audience)


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The parts that all steps of a turn share while it is thought."""

    head: Head
    submission: Submission
    setting: Setting
    stages: Stages
    recorder: Recorder
    views: TurnViews
    listener: TurnListener
    stream: TurnStream
    dice: Dice
    played: TurnProgress

    @property
    def turn_no(self) -> int:
        """Return the number that the turn will have."""
        return self.head.turn_no + 1
