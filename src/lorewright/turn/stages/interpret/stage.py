"""Interpret: the player's words -> actions. A model reads those that the grammar is not sure of; all that it names must
be in the scope."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.words.tagging import Act, TagActs, no_acts
from lorewright.ids import canonical_json
from lorewright.llm.model import Narrow
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_of, verbs
from lorewright.scene_lore.models import SceneItem
from lorewright.turn.stages.interpret.context import interpreter_context
from lorewright.turn.stages.interpret.finding import as_searches
from lorewright.turn.stages.stage import Stage, one_of
from lorewright.values.readings import Unclear
from lorewright.values.records import InterpreterInput, InterpreterOutput, StageRun
from lorewright.values.scope import Scope
from lorewright.world.frozen import Frozen, FrozenMap

# A reading of the grammar with at least this confidence needs no model.
SURE = 0.75
# The name of the record of a question that was not asked, because all answers come to the same.
SETTLE = "settle"
# The name of the record of walks that were taken apart into their steps.
STEPS = "steps"
# The name of the record of the acts that a line was tagged with.
TAGGED = "tagged"
# Records that earlier versions wrote and nothing reads any more: the reading that came of them is recorded, too.
PAST_RECORDS = frozenset(("meaning",))
# The most actions of a reading, by the grammar and by a model.
MAX_ACTIONS = 4


class ReadAction(Frozen):
    """An action as a model writes it: flat, so that a provider can hold it to a schema. `words` are the player's own
    that ride along: what is asked about, looked at, searched, or tried."""

    type: str
    target_id: str | None = None
    location_id: str | None = None
    item_id: str | None = None
    words: str = Field(default="", max_length=200)
    quantity: int | None = Field(default=None, ge=1, le=99)
    minutes: int | None = Field(default=None, ge=1, le=480)


class ReadTurn(Frozen):
    """A model's reading: the intent in a few words, the actions in order, or a question where one must ask back, with
    complete inputs that would answer it."""

    intent: str = Field(max_length=300)
    actions: tuple[ReadAction, ...] = Field(default=(), max_length=MAX_ACTIONS)
    risk_flags: tuple[
        Literal["violence", "sensitive", "contested", "dangerous", "pursuit", "hostile_present"], ...
    ] = ()
    question: str = Field(default="", max_length=300)
    lines: tuple[Annotated[str, Field(max_length=200)], ...] = Field(default=(), max_length=6)


class TaggedLines(Frozen):
    """The acts of lines, by the line."""

    acts: FrozenMap[str, tuple[Act, ...]] = Field(default_factory=dict)


class RecordedTags:
    """A tagger of acts that keeps what it tagged."""

    def __init__(self, tag: TagActs, held: dict[str, tuple[Act, ...]]) -> None:
        self._tag = tag
        self.held = held

    def __call__(self, text: str) -> tuple[Act, ...]:
        """Return the acts of a line; asked again the same."""
        if text not in self.held:
            self.held[text] = self._tag(text)
        return self.held[text]

    def run(self, version: int) -> StageRun[TaggedLines] | None:
        """Return the record of what was tagged; None where nothing was."""
        held = {text: acts for text, acts in self.held.items() if acts}
        return StageRun(TAGGED, "[]", TaggedLines(acts=held), builtin_version=version) if held else None


class Interpret(Stage[InterpreterInput, ReadTurn, InterpreterOutput]):
    """The stage that turns prose into typed actions."""

    name = "interpreter"
    answer_type = ReadTurn
    made_type = InterpreterOutput
    builtin_version = 18
    asks_builtin_first = True

    # Tags the acts of this turn's line.
    tag_acts: TagActs = staticmethod(no_acts)

    def builtin_answer(self, given: InterpreterInput) -> InterpreterOutput:
        """Return the grammar's reading, or that by the acts that were tagged."""
        return interpret(given, self.tag_acts)

    def with_tags(self, tag: TagActs) -> RecordedTags:
        """Have the acts of a turn's line tagged, and return what will have been tagged. In a recorded turn it is what
        was tagged then, whatever an embedder says now."""
        run = None if self.recorded is None else self.recorded.take(TAGGED, "[]")
        # Where there is a model, it reads what the grammar cannot.
        tag = no_acts if self.recorded is not None or self.model is not None else tag
        held = None if run is None else TaggedLines.model_validate(run.output).acts
        self.tag_acts = tags = RecordedTags(tag, dict(held or {}))
        return tags

    def context(self, given: InterpreterInput) -> Mapping[str, Any]:
        """Return the variables: the scope by ID, and the words."""
        return interpreter_context(given).model_dump(mode="json")

    def answer_without_model(self, given: InterpreterInput) -> InterpreterOutput | None:
        """Return the grammar's reading, if it is sure of it; else None."""
        reading = self.builtin_answer(given)
        return reading if reading.unclear is None and reading.confidence >= SURE else None

    @property
    def is_of_another_version(self) -> bool:
        """Return True in a turn that another version recorded: its words are read as they were."""
        return self.recorded is not None and bool(self.recorded.versions - {self.builtin_version})

    def with_searches(
        self, given: InterpreterInput, hidden: Sequence[SceneItem], learned: Collection[str]
    ) -> InterpreterInput:
        """Return the input with words that find a hidden item of the place as a search for it. In a turn that another
        version recorded, the words are those that it read."""
        run = self.recorded.first(self.name) if self.recorded is not None and self.is_of_another_version else None
        if run is not None:
            return given.model_copy(update={"player_text": json.loads(run.input_json)["player_text"]})
        text = as_searches(given, hidden, learned, self.builtin_answer)
        return given if text is None else given.model_copy(update={"player_text": text})

    def in_steps(
        self, reading: InterpreterOutput, steps_of: Callable[[Sequence[Action]], tuple[Action, ...]]
    ) -> StageRun[InterpreterOutput] | None:
        """Return the reading with each walk as its steps; None where there is no walk. A recorded turn goes as it
        went."""
        steps = reading.proposed_actions if self.is_of_another_version else steps_of(reading.proposed_actions)
        is_walk = steps != reading.proposed_actions
        if not is_walk and self.recorded is None:
            return None
        input_json = canonical_json([reading.model_dump(mode="json", by_alias=True)])
        run = self.taken_run(STEPS, input_json)
        if run is not None:
            return StageRun(STEPS, input_json, self.output_of(run), builtin_version=run.builtin_version)
        if not is_walk:
            return None
        output = reading.model_copy(update={"proposed_actions": steps})
        return StageRun(STEPS, input_json, output, builtin_version=self.builtin_version)

    def settle(
        self,
        reading: InterpreterOutput,
        given: InterpreterInput,
        are_the_same: Callable[[Sequence[Sequence[Action]]], bool],
    ) -> StageRun[InterpreterOutput] | None:
        """Return the grammar's reading of the first answer to a question, where the actions of all answers are the
        same, so that it need not be asked; else None. A recorded turn is settled as it was."""
        unclear = reading.unclear
        if unclear is None or reading.proposed_actions or len(unclear.lines) < 2:
            return None
        input_json = canonical_json([reading.model_dump(mode="json", by_alias=True)])
        run = self.taken_run(SETTLE, input_json)
        if run is not None:
            return StageRun(SETTLE, input_json, self.output_of(run), builtin_version=run.builtin_version)
        if self.is_of_another_version:
            return None
        answers = [self.builtin_answer(given.model_copy(update={"player_text": line})) for line in unclear.lines]
        if any(answer.unclear is not None or not answer.proposed_actions for answer in answers):
            return None
        if not are_the_same([answer.proposed_actions for answer in answers]):
            return None
        assumed = f"{unclear.lines[0]}: any other answer would come to the same"
        settled = answers[0].model_copy(update={"assumptions": (*answers[0].assumptions, assumed)})
        return StageRun(SETTLE, input_json, settled, builtin_version=self.builtin_version)

    def narrow(self, given: InterpreterInput) -> Narrow:
        """Return the types of actions, and the IDs in the scope."""
        known = one_of(_in_scope(given.scope))
        fields = dict.fromkeys(("target_id", "location_id", "item_id"), known)
        return {"actions.*.type": one_of(_types(given)), **{f"actions.*.{name}": ids for name, ids in fields.items()}}

    def wrong_with(self, answer: ReadTurn, given: InterpreterInput) -> str | None:
        """Return what is wrong: neither an action nor a question, an action of no known type, or an ID that is not in
        the scope; else None."""
        if not answer.actions and not answer.question:
            return "there is neither an action nor a question"
        known = _types(given)
        for action in answer.actions:
            if action.type not in known:
                return f"{action.type[:60]} is not a type of action"
        return unknown_reference(self.made_of(answer, given), given.scope)

    def made_of(self, answer: ReadTurn, given: InterpreterInput) -> InterpreterOutput:
        """Return the typed actions of the player; a question only where there are none."""
        if answer.question and not answer.actions:
            unclear = Unclear(words=given.player_text[:200], question=answer.question, lines=answer.lines)
            return InterpreterOutput(intent=answer.intent, confidence=0.4, unclear=unclear)
        actions = tuple(_action(read, given) for read in answer.actions)
        named = (
            named for action in actions for named in (action.target_id, action.location_id, action.item_id) if named
        )
        return InterpreterOutput(
            intent=answer.intent,
            referenced_entities=tuple(dict.fromkeys(named)),
            proposed_actions=actions,
            risk_flags=answer.risk_flags,
        )


def _types(given: InterpreterInput) -> tuple[str, ...]:
    """Return the types of actions that there are, each once."""
    return tuple(dict.fromkeys((*verbs(), *given.verbs.values())))


def _in_scope(scope: Scope) -> tuple[str, ...]:
    """Return all IDs that an action may name, each once."""
    named = (*scope.people, *scope.here, *scope.carried, *scope.doors, *scope.topics, scope.place, scope.player)
    return tuple(dict.fromkeys((*(entity.id for entity in named), *(way.to for way in scope.exits))))


def _action(read: ReadAction, given: InterpreterInput) -> Action:
    """Return the action with the metadata that its type has, and no other."""
    verb = verb_of(read.type)
    fields = {} if verb is None else verb.metadata.model_fields
    said: dict[str, Any] = {"topic": read.words, "detail": read.words, "quantity": read.quantity}
    said |= {"minutes": read.minutes, "item_id": read.item_id}
    if "verb" in fields:
        first, _, rest = read.words.partition(" ")
        said |= {"verb": first[:60], "detail": rest}
    metadata = {name: value for name, value in said.items() if name in fields and value not in (None, "")}
    return Action.model_validate(
        {
            "actor_id": given.scope.player.id,
            "type": read.type,
            "target_id": read.target_id,
            "location_id": read.location_id,
            "metadata": metadata,
        }
    )


def unknown_reference(output: InterpreterOutput, scope: Scope) -> str | None:
    """Return what is wrong with a reading: an actor other than the player, or an ID that is not in the scope; else
    None."""
    known = _in_scope(scope)
    for action in output.proposed_actions:
        if action.actor_id != scope.player.id:
            return f"{action.actor_id} is not the player"
        for reference in (action.target_id, action.location_id, action.item_id):
            if reference is not None and reference not in known:
                return f"{reference} is not in the scope"
    return None
