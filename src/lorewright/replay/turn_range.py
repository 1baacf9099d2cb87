"""`3:8` -> the turns from 3 to 8; either end may be left open, and one number is one turn."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lorewright.errors import NotFound, SettingsError

_RANGE = re.compile(r"(\d{0,9}):(\d{0,9})|(\d{1,9})")


@dataclass(frozen=True, slots=True)
class TurnRange:
    """Turns by number, both ends included; None where an end is open."""

    first: int | None = None
    last: int | None = None

    def __contains__(self, turn_no: int) -> bool:
        return (self.first is None or turn_no >= self.first) and (self.last is None or turn_no <= self.last)

    def __str__(self) -> str:
        ends = ("" if end is None else str(end) for end in (self.first, self.last))
        return str(self.first) if self.first is not None and self.first == self.last else ":".join(ends)

    def held_to(self, last: int) -> TurnRange:
        """The range itself, where a turn up to `last` is in it.

        Raises:
            NotFound: none is.
        """
        if not any(turn_no in self for turn_no in range(last + 1)):
            raise NotFound(f"no turn is in {self}", hint=f"the last turn is {last}")
        return self


ALL_TURNS = TurnRange()


def read_range(text: str) -> TurnRange:
    """The range that a text says.

    Raises:
        SettingsError: it says none, or one that ends before it begins.
    """
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        raise SettingsError(
            f"{text!r} is no range of turns", hint="write --turns 3:8, --turns 3:, --turns :8 or --turns 5"
        )
    if match[3]:
        return TurnRange(int(match[3]), int(match[3]))
    found = TurnRange(int(match[1]) if match[1] else None, int(match[2]) if match[2] else None)
    if found.first is not None and found.last is not None and found.last < found.first:
        raise SettingsError(f"the range {text} ends before it begins", hint=f"write --turns {found.last}:{found.first}")
    return found
