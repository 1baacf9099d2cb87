"""The input and output records of each stage: the typed boundary that built-in stages and models share.

Every input here is already filtered for its stage. What a stage may not see is not in its input, so nothing has to be
scrubbed afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, Self, TypeVar

from pydantic import BaseModel, Field

from lorewright.llm.model import CallLog
from lorewright.rules.actions import Action, Promised
from lorewright.rules.patch import ActionResult, Outcome, Roll, Validation
from lorewright.rules.rulesets import CampaignRules, Phrase
from lorewright.settings import PlayLore
from lorewright.values.leads import Lead
from lorewright.values.packet import ContextPacket
from lorewright.values.readings import Aside, Lately, Talk, Unclear
from lorewright.values.scenery import LoreLine as LoreLine
from lorewright.values.scenery import SceneryView
from lorewright.values.scope import Board, Scope, WayOut
from lorewright.world.events import EngineEvent
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.ops import ChangeInventory, ChangeRelation, SetDoor
from lorewright.world.state import How

# Turn listener: follows a turn while it is thought. Nothing that it hears has happened until the turn is committed.


class TurnListener(Protocol):
    """The receiver of a turn's progress; an exception that it raises ends the turn."""

    def stage_began(self, stage: str, model_key: str) -> None:
        """Handle the start of a call to a model."""
        ...

    def told(self, text: str) -> None:
        """Handle a piece of the narration, as the player may read it; provisional."""
        ...

    def not_so(self, reason: str) -> None:
        """Handle the withdrawal of all that was told since the narration began; it is told anew."""
        ...


class Silent:
    """A listener that ignores everything."""

    def stage_began(self, stage: str, model_key: str) -> None:
        """Do nothing."""

    def told(self, text: str) -> None:
        """Do nothing."""

    def not_so(self, reason: str) -> None:
        """Do nothing."""


SILENT = Silent()


# A campaign and the packs that it was made from, as values.


@dataclass(frozen=True, slots=True)
class PackPin:
    """The version and content hash of a pack that a campaign was made from."""

    pack_id: str
    version: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class CampaignRow:
    """A campaign and what it was made from; rules and pins as they are at its head. `upgrade_id` is the turn that set
    them, None where they are as it was begun. `calibration` is what was agreed on before its first turn, as JSON."""

    id: str
    name: str
    scenario_id: str
    scenario: dict[str, Any]
    rules: CampaignRules
    ruleset_hash: str
    seed: int
    current_turn: int
    revision: int
    created_at: str
    updated_at: str
    pins: tuple[PackPin, ...]
    upgrade_id: str | None = None
    calibration: Mapping[str, Any] = field(default_factory=dict)

    @property
    def told_as(self) -> dict[str, Any]:
        """Return how the story is to be told: the calibration that it is told by, the scenario's tone and stakes."""
        texts = {key: str(self.scenario.get(key) or "") for key in ("tone", "stakes")}
        return {"calibration": self.scenario.get("calibration") or {}, **texts}


# The input and output of a stage, for the record.

Made = TypeVar("Made", bound=BaseModel)

# The model key of a stage that asks no model.
BUILTIN = "builtin"


@dataclass(frozen=True, slots=True)
class StageRun(Generic[Made]):
    """The input and output of a stage, for the record; `output` is None where it failed, `log` where no model was
    asked. `builtin_version` is that of the built-in stage, where it answered or was asked before the model."""

    stage: str
    input_json: str
    output: Made | None
    log: CallLog | None = None
    builtin_version: int | None = None


# Message: one entry of the stream that a campaign's story is made of. Appended, never edited.

MessageType = Literal["narration", "intention", "thought", "scene_marker", "system"]


class Message(Frozen):
    """A message of the stream: its owner, its text and its place; `seq` counts from 0 within the turn.

    `owner` is `narrator`, `system`, or the ID of a character. `audience` holds the characters who were there.
    """

    owner: str
    type: MessageType
    turn_id: str
    seq: int = Field(ge=0)
    content: str
    subtype: str | None = None
    payload: FrozenMap[str, Any] = Field(default_factory=dict)
    audience: tuple[str, ...] = ()

    @property
    def played(self) -> str:
        """Return the text without words of the player's of which nothing could be made."""
        return str(self.payload.get("played", self.content))


# Premise: something that a player takes for granted, and the result of its check.


class Premise(Frozen):
    """A claim that somebody said or promised, owes or owns something, and whether it holds.

    `by` is who did or owns it, `to` whom it was said or promised to or is owed, `put_to` who is spoken to; `what` as it
    was typed, `words` the clause. `evidence` are the IDs of facts, items, things and messages (`turn/seq`) that support
    it: none where it does not hold. With `asks` the player wants to hear it again.
    """

    kind: Literal["said", "promised", "owes", "owns"]
    by: str
    to: str | None = None
    what: str
    words: str
    holds: bool
    evidence: tuple[str, ...] = ()
    asks: bool = False
    put_to: str | None = None

    def shown(self) -> dict[str, Any]:
        """Return the fields that everybody who heard the claim may know, as JSON values: no evidence, because its IDs
        may be of messages that one character alone was told."""
        return self.model_dump(mode="json", include={"kind", "by", "to", "what", "holds"})


# The version of what code makes of a turn between its stages: the numbered sources of a narration, the words of
# memories. A recorded turn is replayed by its own; files from before there were versions are of the first.
FIRST_CODE = 1
CODE_VERSION = 2


# The input and output of each stage.


class InnerState(Frozen):
    """A named inner state and how far it has come to the surface (1 to 10); from 6 its owner knows of it."""

    name: str
    value: Any = None
    level: int = Field(default=6, ge=1, le=10)


class Persona(Frozen):
    """The player's character, as the narrator may know it: `states` are the manifest ones."""

    name: str = "the adventurer"
    description: str = ""
    states: tuple[InnerState, ...] = ()


class InterpreterInput(Frozen):
    """The player's words, what they can refer to, and the numbered lines offered last (`2` means the second).

    `said_before` are the last inputs, oldest first; `verbs` are the ruleset's own, in lower case, with their types of
    action. `talk` is whom words to nobody by name are said to, `came_from` where the player was before, `clocks` and
    `stats` are names, `ahead` scopes by place, `board` the one played on, `lately` what was left at hand."""

    player_text: str
    scope: Scope
    options: tuple[str, ...] = ()
    said_before: tuple[str, ...] = ()
    verbs: FrozenMap[str, str] = Field(default_factory=dict)
    talk: Talk | None = Field(default=None, exclude_if=lambda talk: talk is None)
    came_from: str = Field(default="", exclude_if=lambda place: not place)
    clocks: tuple[str, ...] = Field(default=(), exclude_if=lambda names: not names)
    ahead: FrozenMap[str, Scope] = Field(default_factory=dict, exclude=True)  # may name whom the player has not met
    board: Board | None = Field(default=None, exclude=True)
    stats: tuple[str, ...] = Field(default=(), exclude=True)
    lately: Lately = Field(default=Lately(), exclude=True)


class InterpreterOutput(Frozen):
    """The seed's InterpreterOutput with typed actions; `confidence` in 0..1, `unclear` where the player must be asked.
    Of `not_played` nothing could be made; `played` are the other words, `rest` the question about it. `beside` is asked
    of the program, and answered with `aside` or what is played."""

    intent: str
    referenced_entities: tuple[str, ...] = ()
    proposed_actions: tuple[Action, ...] = ()
    assumptions: tuple[str, ...] = ()
    risk_flags: tuple[
        Literal["violence", "sensitive", "contested", "dangerous", "pursuit", "hostile_present"], ...
    ] = ()
    perception_flags: tuple[str, ...] = ()
    confidence: float = Field(default=1.0, ge=0, le=1)
    unclear: Unclear | None = None
    # Newer fields are written only where they have a value: other turns keep their bytes.
    aside: Aside | None = Field(default=None, exclude_if=lambda aside: aside is None)
    not_played: tuple[str, ...] = Field(default=(), exclude_if=lambda words: not words)
    played: str = Field(default="", exclude_if=lambda words: not words)
    rest: Unclear | None = Field(default=None, exclude_if=lambda rest: rest is None)
    beside: tuple[Aside, ...] = Field(default=(), exclude_if=lambda asides: not asides)


class PlannerInput(Frozen):
    """The planner's packet, the actions with their judgements, and the player's checked claims."""

    packet: ContextPacket
    actions: tuple[Action, ...]
    results: tuple[ActionResult, ...]
    premises: tuple[Premise, ...] = Field(default=(), exclude_if=lambda premises: not premises)


class PlannerOutput(Frozen):
    """The seed's PlannerOutput: what should happen in the telling, in order, and how the pressure moves."""

    beats: tuple[str, ...] = ()
    tension_move: str = ""
    tension_move_type: str = ""
    clarification_question: str = ""
    next_suggestions: tuple[str, ...] = ()


class Evidence(Frozen):
    """An item that the player learns or is reminded of in this turn; `speaker_id` where somebody says it."""

    item_id: str
    chunk_id: str
    text: str
    how: How
    speaker_id: str | None = None
    known_before: bool = False


class PersonView(Frozen):
    """A person at the place, as the narrator may show them; `regard` is how they show that they stand to the player,
    `introduction` how the packs openly introduce them."""

    id: str
    name: str
    pronoun: Literal["he", "she", "they", "it"] = "they"
    disposition: tuple[LoreLine, ...] = ()
    regard: Literal["", "warm", "cold"] = Field(default="", exclude_if=lambda regard: not regard)
    introduction: LoreLine | None = Field(default=None, exclude_if=lambda line: line is None)


class ThingView(Frozen):
    """A thing that lies in the place or that an action was about."""

    id: str
    name: str


class Recorded(Frozen):
    """A promise, threat or debt on the record, between the player and somebody else."""

    fact_id: str
    by_id: str
    to_id: str
    predicate: Promised
    what: str


class SceneView(Frozen):
    """The place as the narrator may show it, after the events of this turn; `standing` is the open lore that stands in
    every scene."""

    place_id: str
    place_name: str
    first_visit: bool
    atmosphere: tuple[LoreLine, ...] = ()
    overview: tuple[LoreLine, ...] = ()
    standing: tuple[LoreLine, ...] = Field(default=(), exclude_if=lambda standing: not standing)
    people: tuple[PersonView, ...] = ()
    things: tuple[ThingView, ...] = ()
    exits: tuple[WayOut, ...] = ()


class ClockTick(Frozen):
    """A clock that moved in this turn."""

    id: str
    name: str
    before: int
    after: int
    max: int


class Movement(Frozen):
    """A character other than the player who came or went in this turn, and what the way is called that they took."""

    entity_id: str
    name: str
    kind: Literal["arrival", "departure"]
    way: str = Field(default="", exclude_if=lambda way: not way)


class NpcAct(Frozen):
    """What a character does of their own accord, for the narration: the intention in words (`text`), its `outcomes`
    (none of words or a gesture), the author's sentences for it (`say`). `hidden` is a whisper whose words the player
    does not hear: only that it happens is told. What they learn by it stands in the narrator's `evidence`."""

    who: str
    name: str
    pronoun: Literal["he", "she", "they", "it"] = "they"
    text: str
    tags: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    result: ActionResult | None = None
    say: tuple[str, ...] = ()
    whisper_to: str | None = None
    hidden: bool = False


class NarratorInput(Frozen):
    """All that the narration of a turn may rest on.

    `names` gives display names of every ID in here. `recall` counts the phrases and lore lines used before in this
    branch, by key; `seed` keys the bags they are drawn from. `scene_changed`: the player came to `scene.place_id` in
    this turn. `recent` are the last narrations, oldest first, so that no sentence comes again too soon. `grammar` is
    what the scenario adds to the narrator's groups. `ending` is the authored text of an ending that was reached now.
    `ops` are the changes that the player can see, so that a price can be named: what they gain and lose, relations to
    them, a door's lock. `recorded` are the facts of the outcomes' `fact_ids`; `carried` the things that the player has
    afterwards; `minutes_lost` the time that a bad roll cost where nothing else was the price. `described` holds what
    the packs openly say of the subjects of the turn, and of some of what is here. `player` is the player's character.
    `acts` are what others do of their own accord, told after the player's outcomes; in another character's round there
    are no outcomes of the player's. `quiet` are those who could have acted in the turn before and let it pass,
    `markers` the events between that turn and this one, in words: a move, hours, a scene that opens; `markers_before`
    are those of earlier turns, oldest first. `code_version` says how the sources are numbered. `premises` are the
    player's checked claims: nobody agrees to one that does not hold. `leads` are where those who were spoken to can
    point: to what they themselves, or others, would tell. `scenery` is what the player's actions were about where no
    entity stands for it. `lore` are the budgets of the game's lore, None in games of before there were any.
    """

    player_text: str
    player_id: str
    outcomes: tuple[Outcome, ...]
    results: tuple[ActionResult, ...]
    plan: PlannerOutput
    scene: SceneView
    scene_changed: bool
    evidence: tuple[Evidence, ...] = ()
    clocks: tuple[ClockTick, ...] = ()
    movements: tuple[Movement, ...] = ()
    ops: tuple[ChangeRelation | ChangeInventory | SetDoor, ...] = ()
    recorded: tuple[Recorded, ...] = ()
    carried: tuple[ThingView, ...] = ()
    names: FrozenMap[str, str] = Field(default_factory=dict)
    minutes: int = 0
    minutes_lost: int = 0
    turn_no: int = 1
    ending: str | None = None
    seed: str = ""
    recall: FrozenMap[str, int] = Field(default_factory=dict)
    recent: tuple[str, ...] = ()
    grammar: FrozenMap[str, tuple[Phrase, ...]] = Field(default_factory=dict)
    packet: ContextPacket = Field(default_factory=ContextPacket)
    described: FrozenMap[str, tuple[LoreLine, ...]] = Field(default_factory=dict)
    player: Persona = Persona()
    acts: tuple[NpcAct, ...] = ()
    quiet: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    markers_before: tuple[str, ...] = Field(default=(), exclude_if=lambda markers: not markers)
    code_version: int = Field(default=FIRST_CODE, exclude_if=lambda version: version == FIRST_CODE)
    premises: tuple[Premise, ...] = Field(default=(), exclude_if=lambda premises: not premises)
    leads: tuple[Lead, ...] = Field(default=(), exclude_if=lambda leads: not leads)
    scenery: tuple[SceneryView, ...] = Field(default=(), exclude_if=lambda scenery: not scenery)
    lore: PlayLore | None = Field(default=None, exclude_if=lambda lore: lore is None)


class Supported(Frozen):
    """A sentence that was told, and the IDs of the chunks, items and events that it says it rests on."""

    sentence: str
    ids: tuple[str, ...] = ()


class NarratorOutput(Frozen):
    """Prose, what it quotes or rests on (item IDs, then chunk IDs), and the memory keys it used, in order (repeats
    count). `support` has every sentence of a model's narration; a built-in one quotes or tells what the rules did.
    `added` is the end of the text that code wrote, because a model had left out what was learned."""

    final_text: str = Field(min_length=1)
    cited: tuple[str, ...] = ()
    recall: tuple[str, ...] = ()
    support: tuple[Supported, ...] = ()
    added: str = Field(default="", exclude_if=lambda added: not added)


# TurnResult: the answer to a submitted turn, as the player may see it.

NEXT_PROMPT = "What do you do?"


class Citation(Frozen):
    """The source of a quoted sentence: `cite` as it is shown (`viktor/knows#pier9`), the chunk, the file."""

    cite: str
    chunk_id: str
    item_id: str | None = None
    file_path: str
    section_path: str
    quote: str


class TurnResult(Frozen):
    """The outcome of one submission. `final_text` joins its narrations; with a clarification it is the question.
    `actions` are the player's own, which `validation` judges by their place; `assumptions` what was assumed of their
    words, `risk_flags` what is at stake, `perception_flags` what they act under. Older versions have none of these.
    `fell_back` are the stages whose model gave nothing valid, so that the turn went on without it."""

    turn_no: int
    turn_id: str
    messages: tuple[Message, ...]
    final_text: str
    next_prompt: str
    suggested_actions: tuple[str, ...]
    clarification_question: str | None
    citations: tuple[Citation, ...]
    engine_events: tuple[EngineEvent, ...]
    validation: Validation
    rolls: tuple[Roll, ...]
    clocks: tuple[FrozenMap[str, Any], ...]
    tokens: FrozenMap[str, int]
    actions: tuple[Action, ...] = ()
    assumptions: tuple[str, ...] = ()
    risk_flags: tuple[str, ...] = ()
    perception_flags: tuple[str, ...] = ()
    fell_back: tuple[str, ...] = Field(default=(), exclude_if=lambda stages: not stages)

    @classmethod
    def of_no_play(
        cls,
        *,
        turn_no: int,
        turn_id: str,
        final_text: str,
        clocks: Sequence[Mapping[str, Any]],
        messages: tuple[Message, ...] = (),
        next_prompt: str = NEXT_PROMPT,
        suggested_actions: tuple[str, ...] = (),
    ) -> Self:
        """Return the result of a turn in which nothing was tried: a beginning, an upgrade, an edit from outside."""
        return cls(
            turn_no=turn_no,
            turn_id=turn_id,
            messages=messages,
            final_text=final_text,
            next_prompt=next_prompt,
            suggested_actions=suggested_actions,
            clarification_question=None,
            citations=(),
            engine_events=(),
            validation=Validation(),
            rolls=(),
            clocks=tuple(clocks),
            tokens={"input": 0, "output": 0},
        )
