"""TurnResult: what a turn answers to whoever submitted it, as the player may see it."""

from __future__ import annotations

from typing import Any

from lorewright.rules.outcomes import EngineEvent, Roll, Validation
from lorewright.turn.messages import Message
from lorewright.world.frozen import Frozen, FrozenMap

NEXT_PROMPT = "What do you do?"


class Citation(Frozen):
    """Where a quoted sentence stands: `cite` as it is shown (`viktor/knows#pier9`), the chunk, the file."""

    cite: str
    chunk_id: str
    item_id: str | None = None
    file_path: str
    section_path: str
    quote: str


class TurnResult(Frozen):
    """The outcome of one submission. `final_text` joins its narrations; with a clarification it is the question."""

    turn_no: int
    turn_id: str
    messages: tuple[Message, ...]
    final_text: str
    next_prompt: str
    suggested_actions: tuple[str, ...]
    clarification_question: str | None
    citations: tuple[Citation, ...]
    engine_events: tuple[EngineEvent, ...]
    validation: Validation
    rolls: tuple[Roll, ...]
    clocks: tuple[FrozenMap[str, Any], ...]
    tokens: FrozenMap[str, int]
