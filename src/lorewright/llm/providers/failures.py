"""What an SDK raised -> our error: provider, key, HTTP status and a short clean reason, never the SDK's own text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lorewright.errors import ProviderBusy, ProviderError
from lorewright.llm.secrets import Secrets
from lorewright.llm.taxonomy import Row

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError

# A reason is a sentence (characters).
_REASON = 200
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
# These pass by themselves: a timeout on their side, a conflict, too many requests. So does every 5xx (529: overloaded).
_PASSING_STATUS = frozenset({408, 409, 429})


def failure_of(problem: Exception, row: Row, secrets: Secrets, *, address: str | None = None) -> ProviderError:
    """Our error for what pydantic-ai or an SDK below it raised; ProviderBusy where another try may do better. Where a
    connection fails, the host of `address` is named."""
    from pydantic_ai import exceptions as theirs  # late: it takes most of a second

    who = f"{row.provider} ({row.key})"
    if isinstance(problem, theirs.ModelContextWindowExceededError):
        return ProviderError(
            f"{who}: what it was to read is longer than it can read", hint="choose a model with a larger window"
        )
    if isinstance(problem, theirs.ModelQuotaExceededError):
        return ProviderError(
            f"{who}: the account has no credit left{_told(problem, secrets)}",
            hint="top it up at the provider, or choose another model",
        )
    if isinstance(problem, theirs.ModelHTTPError):
        return _of_status(
            problem, problem.status_code, row, f"{who}: HTTP {problem.status_code}{_told(problem, secrets)}"
        )
    if isinstance(problem, theirs.ModelTimeoutError):
        return ProviderBusy(f"{who}: it did not answer in time")
    if isinstance(problem, theirs.ModelConnectionError):
        return ProviderBusy(
            f"{who}: the connection{_host(address)} failed or broke off",
            hint="see whether the server is up, then try again",
        )
    if isinstance(problem, theirs.UserError):
        # What the library says of it is advice to whoever calls the library.
        return ProviderError(
            f"{who}: this model cannot be held to a schema in the way that its row says",
            hint='set mode = "tool" or "prompted" in its row under [models.keys] in lorewright.toml',
        )
    # What is left came with a good status and was no answer: HTML, half a JSON, an event that nobody knows.
    return ProviderBusy(
        f"{who}: what came back is no answer of a model", hint="see whether the address is that of a model's API"
    )


def _host(address: str | None) -> str:
    """Host and port, without names, passwords and paths that may stand around them."""
    try:
        place = urlsplit(address or "")
        return f" to {place.hostname}{f':{place.port}' if place.port else ''}" if place.hostname else ""
    except ValueError:
        return ""


def _of_status(problem: ModelHTTPError, status: int, row: Row, said: str) -> ProviderError:
    from pydantic_ai import exceptions as theirs

    if isinstance(problem, theirs.ModelAuthenticationError):
        return ProviderError(said, hint=f"see whether {row.key_env or 'its API key'} holds the right key")
    if status in _PASSING_STATUS or status >= 500:
        return ProviderBusy(said, hint="wait a little, then try again", retry_after_s=problem.retry_after)
    if isinstance(problem, theirs.ModelNotFoundError):
        return ProviderError(said, hint=f"see whether there is a model {row.model!r} at that address")
    return ProviderError(said, hint="choose another model for this stage, or the built-in one")


def _told(problem: ModelAPIError, secrets: Secrets) -> str:
    """The provider's own sentence, if it sent one in the shape that they all use; as an addition to ours."""
    body = problem.body
    error = body.get("error", body) if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return _said(message, secrets) if isinstance(message, str) else ""


def _said(text: str, secrets: Secrets) -> str:
    # Hidden first: a key that is cut or has its blanks squeezed would not be known again.
    clean = " ".join(_UNPRINTABLE.sub(" ", secrets.redacted(text)).split())
    return f": {clean[:_REASON]}" if clean else ""
