"""How far something is: a bar on stderr while it lasts, and nothing where stderr is no terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from lorewright.cli.output import console
from lorewright.packs.loader import Progress as OnProgress


class _Count(MofNCompleteColumn):
    """`64/140`; nothing for what is one step, whose bar only shows that it goes on."""

    def render(self, task: Task) -> Text:
        """The count of a task that has more than one step."""
        return Text("") if task.total is None else super().render(task)


@contextmanager
def progress_bar() -> Iterator[OnProgress]:
    """What is told of the progress of anything, shown: each new thing that is done begins the bar anew."""
    err = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), _Count(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        shown: list[tuple[str, TaskID]] = []

        def tell(what: str, done: int, total: int) -> None:
            if not shown or shown[-1][0] != what:
                for _, over in shown[-1:]:
                    bar.remove_task(over)
                shown.append((what, bar.add_task(what, total=None)))
            bar.update(shown[-1][1], completed=done, total=total if total > 1 else None)

        yield tell
