"""RemoteModel: one try at asking a provider: the request over the network, and its whole answer or an error of ours."""

from __future__ import annotations

import re
import ssl
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lorewright.errors import ProviderBusy, ProviderError
from lorewright.llm.gateway import Secrets
from lorewright.llm.model import ModelReply, ModelRequest, OnText, RequestMessage
from lorewright.llm.providers import messages
from lorewright.llm.providers.messages import SpokenPieces, reply_of
from lorewright.llm.providers.vendors import vendor_model
from lorewright.llm.taxonomy import ModelRow
from lorewright.tokens import count_tokens

# Failures: an SDK's error -> our error with provider, key, HTTP status and a short clean reason, never the SDK's text.

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError

# Longest reason (characters).
_REASON = 200
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
# Statuses that pass by themselves: a timeout on their side, a conflict, too many requests. So does every 5xx (529:
# overloaded).
_PASSING_STATUS = frozenset({408, 409, 429})


def failure_of(problem: Exception, row: ModelRow, secrets: Secrets, *, address: str | None = None) -> ProviderError:
    """Return our error for an error of pydantic-ai or an SDK below it; ProviderBusy where another try may succeed.
    Where a connection fails, the host of `address` is named.
    """
    from pydantic_ai import exceptions as theirs  # late: it takes most of a second

    who = f"{row.provider} ({row.key})"
    if isinstance(problem, theirs.ModelContextWindowExceededError):
        return ProviderError(
            f"{who}: the request is longer than its context window", hint="choose a model with a larger window"
        )
    if isinstance(problem, theirs.ModelQuotaExceededError):
        return ProviderError(
            f"{who}: the account has no credit left{_provider_message(problem, secrets)}",
            hint="top it up at the provider, or choose another model",
        )
    if isinstance(problem, theirs.ModelHTTPError):
        return _of_status(
            problem, problem.status_code, row, f"{who}: HTTP {problem.status_code}{_provider_message(problem, secrets)}"
        )
    if isinstance(problem, theirs.ModelTimeoutError):
        return ProviderBusy(f"{who}: it did not answer in time")
    if isinstance(problem, theirs.ModelConnectionError):
        return ProviderBusy(
            f"{who}: the connection{_host(address)} failed or broke off",
            hint="see whether the server is up, then try again",
        )
    if isinstance(problem, theirs.UserError):
        # The library's message about it is advice to its callers.
        return ProviderError(
            f"{who}: this model cannot be held to a schema in the way that its row says",
            hint='set mode = "tool" or "prompted" in its row under [models.keys] in lorewright.toml',
        )
    # All other errors came with a good status and no answer: HTML, half a JSON, an unknown event.
    return ProviderBusy(
        f"{who}: the answer does not come from a model API", hint="see whether the address is that of a model's API"
    )


def _host(address: str | None) -> str:
    """Return host and port, without any name, password and path around them."""
    try:
        place = urlsplit(address or "")
        return f" to {place.hostname}{f':{place.port}' if place.port else ''}" if place.hostname else ""
    except ValueError:
        return ""


def _of_status(problem: ModelHTTPError, status: int, row: ModelRow, said: str) -> ProviderError:
    from pydantic_ai import exceptions as theirs

    if isinstance(problem, theirs.ModelAuthenticationError):
        return ProviderError(said, hint=f"see whether {row.key_env or 'its API key'} holds the right key")
    if status in _PASSING_STATUS or status >= 500:
        return ProviderBusy(said, hint="wait a little, then try again", retry_after_s=problem.retry_after)
    if isinstance(problem, theirs.ModelNotFoundError):
        return ProviderError(said, hint=f"see whether there is a model {row.model!r} at that address")
    return ProviderError(said, hint="choose another model for this stage, or the built-in one")


def _provider_message(problem: ModelAPIError, secrets: Secrets) -> str:
    """Return the provider's own sentence, if it sent one in the shape that they all use, to be appended to ours."""
    body = problem.body
    error = body.get("error", body) if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return _said(message, secrets) if isinstance(message, str) else ""


def _said(text: str, secrets: Secrets) -> str:
    # Hidden first: a key that is cut or has its blanks squeezed would not be recognised.
    clean = " ".join(_UNPRINTABLE.sub(" ", secrets.redacted(text)).split())
    return f": {clean[:_REASON]}" if clean else ""


# RemoteModel: one try at asking a provider.

if TYPE_CHECKING:
    from pydantic_ai import messages as theirs
    from pydantic_ai.models import Model as VendorModel

# Timeout of a connection (seconds).
_CONNECT_S = 10.0
# Longer answers are streamed even without a listener: in one piece they would come after minutes of silence.
_LONG = 16_000
# How many of a model's own messages are kept to be shown to it again; a loop of tools needs the last few.
_RECALLED = 32


class RemoteModel:
    """A model at its provider. No SDK is imported before the first question.

    A client is opened for each call and closed after it: turns run in event loops of their own, and a connection that
    outlives its loop cannot be used or closed.
    """

    def __init__(
        self, row: ModelRow, *, api_key: str | None, base_url: str | None, secrets: Secrets, timeout_s: float
    ) -> None:
        self._row = row
        self._api_key = api_key
        self._base_url = base_url
        self._secrets = secrets
        self._timeout_s = timeout_s
        self._said: OrderedDict[str, theirs.ModelResponse] = OrderedDict()

    @property
    def key(self) -> str:
        """Key in the taxonomy."""
        return self._row.key

    @property
    def provider(self) -> str:
        """Name of the provider."""
        return self._row.provider

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Make one try and return the answer. With `on_text` the answer is streamed and the pieces of its text passed
        on.

        Raises:
            ProviderBusy: the try failed, and another may succeed.
            ModelRefused: the model or the provider's filter declined.
            ProviderError: another try would fail as well; the message has no text of an SDK and no secret in it.
        """
        try:
            response = await self._response(request, on_text)
            reply = self._reply(request, response, streamed=_streams(request, on_text))
        except ProviderError:
            raise
        except Exception as problem:
            if (refused := _refused_below(problem)) is not None:
                raise refused from None
            # An SDK's error may quote headers; only our own error leaves this function.
            if not _is_theirs(problem):
                raise
            raise failure_of(problem, self._row, self._secrets, address=self._base_url) from None
        prices = self._row.prices
        return replace(reply, cost_microusd=prices.cost_of(reply)) if prices is not None else reply

    async def _response(self, request: ModelRequest, on_text: OnText | None) -> theirs.ModelResponse:
        from pydantic_ai import direct  # late: it takes most of a second

        said = messages.messages_of(request, recalled=self._recalled)
        parameters = messages.parameters_of(request, self._row)
        settings = messages.settings_of(request, self._row)
        async with self._vendor() as model:
            if not _streams(request, on_text):
                return await direct.model_request(
                    model, said, model_settings=settings, model_request_parameters=parameters
                )
            async with direct.model_request_stream(
                model, said, model_settings=settings, model_request_parameters=parameters
            ) as stream:
                spoken = SpokenPieces()
                hear = on_text if on_text is not None else _ignore_piece
                async for event in stream:
                    if piece := spoken.next(_text_in(event)):
                        hear(piece)
                if piece := spoken.last():
                    hear(piece)
                return stream.get()

    def _reply(self, request: ModelRequest, response: theirs.ModelResponse, *, streamed: bool) -> ModelReply:
        reply = reply_of(response, self._row, streamed=streamed)
        if not reply.input_tokens and not reply.output_tokens:
            # Some servers do not count.
            read, written = count_tokens(request.text), count_tokens(reply.text)
            reply = replace(reply, input_tokens=read, output_tokens=written)
        for call in reply.calls:
            self._said[call.id] = response
        while len(self._said) > _RECALLED:
            self._said.popitem(last=False)
        return reply

    def _recalled(self, talk: RequestMessage) -> theirs.ModelResponse | None:
        """Return the model's original message that made these calls; None where it is not known or only a part of it is
        wanted.
        """
        known = self._said.get(talk.calls[0].id) if talk.calls else None
        if known is None or len([part for part in known.parts if part.part_kind == "tool-call"]) != len(talk.calls):
            return None
        return known

    def _too_large(self, bound: str) -> ProviderError:
        return ProviderError(
            f"{self._row.provider} ({self._row.key}): its answer is {bound}, and nothing of it was kept",
            hint="see whether the address is that of a model's API",
        )

    @asynccontextmanager
    async def _vendor(self) -> AsyncIterator[VendorModel]:
        import httpx2

        from lorewright.bounded_http import async_bounded  # late, as the SDKs: it imports httpx2

        patience = httpx2.Timeout(self._timeout_s, connect=min(_CONNECT_S, self._timeout_s))
        hooks = async_bounded(self._too_large)
        async with httpx2.AsyncClient(timeout=patience, verify=_trust(), event_hooks=hooks) as http:
            yield vendor_model(self._row, api_key=self._api_key, base_url=self._base_url, http=http)


def load(row: ModelRow) -> None:
    """Import the modules that asking a model of this row needs, and load the trusted certificates. Nothing is sent."""
    import httpx2
    from pydantic_ai import direct  # noqa: F401 (for the import alone)

    vendor_model(
        row, api_key="none", base_url="http://127.0.0.1", http=httpx2.AsyncClient(timeout=1.0, verify=_trust())
    )


@cache
def _trust() -> ssl.SSLContext:
    """Return the trusted certificates; loading them takes a while."""
    import httpx2

    return httpx2.create_ssl_context()


def _ignore_piece(piece: str) -> None:
    """Ignore a piece."""


def _streams(request: ModelRequest, on_text: OnText | None) -> bool:
    return on_text is not None or request.longest > _LONG


def _text_in(event: Any) -> str:
    """Return the piece of the answer's text in an event of a stream; empty for what a model thinks."""
    from pydantic_ai import messages as theirs

    if isinstance(event, theirs.PartStartEvent) and isinstance(event.part, theirs.TextPart):
        return event.part.content
    if isinstance(event, theirs.PartDeltaEvent) and isinstance(event.delta, theirs.TextPartDelta):
        return event.delta.content_delta
    return ""


def _refused_below(problem: BaseException) -> ProviderError | None:
    """Return an error of ours that was raised below an SDK, which wraps unknown errors; None where there is none."""
    seen: BaseException | None = problem
    while seen is not None and not isinstance(seen, ProviderError):
        seen = seen.__cause__ or seen.__context__
    return seen


def _is_theirs(problem: Exception) -> bool:
    """Tell whether an error comes out of an SDK, by the module of its class or of the line that raised it."""
    return True if _top(type(problem).__module__) in _THEIRS else _raised_in(problem)


_THEIRS = frozenset({"pydantic_ai", "anthropic", "openai", "google", "httpx2", "httpcore2", "httpx", "ssl", "json"})


def _top(module: str) -> str:
    return module.partition(".")[0]


def _raised_in(problem: Exception) -> bool:
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and _top(trace.tb_frame.f_globals.get("__name__", "")) in _THEIRS
