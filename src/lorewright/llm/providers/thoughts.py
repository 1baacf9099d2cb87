"""Thoughts: what local models think aloud before an answer, between tags, is taken out of it, whole or in pieces."""

from __future__ import annotations

_OPEN = "<think>"
_CLOSE = "</think>"


def without_thought(text: str) -> str:
    """The text without the thought that it begins with; nothing is left of one that does not end."""
    if not text.lstrip().startswith(_OPEN):
        return text
    return text.partition(_CLOSE)[2].lstrip()


class SpokenPieces:
    """Pieces of an answer in, the pieces of it that are no thought out. Joined they are `without_thought` of the
    whole, once `last` has been asked for too."""

    def __init__(self) -> None:
        self._held = ""
        self._is_open = False

    def next(self, piece: str) -> str:
        """What of the answer can be passed on after another piece, which may be nothing yet."""
        if self._is_open:
            return piece
        self._held += piece
        begun = self._held.lstrip()
        if begun.startswith(_OPEN):
            after = begun.partition(_CLOSE)[2].lstrip()
            return self._pass(after) if after else ""
        return "" if _OPEN.startswith(begun) else self._pass(self._held)

    def last(self) -> str:
        """What was held back although it was no thought."""
        return "" if self._is_open else self._pass(without_thought(self._held))

    def _pass(self, text: str) -> str:
        self._is_open, self._held = True, ""
        return text
