"""A tool or prompt that asks which campaign is meant -> the same for a server of one campaign, which asks no more."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")

_CAMPAIGN = "campaign"


def bound_to(campaign_id: str | None, function: Callable[..., T]) -> Callable[..., T]:
    """The function without its parameter `campaign`, which is this one; as it is where it has none."""
    signature = inspect.signature(function, eval_str=True)
    if _CAMPAIGN not in signature.parameters:
        return function

    @wraps(function)
    def bound(*args: Any, **kwargs: Any) -> T:
        return function(*args, **{_CAMPAIGN: campaign_id}, **kwargs)

    kept = [one for name, one in signature.parameters.items() if name != _CAMPAIGN]
    # Whoever reads the signature (the SDK makes the schema of it) finds what is left.
    bound.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return bound
