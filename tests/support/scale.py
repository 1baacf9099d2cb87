"""How much a long test does: CI's counts, times what `CAMPAIGN_SCALE` says."""

from __future__ import annotations

import os


def scaled(count: int) -> int:
    """Return `count`, CI's size of a long test, times the environment's `CAMPAIGN_SCALE` (1 unless set)."""
    return count * max(1, int(os.environ.get("CAMPAIGN_SCALE", "1")))
