"""A module of ours and its arguments -> a process of its own. The one place that starts processes.

A child takes nothing from where the user happens to stand, which may be a folder of notes that came from a stranger: a
`typer.py` in it would be imported in place of the library.
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
# The last of all priorities: see setpriority(2).
_NICEST = 19


def start_child(
    module: str,
    *arguments: str | Path,
    environment: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
    yields: bool = False,
    detached: bool = False,
) -> subprocess.Popen[bytes]:
    """Start `python -m module arguments` and return the process; what it prints is dropped, but for the events that it
    logs, where any are logged.

    It imports from the folders of the interpreter and from the one that holds this package, not from its working
    folder, which is the package's. Arguments that are paths are made absolute, and so are folders that variables of
    ours and the `XDG_` ones name. It inherits the environment and `environment` over it, without `PYTHONPATH` and all
    other variables that begin with `PYTHON`. If it `yields`, it has the lowest priority that the system knows.
    other variables that begin with `PYTHON`. One that is `detached` outlives this process, and is not ended with what
    runs in this terminal; nothing that it logs is passed on.

    Raises:
        OSError: it cannot be started.
    """
    # Not -I: that leaves out the packages that were installed with `pip install --user`, ours perhaps among them, and
    # the one variable that may be set here, by which the child runs the same code as this process, wherever that lies.
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
        # The thread alone has the pipe from here on: to close it while it is read would wait for the child.
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
    """The variable by which a child finds this package, where it would not find it by itself. Folders that it names go
    before the standard library, so that a module beside the package would be imported in place of one of that."""
    folder = PACKAGE.parent.absolute()
    # With a base of its own in the environment the user's folder is another one than the child's.
    has_own = bool(site.ENABLE_USER_SITE) and "PYTHONUSERBASE" not in os.environ
    by_itself = [*site.getsitepackages(), *([site.getusersitepackages()] if has_own else [])]
    if folder.resolve() in (Path(each).resolve() for each in by_itself):
        return {}
    return {"PYTHONPATH": str(folder)}


def _make_absolute(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables, with relative folders in them as this process means them: a child stands elsewhere."""
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
