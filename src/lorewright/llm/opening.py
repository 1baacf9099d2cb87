"""Opening: a model's key -> a model that can be asked: it retries, keeps to the budget, and never shows its API key."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from lorewright.errors import ProviderBusy, ProviderError, SettingsError
from lorewright.ids import content_hash
from lorewright.llm.gateway import Budget, MeteredModel, Options, Secrets, estimated_input, run_structured
from lorewright.llm.model import AnswerListener, CallLog, Model, ModelReply, ModelRequest, ModelWrapper, OnText
from lorewright.llm.prompt_template import RenderedPrompt
from lorewright.llm.providers.remote import RemoteModel, load
from lorewright.llm.taxonomy import ModelRow, address_of, row_of, rows
from lorewright.settings import AnswerTokens, ModelsSettings
from lorewright.trust import hold_models

# PatientModel: repeats a try that failed for a passing reason, waits for its turn, and gives up in time.

Sleep = Callable[[float], Awaitable[None]]

# Per event loop, how many calls of each provider may still begin. A semaphore cannot serve two loops, and each turn
# that is played at a terminal runs in its own.
_LANES: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, int], asyncio.Semaphore]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Timeouts, pauses and concurrency of calls.

    A call takes at most `timeout_s`, its tries and the pauses between them together; waiting for a free slot does not
    count. The pauses are 1, 2, 4 … times `first_pause_s`, none longer than `longest_pause_s`, which also bounds the
    pause that a provider asks for. At most `concurrency` calls of a provider run at a time.
    """

    timeout_s: float = 120.0
    tries: int = 3
    first_pause_s: float = 1.0
    longest_pause_s: float = 20.0
    concurrency: int = 4

    def pause_s(self, tries_made: int, retry_after_s: float | None) -> float:
        """Return the pause after so many tries, in seconds."""
        growing: float = self.first_pause_s * 2.0 ** (tries_made - 1)
        return min(max(growing, retry_after_s or 0.0), self.longest_pause_s)


class PatientModel(ModelWrapper):
    """A model whose failed tries are repeated. The problem of each try is in the reply's `tries`, or the error's."""

    def __init__(self, model: Model, patience: CallLimits, *, sleep: Sleep = asyncio.sleep) -> None:
        super().__init__(model)
        self._patience = patience
        self._sleep = sleep

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Ask until an answer comes, within bounds.

        Pieces that a try passed on before it broke off do not hold. An `AnswerListener` is told so, and the call tried
        again; any other listener would receive the beginning twice, so with one the call is given up.

        Raises:
            ProviderBusy: no try brought an answer, or the time was up.
            ProviderError: any other error of the model, at once, with the tries before it.
        """
        tries: list[str] = []
        async with self._lane():
            try:
                async with asyncio.timeout(self._patience.timeout_s):
                    reply = await self._asked(request, on_text, tries)
            except TimeoutError:
                late = f"no answer within {self._patience.timeout_s:g} seconds"
                raise ProviderBusy(
                    f"{self.provider} ({self.key}): {late}",
                    hint="try again, or give it more time: timeout_seconds under [models] in lorewright.toml",
                    tries=(*tries, late),
                ) from None
        return replace(reply, tries=(*tries, *reply.tries))

    async def _asked(self, request: ModelRequest, on_text: OnText | None, tries: list[str]) -> ModelReply:
        while True:
            hearing = _PieceForwarder(on_text)
            try:
                return await self._model.complete(request, on_text=hearing.piece if on_text is not None else None)
            except ProviderBusy as failure:
                tries.append(failure.message)
                again = on_text.again if isinstance(on_text, AnswerListener) else None
                if len(tries) >= self._patience.tries or (hearing.heard and again is None):
                    raise ProviderBusy(failure.message, hint=failure.hint, tries=tuple(tries)) from None
                if hearing.heard and again is not None:
                    again(failure.message)
                await self._sleep(self._patience.pause_s(len(tries), failure.retry_after_s))
            except ProviderError as failure:
                failure.tries = (*tries, *failure.tries)
                raise

    def _lane(self) -> asyncio.Semaphore:
        lanes = _LANES.setdefault(asyncio.get_running_loop(), {})
        limit = self._patience.concurrency
        return lanes.setdefault((self.provider, limit), asyncio.Semaphore(limit))


class _PieceForwarder:
    """A listener that passes pieces on and remembers whether there were any."""

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self.heard = False

    def piece(self, piece: str) -> None:
        self.heard = True
        if self._on_text is not None:
            self._on_text(piece)


# Bounded answers: how long an answer of each stage may be.


class BoundedModel(ModelWrapper):
    """A model whose answers have at most the tokens that the settings give their stage, where a request says nothing of
    it."""

    def __init__(self, model: Model, answer_tokens: AnswerTokens) -> None:
        super().__init__(model)
        self._answer_tokens = answer_tokens

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Ask the model, with the bound of the settings.

        Raises:
            ProviderError: as the model does.
        """
        if request.max_tokens is None:
            request = replace(request, max_tokens=self._answer_tokens.of(request.stage))
        return await self._model.complete(request, on_text=on_text)


# Opening: a model's key -> a model that can be asked.


def open_model(
    key: str, settings: ModelsSettings, *, environ: Mapping[str, str], budget: Budget | None = None
) -> Model | None:
    """Return the model of a key, or None for `builtin`. Nothing is sent, and no SDK imported, before it is asked.

    Models that share a `budget` are counted together; without a budget nothing is counted.

    Raises:
        SettingsError: the key is unknown, its API key is not in the environment, or no setting gives its address.
        NotTrusted: the settings came with a workspace and reach outside of it, and the user has not trusted them.
    """
    row = row_of(key, settings)
    if row.provider == "builtin":
        return None
    hold_models(settings)
    secrets = Secrets(environ, more=tuple(row.key_env for row in rows(settings) if row.key_env))
    remote: Model = RemoteModel(
        row,
        api_key=_api_key(row, secrets),
        base_url=address_of(row, settings, environ),
        secrets=secrets,
        timeout_s=settings.timeout_seconds,
    )
    # Metered inside of the retries: each repeated try is paid for.
    metered: Model = remote if budget is None else MeteredModel(remote, row.prices, budget)
    # The meter reserves what an answer can cost at most, so it must know the bound.
    return PatientModel(BoundedModel(metered, settings.answer_tokens), call_limits_of(settings))


def call_limits_of(settings: ModelsSettings) -> CallLimits:
    """Return the timeouts, pauses and concurrency of the settings."""
    return CallLimits(
        timeout_s=settings.timeout_seconds,
        tries=settings.tries,
        first_pause_s=settings.pause_seconds,
        concurrency=settings.concurrency,
    )


def has_key(row: ModelRow, environ: Mapping[str, str]) -> bool | None:
    """Tell whether a row's API key is set; return None where it needs none and none is set."""
    is_set = any(environ.get(name, "").strip() for name in (row.key_env, row.other_key_env) if name)
    return is_set or (False if row.key_needed else None)


def address_known(row: ModelRow, settings: ModelsSettings, environ: Mapping[str, str]) -> str | None:
    """Return the address of a row's models, if one is set; None is the provider's own server, or no address yet."""
    try:
        return address_of(row, settings, environ)
    except SettingsError:
        return None


def load_sdk(key: str, settings: ModelsSettings) -> None:
    """Import the modules that the first question to a model needs; it takes a second or two, which can pass while a
    player reads. Safe to call from a thread; it only saves time.

    Raises:
        SettingsError: there is no such key.
    """
    row = row_of(key, settings)
    if row.provider != "builtin":
        load(row)


def _api_key(row: ModelRow, secrets: Secrets) -> str | None:
    found = next((key for name in (row.key_env, row.other_key_env) if name and (key := secrets.key(name))), None)
    if found is None and row.key_needed:
        raise SettingsError(
            f"{row.key} needs an API key, and {row.key_env} is not set",
            hint=f"set {row.key_env} in the environment; the built-in model needs none",
        )
    return found


# Check: a model's key -> whether it answers now, how fast, and for how much, by one tiny question.

# Token bound of the answer; it also covers the thinking of models that always think first.
_MAX_TOKENS = 512


class Ready(BaseModel):
    """The answer that is wanted."""

    ready: bool


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """The answer of a checked model: its own name, and the time and tokens it took."""

    key: str
    model_name: str
    milliseconds: int
    input_tokens: int
    output_tokens: int
    cost_microusd: int
    tries: tuple[str, ...]


class _Question:
    name, version = "check", "v1"
    source = "Say whether you are ready."

    @property
    def content_hash(self) -> str:
        return content_hash(self.source)

    def render(self, context: Mapping[str, object]) -> RenderedPrompt:
        system = "You are asked whether you can be reached. Answer with JSON."
        return RenderedPrompt(self.name, self.version, self.content_hash, system, "", self.source)


def most_microusd(key: str, settings: ModelsSettings) -> int:
    """Return what a check can cost at most, in millionths of a dollar; 0 where the table has no price.

    Raises:
        SettingsError: there is no such key.
    """
    prices = row_of(key, settings).prices
    request = ModelRequest("check", _Question().render({}), Ready.model_json_schema(), max_tokens=_MAX_TOKENS)
    # An answer that does not fit is asked for twice more.
    return 3 * prices.cost_microusd(estimated_input(request), _MAX_TOKENS) if prices is not None else 0


async def check_model(key: str, settings: ModelsSettings, *, environ: Mapping[str, str]) -> ModelCheck:
    """Ask a model for a structured answer, as the stages of a turn do, and return the result.

    Raises:
        SettingsError: it cannot be asked with these settings, or is built in.
        ProviderError: it did not answer, or its answer does not fit.
    """
    model = open_model(key, settings, environ=environ)
    if model is None:
        raise SettingsError(
            f"{key} asks no model", hint="the built-in stages are part of the program and need no check"
        )
    log = CallLog()
    options: Options[Ready] = Options(model=model, stage="check", max_tokens=_MAX_TOKENS, log=log)
    await run_structured(_Question(), {}, Ready, options)
    return ModelCheck(
        key=key,
        model_name=log.model_name,
        milliseconds=sum(call.milliseconds for call in log.calls),
        input_tokens=log.input_tokens,
        output_tokens=log.output_tokens,
        cost_microusd=log.cost_microusd,
        tries=tuple(problem for call in log.calls for problem in call.tries),
    )
