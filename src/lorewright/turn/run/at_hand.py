"""A turn while it is thought: what it starts from, who thinks, and what has come of it so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lorewright.rules.actions import Action
from lorewright.rules.dice import Dice
from lorewright.rules.outcomes import ActionResult, EngineEvent, Outcome, Resolution, Roll
from lorewright.turn.stages.stages import Stages
from lorewright.turn.views.draft import Head, Recorder, Setting, Submission
from lorewright.turn.views.stream import TurnStream
from lorewright.turn.views.views import TurnViews
from lorewright.values.kept import LorebookEntry, Review, Summary
from lorewright.values.listener import Listener
from lorewright.values.records import NarratorInput, NarratorOutput, Premise
from lorewright.world.apply import apply
from lorewright.world.ops import StateOp
from lorewright.world.state import WorldState


@dataclass(slots=True)
class Played:
    """What has come of a turn so far, in order; `state` is the working copy with all of it.

    `seen` are the outcomes with who saw each; `told` what was narrated, with what it could rest on;
    `premises` what the player claimed.
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
        """Go on with the state that a resolution led to; `audience` are those who saw what came of it."""
        self.state = state
        self.ops += resolution.ops
        self.events += resolution.events
        self.rolls += resolution.rolls
        self.seen += [(outcome, tuple(audience)) for outcome in resolution.outcomes]

    def do(self, ops: Iterable[StateOp]) -> None:
        """Ops that fit whatever the state is, or are left out: what people remember, what a telling has used."""
        for op in ops:
            applied = apply(self.state, (op,))
            if applied.refusal is None:
                self.state = applied.state
                self.ops.append(op)

    def seen_by(self, who: str) -> tuple[Outcome, ...]:
        """The outcomes that somebody saw, in order."""
        return tuple(outcome for outcome, audience in self.seen if who in audience)


@dataclass(frozen=True, slots=True)
class AtHand:
    """Everything that the parts of a turn share while it is thought."""

    head: Head
    submission: Submission
    setting: Setting
    stages: Stages
    recorder: Recorder
    views: TurnViews
    listener: Listener
    stream: TurnStream
    dice: Dice
    played: Played

    @property
    def turn_no(self) -> int:
        """The number that the turn will have."""
        return self.head.turn_no + 1
