"""Stored results -> what the next turn must know of them: the lines offered, where one came from."""

from __future__ import annotations

from typing import Any

# So many turns back the head carries messages.
RECENT_TURNS = 12

# So many turns that were told and lie beyond those are summarised at once: a small model reads some 3,000 tokens for
# it, once in so many turns; and until then what lies there is found by asking.
SUMMARISE_AFTER = 20


def options_of(result: dict[str, Any]) -> tuple[str, ...]:
    """The lines that were offered."""
    return tuple(result["suggested_actions"])


def moved_from(result: dict[str, Any]) -> str | None:
    """The place that was left in the turn, or None where none was."""
    moves = [event for event in result["engine_events"] if event["type"] == "scene_changed"]
    return moves[0]["details"]["from"] if moves else None
