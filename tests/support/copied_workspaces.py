"""A workspace that many tests begin with -> a copy of it for each of them: to make it (read a pack, index it, begin a
campaign) takes ten times as long as to copy it."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Hashable
from pathlib import Path

_MADE: dict[Hashable, Path] = {}


def copied_workspace(root: Path, make: Callable[[Path], object], *key: Hashable) -> Path:
    """Return the folder `root`, filled with a copy of what `make` makes of a folder.

    `make` is called once a process for each `key` (and the settings in the environment): the key has all that it depends
    on. A test that patches what `make` goes by patches it after this call, or makes its workspace itself. No file is shared
    with the copy, so that a test may write into it.
    """
    settings = tuple(sorted((name, value) for name, value in os.environ.items() if name.startswith("LOREWRIGHT_")))
    made = _MADE.get((*key, settings))
    if made is None:
        made = Path(tempfile.mkdtemp(prefix="lorewright-made-"))
        atexit.register(shutil.rmtree, made, ignore_errors=True)
        make(made / "workspace")
        _MADE[(*key, settings)] = made
    shutil.copytree(made / "workspace", root, dirs_exist_ok=True)
    return root
