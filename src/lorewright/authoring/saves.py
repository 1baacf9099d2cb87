"""A folder -> the saves of its files, reported once for everything that belongs together."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Protocol

from lorewright.authoring.watcher import Look, PackWatcher
from lorewright.errors import LorewrightError
from lorewright.extras import require_extra
from lorewright.index.lore_indexer import Installed
from lorewright.logs import log_event
from lorewright.packs.images import IMAGE_SUFFIXES

# Editors write a save in several steps, a few milliseconds apart: it is over when nothing came for so long. A save that
# goes on for longer than the second figure (a checkout, a copy) is looked at meanwhile.
_SILENCE_MS = 60
_LONGEST_MS = 600

# How often the loop checks whether the time to wait is over.
_TICK_MS = 100

# A file that is empty is usually being written: the wait for the rest is longer by so much.
_EMPTY_S = 0.4

# The path that is reported when the folder itself was replaced.
_FOLDER = "."

_SUFFIXES = (".md", ".markdown", ".yaml", ".yml", "", *IMAGE_SUFFIXES)


class Saves(Protocol):
    """A source of the saves in a pack's folder."""

    def wait(self, timeout_s: float | None) -> Set[str]:
        """Return the paths, relative to the folder, that were saved, moved or deleted since the last call. Wait until
        there are any, but at most `timeout_s`: then none."""
        ...


class FileSaves:
    """The saves in a folder, as the operating system reports them, or as polling finds them."""

    def __init__(self, root: Path, *, beside: Sequence[Path] = (), poll: bool = False) -> None:
        """Begin to watch: every save from now on is reported, those in the folders `beside` it as `../FOLDER/PATH`.
        `poll` looks again and again, as network drives and some containers need; that is also done where the system
        cannot report saves.

        Raises:
            ExtraMissing: the system could report saves, but the library that listens is not installed.
        """
        self._root = root.resolve()
        folders = (self._root, *(folder.resolve() for folder in beside))
        polls = poll or _is_wsl()
        if not polls:
            require_extra("watch", needed_by="lorewright pack watch without --poll")
        self._batches = _polled_saves(folders) if polls else _system_saves(folders)
        # The first batch is empty: it comes once the watch is set up.
        try:
            next(self._batches)
        except OSError:
            # The system's limit of watches is reached.
            self._batches = _polled_saves(folders)
            next(self._batches)

    def wait(self, timeout_s: float | None) -> Set[str]:
        """Return the saves; see `Saves`."""
        ends = None if timeout_s is None else time.monotonic() + timeout_s
        found: set[str] = set()
        while not found and (ends is None or time.monotonic() < ends):
            found = set(next(self._batches))
        ends_at = time.monotonic() + _EMPTY_S
        while any(map(self._is_empty, found)) and time.monotonic() < ends_at:
            found |= next(self._batches)
        return found

    def _is_empty(self, path: str) -> bool:
        file = self._root / path
        try:
            return file.is_file() and file.stat().st_size == 0
        except OSError:
            return False


def _is_wsl() -> bool:
    """Return True under WSL, where the system does not report what is saved from Windows."""
    return "microsoft" in platform.release().lower()


def _system_saves(folders: Sequence[Path]) -> Iterator[Set[str]]:
    """Yield the saves as the system reports them, every tick. When a folder is taken away and put back, or another
    takes its place, the system reports nothing more: then the new folder is watched, and reported as saved."""
    # Imported late: only a watch pays for it. Where it polls by itself it misses the second save of a second.
    from watchfiles import watch

    news: set[str] = set()
    while True:
        watched = [_inode_of(folder) for folder in folders]
        for batch in watch(
            *(folder for folder, inode in zip(folders, watched, strict=True) if inode is not None),
            watch_filter=lambda change, path: True,
            debounce=_LONGEST_MS,
            step=_SILENCE_MS,
            rust_timeout=_TICK_MS,
            yield_on_timeout=True,
            force_polling=False,
        ):
            paths = [PurePath(path) for _, path in batch]
            for folder in folders:
                news |= _told(folder, folders, (p.relative_to(folder) for p in paths if p.is_relative_to(folder)))
            yield news
            news = set()
            if [_inode_of(folder) for folder in folders] != watched:
                break
        now = [_inode_of(folder) for folder in folders]
        news = {
            _name(folder, folders).as_posix()
            for folder, was, is_ in zip(folders, watched, now, strict=True)
            if was != is_
        }
        while _inode_of(folders[0]) is None:
            yield news
            news = set()
            time.sleep(_TICK_MS / 1000)
            if _inode_of(folders[0]) is not None:
                news = {_FOLDER}


def _inode_of(root: Path) -> int | None:
    """Return the number by which the system knows a folder; None where there is none."""
    try:
        return root.stat().st_ino
    except OSError:
        return None


def _polled_saves(folders: Sequence[Path]) -> Iterator[Set[str]]:
    """Yield the saves as the times, sizes and numbers of the files show them, every tick; of a large folder less
    often."""
    known = _files_in(folders)
    yield set()
    while True:
        changed: set[str] = set()
        started = time.monotonic()
        now = _files_in(folders)
        pause_s = max(_TICK_MS / 1000, 10 * (time.monotonic() - started))
        while more := {path for path in {**known, **now} if known.get(path) != now.get(path)}:
            changed |= more
            known = now
            if time.monotonic() - started > _LONGEST_MS / 1000:
                break
            time.sleep(_SILENCE_MS / 1000)
            now = _files_in(folders)
        yield changed
        time.sleep(pause_s)


def _files_in(roots: Sequence[Path]) -> dict[str, tuple[int, int, int]]:
    """Return every file that may belong to a pack, by the path that is told, with the values that change when it is
    saved."""
    found: dict[str, tuple[int, int, int]] = {}
    left = [(root, root) for root in roots]
    while left:
        root, folder = left.pop()
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                    left.append((root, Path(entry.path)))
                    continue
                about = entry.stat(follow_symlinks=False)
                values = (about.st_mtime_ns, about.st_size, about.st_ino)
                found |= dict.fromkeys(_told(root, roots, [PurePath(entry.path).relative_to(root)]), values)
    return found


def _told(folder: Path, folders: Sequence[Path], paths: Iterable[PurePath]) -> set[str]:
    """Return the paths in one of the folders that may concern its pack, as they are told."""
    return {(_name(folder, folders) / path).as_posix() for path in paths if concerns(path)}


def _name(folder: Path, folders: Sequence[Path]) -> PurePath:
    """Return what a folder is called in the paths that are told: the first one is their root."""
    return PurePath(_FOLDER) if folder == folders[0] else PurePath("..", folder.name)


def is_beside(path: str) -> bool:
    """Tell whether a path that is told lies in a folder beside the one that is watched."""
    return path.startswith("../")


def concerns(path: PurePath) -> bool:
    """Tell whether a path may be one of a pack's files or folders: hidden files, backups and files of other kinds are
    not."""
    hidden = any(part.startswith(".") for part in path.parts)
    return not hidden and not path.name.endswith("~") and path.suffix.lower() in _SUFFIXES


# The loop: a look after each save, and an install when the author pauses.

# Others see an edit when nothing was saved for so long: an install takes about a second, in which no look is taken.
IDLE_S = 2.0


class SaveListener(Protocol):
    """A listener that a watch reports to."""

    def seen(self, look: Look, saved: tuple[str, ...]) -> None:
        """Report a look that found news; it was taken after these files were saved, relative to the pack and sorted."""
        ...

    def installed(self, installed: Installed) -> None:
        """Report that others now see what was indexed last."""
        ...

    def failed(self, problem: LorewrightError) -> None:
        """Report that the install failed; what was installed before stays."""
        ...


def watch(
    watcher: PackWatcher,
    saves: Saves,
    listener: SaveListener,
    *,
    once: bool = False,
) -> None:
    """Look after every save until interrupted, or with `once` until a look has found news.

    Where the pack is installed, others see it whenever nothing was saved for IDLE_S, and at the end.

    Raises:
        KeyboardInterrupt: the author has ended it; what was seen last is installed by then.
        LorewrightError: a question cannot be asked any more; see `PackWatcher.look`.
    """
    waiting = False
    try:
        while True:
            saved = saves.wait(IDLE_S if waiting else None)
            if saved:
                look = watcher.look(needed=any(map(is_beside, saved)))
                if look is not None:
                    log_look(look)
                    listener.seen(look, _files(saved))
                    waiting = waiting or look.indexed
                    if once:
                        return
            elif waiting:
                waiting = False
                _install(watcher, listener)
    finally:
        if waiting:
            _install(watcher, listener)


def log_look(look: Look) -> None:
    """Log what a look found, in numbers."""
    log_event(
        "looked",
        files=look.files,
        chunks=look.chunks,
        embedded=look.embedded,
        errors=len(look.findings.errors),
        built=look.indexed,
        ms=round(sum(took for _, took in look.milliseconds)),
    )


def _files(saved: Set[str]) -> tuple[str, ...]:
    """Return the files among the saved paths, sorted; editors and copies also make folders and temporary files."""
    return tuple(sorted(path for path in saved if PurePath(path).suffix)) or tuple(sorted(saved))


def _install(watcher: PackWatcher, listener: SaveListener) -> None:
    try:
        installed = watcher.install()
    except LorewrightError as problem:
        log_event("error", level="warning", process="watch", code=problem.code)
        listener.failed(problem)
    else:
        if installed is not None:
            listener.installed(installed)
