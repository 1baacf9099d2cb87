"""Intend: a character's view -> its next act. Its outcome is not decided here: the rules judge it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from lorewright.builtin.npc.intending import intend
from lorewright.llm.model import Narrow
from lorewright.rules.actions import Action, metadata_of
from lorewright.rules.verbs import verb_of
from lorewright.turn.stages.npc_intent.context import npc_intent_context
from lorewright.turn.stages.stage import Stage, one_of
from lorewright.values.proposals import SENTENCES, NpcIntent, NpcIntentInput
from lorewright.world.frozen import Frozen


def _has(kind: str, field: str) -> bool:
    """Tell whether the metadata of a type of action that has a record of a verb has this field."""
    verb = verb_of(kind)
    return verb is not None and field in verb.metadata.model_fields


class IntendedAction(Frozen):
    """An action as a model writes it: flat, so that a provider can hold it to a schema. `words` are the character's
    own: what it asks about, says, promises or tries; `item_id` a thing, of a `tell` what it knows."""

    type: str
    target_id: str | None = None
    location_id: str | None = None
    item_id: str | None = None
    words: str = Field(default="", max_length=200)
    whisper: bool = False


class Reflection(Frozen):
    """The seed's output of a character's reflection, the thought that may go before it, which nobody else sees, and the
    same as an action, or as something that it had set out to do (`choice`); without either it changes nothing."""

    action_text: str = Field(min_length=1, max_length=SENTENCES)
    intent_tags: tuple[str, ...] = Field(default=(), max_length=6)
    thought: str = Field(default="", max_length=SENTENCES)
    action: IntendedAction | None = None
    choice: str | None = None


class Intend(Stage[NpcIntentInput, Reflection, NpcIntent]):
    """The stage that decides the next act of a character of the cast."""

    name = "npc_intent"
    answer_type = Reflection
    made_type = NpcIntent
    builtin_version = 3

    def builtin_answer(self, given: NpcIntentInput) -> NpcIntent:
        """Return the act that follows from its goal, its nature and the moment."""
        return intend(given)

    def context(self, given: NpcIntentInput) -> Mapping[str, Any]:
        """Return the variables: everything that it knows, and what it can name."""
        return npc_intent_context(given).model_dump(mode="json")

    def narrow(self, given: NpcIntentInput) -> Narrow:
        """Return the types of actions, the IDs that it was shown and does not keep to itself, and the choices."""
        things = (thing.id for thing in (*given.scope.here, *given.scope.carried))
        told = (item.id for item in given.knows if not item.kept_back)
        return {
            "action.type": one_of(given.verbs),
            "action.target_id": one_of(_nameable(given)),
            "action.location_id": one_of(way.to for way in given.scope.exits),
            "action.item_id": one_of((*things, *told)),
            "choice": one_of(act.id for act in given.acts),
        }

    def wrong_with(self, answer: Reflection, given: NpcIntentInput) -> str | None:
        """Return what is wrong: an action of no known type, an ID that it was not shown, an item told that it withholds
        or does not know, or an authored act that is not open to it; else None."""
        if not answer.action_text.strip():
            return "action_text says nothing"
        if answer.choice is not None and answer.choice not in {act.id for act in given.acts}:
            return f"{answer.choice[:60]} is none of the choices"
        if answer.action is None or answer.choice is not None:
            return None
        return _wrong_with(answer.action, given)

    def made_of(self, answer: Reflection, given: NpcIntentInput) -> NpcIntent:
        """Return the intention with its typed action; an author's text for it comes before the model's."""
        said = {"action_text": answer.action_text, "intent_tags": answer.intent_tags, "thought": answer.thought}
        act = next((authored for authored in given.acts if authored.id == answer.choice), None)
        if act is not None:
            done = {"action": act.do.action(given.me.id), "item_id": act.do.lore_item, "act_id": act.id, "say": act.say}
            return NpcIntent.model_validate({**said, **done, "thought": act.thought or answer.thought})
        if answer.action is None:
            return NpcIntent.model_validate(said)
        told = answer.action.item_id if _has(answer.action.type, "lore_item_id") else None
        return NpcIntent.model_validate({**said, "action": _action(answer.action, given), "item_id": told})


def _nameable(given: NpcIntentInput) -> tuple[str, ...]:
    """Return the IDs that an action may have as its target."""
    scope = given.scope
    named = (*scope.people, *scope.here, *scope.carried, *scope.doors, *scope.topics, scope.place)
    return tuple(entity.id for entity in named)


def _wrong_with(read: IntendedAction, given: NpcIntentInput) -> str | None:
    if read.type not in given.verbs:
        return f"{read.type[:60]} is not a type of action"
    scope = given.scope
    if read.target_id is not None and read.target_id not in _nameable(given):
        return f"{read.target_id[:80]} is not in the list of what you can name"
    if read.location_id is not None and read.location_id not in {way.to for way in scope.exits}:
        return f"{read.location_id[:80]} is not an exit of this place"
    if read.whisper and read.target_id not in {person.id for person in scope.people}:
        return "whisper needs the target_id of a person who is here"
    return _wrong_item(read, given)


def _wrong_item(read: IntendedAction, given: NpcIntentInput) -> str | None:
    if read.item_id is None:
        return None
    if not _has(read.type, "lore_item_id"):
        things = (*given.scope.here, *given.scope.carried)
        return (
            None
            if read.item_id in {thing.id for thing in things}
            else f"{read.item_id[:80]} is not a thing that is here"
        )
    known = next((item for item in given.knows if item.id == read.item_id), None)
    if known is None:
        return f"{read.item_id[:80]} is not an item that you know"
    return f"you keep {read.item_id} to yourself" if known.kept_back else None


def _action(read: IntendedAction, given: NpcIntentInput) -> Action:
    """Return the action with the metadata that its type has, and no other."""
    whisper = read.whisper and _has(read.type, "whisper")
    return Action.model_validate(
        {
            "actor_id": given.me.id,
            "type": read.type,
            "target_id": read.target_id,
            "location_id": read.location_id,
            "metadata": metadata_of(read.type, words=read.words, item=read.item_id, whisper=whisper),
        }
    )
