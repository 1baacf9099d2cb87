"""Faults of what nothing needs -> it is deleted, under the locks of whoever might be making or using it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lorewright.index import building
from lorewright.index.library import Library
from lorewright.index.vectors import chroma_files
from lorewright.index.vectors.chroma_building import rebuild_chroma
from lorewright.storage.database import delete_files_of
from lorewright.storage.enclosure import Enclosure


@contextmanager
def alone(library: Library) -> Iterator[None]:
    """While nobody else installs, builds or embeds; waits until that is so. Reading goes on."""
    home = Enclosure(library.generations)
    with library.changing(), home.locked(home.path(".build.lock")), home.locked(home.path(".embed.lock")):
        yield


def is_searched(folder: Path) -> bool:
    """Whether another process searches a generation through Chroma: it must not lose its files."""
    if not folder.is_dir():
        return False
    held = chroma_files.lock(folder)
    if held is None:
        return True
    held.release()
    return False


def delete_generation(library: Library, folder: Path) -> bool:
    """Delete a generation's folder, unless another process searches it through Chroma. Call it `alone`.

    Whoever else has it open keeps what was opened. It is renamed first, so that no one ever meets a part of it.

    Raises:
        UnsafePath: it is a link or holds one; nothing of it was renamed or deleted.
    """
    home = Enclosure(library.generations)
    home.refuse_links(folder)
    if folder.is_dir() and is_searched(folder):
        return False
    aside = home.temporary_folder(building.TEMPORARY)
    home.move(folder, aside / folder.name)
    home.remove(aside)
    if folder.parent != library.generations:
        home.remove_if_empty(folder.parent)
    return True


def delete_scratch(path: Path) -> bool:
    """Delete what a process left in a generation's folder beside Chroma, unless another has it now."""
    held = chroma_files.lock(path.parent)
    if held is None:
        return False
    try:
        chroma_files.remove(path)
    finally:
        held.release()
    return True


def mend_chroma(folder: Path, *, wanted: bool) -> bool:
    """Build a generation's Chroma anew, or take a damaged one away where none is wanted."""
    if wanted:
        return rebuild_chroma(folder)
    return all(delete_scratch(folder / name) for name in (chroma_files.CHROMA, chroma_files.BROKEN))


def delete_database(path: Path) -> None:
    """Delete a database that can be made again, with its log."""
    with Enclosure(path.parent).locked(path.with_name(f"{path.name}.lock")):
        delete_files_of(path)
