"""What a workspace's settings reach out to, shown to people, and the question whether they may."""

from __future__ import annotations

import sys
from collections.abc import Callable

from lorewright.cli.output import note
from lorewright.trust import TrustRequest


def ask_at_terminal(request: TrustRequest) -> bool:
    """Show what settings ask for and return whether whoever sits at the terminal says yes; no without a terminal. All
    of it goes to stderr: stdout may belong to a program."""
    if not _is_at_terminal():
        return False
    show_request(request, tell=note)
    note("Say yes only if you know where these settings come from. The answer is kept until they change.")
    return says_yes()


def says_yes() -> bool:
    """Ask whether shown settings are trusted; no without a terminal."""
    if not _is_at_terminal():
        return False
    sys.stderr.write("Trust them? [y/N] ")
    sys.stderr.flush()
    try:
        return sys.stdin.readline().strip().casefold() in ("y", "yes")
    except KeyboardInterrupt:
        note("")
        return False


def show_request(request: TrustRequest, *, tell: Callable[[str], None]) -> None:
    """Name the workspace and the settings of it that reach out of its folder, what gives away most last."""
    tell(f"The settings of {request.root} ask for more than its own folder:")
    for line in request.told:
        tell(f"  {line}")


def _is_at_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))
