"""What the players asked for before the game -> the variables of it: tone, lethality, pace, lines and veils."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorewright.turn.prompting.variables import in_words
from lorewright.world.frozen import Frozen

# A wish is a sentence or two, and there are not many (characters).
_LONGEST = 300
_MOST = 12


class CalibrationVariables(Frozen):
    """What was asked for; empty where nothing was. `lines` never come up, `veils` only off the page."""

    tone: str = ""
    lethality: str = ""
    pace: str = ""
    character: str = ""
    lines: tuple[str, ...] = ()
    veils: tuple[str, ...] = ()


def calibration_of(packet: Mapping[str, Any]) -> CalibrationVariables:
    """The calibration of a packet; what is there in another shape is taken by its words, what is unknown is left."""
    given = packet.get("calibration")
    if not isinstance(given, Mapping):
        return CalibrationVariables()
    texts = {key: _text(given.get(key)) for key in ("tone", "lethality", "pace", "character")}
    return CalibrationVariables(**texts, lines=_list(given.get("lines")), veils=_list(given.get("veils")))


def _text(value: Any) -> str:
    return "" if value is None else in_words(value)[:_LONGEST]


def _list(value: Any) -> tuple[str, ...]:
    entries = value if isinstance(value, list | tuple) else [] if value in (None, "") else [value]
    return tuple(_text(one) for one in entries[:_MOST])
