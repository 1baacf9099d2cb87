"""The command line: each command parses, calls one function and prints."""

from __future__ import annotations

import errno
import gc
import io
import os
import sqlite3
import sys
import warnings
from contextlib import suppress
from pathlib import Path

# Imports make hundreds of thousands of objects that stay. Python's default, a collection at every 700th new object,
# takes a tenth of the time of a short command.
gc.set_threshold(50_000, 20, 50)

from lorewright.cli.output import complain, note
from lorewright.cli.root import app
from lorewright.cli.trust import ask_at_terminal
from lorewright.errors import FileUnavailable, LorewrightError, NotFound, SettingsError
from lorewright.logs import configure_logging
from lorewright.settings import WORKSPACE_VARIABLE, nearest_root
from lorewright.storage.enclosure import error_for
from lorewright.trust import ask_with


def _tell(problem: Exception) -> None:
    if _has_no_files_left(problem):
        # An event loop that got no socket complains once more when it is garbage-collected, and so does its coroutine.
        sys.unraisablehook = lambda _: None
        warnings.simplefilter("ignore")
        complain(FileUnavailable("there are too many open files", hint="close other programs, or see: ulimit -n"))
    elif isinstance(problem, LorewrightError):
        complain(problem)
        if isinstance(problem, NotFound):
            _tell_workspace(Path.cwd())
    elif isinstance(problem, AttributeError):
        raise problem
    else:
        # Trouble with the disk: full, read-only, or a damaged database. What was begun was rolled back.
        complain(error_for(problem, None))


def _tell_workspace(here: Path) -> None:
    """Say which workspace was asked, where it is not around this folder: what was looked for may be in another."""
    root = nearest_root(here)
    if root not in (here, *here.parents):
        note(f"the workspace that was asked is {root}; {WORKSPACE_VARIABLE} names another")


def _has_no_files_left(problem: BaseException | None) -> bool:
    """Tell whether an error, or one that it arose from, is a file that could not be opened because too many are
    open."""
    while problem is not None:
        if isinstance(problem, OSError) and problem.errno in (errno.EMFILE, errno.ENFILE):
            return True
        problem = problem.__cause__ or problem.__context__
    return False


def main() -> None:
    """Run the command line. Exit 0: done; 1: an error, printed on stderr with what to do; 2: wrong usage."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # Bytes that are no text, and characters that the terminal cannot show, become question marks.
        if isinstance(stream, io.TextIOWrapper):
            # A caller may have read from it already.
            with suppress(io.UnsupportedOperation):
                stream.reconfigure(errors="replace")
    ask_with(ask_at_terminal)
    try:
        configure_logging(None, os.environ)
        app()
    except MemoryError:
        complain(SettingsError("there is not enough memory", hint="close other programs, or see: ulimit -v"))
        sys.exit(1)
    except BrokenPipeError:
        # The reader of our output has closed it; nothing may be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(0)
    except (LorewrightError, sqlite3.DatabaseError, OSError, AttributeError) as problem:
        _tell(problem)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
