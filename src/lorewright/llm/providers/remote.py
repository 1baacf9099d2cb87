"""RemoteModel: one try at asking a provider: the request over the network, its answer whole or an error of ours."""

from __future__ import annotations

import ssl
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from lorewright.errors import ProviderError
from lorewright.llm.model import ModelReply, ModelRequest, OnText, Talk
from lorewright.llm.providers import messages
from lorewright.llm.providers.failures import failure_of
from lorewright.llm.providers.replies import reply_of
from lorewright.llm.providers.thoughts import SpokenPieces
from lorewright.llm.providers.vendors import vendor_model
from lorewright.llm.secrets import Secrets
from lorewright.llm.taxonomy import Row
from lorewright.tokens import count_tokens

if TYPE_CHECKING:
    from pydantic_ai import messages as theirs
    from pydantic_ai.models import Model as VendorModel

# Seconds in which a server must take the connection.
_CONNECT_S = 10.0
# Longer answers are streamed although nobody listens: in one piece they would come after minutes of silence.
_LONG = 16_000
# So many of a model's own messages are kept to be shown to it again; a loop of tools needs the last few.
_RECALLED = 32


class RemoteModel:
    """A model at its provider. Nothing is imported of the SDKs until the first question.

    A client is opened for each call and closed after it: turns run in event loops of their own, and a connection that
    outlives its loop cannot be used or closed.
    """

    def __init__(
        self, row: Row, *, api_key: str | None, base_url: str | None, secrets: Secrets, timeout_s: float
    ) -> None:
        self._row = row
        self._api_key = api_key
        self._base_url = base_url
        self._secrets = secrets
        self._timeout_s = timeout_s
        self._said: OrderedDict[str, theirs.ModelResponse] = OrderedDict()

    @property
    def key(self) -> str:
        """Its key in the taxonomy."""
        return self._row.key

    @property
    def provider(self) -> str:
        """Who runs it."""
        return self._row.provider

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """One try. With `on_text` the answer is streamed and the pieces of its text passed on.

        Raises:
            ProviderBusy: nothing came of it, and another try may do better.
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
            # Whatever an SDK raises may quote headers; only what is made of it here goes on.
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
                hear = on_text if on_text is not None else _nobody
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

    def _recalled(self, talk: Talk) -> theirs.ModelResponse | None:
        """What the model said when it made these calls, as it said it; None where that is not known or not all of it
        is wanted."""
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


def load(row: Row) -> None:
    """Import all that asking a model of this row needs, and read whom we trust. Nothing is sent."""
    import httpx2
    from pydantic_ai import direct  # noqa: F401 (for the import alone)

    vendor_model(
        row, api_key="none", base_url="http://127.0.0.1", http=httpx2.AsyncClient(timeout=1.0, verify=_trust())
    )


@cache
def _trust() -> ssl.SSLContext:
    """Whom we trust; it takes a while to load."""
    import httpx2

    return httpx2.create_ssl_context()


def _nobody(piece: str) -> None:
    """Listens."""


def _streams(request: ModelRequest, on_text: OnText | None) -> bool:
    return on_text is not None or request.max_tokens > _LONG


def _text_in(event: Any) -> str:
    """The piece of the answer's text in an event of a stream; what a model thinks is none."""
    from pydantic_ai import messages as theirs

    if isinstance(event, theirs.PartStartEvent) and isinstance(event.part, theirs.TextPart):
        return event.part.content
    if isinstance(event, theirs.PartDeltaEvent) and isinstance(event.delta, theirs.TextPartDelta):
        return event.delta.content_delta
    return ""


def _refused_below(problem: BaseException) -> ProviderError | None:
    """An error of ours that was raised below an SDK, which wraps what it does not know; None where there is none."""
    seen: BaseException | None = problem
    while seen is not None and not isinstance(seen, ProviderError):
        seen = seen.__cause__ or seen.__context__
    return seen


def _is_theirs(problem: Exception) -> bool:
    """Whether an error comes out of an SDK, by where its class or the line that raised it stands."""
    return True if _top(type(problem).__module__) in _THEIRS else _raised_in(problem)


_THEIRS = frozenset({"pydantic_ai", "anthropic", "openai", "google", "httpx2", "httpcore2", "httpx", "ssl", "json"})


def _top(module: str) -> str:
    return module.partition(".")[0]


def _raised_in(problem: Exception) -> bool:
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and _top(trace.tb_frame.f_globals.get("__name__", "")) in _THEIRS
