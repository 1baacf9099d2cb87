"""Stored results -> what the next turn must know of them: the lines offered, where one came from, failures in a row."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

# So many turns back the head carries messages, and failures are counted.
RECENT_TURNS = 12


def options_of(result: dict[str, Any]) -> tuple[str, ...]:
    """The lines that were offered."""
    return tuple(result["suggested_actions"])


def moved_from(result: dict[str, Any]) -> str | None:
    """The place that was left in the turn, or None where none was."""
    moves = [event for event in result["engine_events"] if event["type"] == "scene_changed"]
    return moves[0]["details"]["from"] if moves else None


def failures_in_a_row(results: Iterable[str], *, before: int = 0) -> int:
    """How many checks in a row failed at the end of stored results, given the newest first; `before` them so many had.
    A turn without dice neither ends nor lengthens the row."""
    failures = 0
    for result in results:
        for roll in reversed(json.loads(result)["rolls"]):
            if roll["band"] != "fail":
                return failures
            failures += 1
    return failures + before
