"""A file that says who uses a folder: many processes hold it at once, or one holds it alone; the system lets go of it
when a process ends, however it ends.

The file is never deleted, and lies beside the folder that it stands for, not in it. Its time says when the folder was
last used.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lorewright.storage.enclosure import PRIVATE, Enclosure

if sys.platform != "win32":
    import fcntl


class Hold:
    """A folder that is in use until this is released. Releasing it twice is allowed."""

    def __init__(self, handle: int) -> None:
        self._handle: int | None = handle

    def release(self) -> None:
        """Let go of the folder."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def hold_shared(home: Enclosure, path: Path) -> Hold:
    """Hold a file beside others that do, and note that its folder is used now; the file is made where it is missing.

    Waits while another process holds it alone, which takes no longer than renaming a folder.

    Raises:
        UnsafePath: the file is a link.
        OSError: it cannot be made.
    """
    handle = _opened(home, path)
    try:
        if sys.platform != "win32":
            fcntl.flock(handle, fcntl.LOCK_SH)
        os.utime(path)
    except BaseException:
        os.close(handle)
        raise
    return Hold(handle)


@contextmanager
def holding_alone(home: Enclosure, path: Path) -> Iterator[bool]:
    """Hold a file alone while the block runs, if nobody holds it now; the block is told whether it does. Where the
    system has no such locks, it never does.

    Raises: as `hold_shared`.
    """
    handle = _opened(home, path)
    try:
        yield _lock_alone(handle)
    finally:
        os.close(handle)


def _lock_alone(handle: int) -> bool:
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _opened(home: Enclosure, path: Path) -> int:
    home.make_folder(path.parent)
    return os.open(home.checked(path), os.O_RDWR | os.O_CREAT, PRIVATE)
