"""What goes wrong -> what a client is told of it: code, message, hint; no traceback, and no path of the machine."""

from __future__ import annotations

import re
from pathlib import Path

from lorewright.errors import LorewrightError

# An absolute path in a message: of it only the last part is told.
_PATH = re.compile(r"(?<![\w:/.])(?:[A-Za-z]:[\\/]|/)(?:[^\s\"':;,)(]+[\\/])+")


def told(error: LorewrightError, workspace: Path) -> str:
    """`code: message`, and what to do about it on a line of its own."""
    hint = f"\nHint: {error.hint}" if error.hint else ""
    return without_paths(f"{error.code}: {error.message}{hint}", workspace)


def without_paths(text: str, workspace: Path) -> str:
    """The text with paths told from the workspace on; of others the last part alone."""
    for root in {str(workspace), str(workspace.resolve())}:
        text = text.replace(f"{root}/", "").replace(root, "the workspace")
    return _PATH.sub("", text)
