"""The message stream as one turn sees it: what was said in the last turns, and what is said in this one so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from lorewright.turn.views.draft import Head
from lorewright.turn.views.visibility import Reader, seen_by
from lorewright.values.records import Message, MessageType

# The subtype of what two alone hear.
WHISPER = "whisper"


class TurnStream:
    """Grows by a message at a time; nothing that is in it changes. It becomes part of the campaign's with the turn."""

    def __init__(self, head: Head, turn_id: str) -> None:
        self._past = head.recent
        self._markers = head.markers
        self._turn_id = turn_id
        self._turn_no = head.turn_no + 1
        self._own: list[Message] = []

    @property
    def messages(self) -> tuple[Message, ...]:
        """This turn's messages."""
        return tuple(self._own)

    def open(self) -> None:
        """Begin with the markers of what the last turn led to."""
        for marker in self._markers:
            self.add("system", "scene_marker", "", subtype=marker.subtype, payload=marker.payload)

    def intend(self, owner: str, words: str, *, thought: str = "", to: str | None = None) -> Message:
        """Append what somebody means to do, after what they think by themselves; with `to` it is whispered to one."""
        if thought:
            self.add(owner, "thought", thought)
        if to is None:
            return self.add(owner, "intention", words)
        return self.add(owner, "intention", words, subtype=WHISPER, payload={"to": to})

    def add(
        self,
        owner: str,
        kind: MessageType,
        content: str,
        *,
        subtype: str | None = None,
        payload: Mapping[str, Any] = MappingProxyType({}),
        audience: Sequence[str] = (),
    ) -> Message:
        """Append a message to this turn's."""
        message = Message(
            owner=owner,
            type=kind,
            turn_id=self._turn_id,
            seq=len(self._own),
            content=content,
            subtype=subtype,
            payload=dict(payload),
            audience=tuple(dict.fromkeys(audience)),
        )
        self._own.append(message)
        return message

    def thoughts(self) -> list[tuple[int, Message]]:
        """Every thought there is: for holding texts against them, never for anybody to read."""
        return [one for one in self._numbered() if one[1].type == "thought"]

    def told(self) -> list[Message]:
        """What was told so far, to whomever."""
        return [message for _, message in self._numbered() if message.type == "narration"]

    def seen_by(
        self,
        reader: Reader,
        *,
        own_id: str | Collection[str],
        resolving: Collection[Message] = (),
        current: Collection[Message] = (),
    ) -> list[tuple[int, Message]]:
        """(turn number, message), oldest first, as a reader may see them just now; see `visibility.seen_by`."""
        numbered = self._numbered()
        number = {(one.turn_id, one.seq): no for no, one in numbered}
        seen = seen_by(reader, (one for _, one in numbered), own_id=own_id, resolving=resolving, current=current)
        return [(number[one.turn_id, one.seq], one) for one in seen]

    def _numbered(self) -> list[tuple[int, Message]]:
        return [*self._past, *((self._turn_no, message) for message in self._own)]
