"""The parts of a score -> a bar of so many cells: which sign and colour each part has, on a screen with or without."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lorewright.retrieval.ranking import PARTS


@dataclass(frozen=True, slots=True)
class Ink:
    """How a part shows: its sign, the letter where a stream has no such signs, and its colour."""

    sign: str
    letter: str
    style: str


# The signs tell the parts apart without any colour.
INKS: Mapping[str, Ink] = {
    "words": Ink("█", "W", "blue"),
    "meaning": Ink("▓", "M", "magenta"),
    "name": Ink("▒", "N", "green"),
    "filters": Ink("░", "F", "yellow"),
    "introduction": Ink("=", "I", "cyan"),
    "link": Ink(">", "L", "white"),
}


def bar(parts: Mapping[str, float], *, full: float, width: int) -> list[tuple[str, str]]:
    """(text, style) of a bar that is `width` cells long for a score of `full`; together they fill all of the width."""
    cells = cells_of(parts, full=full, width=width)
    signs = has_signs()
    drawn = [(_sign(part, signs=signs) * count, INKS[part].style) for part, count in cells.items() if count]
    return [*drawn, (" " * (width - sum(cells.values())), "")]


def legend(parts: Sequence[str]) -> list[tuple[str, str]]:
    """(text, style) of what the signs mean, for the parts that occur."""
    signs = has_signs()
    shown = [part for part in PARTS if part in parts]
    return [piece for part in shown for piece in ((_sign(part, signs=signs), INKS[part].style), (f" {part}   ", "dim"))]


def cells_of(parts: Mapping[str, float], *, full: float, width: int) -> dict[str, int]:
    """Part -> how many cells it takes. All together take what the sum does, and what is left by rounding goes to the
    largest rest."""
    given = {part: parts[part] for part in PARTS if parts.get(part, 0.0) > 0}
    if not given or full <= 0:
        return {}
    exact = {part: width * value / full for part, value in given.items()}
    total = min(width, max(1, round(sum(exact.values()))))
    cells = {part: int(share) for part, share in exact.items()}
    rest = sorted(exact, key=lambda part: (cells[part] - exact[part], PARTS.index(part)))
    for part in rest[: max(0, total - sum(cells.values()))]:
        cells[part] += 1
    return cells


def has_signs() -> bool:
    """Whether stdout has the signs of a bar and of a line."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    try:
        "".join((*(ink.sign for ink in INKS.values()), "─")).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _sign(part: str, *, signs: bool) -> str:
    return INKS[part].sign if signs else INKS[part].letter
