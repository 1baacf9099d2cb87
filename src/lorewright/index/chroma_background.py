"""The installed packs of a workspace -> their Chroma collections, built by a process of low priority, one at a time.

    python -m lorewright.index.chroma_background INDEXES FINGERPRINT [wait]

Other programs read the collections; a pack without one answers as well. Exit code 0: nothing is missing any more, or
another process is building.
"""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import PIPE

from lorewright.child import die_with_parent, lower_priority, start_child
from lorewright.errors import Busy, LorewrightError
from lorewright.index.generation import CHUNKS_FILE
from lorewright.index.library import Library
from lorewright.index.vectors.chroma_building import build_missing_chroma, lacks_chroma
from lorewright.packs.files import Progress, no_progress
from lorewright.storage.enclosure import Enclosure

_MODULE = "lorewright.index.chroma_background"
# One process builds at a time in a workspace, however many commands have asked for it.
_LOCK = ".chroma.lock"
_WAIT = "wait"


def start_building(library: Library, indexes: Path, *, wait: bool, progress: Progress = no_progress) -> int:
    """Build the collections that installed packs lack, in another process; return how many those are.

    The process outlives this one, unless `wait` says to return when it has ended.

    Raises:
        OSError: the process cannot be started.
    """
    if library.vectors is None:
        return 0
    fingerprint = library.vectors.embedder.fingerprint
    missing = len(folders_without(library, fingerprint))
    if missing and wait:
        with start_child(_MODULE, indexes, fingerprint, _WAIT, stdin=PIPE) as process:
            progress("building Chroma", 0, 1)
            process.wait()
    elif missing:
        process = start_child(_MODULE, indexes, fingerprint, detached=True)
        # Nobody waits for the process; without this, Popen would warn about that when this process ends.
        process.returncode = 0
    return missing


def folders_without(library: Library, fingerprint: str) -> list[Path]:
    """Return the generations of the installed packs that have vectors of an embedder and no Chroma of them."""
    generations = Enclosure(library.generations)
    folders = (generations.checked(generations.root / pack.key.folder_in(fingerprint)) for pack in library.packs())
    return [folder for folder in folders if (folder / CHUNKS_FILE).is_file() and lacks_chroma(folder)]


def build_all(library: Library, fingerprint: str, *, wait: bool) -> bool:
    """Build the missing collections, also those of packs installed meanwhile; return whether none is missing then.

    While another process builds, do nothing, or with `wait` wait for its end. That process checks once more after
    releasing the lock, so that nothing is overlooked.
    """
    home = Enclosure(library.generations)
    tried: set[Path] = set()
    while set(folders_without(library, fingerprint)) - tried:
        try:
            with home.locked(home.root / _LOCK, timeout_s=-1 if wait else 0):
                for folder in folders_without(library, fingerprint):
                    if folder not in tried:
                        _wait_for_indexing(home)
                        build_missing_chroma(folder)
                        tried.add(folder)
        except Busy:
            return True
    return not folders_without(library, fingerprint)


def _wait_for_indexing(home: Enclosure) -> None:
    """Wait until no other process is indexing or embedding."""
    for name in (".build.lock", ".embed.lock"):
        with home.locked(home.root / name):
            pass


def main(indexes: str, fingerprint: str, *options: str) -> int:
    """Build the missing collections and return the exit code. With `wait` this process ends with its parent."""
    lower_priority()
    if _WAIT in options:
        die_with_parent()
    try:
        return 0 if build_all(Library(Path(indexes)), fingerprint, wait=_WAIT in options) else 1
    except (LorewrightError, OSError):
        return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
