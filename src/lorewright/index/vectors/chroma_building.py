"""A generation's `vectors.npy` -> its Chroma, built and probed in processes of their own; what `doctor` asks of it.

A generation without Chroma is complete: it is searched exactly, with the same answers.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, TimeoutExpired
from typing import Literal

from lorewright.child import start_child
from lorewright.errors import DamagedFile, UnsafePath
from lorewright.index.vectors import chroma_files as files
from lorewright.index.vectors.chroma_files import BrokenSeal, Seal, copy_sealed, remove
from lorewright.index.vectors.exact import open_vectors
from lorewright.storage.enclosure import Enclosure

ChromaState = Literal["absent", "sound", "broken"]

_CHILD = "lorewright.index.vectors.chroma_child"

# 20,000 vectors build in about 15 s on two slow cores and are probed in 2 s; at the lowest priority, beside others who
# are busy, it may take many times as long.
_START_S = 180.0
_BUILD_S_PER_VECTOR = 0.03
_PROBE_S_PER_VECTOR = 0.003


def build_chroma(folder: Path, *, timeout_s: float | None = None) -> bool:
    """Build the Chroma of a generation that has none; returns whether it has one now.

    Where it cannot be built in time, does not answer as it should, or there are no vectors, nothing is left behind.
    """
    building = folder / files.BUILDING
    try:
        remove(building)
        count = len(open_vectors(folder))
        limit = _START_S + count * _BUILD_S_PER_VECTOR if timeout_s is None else timeout_s
        built = count > 0 and _ask_child("build", building, folder, timeout_s=limit) and _sound(building, folder)
        if built:
            Enclosure(folder).move(building, folder / files.CHROMA)
        return built
    except (OSError, ValueError, UnsafePath):
        return False
    finally:
        _remove_quietly(building)


def rebuild_chroma(folder: Path, *, timeout_s: float | None = None) -> bool:
    """Delete what there is of Chroma, leftovers included, and build it anew; returns whether there is one now.

    While another process searches with it, nothing is done and the answer is False.
    """
    held = files.lock(folder)
    if held is None:
        return False
    try:
        for name in (files.OPEN, files.BROKEN, files.CHROMA):
            remove(folder / name)
        return build_chroma(folder, timeout_s=timeout_s)
    except (OSError, UnsafePath):
        return False
    finally:
        held.release()


def build_missing_chroma(folder: Path) -> bool:
    """Build the Chroma of a generation that has none, or a damaged or older one; returns whether there is one now.

    While another process builds it or searches with it, nothing is done and the answer is False.
    """
    return not lacks_chroma(folder) or rebuild_chroma(folder)


def lacks_chroma(folder: Path) -> bool:
    """Return whether a generation with vectors has no Chroma that was built of them. Its bytes are not looked at."""
    try:
        if not len(open_vectors(folder)):
            return False
        return not fits(files.read_seal(Enclosure(folder).path(files.CHROMA)), folder)
    except BrokenSeal:
        return True
    except (OSError, ValueError, UnsafePath, DamagedFile):
        return False


def chroma_state(folder: Path) -> ChromaState:
    """Return whether there is a Chroma, and one that opens and finds its vectors. Nothing is changed.

    Raises:
        OSError: it cannot be looked at now.
        UnsafePath: a link stands in its place.
    """
    chroma = Enclosure(folder).path(files.CHROMA)
    if not os.path.lexists(chroma):
        return "broken" if os.path.lexists(folder / files.BROKEN) else "absent"
    try:
        return "sound" if _sound(chroma, folder) else "broken"
    except ValueError:
        return "broken"


def probed(copy: Path, folder: Path, found: Seal) -> bool:
    """Whether a copy of a sealed folder, which must be no one else's, opens and finds the generation's vectors."""
    return _ask_child("probe", copy, folder, timeout_s=_START_S + found.windows * _PROBE_S_PER_VECTOR)


def fits(found: Seal, folder: Path) -> bool:
    """Return whether what was built is of as many vectors as the generation has, and in the layout of now.

    Raises:
        OSError, ValueError: the generation's vectors cannot be read.
    """
    return found.layout == files.LAYOUT and (found.windows, found.dimensions) == open_vectors(folder).shape


def _sound(chroma: Path, folder: Path) -> bool:
    with tempfile.TemporaryDirectory() as copy:
        try:
            found = copy_sealed(chroma, Path(copy))
        except BrokenSeal:
            return False
        return fits(found, folder) and probed(Path(copy), folder, found)


def _ask_child(command: str, target: Path, folder: Path, *, timeout_s: float) -> bool:
    """Run `chroma_child` to its end; a crash, a refusal and a timeout are all False."""
    with start_child(_CHILD, command, target, folder, stdin=PIPE) as process:
        try:
            return process.wait(timeout=timeout_s) == 0
        except TimeoutExpired:
            return False
        finally:
            process.kill()


def _remove_quietly(path: Path) -> None:
    with suppress(OSError, UnsafePath):
        remove(path)
