"""Message: one entry of the stream that a campaign's story is made of. Appended, never edited."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from lorewright.world.frozen import Frozen, FrozenMap

MessageType = Literal["narration", "intention", "thought", "scene_marker", "system"]


class Message(Frozen):
    """Who said what in which turn, and where in it; `seq` counts from 0 within the turn.

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
