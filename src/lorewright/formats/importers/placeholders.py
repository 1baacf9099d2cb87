"""`{{char}}` and `{{user}}` -> who is meant. What a pack says is read by people and must name them."""

from __future__ import annotations

import re

from lorewright.formats.importers.imported import Report

PLAYER = "the player"
NOBODY = "the character"

_CHAR = re.compile(r"\{\{\s*char\s*\}\}|<char>|<bot>", re.IGNORECASE)
_USER = re.compile(r"\{\{\s*user\s*\}\}|<user>", re.IGNORECASE)
_MACRO = re.compile(r"\{\{[^{}\n]{1,200}\}\}")


class Placeholders:
    """Fills and counts the placeholders of one source. Without a name for `{{char}}` it is "the character"."""

    def __init__(self, character: str, report: Report) -> None:
        self._character = character or NOBODY
        self._report = report

    def fill(self, text: str) -> str:
        """The text with names for placeholders; any other macro stays as it is, and is counted."""
        text, characters = _CHAR.subn(lambda _: self._character, text)
        text, users = _USER.subn(lambda _: PLAYER, text)
        self._report.add("{{char}}", f"“{self._character}”", characters)
        self._report.add("{{user}}", f"“{PLAYER}”", users)
        self._report.add("other {{…}} macros", "left as they are", len(_MACRO.findall(text)))
        return text
