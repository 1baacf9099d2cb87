"""Faults: what can go wrong with a request to a model, as the model server does it when it is told to."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from support.model_apis.wire import Said

FaultKind = Literal[
    "slow",  # answers after `seconds`; a stream pauses so long before each piece
    "truncated",  # ends in the middle, because of the most tokens allowed
    "invalid_json",  # ends in the middle, and says that it is done
    "wrong_schema",  # JSON of another shape
    "refusal",  # the model declines
    "rate_limited",  # 429, with Retry-After of `seconds`
    "error",  # an HTTP error of `status`, 500 if not given
    "overloaded",  # 529
    "dropped",  # the connection is closed before anything is answered
    "dropped_midway",  # … in the midst of the answer
    "cut",  # a stream ends properly, but nothing says that the answer is whole
    "html",  # 200, and a page for people
    "empty",  # a whole answer with nothing in it
]
FAULTS: tuple[FaultKind, ...] = FaultKind.__args__  # type: ignore[attr-defined]

# These need no answer to spoil.
NEED_NO_ANSWER = frozenset(
    {"rate_limited", "error", "overloaded", "dropped", "html", "empty", "wrong_schema", "refusal"}
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What shall go wrong with a request. `message` is what an HTTP error says."""

    kind: FaultKind
    seconds: float = 0.0
    status: int = 500
    message: str = "so it was told to be"


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes that are sent as they are, whatever was asked: for answers that no API ever gave."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


def spoilt(said: Said, fault: Fault | None) -> Said:
    """The answer as the fault leaves it."""
    # What is called is spoilt as what is said: half the arguments are none.
    whole = said.text or "".join(json.dumps(use.arguments) for use in said.uses)
    half = whole[: len(whole) // 2]
    match fault.kind if fault is not None else None:
        case "truncated":
            return Said(half, ended="length")
        case "invalid_json":
            return Said(half or "{")
        case "wrong_schema":
            return Said('{"nothing_like_it":[]}')
        case "refusal":
            return Said(ended="refusal")
        case "empty":
            return Said()
    return said
