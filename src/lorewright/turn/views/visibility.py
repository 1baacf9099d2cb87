"""Who sees which message: seed 004's matrix as one table of data, completed for the stages that it lacks.

Every stage gets its messages from `seen_by` and from nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from lorewright.values.records import Message, MessageType

Reader = Literal[
    "player",
    "persona_intent",
    "interpreter",
    "planner",
    "resolution",
    "narrator",
    "npc_intent",
    "reflection",
    "persona_extractor",
    "character_extractor",
    "lore_extractor",
    "summariser",
    "recap",
]
# `all`: every one that there is so far, a narration if one was there for it. `own`: what the reader's own character
# owns; `last_own`: the newest of these. `resolving`: what is being resolved just now; `current`: what was told of it.
Sight = Literal["all", "own", "last_own", "resolving", "current", "none"]

_COLUMNS: tuple[MessageType, ...] = ("scene_marker", "narration", "intention", "thought", "system")


def _row(*sights: Sight) -> Mapping[MessageType, Sight]:
    return MappingProxyType(dict(zip(_COLUMNS, sights, strict=True)))


# Rows: who reads. The first six are the specification's, but that its persona intent is what a player sees while they
# think of what to do. Nobody ever reads a system message in the story.
MATRIX: Mapping[Reader, Mapping[MessageType, Sight]] = MappingProxyType(
    {
        # reader                      scene_marker  narration  intention    thought  system
        "persona_intent": _row("none", "all", "own", "own", "none"),
        "npc_intent": _row("none", "all", "own", "own", "none"),
        "narrator": _row("all", "all", "resolving", "none", "none"),
        "persona_extractor": _row("none", "all", "last_own", "own", "none"),
        "character_extractor": _row("none", "all", "last_own", "own", "none"),
        "lore_extractor": _row("none", "current", "none", "none", "none"),
        "player": _row("none", "all", "own", "own", "none"),
        # The player's words may point back at what they said (`again`, `it`).
        "interpreter": _row("none", "all", "own", "none", "none"),
        "planner": _row("all", "all", "resolving", "none", "none"),
        "resolution": _row("none", "none", "resolving", "none", "none"),
        # What the specification of rulesets calls a character's reflection is its intent.
        "reflection": _row("none", "all", "own", "own", "none"),
        "summariser": _row("none", "all", "none", "none", "none"),
        "recap": _row("none", "all", "none", "none", "none"),
    }
)


def seen_by(
    reader: Reader,
    messages: Iterable[Message],
    *,
    own_id: str | Collection[str],
    resolving: Collection[Message] = (),
    current: Collection[Message] = (),
) -> list[Message]:
    """The messages that a reader may see, in their order.

    `own_id` is the character (or are the characters) whose own messages count as own, and whose ears count: a narration
    is seen by those alone who were there. For stages that tell the story that is the player's. `resolving` are the
    intentions that are resolved just now, `current` what was just told of them.
    """
    own = frozenset((own_id,)) if isinstance(own_id, str) else frozenset(own_id)
    row, given = MATRIX[reader], list(messages)

    def sees(message: Message) -> bool:
        match row[message.type]:
            case "all":
                return _was_there(message, own)
            case "own":
                return message.owner in own
            case "last_own":
                return message.owner in own and message == _last(given, message.type, own)
            case "resolving":
                return message in resolving
            case "current":
                return message in current
            case "none":
                return False

    return [message for message in given if sees(message)]


def _was_there(message: Message, own: frozenset[str]) -> bool:
    """Whoever nothing is said of heard it: narrations of old have no audience."""
    return message.type != "narration" or not message.audience or not own.isdisjoint(message.audience)


def _last(messages: Iterable[Message], kind: MessageType, own: frozenset[str]) -> Message | None:
    return next((one for one in reversed(list(messages)) if one.type == kind and one.owner in own), None)
