"""Numbers -> the cells of a table in markdown, and the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from measures import Estimate


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with its head."""
    written = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in written)


def interval(estimate: Estimate) -> str:
    """A value and its interval."""
    return f"{two(estimate.value)} ({two(estimate.low)}–{two(estimate.high)})"


def signed(difference: Estimate) -> str:
    """A difference and its interval, each with its sign."""
    return f"{_plus(difference.value)} ({_plus(difference.low)} to {_plus(difference.high)})"


def _plus(number: float) -> str:
    said = f"{abs(number):.3f}".lstrip("0")
    return f"−{said}" if number < 0 else f"+{said}" if number > 0 else "0"


def two(number: float) -> str:
    """A share to two places, as `.70`."""
    return f"{number:.2f}".removeprefix("0") if number < 1 else "1.00"


def share(number: float) -> str:
    """A share in percent."""
    return f"{number:.0%}"


def figure(value: Any) -> str:
    """A time or size to about three places; a dash where there is none."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
