"""A function behind a tool, prompt or resource -> the one that the server calls: its calls are logged, its errors are
answers; and on a server of one campaign its `campaign` parameter is bound."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from lorewright.errors import LorewrightError
from lorewright.logs import logged_request
from lorewright.service.queries import Queries, error_text

T = TypeVar("T")

_CAMPAIGN = "campaign"


def bound_to(campaign_id: str | None, function: Callable[..., T]) -> Callable[..., T]:
    """Return the function with its parameter `campaign` bound; unchanged if it has none."""
    signature = inspect.signature(function, eval_str=True)
    if _CAMPAIGN not in signature.parameters:
        return function

    @wraps(function)
    def bound(*args: Any, **kwargs: Any) -> T:
        return function(*args, **{_CAMPAIGN: campaign_id}, **kwargs)

    kept = [parameter for name, parameter in signature.parameters.items() if name != _CAMPAIGN]
    # The SDK makes the schema from this signature.
    bound.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return bound


def report_errors(
    queries: Queries, function: Callable[..., T], request: str, answer: Callable[[str], Exception]
) -> Callable[..., T]:
    """Return the function with each call logged as a `request`, and its errors raised as the protocol's `answer`: a
    text that a client can read."""

    @wraps(function)
    def reporting(*args: Any, **kwargs: Any) -> T:
        try:
            with logged_request(request, campaign=queries.campaign_id, asked_for=kwargs.get("campaign")):
                return function(*args, **kwargs)
        except LorewrightError as error:
            raise answer(error_text(error, queries.app.workspace.root)) from None

    return reporting
