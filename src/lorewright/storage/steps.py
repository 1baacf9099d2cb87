"""Named steps of what must not be left half done, so that a test can stop the process dead at each of them."""

from __future__ import annotations

import os
import signal

# Set to a step's name, the process kills itself there: the only way to see what a power cut would leave.
KILL_VARIABLE = "LOREWRIGHT_KILL_AT"

INSTALL_STEPS = ("install:read", "install:building", "install:written", "install:synced", "install:renamed")
RECORD_STEPS = ("install:recording", "install:recorded")
EMBED_STEPS = ("embed:batch", "embed:kept", "embed:embedded", "embed:written", "embed:indexed", "embed:renamed")
COPY_STEPS = ("copy:writing", "copy:written", "copy:moved")
COMMIT_STEPS = ("commit:thought", "commit:begun", "commit:written", "commit:committed")
IMPORT_STEPS = ("import:unpacked", "import:written", "import:kept", "new:built", "new:linked")
REWIND_STEPS = ("rewind:moving", "rewind:moved")
REMOVE_STEPS = ("remove:checked", "remove:recording", "remove:recorded", "remove:deleted")


def step(name: str) -> None:
    """Say that a step is reached."""
    if os.environ.get(KILL_VARIABLE) == name:
        os.kill(os.getpid(), signal.SIGKILL)
