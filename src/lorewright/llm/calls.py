"""Calls: every question that a stage put to a model and what came of it, kept as it happens, whatever is raised."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from lorewright.llm.model import Model, ModelReply
from lorewright.llm.prompt import Prompt, RenderedPrompt

# As the seed's retry policy has it: the call, one repair with the original output, one full retry.
Attempt = Literal["first", "repair", "retry"]
ATTEMPTS: tuple[Attempt, ...] = ("first", "repair", "retry")


@dataclass(frozen=True, slots=True)
class Call:
    """One question and its answer. `problem` says what was wrong with the answer, `unfinished` that it was not whole,
    `error` why there is none.

    `calls` are the tool calls that it made, as (name, arguments, result). `milliseconds` is how long it took,
    `started_at` when it was asked, in UTC.
    """

    attempt: Attempt
    text: str = ""
    problem: str | None = None
    unfinished: str | None = None
    error: str | None = None
    calls: tuple[tuple[str, str, str], ...] = ()
    model_name: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_microusd: int = 0
    tries: tuple[str, ...] = ()
    started_at: str = ""
    milliseconds: int = 0

    def shown(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


class Called:
    """Whatever has `calls`: what they amount to."""

    __slots__ = ()
    calls: Sequence[Call]

    @property
    def attempts(self) -> tuple[tuple[str, str, str | None], ...]:
        """(attempt, reply text, what was wrong with it or None) of every answer."""
        return tuple((call.attempt, call.text, call.problem or call.error) for call in self.calls)

    @property
    def input_tokens(self) -> int:
        """All that models read."""
        return sum(call.input_tokens for call in self.calls)

    @property
    def output_tokens(self) -> int:
        """All that models wrote."""
        return sum(call.output_tokens for call in self.calls)

    @property
    def cost_microusd(self) -> int:
        """What it cost in millionths of a dollar, by the taxonomy's prices."""
        return sum(call.cost_microusd for call in self.calls)


@dataclass(slots=True)
class CallLog(Called):
    """The calls of one run of a stage, in order: by which model, with which prompt, and that prompt's whole text."""

    calls: list[Call] = field(default_factory=list)
    prompt: RenderedPrompt | None = None
    source: str = ""
    model_key: str = ""
    provider: str = ""

    def asked(self, model: Model, prompt: Prompt, rendered: RenderedPrompt) -> None:
        """Note who is asked, and with what."""
        self.model_key, self.provider = model.key, model.provider
        self.prompt, self.source = rendered, prompt.source

    @property
    def model_name(self) -> str:
        """The model that answered last, by its own name; empty where none did."""
        return next((call.model_name for call in reversed(self.calls) if call.model_name), "")


class Stopwatch:
    """When something began and how long it has taken."""

    def __init__(self) -> None:
        self.started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._from = time.monotonic()

    @property
    def milliseconds(self) -> int:
        """Since it began."""
        return round((time.monotonic() - self._from) * 1000)


def call_of(
    attempt: Attempt,
    reply: ModelReply,
    watch: Stopwatch,
    *,
    problem: str | None,
    calls: tuple[tuple[str, str, str], ...] = (),
) -> Call:
    """An answer as it is kept."""
    return Call(
        attempt=attempt,
        text=reply.text,
        problem=problem,
        unfinished=reply.unfinished,
        calls=calls,
        model_name=reply.model_name,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cache_read_tokens=reply.cache_read_tokens,
        cache_write_tokens=reply.cache_write_tokens,
        cost_microusd=reply.cost_microusd,
        tries=reply.tries,
        started_at=watch.started_at,
        milliseconds=watch.milliseconds,
    )
