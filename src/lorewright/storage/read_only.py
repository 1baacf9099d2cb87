"""A database in a folder that cannot be written to -> a connection that reads it.

SQLite reads a file with a log (`-wal`) only with an index of the log (`-shm`), which it cannot make there. So there are
three cases (https://www.sqlite.org/wal.html#read_only_databases): with both files it is opened as it is; without a log
it cannot change, which `immutable` says; a log without its index is read in a copy.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote


def is_read_only(folder: Path) -> bool:
    """Tell whether a folder is there and nothing can be written into it: its disk is read-only, or others own it."""
    return folder.is_dir() and not os.access(folder, os.W_OK)


class NoLock:
    """In place of the lock of a file that nobody here can write."""

    def acquire(self) -> None:
        """Do nothing."""

    def release(self) -> None:
        """Do nothing."""

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, *_: object) -> None:
        """Do nothing."""


@contextmanager
def _copied(path: Path) -> Iterator[Path]:
    with TemporaryDirectory(prefix="lorewright-reading-") as folder:
        for file in (path, path.with_name(f"{path.name}-wal")):
            shutil.copyfile(file, Path(folder) / file.name)
        yield Path(folder) / path.name


def connect_read_only(path: Path, kind: type[sqlite3.Connection], *, timeout_s: float) -> sqlite3.Connection:
    """Return a connection that reads a database and writes nothing.

    Raises:
        sqlite3.OperationalError: it cannot be opened.
        OSError: it cannot be copied.
    """
    log, index = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    has_log = log.exists() and log.stat().st_size > 0
    if not has_log or index.exists():
        how = "mode=ro" if has_log else "mode=ro&immutable=1"
        return sqlite3.connect(
            f"file:{quote(str(path))}?{how}", uri=True, isolation_level=None, timeout=timeout_s, factory=kind
        )
    with _copied(path) as copy, closing(sqlite3.connect(copy)) as read:
        connection = sqlite3.connect(":memory:", isolation_level=None, factory=kind)
        read.backup(connection)
    return connection
