"""The lines that a player typed in a campaign: a file beside it, kept across sittings, for them alone to read."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from lorewright.errors import LorewrightError
from lorewright.storage.enclosure import Enclosure

# So many lines are kept, each of at most so many characters; longer ones are not: they were pasted.
_MOST_LINES = 500
_LONGEST = 2_000
# The largest file that is read: every sign may be written as six.
_MOST_BYTES = _MOST_LINES * (_LONGEST * 6 + 3)


class LineHistory:
    """The newest lines, oldest first. In the file each is a JSON string on a line of its own, since what is typed may
    have line ends. Where the file cannot be read or written, the lines last as long as the sitting."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.lines: list[str] = self._read()[-_MOST_LINES:]

    def add(self, line: str) -> None:
        """Add a line, unless it is blank, too long, or the same as the last one."""
        line = line.strip().encode("utf-8", "replace").decode("utf-8")
        if not line or len(line) > _LONGEST or line in self.lines[-1:]:
            return
        self.lines = [*self.lines, line][-_MOST_LINES:]
        text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in self.lines)
        with suppress(OSError, LorewrightError):
            Enclosure(self._path.parent).write(self._path, text.encode())

    def _read(self) -> list[str]:
        try:
            text = Enclosure(self._path.parent).read(self._path, limit=_MOST_BYTES).decode()
            lines = [json.loads(line) for line in text.split("\n") if line]
        except (OSError, LorewrightError, ValueError, RecursionError):
            return []
        return [line for line in lines if isinstance(line, str)]
