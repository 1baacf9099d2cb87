"""A folder -> when its files were saved, told once for everything that belongs together."""

from __future__ import annotations

import time
from collections.abc import Iterator, Set
from pathlib import Path, PurePath
from typing import Protocol

# Editors write a save in several steps, a few milliseconds apart: it is over when nothing came for so long. Whatever
# goes on for longer than the second figure (a checkout, a copy) is looked at meanwhile.
_SILENCE_MS = 60
_LONGEST_MS = 600

# How often it is seen whether the time to wait is over.
_TICK_MS = 100

# A file that is empty just now is mostly one that is being written: so much longer is waited for the rest.
_EMPTY_S = 0.4

_SUFFIXES = (".md", ".markdown", ".yaml", ".yml", "")


class Saves(Protocol):
    """What is saved in a pack's folder."""

    def wait(self, timeout_s: float | None) -> Set[str]:
        """The paths, relative to the folder, that were saved, moved or deleted since the last call; waits until there
        are any, and at most so long: then none."""
        ...


class FileSaves:
    """The saves in a folder, as the operating system tells them; by looking again and again where it does not."""

    def __init__(self, root: Path, *, poll: bool = False) -> None:
        """Begin to watch: what is saved from now on is told. `poll` looks again and again in any case, as network
        drives and some containers need."""
        self._root = root.resolve()
        self._poll = poll
        self._batches = self._told()
        # The first tick sets the watch up.
        self._waiting = set(next(self._batches))

    def wait(self, timeout_s: float | None) -> Set[str]:
        """See `Saves`."""
        ends = None if timeout_s is None else time.monotonic() + timeout_s
        found, self._waiting = self._waiting, set()
        while not found and (ends is None or time.monotonic() < ends):
            found = set(next(self._batches))
        ends_at = time.monotonic() + _EMPTY_S
        while any(map(self._is_empty, found)) and time.monotonic() < ends_at:
            found |= next(self._batches)
        return found

    def _told(self) -> Iterator[Set[str]]:
        # Imported late: only who watches pays for it.
        from watchfiles import watch

        for batch in watch(
            self._root,
            watch_filter=lambda change, path: True,
            debounce=_LONGEST_MS,
            step=_SILENCE_MS,
            rust_timeout=_TICK_MS,
            yield_on_timeout=True,
            force_polling=self._poll or None,
            poll_delay_ms=_TICK_MS,
        ):
            paths = (PurePath(path) for _, path in batch)
            inside = (path.relative_to(self._root) for path in paths if path.is_relative_to(self._root))
            yield {path.as_posix() for path in inside if concerns(path)}

    def _is_empty(self, path: str) -> bool:
        file = self._root / path
        return file.is_file() and file.stat().st_size == 0


def concerns(path: PurePath) -> bool:
    """Whether a path may be one of a pack's files or folders: what is hidden, a backup or of another kind is not."""
    hidden = any(part.startswith(".") for part in path.parts)
    return not hidden and not path.name.endswith("~") and path.suffix.lower() in _SUFFIXES
