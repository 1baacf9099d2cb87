"""TurnResult: what a turn answers to whoever submitted it, as the player may see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from lorewright.rules.outcomes import EngineEvent, Roll, Validation
from lorewright.values.messages import Message
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

    @classmethod
    def of_no_play(
        cls,
        *,
        turn_no: int,
        turn_id: str,
        final_text: str,
        clocks: Sequence[Mapping[str, Any]],
        messages: tuple[Message, ...] = (),
        next_prompt: str = NEXT_PROMPT,
        suggested_actions: tuple[str, ...] = (),
    ) -> Self:
        """The result of a turn in which nothing was tried: a beginning, an upgrade, what came from outside."""
        return cls(
            turn_no=turn_no,
            turn_id=turn_id,
            messages=messages,
            final_text=final_text,
            next_prompt=next_prompt,
            suggested_actions=suggested_actions,
            clarification_question=None,
            citations=(),
            engine_events=(),
            validation=Validation(),
            rolls=(),
            clocks=tuple(clocks),
            tokens={"input": 0, "output": 0},
        )
