"""The gateway: a prompt, its context and the schema of the answer -> a valid answer. It asks, validates, repairs once,
retries once, and records every call.
"""

from __future__ import annotations

import json
import math
import re
from asyncio import CancelledError
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from lorewright.errors import BudgetExceeded, OutputRejected, ProviderError, SettingsError
from lorewright.llm.model import (
    ATTEMPTS,
    MAX_CALLS,
    MAX_ROUNDS,
    AnswerListener,
    Attempt,
    Call,
    CallLog,
    Model,
    ModelReply,
    ModelRequest,
    ModelWrapper,
    Narrow,
    OnText,
    RequestMessage,
    Stopwatch,
    Toolbox,
    ToolCall,
    record_call,
)
from lorewright.llm.prompt_template import PlainPrompt, Prompt, RenderedPrompt
from lorewright.llm.taxonomy import Prices
from lorewright.settings import BudgetSettings, Unlimited
from lorewright.tokens import count_tokens

# Secrets: API keys from the environment, and their removal from texts.

HIDDEN = "[hidden]"
# A variable with such a name holds a secret.
_SECRET_NAME = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|_KEY$)", re.IGNORECASE)
# A shorter value is no key, and hiding it would blot out common words.
_SHORTEST = 8
_PRINTABLE = re.compile(r"[\x21-\x7e]+")


class Secrets:
    """The API keys and other secrets of an environment: read by name, and hidden in texts."""

    def __init__(self, environ: Mapping[str, str], *, more: tuple[str, ...] = ()) -> None:
        """Collect the secrets; `more` names variables that hold keys although their names do not say so."""
        self._environ = environ
        values = [value for name, value in environ.items() if name in more or _SECRET_NAME.search(name)]
        self._hidden = _secret_forms(values)

    def key(self, variable: str) -> str | None:
        """Return the key that a variable holds, without surrounding whitespace; None where it is unset or empty.

        Raises:
            SettingsError: the value cannot be a key. The value is not in the message.
        """
        value = self._environ.get(variable, "").strip()
        if not value:
            return None
        if not _PRINTABLE.fullmatch(value):
            raise SettingsError(
                f"{variable} holds what can be no API key: it has blanks, line ends or letters outside ASCII in it",
                hint=f"set {variable} anew; the key is one word",
            )
        return value

    def redacted(self, text: str) -> str:
        """Return the text with every secret hidden, also where it is quoted, escaped or cut at a line end."""
        for secret in self._hidden:
            text = text.replace(secret, HIDDEN)
        return text


def _secret_forms(values: list[str]) -> list[str]:
    """Return every form in which a secret may stand in a text, longest first."""
    forms: set[str] = set()
    for value in values:
        stripped = value.strip()
        for form in (value, stripped, *stripped.split()):
            forms |= {form, quote(form, safe=""), repr(form)[1:-1], repr(form.encode())[2:-1]}
    return sorted((form for form in forms if len(form.strip()) >= _SHORTEST), key=lambda form: (-len(form), form))


# Budget: how much models may cost in a turn and in a sitting. A call that could exceed it is not made.

# Our token count is an estimate for English prose; models' own counts exceed it by up to a third.
_MARGIN = 1.35
_MICRO = 1_000_000


@dataclass(frozen=True, slots=True)
class CallUsage:
    """The use of calls: tokens read and written, and millionths of a dollar."""

    tokens: int = 0
    microusd: int = 0

    def __add__(self, other: CallUsage) -> CallUsage:
        return CallUsage(self.tokens + other.tokens, self.microusd + other.microusd)

    def __sub__(self, other: CallUsage) -> CallUsage:
        return CallUsage(self.tokens - other.tokens, self.microusd - other.microusd)


class Budget:
    """A counter of what a turn and a sitting cost, which refuses a call before a limit is passed. All models of a game
    share one budget.
    """

    def __init__(self, limits: BudgetSettings, *, spent: CallUsage = CallUsage()) -> None:
        """Start with `spent`, which is what the sitting has cost so far."""
        self._limits = limits
        self.sitting = spent
        self.turn = CallUsage()
        self._held = CallUsage()

    def begin_turn(self) -> None:
        """Start the count of a new turn."""
        self.turn = CallUsage()

    def hold(self, most: CallUsage) -> None:
        """Reserve the most that a call can take.

        Raises:
            BudgetExceeded: with it, and the reservations of other calls, a limit could be passed. Nothing is reserved.
        """
        reserved = self._held + most
        self._admit("turn", self.turn + reserved, self._limits.turn_usd, self._limits.turn_tokens)
        self._admit("sitting", self.sitting + reserved, self._limits.sitting_usd, self._limits.sitting_tokens)
        self._held = reserved

    def book(self, most: CallUsage, took: CallUsage) -> None:
        """Count what a call took, in place of the reservation that was made for it."""
        self._held -= most
        self.turn += took
        self.sitting += took

    @staticmethod
    def _admit(what: str, could: CallUsage, usd: float | Unlimited, tokens: int | Unlimited) -> None:
        if usd != "unlimited" and could.microusd > usd * _MICRO:
            raise BudgetExceeded(
                f"the next call could bring this {what} to ${could.microusd / _MICRO:.4f}, and ${usd:.2f} is allowed",
                hint=f"raise {what}_usd under [models.budget] in lorewright.toml, or go on with the built-in stage",
            )
        if tokens != "unlimited" and could.tokens > tokens:
            raise BudgetExceeded(
                f"the next call could bring this {what} to {could.tokens} tokens, and {tokens} are allowed",
                hint=f"raise {what}_tokens under [models.budget] in lorewright.toml, or go on with the built-in stage",
            )


class MeteredModel(ModelWrapper):
    """A model that reserves budget before every try, and books what each try took."""

    def __init__(self, model: Model, prices: Prices | None, budget: Budget) -> None:
        super().__init__(model)
        self._prices = prices
        self._budget = budget

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Ask the model, if the budget allows it. A failed try is counted as its input and the output received so far,
        since providers charge for it.

        Raises:
            BudgetExceeded: the call could cost more than is left; it was not made.
            ProviderError: as the model does.
        """
        read = estimated_input(request)
        most = self._spent(read, request.longest)
        self._budget.hold(most)
        heard = 0

        def hear(piece: str) -> None:
            nonlocal heard
            heard += len(piece)
            assert on_text is not None
            on_text(piece)

        took = CallUsage()
        try:
            reply = await self._model.complete(request, on_text=hear if on_text is not None else None)
            took = CallUsage(reply.input_tokens + reply.output_tokens, reply.cost_microusd)
            return reply
        except BaseException:
            # Also after a timeout: the provider may have answered although we did not receive it.
            took = self._spent(read, math.ceil(heard / 4))
            raise
        finally:
            self._budget.book(most, took)

    def _spent(self, read: int, written: int) -> CallUsage:
        if self._prices is None:
            return CallUsage(read + written)
        # A provider may write the whole input into its cache, which can cost more than reading it.
        dearest = max(self._prices.input, self._prices.cache_write)
        return CallUsage(read + written, math.ceil(read * dearest + written * self._prices.output))


def estimated_input(request: ModelRequest) -> int:
    """Return how many tokens a request may have at most, estimated without the model's own tokenizer."""
    beside = [request.schema, *(tool.schema for tool in request.tools)] if request.schema or request.tools else []
    beside += [dict(keywords) for keywords in request.narrow.values()]
    calls = [call.arguments for talk in request.talk for call in talk.calls]
    text = "\n".join([request.text, *(json.dumps(part) for part in beside), *calls])
    return math.ceil(count_tokens(text) * _MARGIN)


# The gateway: it asks, validates, repairs once, retries once, and records every call.

T = TypeVar("T", bound=BaseModel)

# Longest answer of a stage that is accepted (characters).
MAX_ANSWER = 200_000
# Longest excerpt of a rejected answer, and of its problem, that is shown again for repair (characters).
_SHOWN_AGAIN = 12_000
_PROBLEM = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(Generic[T]):
    """The options of a request.

    `check` returns the problem of an answer that fits its schema, or None. With `prose` the answer is a text, which
    becomes the only required field of the schema. `on_text` receives its pieces while they are written; `on_rejected`
    is called with the reason when the pieces so far do not hold. With `rejected`, an earlier answer and its problem,
    the request begins with the repair. `max_tokens` and
    `narrow` are those of the request. `log` keeps every call, even when an error is raised.
    """

    model: Model
    stage: str
    repair: Prompt = field(default_factory=lambda: PlainPrompt("repair"))
    check: Callable[[T], str | None] = lambda _: None
    prose: bool = False
    on_text: OnText | None = None
    on_rejected: Callable[[str], None] | None = None
    toolbox: Toolbox | None = None
    rejected: tuple[str, str] | None = None
    max_tokens: int | None = None
    narrow: Narrow = field(default_factory=dict)
    log: CallLog = field(default_factory=CallLog)


@dataclass(frozen=True, slots=True)
class LLMResponse(Generic[T]):
    """A valid answer and all calls that led to it."""

    output: T
    log: CallLog


async def run_structured(
    prompt: Prompt, context: Mapping[str, Any], schema: type[T], options: Options[T]
) -> LLMResponse[T]:
    """Return an answer that fits its schema and passes the check, after at most three attempts: the call, a repair that
    shows the answer and its problem, and a fresh call.

    Raises:
        OutputRejected: no attempt was valid; the message names the stage and the last problem.
        ProviderError: the model could not be asked, or refused.
        PromptError: the prompt cannot be rendered.
    `options.log` has every call that was made, whichever error is raised.
    """
    rendered = prompt.render(context)
    options.log.asked(options.model, prompt, rendered)
    asking = _Asking(rendered, schema, options)
    rejected, problem = options.rejected or ("", "")
    for attempt in ATTEMPTS if options.rejected is None else ATTEMPTS[1:]:
        again = _repair_talk(options, rejected, problem) if attempt == "repair" else ()
        output, rejected, problem = await asking.attempt(attempt, again)
        if output is not None:
            return LLMResponse(output, options.log)
        if options.on_rejected is not None:
            options.on_rejected(problem)
    raise OutputRejected(
        f"the {options.stage} stage gave no valid output in {len(ATTEMPTS)} attempts: {problem}",
        hint="nothing was changed; try again, or go on with the built-in stage",
    )


def _repair_talk(options: Options[T], rejected: str, problem: str) -> tuple[RequestMessage, ...]:
    shown = options.repair.render({"stage": options.stage, "problem": problem, "prose": options.prose})
    # A message after the prompt must not be empty.
    return (
        RequestMessage("assistant", rejected[:_SHOWN_AGAIN].strip() or "(nothing)"),
        RequestMessage("user", shown.changing),
    )


# An output is asked for again and again, and pydantic makes the schema anew each time, in milliseconds.
@lru_cache(maxsize=64)
def _schema_text(output: type[BaseModel]) -> str:
    return json.dumps(output.model_json_schema())


class _Asking(Generic[T]):
    """The attempts of one request."""

    def __init__(self, prompt: RenderedPrompt, schema: type[T], options: Options[T]) -> None:
        self._prompt = prompt
        self._schema = schema
        self._options = options
        self._json_schema = None if options.prose else json.loads(_schema_text(schema))

    async def attempt(self, attempt: Attempt, talk: tuple[RequestMessage, ...]) -> tuple[T | None, str, str]:
        """Make one attempt with its rounds of tools; return (output or None, text, problem)."""
        toolbox = self._options.toolbox
        if toolbox is not None:
            toolbox.begin()
        for round_no in range(MAX_ROUNDS + 1):
            may_call = toolbox is not None and round_no < MAX_ROUNDS
            watch = Stopwatch()
            reply = await self._ask(attempt, talk, watch, may_call=may_call)
            if reply.calls and toolbox is not None and may_call:
                results = tuple(toolbox.result(call) for call in reply.calls[:MAX_CALLS])
                made = tuple((c.name, c.arguments, r.text) for c, r in zip(reply.calls, results, strict=False))
                self._options.log.calls.append(record_call(attempt, reply, watch, problem=None, calls=made))
                said = RequestMessage("assistant", reply.text, calls=reply.calls[:MAX_CALLS])
                talk = (*talk, said, RequestMessage("user", results=results))
                continue
            output, problem = self._judged(reply)
            self._options.log.calls.append(record_call(attempt, reply, watch, problem=problem or None))
            return output, reply.text, problem
        raise AssertionError("the last round has no tools")

    async def _ask(
        self, attempt: Attempt, talk: tuple[RequestMessage, ...], watch: Stopwatch, *, may_call: bool
    ) -> ModelReply:
        options = self._options
        tools = options.toolbox.specs if options.toolbox is not None else ()
        request = ModelRequest(
            options.stage,
            self._prompt,
            self._json_schema,
            talk,
            tools,
            options.max_tokens,
            may_call,
            options.narrow,
        )
        try:
            return _as_text(await options.model.complete(request, on_text=self._heard))
        except ProviderError as error:
            failed = Call(
                attempt,
                error=f"{error.code}: {error.message}",
                tries=error.tries,
                started_at=watch.started_at,
                milliseconds=watch.milliseconds,
            )
            options.log.calls.append(failed)
            raise
        except CancelledError:
            stopped = Call(attempt, error="stopped", started_at=watch.started_at, milliseconds=watch.milliseconds)
            options.log.calls.append(stopped)
            raise

    @property
    def _heard(self) -> OnText | None:
        options = self._options
        on_text = options.on_text
        if on_text is None:
            return None

        def hear(piece: str) -> None:
            on_text(_encodable(piece))

        return hear if options.on_rejected is None else AnswerListener(hear, options.on_rejected)

    def _judged(self, reply: ModelReply) -> tuple[T | None, str]:
        if reply.unfinished is not None:
            return None, reply.unfinished
        return self._validated(reply.text)

    def _validated(self, text: str) -> tuple[T | None, str]:
        if len(text) > MAX_ANSWER:
            return None, f"the answer is too long: {len(text)} characters, and {MAX_ANSWER} are read"
        try:
            output = self._schema.model_validate(self._of_prose(text)) if self._options.prose else self._read(text)
        except ValidationError as problem:
            found = problem.errors(include_url=False, include_input=False)
            told = [f"{'.'.join(map(str, error['loc'])) or 'the whole answer'}: {error['msg']}" for error in found[:5]]
            return None, "; ".join(told)[:_PROBLEM]
        wrong = self._options.check(output)
        return (None, wrong[:_PROBLEM]) if wrong else (output, "")

    def _of_prose(self, text: str) -> dict[str, str]:
        (name,) = (name for name, info in self._schema.model_fields.items() if info.is_required())
        return {name: text.strip()}

    def _read(self, text: str) -> T:
        return self._schema.model_validate_json(_without_fence(text))


def _as_text(reply: ModelReply) -> ModelReply:
    """Return the reply with each lone surrogate, which no file can store, replaced by a question mark."""
    calls = tuple(ToolCall(*map(_encodable, (call.id, call.name, call.arguments))) for call in reply.calls)
    return replace(reply, text=_encodable(reply.text), calls=calls)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _without_fence(text: str) -> str:
    """Return a model's JSON without the markdown fence around it."""
    stripped = text.strip()
    if stripped.startswith("```") and stripped.endswith("```") and "\n" in stripped:
        return stripped[stripped.index("\n") + 1 : -3].strip()
    return stripped
