"""What an SDK raised -> our error: provider, key, HTTP status and a short clean reason, never the SDK's own text."""

from __future__ import annotations

import re

from lorewright.errors import ProviderBusy, ProviderError
from lorewright.llm.secrets import Secrets
from lorewright.llm.taxonomy import Row

# A reason is a sentence (characters).
_REASON = 200
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
# These pass by themselves: a timeout on their side, a conflict, too many requests. So does every 5xx (529: overloaded).
_PASSING_STATUS = frozenset({408, 409, 429})


class PassingFailure(ProviderBusy):
    """Nothing came of a try, and another may do better. `retry_after_s` is how long the provider asks to wait."""

    def __init__(self, message: str, *, hint: str | None = None, retry_after_s: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


def failure_of(problem: Exception, row: Row, secrets: Secrets) -> ProviderError:
    """Our error for what pydantic-ai or an SDK below it raised."""
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
        return _of_status(problem, row, who, secrets)
    if isinstance(problem, theirs.ModelTimeoutError):
        return PassingFailure(f"{who}: it did not answer in time")
    if isinstance(problem, theirs.ModelConnectionError):
        return PassingFailure(
            f"{who}: the connection failed or broke off", hint="see whether the server is up, then try again"
        )
    if isinstance(problem, theirs.UserError):
        return ProviderError(f"{who}: the request does not suit this model{_said(str(problem), secrets)}")
    # What is left came with a good status and was no answer: HTML, half a JSON, an event that nobody knows.
    return PassingFailure(
        f"{who}: what came back is no answer of a model", hint="see whether the address is that of a model's API"
    )


def _of_status(problem: object, row: Row, who: str, secrets: Secrets) -> ProviderError:
    from pydantic_ai import exceptions as theirs

    assert isinstance(problem, theirs.ModelHTTPError)
    status = problem.status_code
    said = f"{who}: HTTP {status}{_told(problem, secrets)}"
    if isinstance(problem, theirs.ModelAuthenticationError):
        return ProviderError(said, hint=f"see whether {row.key_env or 'its API key'} holds the right key")
    if status in _PASSING_STATUS or status >= 500:
        return PassingFailure(said, hint="wait a little, then try again", retry_after_s=problem.retry_after)
    if isinstance(problem, theirs.ModelNotFoundError):
        return ProviderError(said, hint=f"see whether there is a model {row.model!r} at that address")
    return ProviderError(said, hint="choose another model for this stage, or the built-in one")


def _told(problem: object, secrets: Secrets) -> str:
    """The provider's own sentence, if it sent one in the shape that they all use; as an addition to ours."""
    body = getattr(problem, "body", None)
    error = body.get("error", body) if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return _said(message, secrets) if isinstance(message, str) else ""


def _said(text: str, secrets: Secrets) -> str:
    # Hidden first: a key that is cut or has its blanks squeezed would not be known again.
    clean = " ".join(_UNPRINTABLE.sub(" ", secrets.redacted(text)).split())
    return f": {clean[:_REASON]}" if clean else ""
