"""The command line: each command parses, calls one function and prints."""

from __future__ import annotations

import io
import os
import sqlite3
import sys
from contextlib import suppress

from lorewright.cli.output import complain
from lorewright.cli.root import app
from lorewright.cli.trusting import ask_at_terminal
from lorewright.errors import LorewrightError
from lorewright.storage.trouble import trouble_of
from lorewright.trust import ask_with


def main() -> None:
    """Run the command line. Exit 0: done; 1: an error, told on stderr with what to do; 2: wrong usage."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # Bytes that are no text, and signs that a terminal has no letters for, become marks and stop nobody.
        if isinstance(stream, io.TextIOWrapper):
            # Whoever called us may have read of it already.
            with suppress(io.UnsupportedOperation):
                stream.reconfigure(errors="replace")
    ask_with(ask_at_terminal)
    try:
        app()
    except LorewrightError as error:
        complain(error)
        sys.exit(1)
    except (sqlite3.DatabaseError, OSError) as problem:
        # The disk under us: full, read-only, or what was a database is none. What was begun was rolled back.
        complain(trouble_of(problem, None))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has heard enough; nothing may be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(0)
