"""Model: whoever answers a request. What is asked and answered, as values; how it is asked is the gateway's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from lorewright.llm.prompt import RenderedPrompt

# Receives pieces of an answer while it is written, in order.
OnText = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Heard:
    """Receives pieces of an answer, and is told by `again` when those so far do not hold and the answer begins anew.

    Whoever asks a model again in the midst of an answer may do so only where somebody is there to be told.
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
    """What came of a call, as text for the model."""

    call_id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Talk:
    """What was said after the prompt: by the model (a text, calls), or to it (a text, what came of its calls)."""

    role: Literal["assistant", "user"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model: a rendered prompt, and what was said since.

    `schema` is the JSON Schema that the answer must fit; None asks for prose. `max_tokens` bounds the answer. Tools
    that it may no longer call (`may_call`) are shown all the same: providers want to see what earlier calls were of.
    """

    stage: str
    prompt: RenderedPrompt
    schema: dict[str, Any] | None = None
    talk: tuple[Talk, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int = 4_096
    may_call: bool = True

    @property
    def text(self) -> str:
        """All that the model is shown, as one text."""
        said = [part for one in self.talk for part in (one.text, *(result.text for result in one.results)) if part]
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
        """Its key in the taxonomy, for the record."""
        ...

    @property
    def provider(self) -> str:
        """Who runs it (`anthropic`, `openai`, …), for the record."""
        ...

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Answer a request; with `on_text` the answer's pieces are passed on as they come.

        Raises:
            ProviderError: no whole answer could be had; its kinds say why.
        """
        ...


class AroundModel:
    """What is put around a model and goes by its key and provider."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def key(self) -> str:
        """The model's."""
        return self._model.key

    @property
    def provider(self) -> str:
        """The model's."""
        return self._model.provider
