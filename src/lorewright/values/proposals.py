"""The proposals that models may make besides prose, and the inputs for them: a ruling by the rulebook, additions to the
world from a narration. Code judges every proposal; none of them is true by being made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from lorewright.rules.actions import Action, AuthoredAct
from lorewright.rules.patch import Outcome
from lorewright.values.records import InnerState, LoreLine, Message, Recorded
from lorewright.values.scope import Scope
from lorewright.world import ops as o
from lorewright.world.frozen import Frozen, FrozenMap

# The input and output of the stage `npc_intent`, built-in and model alike: what a character is shown before it acts,
# and what it intends. Nothing is in here that the character does not know.

# Texts of a model's intention are a sentence or two (characters).
SENTENCES = 600
# The prefix of the memory keys that count sentences used by anybody of the cast; those of one character begin
# otherwise.
SHARED = "cast:"


def own_key(who: str, key: str) -> str:
    """Return a memory key of one character of the cast."""
    return f"npc:{who}:{key}"


class KnownItem(Frozen):
    """A lore item that a character knows; `holder_id` is whose it is by the pack, `kept_back` that it withholds it, and
    `told_to` who of those present has it already."""

    id: str
    name: str
    text: str
    topics: tuple[str, ...] = ()
    holder_id: str = ""
    kept_back: bool = False
    told_to: tuple[str, ...] = ()


class Remembered(Frozen):
    """A memory of a character and its current weight (higher is more); `shared_with` are the people here who were
    there, too."""

    content: str
    priority: float
    minute: int = 0
    shared_with: tuple[str, ...] = ()


class Concern(Frozen):
    """An open question that a character is part of, and the other entities that it is about, by ID; only those that it
    knows of."""

    thread_id: str
    title: str
    about: tuple[str, ...] = ()


class Toward(Frozen):
    """A character's relation to somebody who is there, and what the two are to each other (`sister`, `rival`)."""

    who: str
    trust: int = 0
    tension: int = 0
    closeness: int = 0
    ties: tuple[str, ...] = ()


class OwnSelf(Frozen):
    """The character whose intent it is: its nature, its goal and what moves it (`states`: manifest ones alone)."""

    id: str
    name: str
    pronoun: Literal["he", "she", "they", "it"] = "they"
    profile: FrozenMap[str, Any] = Field(default_factory=dict)
    disposition: tuple[LoreLine, ...] = ()
    capabilities: tuple[str, ...] = ()
    goal: str = ""
    # The pack's text about its motives, which nobody else is told.
    motivation: tuple[str, ...] = Field(default=(), exclude_if=lambda motivation: not motivation)
    stat_block: FrozenMap[str, Any] = Field(default_factory=dict)
    states: tuple[InnerState, ...] = ()
    conditions: tuple[str, ...] = ()
    escalation: int = 0
    # How the packs openly introduce it, where nobody wrote a profile.
    introduction: str = Field(default="", exclude_if=lambda introduction: not introduction)


class NpcIntentInput(Frozen):
    """A character's view of the moment at which it acts.

    `scope` is what it can name: `scope.player` is itself, `scope.people` everybody else who is there, the player's
    character (`player_id`) among them. `outcomes` is what it saw happen in this turn so far, in order; a whisper
    between others is not in it. `messages` are (turn number, message) of the stream as the matrix lets it read them,
    oldest first: narrations that it was there for, its own intentions and thoughts. `summary` is the story before them,
    as far as it was there. `recorded` are promises, threats and debts between it and those who are there, `concerns`
    the open questions that it is part of. `acts` are the authored acts that hold just now. `claims` are what the player
    claimed in this turn, checked. `scene_in_words` and `situations` are the ruleset's scene and the circumstances that
    hold, `tone` and `stakes` the scenario's. `recall` counts phrases and acts used before, by key; `seed` keys the
    bags.
    """

    me: OwnSelf
    player_id: str
    player_name: str = ""
    place_id: str
    place_name: str
    scope: Scope
    minutes: int = 0
    turn_no: int = 1
    knows: tuple[KnownItem, ...] = ()
    toward: tuple[Toward, ...] = ()
    remembers: tuple[Remembered, ...] = ()
    recorded: tuple[Recorded, ...] = ()
    concerns: tuple[Concern, ...] = ()
    messages: tuple[tuple[int, Message], ...] = ()
    summary: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    claims: tuple[FrozenMap[str, Any], ...] = ()
    acts: tuple[AuthoredAct, ...] = ()
    verbs: tuple[str, ...] = ()
    names: FrozenMap[str, str] = Field(default_factory=dict)
    scene_state: FrozenMap[str, Any] = Field(default_factory=dict)
    scene_in_words: tuple[str, ...] = Field(default=(), exclude_if=lambda lines: not lines)
    situations: tuple[str, ...] = Field(default=(), exclude_if=lambda lines: not lines)
    tone: str = Field(default="", exclude_if=lambda text: not text)
    stakes: str = Field(default="", exclude_if=lambda text: not text)
    seed: str = ""
    recall: FrozenMap[str, int] = Field(default_factory=dict)


class NpcIntent(Frozen):
    """A character's intent: the seed's reflection with the thought before it, which nobody else sees.

    `action_text` is the visible part of the intention, third person, present tense. `action` is judged by the rules;
    without one the intent is words or a gesture and changes nothing. `item_id` is the lore item that a `tell` is about;
    `act_id` the authored act, `say` its sentences. `recall` are memory keys that the built-in stage used.
    """

    action_text: str = Field(min_length=1, max_length=SENTENCES)
    intent_tags: tuple[str, ...] = Field(default=(), max_length=6)
    thought: str = Field(default="", max_length=SENTENCES)
    action: Action | None = None
    item_id: str | None = None
    act_id: str | None = None
    say: tuple[str, ...] = ()
    recall: tuple[str, ...] = ()

    @property
    def whisper_to(self) -> str | None:
        """Return the ID of the only listener, or None where everybody may hear it."""
        if self.action is None or not self.action.metadata.get("whisper"):
            return None
        return self.action.target_id


# The other proposals: a ruling by the rulebook, and the additions of a narration to the world.


def _line(text: str) -> str:
    """Return the text on one line, without characters that are not printable."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


# A text that becomes part of the world is one line; its length is measured as it is stored.
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

    def as_op(self) -> o.PathOp:
        """Return the change as an op: `stats.warmth` of a character, else a path of the scene."""
        part, _, path = self.path.partition(".")
        of = self.character_id if part == "stats" else None
        kinds: Mapping[str, type[o.PathOp]] = {
            "set": o.SetPath,
            "increment": o.Increment,
            "decrement": o.Decrement,
            "append": o.AppendTo,
            "remove": o.RemoveFrom,
        }
        return kinds[self.op].model_validate({"path": path or part, "of": of, "value": self.value})


class ResolutionInput(Frozen):
    """The input of a ruling: one attempt that no rule in code decides, and the rulebook.

    `stat_blocks` are of those involved, by ID, `recent_observations` what they remember of late, by ID, best first.
    `writable` are the paths that a ruling may change, with the kind of value that each takes; `bands` the bands of the
    ruleset, highest first. `guidance` is the ruleset's own advice on its mechanics; `scene_in_words` and
    `stats_in_words` (by ID) are scene and stat blocks as prompts show them.
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
    guidance: tuple[str, ...] = Field(default=(), exclude_if=lambda lines: not lines)
    scene_in_words: tuple[str, ...] = Field(default=(), exclude_if=lambda lines: not lines)
    stats_in_words: FrozenMap[str, str] = Field(default_factory=dict, exclude_if=lambda blocks: not blocks)


class ResolutionOutput(Frozen):
    """The seed's output of ruleset resolution: `dice_request` repeats what was thrown, `resolved_outcome` is the name
    of a band, or `no roll` where the rulebook asks for none."""

    dice_request: tuple[str, ...] = ()
    resolved_outcome: str
    new_observations: tuple[ProposedObservation, ...] = Field(default=(), max_length=6)
    state_ops: tuple[ProposedPathOp, ...] = Field(default=(), max_length=8)


class ExtractorInput(Frozen):
    """The narration of a turn and what code knows of it. `present` and `things` are the IDs and names of those who and
    what is there; `facts` the established facts about them, `threads` ID, title and status of the open threads.
    `writable` are the paths of the ruleset's scene that a narration may change, with the kind of value that each takes,
    `scene_in_words` the scene; `relations` say how those who are there stand to each other, where a narration may move
    it (`moves_relations`)."""

    narration: str
    outcomes: tuple[Outcome, ...]
    place_id: str
    player_id: str
    present: FrozenMap[str, str] = Field(default_factory=dict)
    things: FrozenMap[str, str] = Field(default_factory=dict)
    facts: tuple[FrozenMap[str, Any], ...] = ()
    threads: tuple[FrozenMap[str, Any], ...] = ()
    writable: FrozenMap[str, str] = Field(default_factory=dict, exclude_if=lambda paths: not paths)
    scene_in_words: tuple[str, ...] = Field(default=(), exclude_if=lambda lines: not lines)
    relations: tuple[str, ...] = Field(default=(), exclude_if=lambda lines: not lines)
    moves_relations: bool = Field(default=False, exclude_if=lambda moves: not moves)


# How sure an extractor is of a proposal; quite sure where it does not say.
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


class RelationStep(Frozen):
    """A step between two who are there, that a narration shows and no rule has counted: one up or down at most."""

    a_id: str
    b_id: str
    trust: int = Field(default=0, ge=-1, le=1)
    tension: int = Field(default=0, ge=-1, le=1)
    closeness: int = Field(default=0, ge=-1, le=1)
    reason: Line = Field(default="", max_length=_SENTENCE)
    confidence: Confidence = 1.0


class SceneChange(ProposedPathOp):
    """A value of the ruleset's scene that a narration has changed, on a path that the input lists as writable."""

    confidence: Confidence = 1.0


class ExtractorOutput(Frozen):
    """What the seed's NarratorOutput carries beside the text, observations, and what has moved in the air and between
    people; moves, things changing hands, clocks and harm are the resolver's."""

    established_facts: tuple[EstablishedFact, ...] = Field(default=(), max_length=6)
    introduced_items: tuple[IntroducedItem, ...] = Field(default=(), max_length=4)
    introduced_npcs: tuple[IntroducedNpc, ...] = Field(default=(), max_length=2)
    thread_updates: tuple[ThreadUpdate, ...] = Field(default=(), max_length=4)
    new_observations: tuple[SeenByOne, ...] = Field(default=(), max_length=6)
    relation_changes: tuple[RelationStep, ...] = Field(default=(), max_length=2, exclude_if=lambda steps: not steps)
    state_ops: tuple[SceneChange, ...] = Field(default=(), max_length=2, exclude_if=lambda changes: not changes)
