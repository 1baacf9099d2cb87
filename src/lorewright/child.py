"""A module of ours and its arguments -> a process of its own. The one place that starts processes.

A child takes nothing from where the user happens to stand, which may be a folder of notes that came from a stranger: a
`typer.py` in it would be imported in place of the library.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

PACKAGE = Path(__file__).parent


def start_child(
    module: str,
    *arguments: str | Path,
    environment: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start `python -m module arguments` and return the process; what it prints is dropped.

    It imports from the folders of the interpreter and from the one that holds this package, not from its working
    folder, which is the package's. Arguments that are paths are made absolute. It inherits the environment and
    `environment` over it, without `PYTHONPATH` and all other variables that begin with `PYTHON`.

    Raises:
        OSError: it cannot be started.
    """
    # Not -I: that leaves out the packages that were installed with `pip install --user`, ours perhaps among them, and
    # the one variable that is set here, by which the child runs the same code as this process, wherever that lies.
    command = [sys.executable, "-P", *(["-s"] if sys.flags.no_user_site else []), "-m", module]
    command += [str(each.absolute()) if isinstance(each, Path) else each for each in arguments]
    inherited = {name: value for name, value in os.environ.items() if not name.upper().startswith("PYTHON")}
    return subprocess.Popen(
        command,
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=PACKAGE,
        env={**inherited, **(environment or {}), "PYTHONPATH": str(PACKAGE.parent.absolute())},
    )
