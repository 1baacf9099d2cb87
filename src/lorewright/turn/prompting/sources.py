"""The numbered evidence of a narration: what its marks may name."""

from __future__ import annotations

from typing import Literal

from lorewright.turn.records import NarratorInput
from lorewright.world.frozen import Frozen


class Source(Frozen):
    """One thing that a sentence may rest on; `id` is a chunk's, an item's, or what names an event."""

    number: int
    kind: Literal["chunk", "item", "event"]
    id: str
    text: str


def sources_of(given: NarratorInput) -> tuple[Source, ...]:
    """What a narration may rest on, numbered from 1: the scene's lore, what was won, what happened."""
    lines = [*given.scene.atmosphere, *given.scene.overview]
    lines += [line for person in given.scene.people for line in person.disposition]
    found = [("chunk", line.chunk_id, line.text) for line in lines]
    found += [("item", one.item_id, one.text) for one in given.evidence]
    found += [("event", f"outcome:{one.action_index}", one.code) for one in given.outcomes]
    return tuple(
        Source.model_validate({"number": number, "kind": kind, "id": source_id, "text": text})
        for number, (kind, source_id, text) in enumerate(found, 1)
    )
