"""A database and steps that fail on demand, for tests of what a failed write leaves behind."""

from __future__ import annotations

import os
import signal
import sqlite3
from typing import Any

from lorewright.storage.database import Database

# Named steps of operations that must not be left half done: a test can kill the process at each of them.

# An environment variable: the process kills itself at the step that it names, as in a power cut.
KILL_VARIABLE = "LOREWRIGHT_KILL_AT"

INSTALL_STEPS = ("install:read", "install:building", "install:written", "install:synced", "install:renamed")
RECORD_STEPS = ("install:recording", "install:recorded")
EMBED_STEPS = ("embed:batch", "embed:kept", "embed:embedded", "embed:written", "embed:renamed", "embed:indexed")
COPY_STEPS = ("copy:writing", "copy:written", "copy:moved")
COMMIT_STEPS = ("commit:thought", "commit:begun", "commit:written", "commit:committed")
IMPORT_STEPS = ("import:unpacked", "import:written", "import:kept", "new:built", "new:linked")
REWIND_STEPS = ("rewind:moving", "rewind:moved")
PUSH_STEPS = ("push:object", "push:manifest", "push:text", "push:pointer")
FETCH_STEPS = ("fetch:begun", "fetch:file", "fetch:written", "fetch:renamed", "evict:moved")
REMOVE_STEPS = ("remove:checked", "remove:recording", "remove:recorded", "remove:deleted")


def step(name: str) -> None:
    """Mark that a step is reached; kill the process if a test requested that."""
    if os.environ.get(KILL_VARIABLE) == name:
        os.kill(os.getpid(), signal.SIGKILL)


# A database and steps that fail on demand.

INJECTED = "injected fault"


class _Failing(sqlite3.Connection):
    """A connection that counts the statements of write transactions, including BEGIN and COMMIT, and fails at one."""

    fail_at: int | None = None
    after = False
    counted = 0
    _writing = False

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Run a statement, or fail before or after it."""
        self._writing = self._writing or sql.startswith("BEGIN IMMEDIATE")
        if not self._writing or sql == "ROLLBACK":
            self._writing = False
            return super().execute(sql, parameters)
        self.counted += 1
        fails = self.counted == self.fail_at
        if fails and not self.after:
            raise sqlite3.OperationalError(INJECTED)
        done = super().execute(sql, parameters)
        self._writing = sql != "COMMIT"
        if fails:
            raise sqlite3.OperationalError(INJECTED)
        return done


class FailingDatabase(Database):
    """A database whose n-th statement within write transactions fails, once; reads never fail."""

    _kind = _Failing
    _connection: _Failing

    def fail_at(self, statement: int | None, *, after: bool = False) -> None:
        """Set the statement that fails (BEGIN is the first, COMMIT the last; None: none) and restart the count. With
        `after` the statement takes effect before it fails, as a COMMIT can."""
        self._connection.fail_at, self._connection.after, self._connection.counted = statement, after, 0

    @property
    def counted(self) -> int:
        """The number of statements since `fail_at` was called."""
        return self._connection.counted
