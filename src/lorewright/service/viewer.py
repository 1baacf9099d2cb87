"""`--as` -> for whom the world is served: one viewer for as long as the server runs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lorewright.errors import SettingsError

_VIEWER = re.compile(r"gm|player|npc:[^\s:]+(:[^\s:]+)?")


@dataclass(frozen=True, slots=True)
class Viewer:
    """The eyes that every answer is for. Only a game master may change the world."""

    name: str

    @property
    def is_gm(self) -> bool:
        """Whether nothing is kept back."""
        return self.name == "gm"


def viewer_of(text: str) -> Viewer:
    """`gm`, `player` or `npc:ID` -> the viewer.

    Raises:
        SettingsError: it is none of them.
    """
    if not _VIEWER.fullmatch(text):
        raise SettingsError(f"unknown viewer {text!r}", hint="one of gm, player, npc:ID")
    return Viewer(text)
