"""Who sees which message: seed 004's matrix as one table of data, completed for the stages that it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from lorewright.turn.messages import Message, MessageType

Reader = Literal["player", "interpreter", "planner", "narrator", "npc_intent"]
Sight = Literal["all", "own", "none"]

# Rows: who reads. `own`: what the reader owns; for the interpreter, planner and narrator that is the player's intention
# at hand, the one they resolve.
MATRIX: Mapping[Reader, Mapping[MessageType, Sight]] = MappingProxyType(
    {
        "player": {
            "narration": "all",
            "intention": "own",
            "thought": "own",
            "scene_marker": "none",
            "system": "none",
        },
        "interpreter": {
            "narration": "all",
            "intention": "own",
            "thought": "none",
            "scene_marker": "none",
            "system": "none",
        },
        "planner": {
            "narration": "all",
            "intention": "own",
            "thought": "none",
            "scene_marker": "all",
            "system": "none",
        },
        "narrator": {
            "narration": "all",
            "intention": "own",
            "thought": "none",
            "scene_marker": "all",
            "system": "none",
        },
        "npc_intent": {
            "narration": "all",
            "intention": "own",
            "thought": "own",
            "scene_marker": "none",
            "system": "none",
        },
    }
)


def seen_by(reader: Reader, messages: Iterable[Message], *, own_id: str, present: bool = True) -> list[Message]:
    """The messages that a reader may see, in their order.

    `own_id` is the character whose own messages count as own. With `present`, a narration is seen by those alone who
    were there; stages that tell the story read everything that the player saw.
    """
    return [message for message in messages if _sees(MATRIX[reader], message, own_id, present)]


def _sees(row: Mapping[MessageType, Sight], message: Message, own_id: str, present: bool) -> bool:
    sight = row[message.type]
    if sight == "own":
        return message.owner == own_id
    if message.type == "narration" and present and message.audience:
        return own_id in message.audience
    return sight == "all"
