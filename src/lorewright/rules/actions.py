"""Action: an attempt as data. Only these fields pass from prose to the rules."""

from __future__ import annotations

import re
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from lorewright.rules.conditions import Condition
from lorewright.rules.verbs import verb_of
from lorewright.world.frozen import Frozen, FrozenMap

# Predicates of facts that record something between two people.
Promised = Literal["promised", "threatened", "owes"]


class _FormMetadata(Frozen):
    """The metadata that every type of action may have."""

    form: str = Field(default="", max_length=40, pattern=r"^[a-z_]*$")
    deed: str = Field(default="", max_length=120)
    beyond: str = ""
    if_none: bool = False


class Action(Frozen):
    """`{actor_id, type, target_id?, location_id?, metadata?}` and nothing else.

    `target_id` is a person or thing: of a `give` the receiver, of a `use` what something is used on. `location_id` is
    the place that a `go` or `sneak` leads to. The free text in `metadata` is for the narrator and the record; no
    rule reads it, nor the `form`, the kind of act that the interpreter took the words for, nor the `deed`. What is done
    `beyond` a place that the player goes to first is not done where they do not come there; what is done `if_none` is
    not done where the search before it finds something. A type that no ruleset
    knows is a valid Action and an invalid attempt. Keys may be given in camelCase (`actorId`) too.
    """

    actor_id: str
    type: str
    target_id: str | None = None
    location_id: str | None = None
    metadata: FrozenMap[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _typed_metadata(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        data = _in_snake_case(data)
        verb = verb_of(data["type"]) if isinstance(data.get("type"), str) else None
        if verb is None:
            return data
        given = _in_snake_case(dict(data.get("metadata") or {}))
        # Any action may have a form, so that no verb has to name it.
        form = _FormMetadata(**{name: given.pop(name) for name in _FormMetadata.model_fields if name in given})
        typed = verb.metadata.model_validate(given)
        return {**data, "metadata": typed.model_dump(exclude_defaults=True) | form.model_dump(exclude_defaults=True)}

    @property
    def words(self) -> str:
        """The actor's own words in the metadata: a topic, a detail, the verb of a free attempt; empty without any."""
        given = (self.metadata.get(key) for key in ("verb", "topic", "detail"))
        return " ".join(str(words) for words in given if words)

    @property
    def item_id(self) -> str | None:
        """The thing in the metadata, if there is one."""
        item = self.metadata.get("item_id")
        return None if item is None else str(item)

    @property
    def form(self) -> str:
        """The kind of act that the interpreter took it for (`joke`, `request`); empty where that is not known. No rule
        reads it: it says how the act is told, and never what comes of it."""
        return str(self.metadata.get("form", ""))

    @property
    def deed(self) -> str:
        """What was done, as it stands after `you`: `shake the rain off your coat`; of words how who hears them repeats
        them: `you lost your hat`. Empty where that is not known. No rule reads it."""
        return str(self.metadata.get("deed", ""))

    @property
    def is_whispered(self) -> bool:
        """Whether it is said to one person alone, so that nobody else hears its content."""
        return self.target_id is not None and bool(self.metadata.get("whisper", False))


def with_known_metadata(action: Action) -> Action:
    """Return an action with the metadata that its type has, so that its record can be read again: a copy of an action
    that was taken for another type may bring more."""
    verb = verb_of(action.type)
    known = set() if verb is None else {*verb.metadata.model_fields, *_FormMetadata.model_fields}
    if verb is None or known.issuperset(action.metadata):
        return action
    return action.model_copy(update={"metadata": {key: kept for key, kept in action.metadata.items() if key in known}})


_CAPITAL = re.compile(r"(?<=[a-z])([A-Z])")


def _in_snake_case(fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields with keys such as `targetId` as `target_id`; of both spellings the latter one holds."""
    if all(key.islower() for key in fields):
        return fields
    snake = {key: _CAPITAL.sub(lambda found: f"_{found[1].lower()}", key) for key in fields}
    return {snake[key]: value for key, value in fields.items() if key == snake[key] or snake[key] not in fields}


class GroundedItem(Frozen):
    """A lore item that an action's words point at: by ID only, so that no record of it can tell a secret."""

    id: str
    role: Literal["knows", "withholds", "discoverable"]
    holder_id: str


class Grounding(Frozen):
    """What an action's words were matched to: items best first, of a `tell` those that the teller knows, and where
    there is none of those what they would have to know; topic keys are entity IDs and slugs."""

    items: tuple[GroundedItem, ...] = ()
    topics: tuple[str, ...] = ()
    # IDs of the facts that bear out what is claimed to be on record.
    fact_ids: tuple[str, ...] = Field(default=(), exclude_if=lambda fact_ids: not fact_ids)
    # IDs of what ties the asked person, or the searched place, to an open thread that the words touch.
    connections: tuple[str, ...] = Field(default=(), exclude_if=lambda connections: not connections)
    # What the asked person would tell of their own accord where they have no answer, best first.
    beside: tuple[GroundedItem, ...] = Field(default=(), exclude_if=lambda beside: not beside)


class Attempt(Frozen):
    """An action with its grounding, which is all that the rules know of its words."""

    action: Action
    grounding: Grounding = Grounding()

    @classmethod
    def of(cls, action: Action) -> Self:
        """Return an attempt with nothing grounded."""
        return cls(action=action)


# Authored acts: how readily each of the cast acts, and acts of their own, as a campaign plays them. Every ID is fully
# qualified.

# Chattiness where the author gives none: two turns in five.
DEFAULT_CHATTINESS = 0.4
# Longest verb that is taken (characters).
_VERB = 60


class Deed(Frozen):
    """The action of an authored act: `target` a person or thing, `to` a place, `item` the thing that goes along, or of
    a `tell` the lore item that is told; `topic` what is asked or spoken about."""

    type: str
    target: str | None = None
    to: str | None = None
    item: str | None = None
    topic: str = Field(default="", max_length=200)
    whisper: bool = False

    @property
    def lore_item(self) -> str | None:
        """The item, where the act is about lore rather than about a thing."""
        verb = verb_of(self.type)
        return self.item if verb is not None and "lore_item_id" in verb.metadata.model_fields else None

    def action(self, who: str) -> Action:
        """Return the deed as an action of `who`."""
        return Action(
            actor_id=who,
            type=self.type,
            target_id=self.target,
            location_id=self.to,
            metadata=metadata_of(self.type, words=self.topic, item=self.item, whisper=self.whisper),
        )


def metadata_of(kind: str, *, words: str = "", item: str | None = None, whisper: bool = False) -> dict[str, Any]:
    """Return the metadata of an action of a type; values that the type does not take are left out. The item of a `tell`
    is a lore item.
    """
    verb = verb_of(kind)
    taken = {"topic", "item_id", "whisper"} if verb is None else set(verb.metadata.model_fields)
    given: dict[str, Any] = {}
    if {"verb", "detail"} <= taken:
        given["verb"], _, given["detail"] = words.partition(" ")
        given["verb"] = given["verb"][:_VERB]
    elif "verb" in taken:
        given["verb"] = words[:_VERB]
    else:
        given |= {key: words for key in ("topic", "detail") if key in taken}
    if item is not None:
        given |= {key: item for key in ("item_id", "lore_item_id") if key in taken}
    if whisper and "whisper" in taken:
        given["whisper"] = True
    return {key: value for key, value in given.items() if value}


def takes(kind: str, field: str) -> bool:
    """Tell whether the metadata of an action of a type has a value for this field."""
    verb = verb_of(kind)
    return verb is None or field in verb.metadata.model_fields


def done_key(who: str, act_id: str) -> str:
    """Return the key under which a state's memory counts how often a character has done one of their acts."""
    return f"acts:{who}:{act_id}"


def tried_key(who: str, act_id: str) -> str:
    """Return the key under which it counts how often they have tried it, whatever the result."""
    return f"tried:{who}:{act_id}"


class AuthoredAct(Frozen):
    """Something that one of the cast does of their own accord once their turn comes and `when` holds.

    It is judged and resolved like anybody's action. `say` are sentences that tell it as one sees it, `thought` what the
    character thinks; with `once` it is done once in a branch, and it counts as done when the rules let it happen.
    """

    id: str
    when: Condition | None = None
    do: Deed
    say: tuple[str, ...] = ()
    thought: str = ""
    once: bool = False


class CastRule(Frozen):
    """One of the cast. `baked` ones act in every turn in which they are there, others roll against `chattiness` (0:
    never, 1: always)."""

    goal: str = ""
    baked: bool = False
    chattiness: float = Field(default=DEFAULT_CHATTINESS, ge=0, le=1)
    acts: tuple[AuthoredAct, ...] = ()


# The rule of everybody for whom the author gives none.
ANYBODY = CastRule()
