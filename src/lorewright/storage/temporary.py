"""Files that are still being made -> their names, which say who makes them, and those that nobody makes any more.

A temporary file lies next to what it becomes: `.NAME.MACHINE-PID.part`. Its maker deletes or renames it; where the
maker was killed, the next process that makes the same file deletes what was left, and in the folders of a workspace
`lorewright doctor` does.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

# SQLite's files next to a database that is being made, and its lock.
_BESIDE = ("", ".lock", "-wal", "-shm", "-journal")
_NAME = re.compile(
    r"\.(?P<name>.+)\.(?:(?P<machine>[0-9a-f]{8})-)?(?P<pid>\d{1,10})(?:-[0-9a-f]{8})?\.(?:part|building)"
    rf"(?:{'|'.join(map(re.escape, filter(None, _BESIDE)))})?"
)
# Names of earlier versions that do not say whose they are.
_UNSIGNED = re.compile(r"\.exporting-\w{8}|\.import-[0-9a-f]{8}\.part|\.export-\d+-[0-9a-f]{8}\.part")
# Of a maker on another machine, or an unknown one, nobody knows whether it lives: in seconds, a day.
_LONG_AGO_S = 86_400


def temporary_path(path: Path, *, once: bool = False) -> Path:
    """Return the path, next to `path`, at which this process makes it, or one that is used `once`. What a process that
    died left of the same file is deleted."""
    sweep(path.parent, name=path.name)
    end = f"-{secrets.token_hex(4)}" if once else ""
    return path.with_name(f".{path.name}.{maker()}{end}.part")


def maker() -> str:
    """Return the sign of this process in the names of its temporary files."""
    return f"{_machine()}-{os.getpid()}"


def sweep(folder: Path, *, name: str | None = None) -> tuple[Path, ...]:
    """Delete the temporary files in a folder whose makers are dead, all of them or those of the file of one name, and
    return their paths, in order. What cannot be deleted stays."""
    removed = []
    for path in abandoned_in(folder, name=name):
        if path.is_symlink():
            continue
        with suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            removed.append(path)
    return tuple(removed)


def abandoned_in(folder: Path, *, name: str | None = None) -> Iterator[Path]:
    """Yield the temporary files in a folder whose makers are dead, in order of their names."""
    try:
        entries = sorted(entry.name for entry in os.scandir(folder) if entry.name.startswith("."))
    except OSError:
        return
    for entry in entries:
        path = folder / entry
        signed = _NAME.fullmatch(entry)
        if signed is not None and name in (None, signed["name"], Path(signed["name"]).stem):
            is_here = signed["machine"] in (None, _machine()) and os.name != "nt"
            if not _is_running(int(signed["pid"])) if is_here else _is_old(path):
                yield path
        elif _UNSIGNED.fullmatch(entry) and _is_old(path):
            yield path


@cache
def _machine() -> str:
    """Return a short name for the machine and its space of process IDs: a container has its own."""
    said = [socket.gethostname()]
    with suppress(OSError):
        said.append(str(Path("/proc/self/ns/pid").readlink()))
    return hashlib.sha256("\0".join(said).encode()).hexdigest()[:8]


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.lstat().st_mtime > _LONG_AGO_S
    except OSError:
        return False
