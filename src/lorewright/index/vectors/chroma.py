"""A generation's Chroma -> the windows that may be nearest to a question, for one long-lived process at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

import numpy as np
from filelock import FileLock

from lorewright.errors import UnsafePath
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.vectors import chroma_files as files
from lorewright.index.vectors.chroma_building import fits, probed
from lorewright.index.vectors.chroma_files import BrokenSeal, copy_sealed, remove
from lorewright.index.vectors.chroma_store import Store
from lorewright.index.vectors.exact import Rows
from lorewright.index.vectors.search import ProposalFailed
from lorewright.storage.enclosure import is_link


class ChromaIndex:
    """An open Chroma, made by `open_chroma`. Threads may share it; a fork of the process may not use it."""

    def __init__(
        self, folder: Path, store: Store, ids: Sequence[str], firsts: Rows, strays: Rows, held: FileLock
    ) -> None:
        """`folder` is the generation's, whose lock is `held`; `ids`, `firsts` and `strays` are those of the build."""
        self._folder = folder
        self._store = store
        self._first_of = dict(zip(ids, firsts.tolist(), strict=True))
        self._by_first = np.argsort(firsts, kind="stable")
        self._firsts = firsts[self._by_first]
        self.strays = list(self._with_twins(strays.tolist()))
        self._held = held
        self._owner = os.getpid()
        self._turn = Lock()
        self._closed = False

    def nearest(self, query: Vectors, *, top: int) -> list[int]:
        """About `top` windows, nearest first; those of the same vector come together, though there be more than `top`.

        Raises:
            ValueError: the query has a component that is no number, or `top` is less than 1.
            ProposalFailed: Chroma cannot answer; it is closed now, and will not answer again.
        """
        if top < 1 or not np.isfinite(query).all():
            raise ValueError("a search needs a finite vector and at least one place")
        with self._turn:
            if self._closed or os.getpid() != self._owner:
                raise ProposalFailed("closed, or opened by another process")
            with self._closing_on_failure():
                return list(self._with_twins(self._firsts_of(self._store.nearest(query, top=top))))

    def _firsts_of(self, found: Iterable[str]) -> list[int]:
        """Return the first window of each of the vectors whose records were found, in their order.

        Raises:
            ProposalFailed: a record is none of those that were built.
        """
        if unknown := [name for name in found if name not in self._first_of]:
            raise ProposalFailed(f"Chroma: it knows {unknown[0]}, which was not built")
        return list(dict.fromkeys(self._first_of[name] for name in found))

    def _with_twins(self, found: list[int]) -> Iterator[int]:
        for first in found:
            start, end = np.searchsorted(self._firsts, (first, first + 1))
            yield from self._by_first[start:end].tolist()

    @contextlib.contextmanager
    def _closing_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._close()
            raise

    def close(self) -> None:
        """Close it and let others have it. Closing twice is well."""
        with self._turn:
            self._close()

    def _close(self) -> None:
        if self._closed or os.getpid() != self._owner:
            return
        self._closed = True
        with contextlib.suppress(ProposalFailed):
            self._store.close()
        _release(self._folder, self._held)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def open_chroma(folder: Path) -> ChromaIndex | None:
    """Open a copy of a generation's Chroma; None where there is none, another process has it, or it is damaged.

    What is damaged is moved aside, for `doctor` to rebuild. Neither does it raise nor can a damaged folder kill or stop
    the process: the copy holds the bytes that were probed when they were built. Where another version of Chroma built
    them, or a process died with its copy open (maybe of it), the copy is probed again.
    """
    if not os.path.lexists(folder / files.CHROMA) or is_link(folder / files.CHROMA):
        return None
    held = files.lock(folder)
    if held is None:
        return None
    index = None
    try:
        index = _open(folder, held)
    except BrokenSeal:
        with contextlib.suppress(OSError, UnsafePath):
            files.move_aside(folder)
    except (OSError, ValueError, ProposalFailed, UnsafePath):
        pass  # The disk or Chroma refuses, or a link stands in the way, which is no damage to what was built.
    finally:
        if index is None:
            _release(folder, held)
    return index


def _open(folder: Path, held: FileLock) -> ChromaIndex:
    copy = folder / files.OPEN
    died = os.path.lexists(copy)
    remove(copy)
    found = copy_sealed(folder / files.CHROMA, copy)
    if not fits(found, folder):
        raise BrokenSeal("built of other vectors")
    if (died or found.version != files.chroma_version()) and not probed(copy, folder, found):
        raise BrokenSeal("it does not open any more, or not with this version of Chroma")
    firsts, strays = (np.load(copy / name, allow_pickle=False) for name in (files.TWINS_FILE, files.STRAYS_FILE))
    return ChromaIndex(folder, Store(copy), files.read_ids(copy, count=found.windows), firsts, strays, held)


def _release(folder: Path, held: FileLock) -> None:
    """Say that the end was clean, by deleting the copy, and let others in."""
    with contextlib.suppress(OSError, UnsafePath):
        remove(folder / files.OPEN)
    held.release()
