"""Model: whoever answers a structured request. `run_structured` asks, validates, repairs once, retries once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from lorewright.errors import OutputRejected

T = TypeVar("T", bound=BaseModel)

# As the seed's retry policy has it: the call, one repair with the original output, one full retry.
_ATTEMPTS = ("first", "repair", "retry")


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model. `context` is the stage's whole input as canonical JSON; `schema` its answer's.

    In a repair, `rejected` is the answer that was refused and `problem` why.
    """

    stage: str
    context: str
    schema: dict[str, Any]
    rejected: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's answer as text, the name of the model that gave it, and what it cost in tokens."""

    text: str
    model_name: str
    input_tokens: int = 0
    output_tokens: int = 0


class Model(Protocol):
    """Anything that answers requests."""

    @property
    def key(self) -> str:
        """Its key in the taxonomy, for the record."""
        ...

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer a request.

        Raises:
            ProviderError: no answer could be had.
        """
        ...


@dataclass(frozen=True, slots=True)
class LLMResponse(Generic[T]):
    """A valid answer and all that led to it: (attempt, reply text, what was wrong with it or None)."""

    output: T
    model_key: str
    model_name: str
    attempts: tuple[tuple[str, str, str | None], ...]
    input_tokens: int
    output_tokens: int


async def run_structured(
    model: Model,
    *,
    stage: str,
    context: str,
    schema: type[T],
    check: Callable[[T], str | None] = lambda _: None,
) -> LLMResponse[T]:
    """Ask until the answer fits its schema and passes `check` (which says what is wrong, or None); three times at most.

    Raises:
        OutputRejected: it never fitted; the message names the stage and the last problem.
        ProviderError: the model could not be asked.
    """
    attempts: list[tuple[str, str, str | None]] = []
    spent_in = spent_out = 0
    json_schema = schema.model_json_schema()
    for attempt in _ATTEMPTS:
        _, rejected, problem = attempts[-1] if attempts and attempt == "repair" else ("", None, None)
        request = ModelRequest(stage, context, json_schema, rejected, problem)
        reply = await model.complete(request)
        spent_in += reply.input_tokens
        spent_out += reply.output_tokens
        output, problem = _validated(reply.text, schema, check)
        attempts.append((attempt, reply.text, problem))
        if output is not None:
            return LLMResponse(output, model.key, reply.model_name, tuple(attempts), spent_in, spent_out)
    raise OutputRejected(
        f"the {stage} stage gave no valid output in {len(_ATTEMPTS)} attempts: {attempts[-1][2]}",
        hint="nothing was changed; try again, or go on with the built-in stage",
    )


def _validated(text: str, schema: type[T], check: Callable[[T], str | None]) -> tuple[T | None, str | None]:
    try:
        output = schema.model_validate_json(text)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole answer"
        return None, f"{where}: {first['msg']}"
    wrong = check(output)
    return (None, wrong) if wrong else (output, None)
