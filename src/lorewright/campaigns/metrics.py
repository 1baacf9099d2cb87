"""The turns of a campaign -> figures of how it was played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def lore_cache_hit_rate(turns: Sequence[dict[str, Any]]) -> float | None:
    """Turns that found all their scene lore at hand, as a share of those that were counted; None where none was.

    Where a scene opens, or something that its lore depends on changes, it is gathered; who arrives is only added.
    """
    counted = [turn["lore_cached"] for turn in turns if turn["lore_cached"] is not None]
    return sum(counted) / len(counted) if counted else None
