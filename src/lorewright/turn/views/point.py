"""A point of a turn: the world, the messages and the gathered lore as they are then. Each step of a turn begins at one
point and returns another; what is a leak at a point depends on that point alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from lorewright.retrieval.query import LoreRetrievalQuery, RetrievedChunk
from lorewright.retrieval.view import LoreView
from lorewright.scene_lore.models import LorePassage, LoreText, SceneItem, SceneLore
from lorewright.turn.views.draft import Head
from lorewright.turn.views.leaks import QUOTED_WORDS
from lorewright.turn.views.story import seen_by
from lorewright.values.entries import Marker
from lorewright.values.records import Message, MessageType
from lorewright.visibility import MessageReader
from lorewright.world.state import WorldState

# The subtype of an intention that only its speaker and one listener hear.
WHISPER = "whisper"


@dataclass(frozen=True, slots=True)
class TurnStream:
    """The message stream as one turn sees it: (turn number, message) of the last turns in `past`, and this turn's own
    `messages` so far, oldest first. They become part of the campaign's stream with the turn."""

    past: tuple[tuple[int, Message], ...]
    turn_id: str
    turn_no: int
    messages: tuple[Message, ...] = ()

    @classmethod
    def after(cls, head: Head, turn_id: str) -> TurnStream:
        """Return the stream of the turn that follows a head, without messages of its own."""
        return cls(head.recent, turn_id, head.turn_no + 1)

    def with_markers(self, markers: Iterable[Marker]) -> TurnStream:
        """Return the stream with the markers of what the last turn led to."""
        stream = self
        for marker in markers:
            stream = stream.with_message("system", "scene_marker", "", subtype=marker.subtype, payload=marker.payload)
        return stream

    def with_intention(
        self, owner: str, words: str, *, thought: str = "", to: str | None = None, emotion: str = ""
    ) -> TurnStream:
        """Return the stream with what somebody means to do as its last message, after their thought; with `to` it is
        whispered to that character. `emotion` is what they feel as they mean it."""
        felt = {"emotion": emotion} if emotion else {}
        stream = self.with_message(owner, "thought", thought, payload=felt) if thought else self
        if to is None:
            return stream.with_message(owner, "intention", words, payload=felt)
        return stream.with_message(owner, "intention", words, subtype=WHISPER, payload={"to": to, **felt})

    def with_payload(self, payload: Mapping[str, Any]) -> TurnStream:
        """Return the stream with more in the payload of its last message."""
        *before, last = self.messages
        return replace(self, messages=(*before, last.model_copy(update={"payload": {**last.payload, **payload}})))

    def with_message(
        self,
        owner: str,
        kind: MessageType,
        content: str,
        *,
        subtype: str | None = None,
        payload: Mapping[str, Any] = MappingProxyType({}),
        audience: Sequence[str] = (),
    ) -> TurnStream:
        """Return the stream with one message more."""
        message = Message(
            owner=owner,
            type=kind,
            turn_id=self.turn_id,
            seq=len(self.messages),
            content=content,
            subtype=subtype,
            payload=dict(payload),
            audience=tuple(dict.fromkeys(audience)),
        )
        return replace(self, messages=(*self.messages, message))

    def thoughts(self) -> list[Message]:
        """Return every thought: for leak checks, never for anybody to read."""
        return [message for _, message in self._numbered() if message.type == "thought"]

    def told(self) -> list[Message]:
        """Return all narrations so far, for any audience."""
        return [message for _, message in self._numbered() if message.type == "narration"]

    def seen_by(
        self,
        reader: MessageReader,
        *,
        own_id: str | Collection[str],
        resolving: Collection[Message] = (),
        current: Collection[Message] = (),
    ) -> list[tuple[int, Message]]:
        """Return (turn number, message), oldest first, as a reader may see them just now; see
        `acquaintance.seen_by`."""
        numbered = self._numbered()
        number = {(message.turn_id, message.seq): turn_no for turn_no, message in numbered}
        seen = seen_by(
            reader, (message for _, message in numbered), own_id=own_id, resolving=resolving, current=current
        )
        return [(number[message.turn_id, message.seq], message) for message in seen]

    def _numbered(self) -> list[tuple[int, Message]]:
        return [*self.past, *((self.turn_no, message) for message in self.messages)]


@dataclass(frozen=True, slots=True)
class RetrievedAnswer:
    """The chunks that were retrieved for a query, best first."""

    view: LoreView
    query: LoreRetrievalQuery
    chunks: tuple[RetrievedChunk, ...]


@dataclass(frozen=True, slots=True)
class GatheredLore:
    """The lore that was gathered in a turn so far: all that could be told in it, or leaked.

    `items` are those of every scene that was viewed, by ID, secrets included, `connections` the IDs of those that tie a
    scene to a thread, which the planner is shown; `sights` the texts of places and people
    that the narrator was shown, `motives` what moves people, each by key: the latter are shown to them and to the
    planner, and told to nobody. `answers` are what was retrieved for packets.
    """

    items: Mapping[str, SceneItem] = field(default_factory=dict)
    connections: frozenset[str] = frozenset()
    sights: Mapping[str, str] = field(default_factory=dict)
    motives: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[RetrievedAnswer, ...] = ()

    def with_scene(self, lore: SceneLore) -> GatheredLore:
        """Return this lore and that of a scene."""
        # Shorter motives are common phrases.
        moving = (line for briefing in lore.briefings for line in briefing.motivation)
        motives = {line.key: line.text for line in moving if len(line.text.split()) >= QUOTED_WORDS}
        return replace(
            self,
            items={**self.items, **{item.id: item for item in lore.items()}},
            connections=self.connections | {item.id for item in lore.thread_connections},
            sights={**self.sights, **_texts(lore.sights())},
            motives={**self.motives, **motives},
        )

    def with_items(self, items: Iterable[SceneItem]) -> GatheredLore:
        """Return this lore with items that it does not have yet; of several with an ID the first."""
        found = dict(self.items)
        for item in items:
            found.setdefault(item.id, item)
        return replace(self, items=found)

    def with_sights(self, lines: Iterable[LoreText]) -> GatheredLore:
        """Return this lore with more texts that the narrator is shown."""
        return replace(self, sights={**self.sights, **_texts(lines)})

    def with_passages(self, passages: Iterable[LorePassage]) -> GatheredLore:
        """Return this lore with retrieved sections that the narrator is shown."""
        shown = {passage.chunk_id: passage.text for passage in passages}
        return replace(self, sights={**self.sights, **shown}) if shown else self


def _texts(lines: Iterable[LoreText]) -> dict[str, str]:
    return {line.key: line.text for line in lines}


@dataclass(frozen=True, slots=True)
class TurnPoint:
    """A point of a turn: the state of the world, the stream with this turn's messages, and the lore gathered."""

    state: WorldState
    stream: TurnStream
    lore: GatheredLore = GatheredLore()
