"""A command that takes a while -> one line that says what it is doing, and how far it is where that can be told.

`python scripts/step.py LABEL COMMAND …`. Needs nothing but Python: it runs before anything is installed. What the
command prints is shown only where it fails. Of pip it is understood what it fetches and how many packages it puts in
place.
"""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_BAR = 24
_PULSE = 6
_EVERY_S = 0.1
_LAST_LINES = 40


@dataclass(slots=True)
class Seen:
    """What a command has said so far: its lines, what it is at, and how many packages it will put in place (0: it has
    not said)."""

    lines: list[str] = field(default_factory=list)
    at: str = ""
    fetched: int = 0
    total: int = 0

    def take(self, line: str) -> None:
        """Note a line; some of pip's are understood."""
        self.lines.append(line)
        words = line.split()
        if words[:1] == ["Collecting"] and len(words) > 1:
            self.fetched += 1
            self.at = f"{_name(words[1])} ({self.fetched})"
        elif line.startswith("Installing collected packages: "):
            self.total = line.count(",") + 1
            self.at = ""


def _name(requirement: str) -> str:
    """`grpcio<2,>=1.58` -> `grpcio`."""
    return next((requirement[:at] for at, sign in enumerate(requirement) if sign in "<>=!~[;("), requirement)


def drawn(label: str, seen: Seen, *, done: int, seconds: float, columns: int) -> str:
    """The line: the label, a bar that moves until the number of packages is known and then fills, the seconds, a count
    or what is being fetched; no longer than the screen is wide."""
    if seen.total:
        full = _BAR * min(done, seen.total) // seen.total
        bar, what = "━" * full + "─" * (_BAR - full), f"{done}/{seen.total}"
    else:
        at = int(seconds * 8) % (_BAR + _PULSE) - _PULSE
        bar = "".join("━" if at <= place < at + _PULSE else "─" for place in range(_BAR))
        what = seen.at
    line = f"{label} {bar} {int(seconds)} s  {what}"
    return line[: max(columns - 1, 0)]


def run(label: str, command: Sequence[str]) -> int:
    """Run the command; its exit code."""
    at_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    if not at_terminal:
        _write(f"{label} …\n")
    began = time.monotonic()
    seen = Seen()
    before = _in_place(command)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        said: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_listen, args=(process.stdout, said), daemon=True).start()
        while _takes(said, seen):
            if at_terminal:
                done, seconds = _in_place(command) - before, time.monotonic() - began
                columns = shutil.get_terminal_size().columns
                _write("\r\x1b[2K" + drawn(label, seen, done=done, seconds=seconds, columns=columns))
    took = f"{label}: {time.monotonic() - began:.0f} s"
    if process.returncode:
        took = f"{label}: failed"
    _write(f"\r\x1b[2K{took}\n" if at_terminal else f"{took}\n" if process.returncode else "")
    if process.returncode:
        sys.stderr.write("".join(f"  {line}\n" for line in seen.lines[-_LAST_LINES:]))
    return process.returncode


def _listen(stream: object, said: queue.Queue[str | None]) -> None:
    for line in stream:  # type: ignore[attr-defined]
        said.put(line.rstrip())
    said.put(None)


def _takes(said: queue.Queue[str | None], seen: Seen) -> bool:
    """Take what was said within a moment; whether there may be more."""
    until = time.monotonic() + _EVERY_S
    while (left := until - time.monotonic()) > 0:
        try:
            line = said.get(timeout=left)
        except queue.Empty:
            return True
        if line is None:
            return False
        seen.take(line)
    return True


def _in_place(command: Sequence[str]) -> int:
    """How many packages there are where the command's Python looks for them."""
    return len(list(Path(command[0]).parent.parent.glob("lib/python*/site-packages/*.dist-info")))


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(run(sys.argv[1], sys.argv[2:]))
    except KeyboardInterrupt:
        _write("\n")
        sys.exit(130)
