"""Saves -> a look after each of them, and an install when the author pauses."""

from __future__ import annotations

from collections.abc import Set
from pathlib import PurePath
from typing import Protocol

from lorewright.authoring.watching.look import Look
from lorewright.authoring.watching.saves import Saves
from lorewright.authoring.watching.watcher import PackWatcher
from lorewright.errors import LorewrightError
from lorewright.index.library import Installed
from lorewright.logs import log_event

# Others see an edit when nothing was saved for so long: to install takes a second or so, in which no look is taken.
IDLE_S = 2.0


class Listener(Protocol):
    """Who is told."""

    def seen(self, look: Look, saved: tuple[str, ...]) -> None:
        """There is something new; it was seen after these files were saved, relative to the pack and sorted."""
        ...

    def installed(self, installed: Installed) -> None:
        """Others see what was indexed last."""
        ...

    def failed(self, problem: LorewrightError) -> None:
        """It could not be installed; what was installed before stays."""
        ...


def watch(
    watcher: PackWatcher,
    saves: Saves,
    listener: Listener,
    *,
    once: bool = False,
) -> None:
    """Look after every save until interrupted, or with `once` until something new was seen.

    Where the pack is installed, others see it whenever nothing was saved for IDLE_S, and at the end.

    Raises:
        KeyboardInterrupt: the author has ended it; what was seen last is installed by then.
        LorewrightError: what is asked cannot be asked any more; see `PackWatcher.look`.
    """
    waiting = False
    try:
        while True:
            saved = saves.wait(IDLE_S if waiting else None)
            if saved:
                look = watcher.look()
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
    """The files among what was saved; editors and copies also make folders and files of the moment."""
    return tuple(sorted(path for path in saved if PurePath(path).suffix)) or tuple(sorted(saved))


def _install(watcher: PackWatcher, listener: Listener) -> None:
    try:
        installed = watcher.install()
    except LorewrightError as problem:
        log_event("error", level="warning", process="watch", code=problem.code)
        listener.failed(problem)
    else:
        if installed is not None:
            listener.installed(installed)
