"""What a character is shown before it acts, and what it intends: the boundary of the stage `npc_intent`, twin and model
alike. Nothing is in here that the character does not know."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from lorewright.rules.actions import Action, AuthoredAct
from lorewright.rules.outcomes import Outcome
from lorewright.values.messages import Message
from lorewright.values.records import InnerState, LoreLine, Recorded, Scope
from lorewright.world.frozen import Frozen, FrozenMap

# Texts of a model's intention are a sentence or two (characters).
SENTENCES = 600
# How the memory keys begin under which sentences are counted that anybody of the cast has used, and those of one alone.
SHARED = "cast:"


def own_key(who: str, key: str) -> str:
    """A memory key of one of the cast."""
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
    """Something that a character remembers, and what it weighs just now (higher is more); `shared_with` are those of
    the people here who were there, too."""

    content: str
    priority: float
    minute: int = 0
    shared_with: tuple[str, ...] = ()


class Concern(Frozen):
    """An open question that a character is part of, and who else it is about, by ID; those alone whom it knows of."""

    thread_id: str
    title: str
    about: tuple[str, ...] = ()


class Toward(Frozen):
    """How a character stands to somebody who is there, and what the two are to each other (`sister`, `rival`)."""

    who: str
    trust: int = 0
    tension: int = 0
    closeness: int = 0
    ties: tuple[str, ...] = ()


class OwnSelf(Frozen):
    """Whose intent it is: what it is like, what it is after, what moves it (`states`: manifest ones alone)."""

    id: str
    name: str
    pronoun: Literal["he", "she", "they", "it"] = "they"
    profile: FrozenMap[str, Any] = Field(default_factory=dict)
    disposition: tuple[LoreLine, ...] = ()
    capabilities: tuple[str, ...] = ()
    goal: str = ""
    # What its pack says of what moves it; nobody else is told.
    motivation: tuple[str, ...] = Field(default=(), exclude_if=lambda motivation: not motivation)
    stat_block: FrozenMap[str, Any] = Field(default_factory=dict)
    states: tuple[InnerState, ...] = ()
    conditions: tuple[str, ...] = ()
    escalation: int = 0


class NpcIntentInput(Frozen):
    """A character's view of the moment at which it acts.

    `scope` is what it can name: `scope.player` is itself, `scope.people` everybody else who is there, the player's
    character (`player_id`) among them. `outcomes` is what it saw happen in this turn so far, in order; a whisper
    between others is not in it. `messages` are (turn number, message) of the stream as the matrix lets it read them,
    oldest first: narrations that it was there for, its own intentions and thoughts. `summary` is the story before them,
    as far as it was there. `recorded` are promises, threats and debts between it and those who are there, `concerns`
    the open questions that it is part of. `acts` are the authored acts that hold just now. `claims` are what the player
    claimed in this turn, checked. `recall` counts phrases and acts used before, by key; `seed` keys the bags.
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
    seed: str = ""
    recall: FrozenMap[str, int] = Field(default_factory=dict)


class NpcIntent(Frozen):
    """What a character intends: the seed's reflection with the thought before it, which nobody else sees.

    `action_text` is what one sees of the intention, third person, present tense. `action` is what the rules judge;
    without one it is words or a gesture and changes nothing. `item_id` is the lore item that a `tell` is about;
    `act_id` the authored act, `say` its sentences. `recall` are memory keys that the twin used.
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
        """Whom alone it is for; None where everybody may hear it."""
        if self.action is None or not self.action.metadata.get("whisper"):
            return None
        return self.action.target_id
