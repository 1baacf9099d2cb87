"""How far something is: a bar on stderr while it lasts, and nothing where stderr is no terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lorewright.cli.output import console
from lorewright.packs.loader import Progress as OnProgress


@contextmanager
def progress_bar() -> Iterator[OnProgress]:
    """What is told of the progress of anything, shown: each new thing that is done begins the bar anew."""
    err = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        tasks = [bar.add_task("", total=None)]
        shown = [""]

        def tell(what: str, done: int, total: int) -> None:
            if what != shown[0]:
                bar.remove_task(tasks[0])
                tasks[0], shown[0] = bar.add_task(what, total=total), what
            bar.update(tasks[0], completed=done, total=total)

        yield tell
