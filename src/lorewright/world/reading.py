"""Stored JSON -> WorldState, of any version that was ever written, or an error that names what does not fit."""

from __future__ import annotations

from pydantic import ValidationError

from lorewright.errors import StateMisfit
from lorewright.world.state import WorldState

_HINT = "the file was changed by hand, or written by a newer version; restore a copy, or roll back to a turn before it"


def read_state(text: str) -> WorldState:
    """The state that a text says.

    Raises:
        StateMisfit: a field is missing, is of another kind, or does not fit the ruleset's schemas.
    """
    try:
        return WorldState.model_validate_json(text)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        message = str(first["msg"]).removeprefix("Value error, ")
        raise StateMisfit(f"the stored state does not fit: {where}: {message}", hint=_HINT) from None
