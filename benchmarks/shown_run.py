"""A line on the terminal that tells what a long run is doing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


class Shown:
    """The run as it goes on: a line for the arm at hand."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None)

    def tell(self, what: str) -> None:
        """Say what is going on."""
        self._progress.update(self._task, description=what)

    def begin(self, what: str) -> None:
        """Say what begins, where no line can be shown as well."""
        self.tell(what)
        if not self._progress.console.is_terminal:
            self._progress.console.print(f"{what} …")


@contextmanager
def shown_on(console: Console) -> Iterator[Shown]:
    """A run that tells what it does while the block runs."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield Shown(progress)
