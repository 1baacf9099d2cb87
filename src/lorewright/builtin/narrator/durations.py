"""Minutes -> how one says them in a sentence: `five minutes`, `a quarter of an hour`, `two hours`."""

from __future__ import annotations

_ONES = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty")
_BY_NAME = {1: "a minute", 15: "a quarter of an hour", 30: "half an hour", 60: "an hour", 90: "an hour and a half"}
_DAY = 24 * 60


def duration(minutes: int) -> str:
    """In words; from an hour on to the nearest hour, from two days on to the nearest day."""
    if minutes in _BY_NAME:
        return _BY_NAME[minutes]
    if minutes < 60:
        return f"{_number(max(minutes, 0))} minutes"
    if minutes < 90:
        return "over an hour"
    if minutes < 2 * _DAY:
        return f"{_number(round(minutes / 60))} hours"
    return f"{_number(round(minutes / _DAY))} days"


def is_plural(minutes: int) -> bool:
    """Whether a verb after the duration stands in the plural."""
    return minutes not in _BY_NAME and not 60 <= minutes < 90


def _number(value: int) -> str:
    if value < len(_ONES):
        return _ONES[value]
    if value < 60:
        tens, ones = divmod(value, 10)
        return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")
    return "many"
