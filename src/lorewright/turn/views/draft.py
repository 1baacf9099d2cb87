"""The values that a turn starts from, and the finished turn before its commit. No database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel

from lorewright.builtin.words.clauses import is_called
from lorewright.builtin.words.tagging import TagActs, no_acts
from lorewright.errors import CampaignError
from lorewright.ids import canonical_json, content_hash, local
from lorewright.index.generation import Generation
from lorewright.llm.model import Call, CallLog, CallTotals
from lorewright.retrieval.view import EntryHistory
from lorewright.rules.actions import Action
from lorewright.rules.dice import Dice, SeededDice
from lorewright.rules.patch import TriedRound, Validation
from lorewright.rules.rulesets import CampaignRules
from lorewright.settings import USUAL_LORE, PlayLore
from lorewright.tokens import count_tokens
from lorewright.turn.views.circumstances import emotion_of
from lorewright.turn.views.leaks import LeakCheck, LiveLeakCheck
from lorewright.turn.views.story import StorySoFar
from lorewright.values.annotations import NO_ANNOTATIONS, Annotations, Summary, ToldTurn
from lorewright.values.entries import Agenda, Marker, persona_change
from lorewright.values.records import BUILTIN, CODE_VERSION, FIRST_CODE, Message, PackPin, StageRun, TurnResult
from lorewright.world.apply import apply
from lorewright.world.changes import scene_change
from lorewright.world.frozen import Frozen
from lorewright.world.ops import PlayAs, StateOp
from lorewright.world.state import Entity, WorldState

TurnKind = Literal["start", "play", "clarification", "aside", "imported", "upgrade", "edit"]


@dataclass(frozen=True, slots=True)
class Head:
    """The newest turn of a campaign, read in one transaction. `recent` are (turn number, message) of the last turns,
    oldest first, `summary` is the story before them.

    `options` are the lines that were offered last, `markers` the messages that the next turn begins with; `revision`
    guards the commit. `scene_lore` is the cached lore of the scene; `session_lore` the lore that the current sitting
    began with, as the player may know it. `upgrade_id` is the turn that set the current rules and packs, if any;
    `untold` are the turns that the next turn is to add to the summary, usually none.
    """

    campaign_id: str
    turn_id: str
    turn_no: int
    revision: int
    state: WorldState
    options: tuple[str, ...] = ()
    recent: tuple[tuple[int, Message], ...] = ()
    markers: tuple[Marker, ...] = ()
    scene_lore: tuple[str, ...] = ()
    session_id: str | None = None
    session_lore: Mapping[str, Any] = field(default_factory=dict)
    upgrade_id: str | None = None
    summary: Summary | None = None
    untold: tuple[ToldTurn, ...] = ()


# A head, and how many of its last turns to leave out -> generations with what the player saw happen before them.
ReadHistory = Callable[[Head, int], AbstractContextManager[tuple[Generation, ...]]]


# The campaign's seed, the hash of the state, the action ID -> the dice of a turn.
DiceOf = Callable[[int, str, str], Dice]


def no_history(head: Head, leave_out: int) -> AbstractContextManager[tuple[Generation, ...]]:
    """Return no generations: history is not looked up."""
    return nullcontext(())


# A head -> the entry history for the turn that follows; None where no entry has rules.
EntriesOf = Callable[[Head], EntryHistory | None]


def no_entries(head: Head) -> EntryHistory | None:
    """Return None: no entry has rules that depend on turns."""
    return None


# A head -> the story that reached the player up to it.
StoryOf = Callable[[Head], StorySoFar]


def recent_story(head: Head) -> StorySoFar:
    """Return as much of the story as the head itself carries: its last turns."""
    return StorySoFar().grown(head.recent, head.state.player_id)


# A head -> the actions of the rounds that the player played up to it, in order.
TriedOf = Callable[[Head], tuple[TriedRound, ...]]


def nothing_tried(head: Head) -> tuple[TriedRound, ...]:
    """Return no rounds: what was tried is not looked up."""
    return ()


# A head -> a sentence for a player who does not know how to go on, or what they want; empty where there is none.
GuideTo = Callable[[Head], str]


def no_guide(head: Head) -> str:
    """Return nothing."""
    return ""


# -> the player's IDs of those in disguise, by the pack's.
PlayerIdsOf = Callable[[], Mapping[str, str]]


def nobody_disguised() -> Mapping[str, str]:
    """Return no IDs: nobody is in disguise."""
    return {}


@dataclass(frozen=True, slots=True)
class ToldOpening:
    """The text that a campaign began with, the ID of its message (`turn/seq`), that of the place where it was told,
    and those of the characters who were there."""

    text: str
    message_id: str
    place_id: str
    audience: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """The parts of a campaign that do not change while it is played: its rules, its seed, the packs that it pins, how
    to look up its history, its entry history, the agenda of each of the cast (by ID), whether scene lore is reused, and
    the source of dice. Rules and packs hold where the head's `upgrade_id` is the same. `calibration` is what the
    narrator was asked for: tone, pace, lines, veils. `story` returns what reached the player up to a head, `tried` what
    came of all that they tried; `nudge` answers a call for a hint, `goal` one for what the player wants; `leaks`
    compares what models write with what they may not tell. `by_words` are the packs, by ID, whose vectors are still to
    come, `tag_acts` tags the acts of a line. `opening` is what the story began with, None where nothing
    was told; `player_ids` returns the IDs by which players know who is in disguise. With `renews_narrated` a fact that
    was only narrated gives way to a later narration; `code_version` says how code words memories and numbers sources.
    `tone` and `stakes` are the scenario's. `lore` are the budgets of lore, None in turns of before there were any,
    whose scenes had no retrieved lore."""

    rules: CampaignRules
    seed: int
    generations: tuple[Generation, ...]
    history: ReadHistory = no_history
    entries: EntriesOf = no_entries
    agendas: Mapping[str, Agenda] = field(default_factory=dict)
    keeps_scene_lore: bool = True
    upgrade_id: str | None = None
    dice: DiceOf = SeededDice
    calibration: Mapping[str, Any] = field(default_factory=dict)
    story: StoryOf = recent_story
    tried: TriedOf = nothing_tried
    nudge: GuideTo = no_guide
    goal: GuideTo = no_guide
    leaks: LeakCheck = field(default_factory=LiveLeakCheck)
    by_words: tuple[str, ...] = ()
    tag_acts: TagActs = no_acts
    opening: ToldOpening | None = None
    player_ids: PlayerIdsOf = nobody_disguised
    renews_narrated: bool = True
    code_version: int = CODE_VERSION
    tone: str = ""
    stakes: str = ""
    lore: PlayLore | None = USUAL_LORE

    @property
    def keeps_words(self) -> bool:
        """Return False if nobody remembered what was said, and personas remembered nothing, as in older versions."""
        return self.code_version > FIRST_CODE

    def emotion_of(self, who: str, state: WorldState) -> str:
        """Return what somebody feels as they act; empty in older versions, whose messages did not say it."""
        return emotion_of(who, state) if self.keeps_words else ""

    @property
    def manner(self) -> Mapping[str, str] | None:
        """Return the scenario's tone and stakes, for the packet; None where packets had none of them yet."""
        return None if self.code_version == FIRST_CODE else {"tone": self.tone, "stakes": self.stakes}


# The name of the record of a turn whose packs were searched by words alone.
BY_WORDS = "by_words"


class FoundByWords(Frozen):
    """The packs, by ID, whose vectors were still to come when a turn was thought, for its record."""

    packs: tuple[str, ...]


# The fields that a submission may have besides its text.
BESIDE = ("persona", "thought", "whisper_to", "npc_rounds", "dice_of", "actions")


@dataclass(frozen=True, slots=True)
class Submission:
    """A player's input. The action ID makes it safe to send again.

    `persona` is who speaks, if it is not who spoke last; `thought` what they think by themselves before it,
    `whisper_to` the only one who is to hear it; `npc_rounds` the most characters of the cast that may act after it;
    `dice_of` the action ID whose dice are thrown again, if they are to fall as they did. `actions` were read by
    somebody else: the words are not read then. `body` is what was sent in place of words.
    """

    text: str
    action_id: str
    persona: str | None = None
    thought: str = ""
    whisper_to: str | None = None
    npc_rounds: int | None = None
    dice_of: str | None = None
    actions: tuple[Action, ...] = ()
    body: str | None = None

    @property
    def beside(self) -> dict[str, Any]:
        """Return the fields besides the text that have a value, by name."""
        actions = [action.model_dump(mode="json") for action in self.actions]
        given = {name: actions if name == "actions" else getattr(self, name) for name in BESIDE}
        return {name: value for name, value in given.items() if value not in (None, "", [])}

    @property
    def request_hash(self) -> str:
        """Return a hash that is equal for equal submissions, to tell whether an action ID came with the same one."""
        text = self.text if self.body is None else self.body
        return content_hash(canonical_json([text, self.beside]) if self.beside else text)


@dataclass(frozen=True, slots=True)
class PromptUse:
    """The prompt that a model was shown, and how much of it a provider's cache can hold: `prefix_hash` is of the text
    before the part that is this turn's, sizes are in tokens as estimated."""

    name: str
    version: str
    content_hash: str
    source: str
    prefix_hash: str
    prefix_tokens: int
    changing_tokens: int


@dataclass(frozen=True, slots=True)
class StageRecord(CallTotals):
    """One stage's input and output, as JSON (`null` for one that failed); and every call to a model. `builtin_version`
    is None where no built-in stage took part."""

    stage: str
    input_json: str
    output_json: str
    model_key: str = BUILTIN
    model_name: str = BUILTIN
    provider: str = BUILTIN
    prompt: PromptUse | None = None
    calls: tuple[Call, ...] = ()
    builtin_version: int | None = None


@dataclass(slots=True)
class Recorder:
    """A recorder of every stage's input and output, also of a turn that then fails."""

    records: list[StageRecord] = field(default_factory=list)

    def keep(self, run: StageRun[Any]) -> None:
        """Record a stage that may be run by a model."""
        output = "null" if run.output is None else _json(run.output)
        record = StageRecord(run.stage, run.input_json, output, builtin_version=run.builtin_version)
        if (log := run.log) is not None:
            record = replace(
                record,
                model_key=log.model_key,
                model_name=log.model_name,
                provider=log.provider,
                prompt=use_of(log),
                calls=tuple(log.calls),
            )
        self.records.append(record)

    def keep_code(self, stage: str, given: Sequence[BaseModel], made: BaseModel | Sequence[BaseModel]) -> None:
        """Record a stage that is code alone."""
        output = _json(made) if isinstance(made, BaseModel) else _json_list(made)
        self.records.append(StageRecord(stage, _json_list(given), output))

    def fell_back(self) -> tuple[str, ...]:
        """Return the stages, each once, whose model failed while the turn went on without it."""
        failed = (record.stage for record in self.records if record.calls and record.output_json == "null")
        return tuple(dict.fromkeys(failed))

    def tokens(self) -> dict[str, int]:
        """Return the tokens that models read and wrote."""
        return {
            "input": sum(record.input_tokens for record in self.records),
            "output": sum(record.output_tokens for record in self.records),
        }


def use_of(log: CallLog) -> PromptUse | None:
    """Return the prompt of a log's calls; None where none was rendered."""
    shown = log.prompt
    if shown is None:
        return None
    prefix = f"{shown.system}\n\n{shown.stable}"
    return PromptUse(
        name=shown.name,
        version=shown.version,
        content_hash=shown.content_hash,
        source=log.source,
        prefix_hash=content_hash(prefix),
        prefix_tokens=count_tokens(prefix),
        changing_tokens=count_tokens(shown.changing),
    )


def _json(value: BaseModel) -> str:
    return canonical_json(value.model_dump(mode="json", by_alias=True))


def _json_list(values: Sequence[BaseModel]) -> str:
    return canonical_json([value.model_dump(mode="json", by_alias=True) for value in values])


@dataclass(frozen=True, slots=True)
class SceneLoreUse:
    """The use of the scene's lore in a turn: whether all of it was cached (None where none was needed), and what is to
    be cached of which scene."""

    cached: bool | None
    scene_id: str
    to_keep: str | None = None


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The rules that a campaign uses from a turn on: rules, the hash of their ruleset, pins, and the prompts' versions
    by name (empty: built-in stages have no prompts)."""

    rules: CampaignRules
    ruleset_hash: str
    pins: tuple[PackPin, ...]
    prompts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draft:
    """A finished turn: all that the commit writes, and what it was made from."""

    head: Head
    submission: Submission
    turn_id: str
    kind: TurnKind
    ops: tuple[StateOp, ...]
    state: WorldState
    messages: tuple[Message, ...]
    actions: tuple[Action, ...]
    validation: Validation
    records: tuple[StageRecord, ...]
    result: TurnResult
    scene_lore: SceneLoreUse
    upgrade: Upgrade | None = None
    kept: Annotations = NO_ANNOTATIONS

    @property
    def turn_no(self) -> int:
        """Return the number along the branch: the parent's plus one."""
        return self.head.turn_no + 1


def turn_id_of(campaign_id: str, parent_id: str | None, action_id: str) -> str:
    """Return the ID of the turn that a submission makes on a parent: the same in every process."""
    return f"turn_{content_hash(canonical_json([campaign_id, parent_id, action_id]))[:16]}"


# Speaker and listener of a turn: names -> characters, and a submission -> the ops that its turn begins with. A change
# of persona is part of the submitted turn, by an op at its beginning: undone with the turn, it never happened.


def persona_called(name: str, state: WorldState) -> str:
    """Return the ID of the player's persona of that ID or name.

    Raises:
        CampaignError: the player has none of that name.
    """
    personas = state.personas or (state.player_id,)
    found = _called(name, [state.entities[persona] for persona in personas if persona in state.entities])
    if found is None:
        names = ", ".join(state.name_of(persona) for persona in personas)
        raise CampaignError(f"there is nobody called {name} for you to play", hint=f"you may play: {names}")
    return found


def somebody_called(
    name: str,
    state: WorldState,
    *,
    heard_of: Collection[str] | None = None,
    ids: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the ID of the person of that ID or name, wherever they are; those who are here are preferred. `heard_of`
    are the absent people whose names may be said; None means everybody. `ids` are the player's IDs of people who are in
    disguise: these are found by no others.

    Raises:
        CampaignError: nobody is called so.
    """
    here = [state.entities[who] for who in state.present() if who != state.player_id]
    others = [
        entity
        for _, entity in sorted(state.entities.items())
        if entity.type in ("npc", "player") and (heard_of is None or entity.id in heard_of)
    ]
    found = _called(name, here, ids) or _called(name, [other for other in others if other.id != state.player_id], ids)
    if found is None:
        names = ", ".join(person.name for person in here)
        raise CampaignError(
            f"there is nobody called {name}", hint=f"here are: {names}" if names else "nobody is here but you"
        )
    return found


def _called(name: str, people: list[Entity], ids: Mapping[str, str] = MappingProxyType({})) -> str | None:
    """Find a person by ID, else by the whole name, else by some words of it; return the ID or None."""
    said = " ".join(name.split()).casefold()
    for person in people:
        known = ids.get(person.id, person.id).casefold()
        if said in (known, local(known)):
            return person.id
    names = {person.id: (person.name, *person.aliases) for person in people}
    whole = [entity_id for entity_id, called in names.items() if said in map(str.casefold, called)]
    partly = [entity_id for entity_id, called in names.items() if is_called(said, *called)]
    return next(iter([*whole, *partly]), None)


def persona_ops(submission: Submission, state: WorldState) -> tuple[StateOp, ...]:
    """Return the ops that the turn of a submission begins with: a change of persona, where one is named.

    Raises:
        CampaignError: it is none of the player's personas, or is nowhere just now.
    """
    if submission.persona is None:
        return ()
    who = persona_called(submission.persona, state)
    if who == state.player_id:
        return ()
    op = PlayAs(who=who)
    if apply(state, (op,)).refusal is not None:
        raise CampaignError(f"{state.name_of(who)} is nowhere just now", hint="play on as somebody else")
    return (op,)


def apply_persona(head: Head, submission: Submission) -> tuple[Head, tuple[StateOp, ...]]:
    """Return the head as the turn of a submission sees it after the change of persona, and the ops of that change.
    A marker tells of it: nobody has walked from one place to the other.

    Raises:
        CampaignError: the persona cannot be played, or the person who is whispered to is not there.
    """
    ops = persona_ops(submission, head.state)
    state = apply(head.state, ops).state
    if (to := submission.whisper_to) is not None and (to not in state.present() or to == state.player_id):
        raise CampaignError(f"{state.name_of(to)} is not here to be whispered to", hint="go to them first")
    if not ops:
        return replace(head, state=state), ops
    # A move or a silence that the last turn led to was before another persona.
    markers = [marker for marker in head.markers if marker.subtype not in ("location_change", "scene_open", "silence")]
    changed = (*markers, persona_change(state.player_id, state.scene.location_id))
    kept = head.scene_lore if scene_change(head.state, state) is None else ()
    return replace(head, state=state, markers=changed, scene_lore=kept), ops
