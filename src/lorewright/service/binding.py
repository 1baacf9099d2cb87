"""A tool or prompt with a `campaign` parameter -> the same without it, for a server of one campaign."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

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
