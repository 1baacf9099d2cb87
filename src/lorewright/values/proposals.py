"""What models may propose beside prose, and what they are shown for it: a ruling by the rulebook, what a narration has
added to the world. Code judges every proposal; none of them is true by being made."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from lorewright.rules.outcomes import Outcome
from lorewright.world.frozen import Frozen, FrozenMap


def _line(text: str) -> str:
    """On one line, and without what only a terminal reads."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


# What becomes part of the world is a line; it is measured as it is kept.
Line = Annotated[str, BeforeValidator(lambda given: _line(given) if isinstance(given, str) else given)]

# Texts that a model proposes for the record are a sentence or two (characters).
_SENTENCE = 400
_NAME = 80


class ProposedObservation(Frozen):
    """What a character is to remember, and how much it matters."""

    character_id: str
    content: Line = Field(min_length=1, max_length=_SENTENCE)
    importance: int = Field(ge=1, le=5)


class ProposedPathOp(Frozen):
    """A change of the ruleset's own state, in the seed's shape. `path` is one of those that the input lists as
    writable: `scene.minutes_left`, `stats.warmth`; `character_id` says whose stat."""

    op: Literal["set", "increment", "decrement", "append", "remove"]
    path: str
    value: str | int | float | bool | None = None
    character_id: str | None = None


class ResolutionInput(Frozen):
    """What the rulebook is applied to: one attempt that no rule in code decides.

    `stat_blocks` are of those involved, by ID, `recent_observations` what they remember of late, by ID, best first.
    `writable` are the paths that a ruling may change, with what kind of value each takes; `bands` the bands of the
    ruleset, highest first.
    """

    rulebook_text: str
    scene_state: FrozenMap[str, Any]
    player_text: str
    attempt: str
    actor_id: str
    target_id: str | None = None
    names: FrozenMap[str, str] = Field(default_factory=dict)
    stat_blocks: FrozenMap[str, Any] = Field(default_factory=dict)
    recent_observations: FrozenMap[str, tuple[str, ...]] = Field(default_factory=dict)
    writable: FrozenMap[str, str] = Field(default_factory=dict)
    bands: tuple[str, ...] = ()


class ResolutionOutput(Frozen):
    """The seed's output of ruleset resolution: `dice_request` repeats what was thrown, `resolved_outcome` is the name
    of a band, or `no roll` where the rulebook asks for none."""

    dice_request: tuple[str, ...] = ()
    resolved_outcome: str
    new_observations: tuple[ProposedObservation, ...] = Field(default=(), max_length=6)
    state_ops: tuple[ProposedPathOp, ...] = Field(default=(), max_length=8)


class ExtractorInput(Frozen):
    """The narration of a turn and what code knows of it. `present` and `things` are ID and name of who and what is
    there; `facts` what is established of them, `threads` ID, title and status of the open threads."""

    narration: str
    outcomes: tuple[Outcome, ...]
    place_id: str
    player_id: str
    present: FrozenMap[str, str] = Field(default_factory=dict)
    things: FrozenMap[str, str] = Field(default_factory=dict)
    facts: tuple[FrozenMap[str, Any], ...] = ()
    threads: tuple[FrozenMap[str, Any], ...] = ()


# How sure an extractor is of a proposal; whoever does not say so is quite sure.
Confidence = Annotated[float, Field(ge=0, le=1)]


class SeenByOne(ProposedObservation):
    """What a character is to remember of a narration."""

    confidence: Confidence = 1.0


class EstablishedFact(Frozen):
    """Something that a narration has made so."""

    subject_id: str
    predicate: Line = Field(min_length=1, max_length=_NAME)
    detail: Line = Field(min_length=1, max_length=_SENTENCE)
    confidence: Confidence = 1.0


class IntroducedItem(Frozen):
    """A thing that a narration has put there; `location` is the ID of the place or of its holder."""

    id: str
    name: Line = Field(min_length=1, max_length=_NAME)
    description: Line = Field(default="", max_length=_SENTENCE)
    location: str
    confidence: Confidence = 1.0


class IntroducedNpc(Frozen):
    """A person whom a narration has brought in."""

    id: str
    name: Line = Field(min_length=1, max_length=_NAME)
    description: Line = Field(default="", max_length=_SENTENCE)
    type: str = "npc"
    tags: tuple[Annotated[Line, Field(max_length=_NAME)], ...] = Field(default=(), max_length=8)
    confidence: Confidence = 1.0


class ThreadUpdate(Frozen):
    """A thread that a narration has moved on."""

    id: str
    status: Literal["open", "resolved", "failed"]
    reason: Line = Field(default="", max_length=_SENTENCE)
    confidence: Confidence = 1.0


class ExtractorOutput(Frozen):
    """What the seed's NarratorOutput carries beside the text, and observations; moves, things changing hands, clocks
    and harm are the resolver's."""

    established_facts: tuple[EstablishedFact, ...] = Field(default=(), max_length=6)
    introduced_items: tuple[IntroducedItem, ...] = Field(default=(), max_length=4)
    introduced_npcs: tuple[IntroducedNpc, ...] = Field(default=(), max_length=2)
    thread_updates: tuple[ThreadUpdate, ...] = Field(default=(), max_length=4)
    new_observations: tuple[SeenByOne, ...] = Field(default=(), max_length=6)
