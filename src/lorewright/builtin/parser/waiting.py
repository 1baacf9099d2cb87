"""The verb frame of waiting: `for half an hour` -> a Reading with minutes."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.builtin.parser.clauses import Word, lows
from lorewright.builtin.parser.lexicon import lexicon
from lorewright.builtin.parser.readings import Context, Reading, acting


def wait(ctx: Context, words: str, rest: Sequence[Word]) -> Reading | None:
    """Let time go by: as long as is said, else as long as the rules have it."""
    minutes = minutes_in(lows(rest))
    metadata = {"minutes": minutes} if minutes else {}
    plain = minutes is not None or not any(word.kind == "word" for word in rest)
    return acting(ctx, "wait", "wait", metadata=metadata, confidence=1.0 if plain else 0.85)


def minutes_in(low: Sequence[str]) -> int | None:
    """`for half an hour` -> 30; None where no length is said; at least 1 and at most 480."""
    units = {"minute": 1.0, "min": 1.0, "hour": 60.0, "hr": 60.0, "h": 60.0, "second": 1 / 60, "moment": 1.0}
    for index, word in enumerate(low):
        unit = units.get(word.removesuffix("s"))
        if unit is not None:
            return max(1, min(480, round(unit * _number(low[:index]))))
    return None


def _number(low: Sequence[str]) -> float:
    numbers = lexicon().numbers
    amount = 1.0
    for word in low:
        value = min(float(word), 10_000.0) if word.isascii() and word.isdigit() else numbers.get(word)
        amount = amount if value is None else (amount * value if amount == 0.5 else value)
    return amount
