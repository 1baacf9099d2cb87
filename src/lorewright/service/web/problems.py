"""An error -> a refusal in problem+json (RFC 9457), with our code and hint, and without paths of this machine.

What does not exist and what may not be seen are refused in the same bytes.
"""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path

from starlette.responses import JSONResponse

from lorewright.errors import (
    AccessRefused,
    ActionIdReused,
    BudgetExceeded,
    Busy,
    CampaignError,
    DiskFull,
    EditRefused,
    FileUnavailable,
    HeadMoved,
    LorewrightError,
    NotAgreed,
    NotFound,
    NotPlayed,
    NotSignedIn,
    NotTrusted,
    PackError,
    ProviderBusy,
    ProviderError,
    ReadOnly,
    SettingsError,
    TooManyRequests,
    TurnUndone,
    UnknownAnswer,
)
from lorewright.service.queries import without_paths
from lorewright.service.web.shapes import Problem

MEDIA_TYPE = "application/problem+json"

# The first kind that fits decides.
_STATUS: tuple[tuple[type[LorewrightError], int], ...] = (
    (NotFound, 404),
    (NotSignedIn, 401),
    (TooManyRequests, 429),
    (AccessRefused, 403),
    (NotTrusted, 403),
    (NotAgreed, 402),
    (UnknownAnswer, 409),
    (NotPlayed, 400),
    (SettingsError, 422),
    (HeadMoved, 409),
    (ActionIdReused, 409),
    (TurnUndone, 409),
    (EditRefused, 422),
    (CampaignError, 409),
    (PackError, 422),
    (DiskFull, 507),
    (Busy, 503),
    (ReadOnly, 503),
    (FileUnavailable, 503),
    (BudgetExceeded, 402),
    (ProviderBusy, 503),
    (ProviderError, 502),
)

# One text for what is not there and for what may not be seen.
_NOT_FOUND = "there is no such thing, or you may not see it"


def status_of_error(error: LorewrightError) -> int:
    """Return the HTTP status that an error is answered with."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def problem_of(error: LorewrightError, workspace: Path) -> Problem:
    """Return the refusal that an error is answered with."""
    status = status_of_error(error)
    if status == 404:
        return Problem(title="Not Found", status=404, detail=_NOT_FOUND, code=NotFound.code)
    refused = error if isinstance(error, EditRefused) else None
    reason = error.reason if isinstance(error, EditRefused | NotPlayed) else None
    return Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=without_paths(error.message, workspace),
        code=error.code,
        hint=None if error.hint is None else without_paths(error.hint, workspace),
        index=None if refused is None else refused.index,
        reason=reason or None,
        field=None if refused is None else refused.field,
    )


def respond(problem: Problem, *, retry_after_s: float | None = None) -> JSONResponse:
    """Return a refusal as a response."""
    headers = {} if retry_after_s is None else {"Retry-After": str(max(1, round(retry_after_s)))}
    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    body = problem.model_dump(mode="json", exclude_none=True)
    return JSONResponse(body, problem.status, headers, MEDIA_TYPE)
