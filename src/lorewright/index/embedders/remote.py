"""What remote embedders share: requests within limits, retries while a server is busy, a check of every answer.

A provider's floats may differ a little from one request to the next: no two calls promise the same bits, and rounding
could not make them equal. Vectors are stored once made, so an index stays as it is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, Protocol
from weakref import finalize

import numpy as np

from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Vectors, encodable, name_space, unit_rows

BATCH_SIZE = 128
# OpenAI reads 8,192 tokens of a text and 300,000 of a request, the strictest Voyage model 120,000 of a request. A token
# is at least one byte, so these bounds hold in any language.
MOST_TEXT_BYTES = 8_000
MOST_REQUEST_BYTES = 100_000
_NO_WORDS = "(empty)"  # providers refuse an empty text


class TransientFailure(Exception):
    """A failure that may pass: no answer, too many requests, an error of the server."""

    def __init__(self, reason: str, *, retry_after: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after_s = _seconds(retry_after)


class Provider(Protocol):
    """One kind of server. It makes one attempt; its caller decides about retries."""

    @property
    def name(self) -> str:
        """The name for messages."""
        ...

    def request(self, texts: list[str], *, question: bool, timeout_s: float) -> object:
        """Return a row of numbers for each text. The timeout is that of connecting and of each read.

        Raises:
            TransientFailure: it may work later.
            EmbedderError: it will not.
        """
        ...


@dataclass(frozen=True, slots=True)
class RetryLimits:
    """Limits of waiting for a request: its attempts, the pauses between them, and all of it together."""

    attempts: int = 5
    timeout_s: float = 30.0
    first_pause_s: float = 0.5
    longest_pause_s: float = 20.0
    deadline_s: float = 90.0


class RemoteEmbedder:
    """Embeds texts by a provider, as unit vectors. Nothing is connected, and no key is read, before the first text."""

    def __init__(
        self,
        provider: Provider,
        *,
        fingerprint: str,
        patience: RetryLimits | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._provider = provider
        self._fingerprint = fingerprint
        self._patience = patience or RetryLimits()
        self._sleep = sleep
        self._dimensions: int | None = None

    @property
    def fingerprint(self) -> str:
        """Provider, model and a hash that also covers the address of another server."""
        return self._fingerprint

    @property
    def batch_size(self) -> int:
        """How many texts are sent in a request if they are not too long."""
        return BATCH_SIZE

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text; of each its first 8,000 bytes. No texts give (0, dimensions so far known).

        Raises:
            EmbedderError: no key, no answer in time, a refusal, or an answer that is no table of vectors.
        """
        tables = [self._table(request, question=False) for request in _requests([_sent(text) for text in texts])]
        if not tables:
            return np.zeros((0, self._dimensions or 0), dtype=np.float32)
        return np.concatenate(tables)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, float32 (dimensions,).

        Raises:
            EmbedderError: as `embed`.
        """
        row: Vectors = self._table([_sent(text)], question=True)[0]
        return row

    def _table(self, texts: list[str], *, question: bool) -> Vectors:
        name = self._provider.name
        table = unit_rows(self._answer(texts, question=question), count=len(texts), source=name)
        if self._dimensions not in (None, table.shape[1]):
            message = f"{name} gave {table.shape[1]} dimensions after {self._dimensions}"
            raise EmbedderError(message, hint="the model behind that name has changed; build the index anew")
        self._dimensions = table.shape[1]
        return table

    def _answer(self, texts: list[str], *, question: bool) -> object:
        """Return the first answer within the limits; a pause that would end past the deadline is not begun."""
        patience, started = self._patience, time.monotonic()
        for attempt in range(patience.attempts):
            left_s = patience.deadline_s - (time.monotonic() - started)
            try:
                return self._provider.request(
                    texts, question=question, timeout_s=max(0.1, min(patience.timeout_s, left_s))
                )
            except TransientFailure as busy:
                reason, pause_s = busy.reason, _pause(patience, attempt, busy.retry_after_s)
            if attempt + 1 == patience.attempts or time.monotonic() - started + pause_s >= patience.deadline_s:
                break
            self._sleep(pause_s)
        raise EmbedderError(
            f"{self._provider.name} did not answer: {reason}", hint="check network and address, or try later"
        )


def open_http(provider: Provider) -> Any:
    """Return an `httpx2.Client` whose answers are bounded, for one provider; it is closed when the provider is freed.
    An answer past a bound raises EmbedderError."""
    import httpx2  # late, as what imports it: it takes a while, and few use it

    from lorewright.bounded_http import bounded

    hooks = bounded(partial(_too_large, provider.name))
    # The hooks must not keep the provider alive.
    http = httpx2.Client(timeout=RetryLimits().timeout_s, follow_redirects=False, event_hooks=hooks)
    finalize(provider, http.close)
    return http


def read_key(variable: str) -> str:
    """Return an API key from the environment, stripped. No message contains it.

    Raises:
        EmbedderError: it is not set, or has characters that no key has.
    """
    key = os.environ.get(variable, "").strip()
    if not key:
        hint = f"set {variable} to your key (to any word for a server that asks for none)"
        raise EmbedderError(f"{variable} is not set", hint=hint)
    if not key.isascii() or not key.isprintable() or " " in key:
        raise EmbedderError(
            f"{variable} holds no key: it has spaces, line ends or odd characters", hint="copy it again"
        )
    return key


def refusal(name: str, status: int | None, kind: str) -> Exception:
    """Return a server's error as `TransientFailure` or `EmbedderError`, without its text, which may quote the key."""
    if status is not None and (status in (408, 409, 429) or status >= 500):
        return TransientFailure(f"status {status}")
    hints = {
        401: "check the key",
        403: "check the key and what it may do",
        404: "check the name of the model and the address",
    }
    reason = f"status {status} ({kind})" if status is not None else kind
    return EmbedderError(f"{name} refused: {reason}", hint=hints.get(status or 0, "check the model and the address"))


def _too_large(name: str, bound: str) -> EmbedderError:
    return EmbedderError(f"{name}: its answer is {bound}", hint="check the address")


def _pause(patience: RetryLimits, attempt: int, asked_s: float | None) -> float:
    """Return the pause that the server asks for, else twice as long each time; never longer than the limits allow."""
    return min(patience.longest_pause_s, patience.first_pause_s * 2**attempt if asked_s is None else asked_s)


def _seconds(retry_after: str | None) -> float | None:
    """Return the seconds of a Retry-After header, which are given as a number or as a date; None if it is invalid."""
    if retry_after is None:
        return None
    try:
        if retry_after.strip().isdigit():
            return float(retry_after)
        at = parsedate_to_datetime(retry_after)
        return max(0.0, (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - datetime.now(UTC).timestamp())
    except (TypeError, ValueError, OverflowError):
        return None


def _sent(text: str) -> str:
    """Return a text as it is sent: cut to the limit, without NUL, never empty."""
    raw = encodable(text).replace("\0", " ").encode()[:MOST_TEXT_BYTES]
    return raw.decode("utf-8", "ignore").strip() or _NO_WORDS


def _requests(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in order, in lists within the limits of a request."""
    request: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode())
        if request and (len(request) == BATCH_SIZE or size + length > MOST_REQUEST_BYTES):
            yield request
            request, size = [], 0
        request.append(text)
        size += length
    if request:
        yield request


# OpenAI's embeddings, and those of any server with the same protocol. They need the extra `openai`.

DEFAULT_MODEL = "text-embedding-3-small"
KEY_VARIABLE = "OPENAI_API_KEY"
INSTALL = 'pip install "lorewright[openai]"'
_OWN_URL = "https://api.openai.com/v1"


def open_openai(
    model: str = DEFAULT_MODEL, *, base_url: str | None = None, patience: RetryLimits | None = None
) -> RemoteEmbedder:
    """Return an embedder that asks OpenAI, or the server at `base_url` (with its `/v1`). Nothing is sent yet."""
    fingerprint = name_space("openai", model, *((base_url,) if base_url else ()))
    return RemoteEmbedder(OpenAIProvider(model, base_url or _OWN_URL), fingerprint=fingerprint, patience=patience)


class OpenAIProvider:
    """Makes one attempt by the official client. It treats texts and questions alike."""

    name = "openai"

    def __init__(self, model: str, base_url: str) -> None:
        self._model = model
        self._base_url = base_url
        self._client: Any = None

    def request(self, texts: list[str], *, question: bool, timeout_s: float) -> object:
        """Return the rows in the order of the texts."""
        client = self._opened()
        import openai  # late, as below

        try:
            answer = client.embeddings.create(
                model=self._model, input=texts, timeout=timeout_s, encoding_format="float"
            )
            ordered = sorted(answer.data, key=lambda row: row.index)
            return [row.embedding for row in ordered]
        except EmbedderError:
            raise
        except openai.APIConnectionError as problem:  # timeouts too
            if isinstance(problem.__cause__, EmbedderError):
                raise problem.__cause__ from None
            raise TransientFailure(type(problem).__name__) from None
        except openai.APIStatusError as problem:
            error = refusal(self.name, problem.status_code, type(problem).__name__)
            if isinstance(error, TransientFailure):
                raise TransientFailure(error.reason, retry_after=problem.response.headers.get("retry-after")) from None
            raise error from None
        except Exception as problem:  # the client may raise anything where the answer is no JSON
            kind = type(problem).__name__
            raise EmbedderError(f"{self.name} gave no embeddings ({kind})", hint="check the address") from None

    def _opened(self) -> Any:
        if self._client is None:
            key = read_key(KEY_VARIABLE)
            try:
                # Imported late: it takes most of a second, and is an extra.
                import openai
            except ImportError:
                raise EmbedderError("the client of OpenAI is not installed", hint=INSTALL) from None
            # The client's own retries obey Retry-After without a limit, so they are switched off.
            self._client = openai.OpenAI(
                api_key=key, base_url=self._base_url, max_retries=0, http_client=open_http(self)
            )
        return self._client
