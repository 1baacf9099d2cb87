"""A module of ours and its arguments -> a process of its own. All processes are started here.

A child takes nothing from the user's working folder, which may be a folder of notes from a stranger: a `typer.py` in it
would be imported in place of the library.
"""

from __future__ import annotations

import os
import site
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from lorewright.logs import forward_log, is_logging, log_event

PACKAGE = Path(__file__).parent
# Variables that name a folder, and those that name several; an entry may end in /* or be * alone.
_FOLDERS = ("LOREWRIGHT_WORKSPACE", "TMPDIR", "HF_HOME", "SENTENCE_TRANSFORMERS_HOME")
_FOLDER_LISTS = ("LOREWRIGHT_TRUSTED", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS")
# The lowest priority: see setpriority(2).
_NICEST = 19


def start_child(
    module: str,
    *arguments: str | Path,
    environment: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
    yields: bool = False,
    detached: bool = False,
) -> subprocess.Popen[bytes]:
    """Start `python -m module arguments` and return the process; its output is dropped, except for logged events where
    logging is on.

    It imports from the folders of the interpreter and from the folder that holds this package, not from its working
    folder, which is the package's. Arguments that are paths are made absolute, and so are folders in our variables and
    in the `XDG_` ones. It inherits the environment, overlaid with `environment`, without `PYTHONPATH` and all other
    variables that begin with `PYTHON`. If it `yields`, it runs at the lowest priority that the system knows. A
    `detached` process outlives this one and does not end with the terminal; nothing that it logs is passed on.

    Raises:
        OSError: it cannot be started.
    """
    # Not -I: that leaves out packages installed with `pip install --user`, perhaps ours, and PYTHONPATH, the one such
    # variable that may be set here: by it the child runs the same code as this process.
    command = [sys.executable, "-P", *(["-s"] if sys.flags.no_user_site else []), "-m", module]
    command += [str(each.absolute()) if isinstance(each, Path) else each for each in arguments]
    wanted = {**os.environ, **(environment or {})}
    inherited = {name: value for name, value in wanted.items() if not name.upper().startswith("PYTHON")}
    logs = is_logging() and not detached
    process = subprocess.Popen(
        command,
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if logs else subprocess.DEVNULL,
        cwd=PACKAGE,
        env={**_make_absolute(inherited), **_path_of_package()},
        **(_detached() if detached else {}),
    )
    if yields:
        _give_way(process.pid)
    if logs and process.stderr is not None:
        log_event("child_started", module=module, pid=process.pid)
        # Only the thread holds the pipe from here on: closing the pipe while it is read would wait for the child.
        pipe, process.stderr = process.stderr, None
        Thread(target=forward_log, args=(pipe,), daemon=True).start()
    return process


def _give_way(pid: int) -> None:
    """Give a process the lowest priority. Threads that it starts later inherit it."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, pid, _NICEST)


def _detached() -> dict[str, Any]:
    """Return the options with which a process does not end with the terminal: a session of its own, where there are
    any."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def lower_priority() -> None:
    """Give this process, and all that it starts from now on, the lowest priority that there is."""
    if sys.platform == "win32":
        import ctypes  # late: no other system needs it

        idle_priority_class = 0x40
        ctypes.windll.kernel32.SetPriorityClass(ctypes.windll.kernel32.GetCurrentProcess(), idle_priority_class)
    else:
        os.nice(19)


def die_with_parent() -> None:
    """Have this process end when the one that started it does, with a pipe as its stdin; nothing is written there."""

    def wait() -> None:
        os.read(0, 1)  # It returns when the other end is closed.
        os._exit(1)

    Thread(target=wait, daemon=True).start()


def _path_of_package() -> dict[str, str]:
    """Return the variable by which a child finds this package, if it needs one. Folders in it precede the standard
    library, so a module beside the package would be imported in place of a standard one."""
    folder = PACKAGE.parent.absolute()
    # With PYTHONUSERBASE set, this process and the child have different user folders.
    has_own = bool(site.ENABLE_USER_SITE) and "PYTHONUSERBASE" not in os.environ
    by_itself = [*site.getsitepackages(), *([site.getusersitepackages()] if has_own else [])]
    if folder.resolve() in (Path(each).resolve() for each in by_itself):
        return {}
    return {"PYTHONPATH": str(folder)}


def _make_absolute(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with relative folders made absolute: the child has another working folder."""
    made = dict(environment)
    for name, value in environment.items():
        if name in _FOLDER_LISTS:
            made[name] = os.pathsep.join(_absolute(each) for each in value.split(os.pathsep))
        elif name in _FOLDERS or (name.startswith("XDG_") and name.endswith(("_HOME", "_DIR"))):
            made[name] = _absolute(value)
    return made


def _absolute(folder: str) -> str:
    text = folder.strip()
    return folder if text in ("", "*") or text.startswith("~") else str(Path(text).absolute())
