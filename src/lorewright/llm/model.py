"""Model: the protocol that answers requests, with requests and answers as values; how requests are made is the
gateway's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from lorewright.llm.prompt_template import Prompt, RenderedPrompt
from lorewright.settings import USUAL_ANSWERS

# Path of a field in a schema, with `*` for the items of a list -> the keywords of JSON Schema that it gets besides.
Narrow = Mapping[str, Mapping[str, Any]]
# The most tokens of an answer to a question that is no stage's.
MAX_TOKENS = 4_096
# A function that receives the pieces of an answer while it is written, in order.
OnText = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class AnswerListener:
    """A receiver of the pieces of an answer, which is told by `again` when those so far do not hold and the answer
    begins anew.

    Only with such a listener may a model be asked again after pieces of an answer were passed on.
    """

    piece: OnText
    again: Callable[[str], None]

    def __call__(self, piece: str) -> None:
        """Receive a piece."""
        self.piece(piece)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that a model may call: `schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model makes: `arguments` is the JSON that it wrote."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call, as text for the model."""

    call_id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class RequestMessage:
    """A message after the prompt: by the model (a text, calls), or to it (a text, results of its calls)."""

    role: Literal["assistant", "user"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model: a rendered prompt, and the messages since.

    `schema` is the JSON Schema that the answer must fit; None asks for prose. `narrow` is what it is narrowed to at
    this moment, where a server makes a grammar of it: keywords by the path of a field, such as `actions.*.target_id`.
    `max_tokens` bounds the answer; None is the bound that the settings of the model give its stage. With `may_call`
    false, the tools are still shown, since providers want the specs of earlier calls.
    """

    stage: str
    prompt: RenderedPrompt
    schema: dict[str, Any] | None = None
    talk: tuple[RequestMessage, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None
    may_call: bool = True
    narrow: Narrow = field(default_factory=dict)

    @property
    def longest(self) -> int:
        """The most tokens of the answer: as it is given, else as usual for the stage."""
        usual = USUAL_ANSWERS.of(self.stage) or MAX_TOKENS
        return usual if self.max_tokens is None else self.max_tokens

    @property
    def text(self) -> str:
        """Everything that the model is shown, as one text."""
        said = [
            part
            for message in self.talk
            for part in (message.text, *(result.text for result in message.results))
            if part
        ]
        return "\n\n".join([self.prompt.text, *said])


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's answer as text, who gave it, and what it cost.

    `input_tokens` counts all that was read (an estimate where a server does not count), `cache_read_tokens` and
    `cache_write_tokens` the parts of it that came from and went into the provider's prompt cache. `cost_microusd` is in
    millionths of a dollar by the taxonomy's prices, 0 where there is none. `tries` says what went wrong with the
    connection before the answer came, `unfinished` what is wrong with the text where it is not a whole answer.
    """

    text: str
    model_name: str
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_microusd: int = 0
    calls: tuple[ToolCall, ...] = ()
    tries: tuple[str, ...] = ()
    unfinished: str | None = None


class Model(Protocol):
    """Anything that answers requests."""

    @property
    def key(self) -> str:
        """Key in the taxonomy, for the record."""
        ...

    @property
    def provider(self) -> str:
        """Name of the provider (`anthropic`, `openai`, …), for the record."""
        ...

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Return the answer to a request; with `on_text` the answer's pieces are passed on as they come.

        Raises:
            ProviderError: there was no whole answer; its kinds say why.
        """
        ...


class ModelWrapper:
    """A wrapper of a model, which has the same key and provider."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def key(self) -> str:
        """The wrapped model's key."""
        return self._model.key

    @property
    def provider(self) -> str:
        """The wrapped model's provider."""
        return self._model.provider


# Toolbox: the tools that a model may call while it answers, run by code in a bounded loop.

# How many rounds of tool calls a model may make before it must conclude.
MAX_ROUNDS = 4
# How many calls it may make in one round.
MAX_CALLS = 8


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Tools by name: the spec that a model is shown, and the function that takes arguments as JSON text and returns
    text.

    A tool raises ValueError for invalid arguments; the model is told and may call again. `begin` is called before each
    attempt at an answer: calls made for a rejected answer are no part of the next one.
    """

    specs: tuple[ToolSpec, ...]
    run: Mapping[str, Callable[[str], str]]
    begin: Callable[[], None] = lambda: None

    def result(self, call: ToolCall) -> ToolResult:
        """Run a call and return its result; for a call that cannot be run the result says why."""
        tool = self.run.get(call.name)
        if tool is None:
            return ToolResult(call.id, call.name, f"there is no tool {call.name}")
        try:
            return ToolResult(call.id, call.name, tool(call.arguments))
        except ValueError as problem:
            return ToolResult(call.id, call.name, f"error: {problem}")


# Calls: every question of a stage to a model and its answer, recorded as it happens, even when an error is raised.

# The seed's retry policy: the call, one repair with the original output, one full retry.
Attempt = Literal["first", "repair", "retry"]
ATTEMPTS: tuple[Attempt, ...] = ("first", "repair", "retry")


@dataclass(frozen=True, slots=True)
class Call:
    """One question and its answer. `problem` says why the answer was rejected, `unfinished` why it was not whole,
    `error` why there is none.

    `calls` are the model's tool calls, as (name, arguments, result). `milliseconds` is how long it took, `started_at`
    when it was asked, in UTC.
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
        """Return the call as a JSON object."""
        return asdict(self)


class CallTotals:
    """Totals over the `calls` of a subclass."""

    __slots__ = ()
    calls: Sequence[Call]

    @property
    def attempts(self) -> tuple[tuple[str, str, str | None], ...]:
        """(attempt, reply text, problem or None) of every answer."""
        return tuple((call.attempt, call.text, call.problem or call.error) for call in self.calls)

    @property
    def input_tokens(self) -> int:
        """Total tokens that models read."""
        return sum(call.input_tokens for call in self.calls)

    @property
    def output_tokens(self) -> int:
        """Total tokens that models wrote."""
        return sum(call.output_tokens for call in self.calls)

    @property
    def cost_microusd(self) -> int:
        """Total cost in millionths of a dollar, by the taxonomy's prices."""
        return sum(call.cost_microusd for call in self.calls)


@dataclass(slots=True)
class CallLog(CallTotals):
    """The calls of one run of a stage, in order: by which model, with which prompt, and that prompt's whole text."""

    calls: list[Call] = field(default_factory=list)
    prompt: RenderedPrompt | None = None
    source: str = ""
    model_key: str = ""
    provider: str = ""

    def asked(self, model: Model, prompt: Prompt, rendered: RenderedPrompt) -> None:
        """Record the model, the prompt and its rendered text."""
        self.model_key, self.provider = model.key, model.provider
        self.prompt, self.source = rendered, prompt.source

    @property
    def model_name(self) -> str:
        """Name that the last model to answer gave itself; empty where none answered."""
        return next((call.model_name for call in reversed(self.calls) if call.model_name), "")


class Stopwatch:
    """The start of something and the time since then."""

    def __init__(self) -> None:
        self.started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._from = time.monotonic()

    @property
    def milliseconds(self) -> int:
        """Milliseconds since the start."""
        return round((time.monotonic() - self._from) * 1000)


def record_call(
    attempt: Attempt,
    reply: ModelReply,
    watch: Stopwatch,
    *,
    problem: str | None,
    calls: tuple[tuple[str, str, str], ...] = (),
) -> Call:
    """Return the record of an answer."""
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
