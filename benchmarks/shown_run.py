"""A run of questions -> the scores of an arm, with a line on the terminal that tells how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from measures import Answer, Scores, scores_of
from question_sets import QuestionSet


class Shown:
    """The run as it goes on: a line for the arm at hand, and how far it is."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None)

    def tell(self, what: str) -> None:
        """Say what is going on; how long it takes is not known."""
        self._progress.update(self._task, description=what, total=None, completed=0)

    def begin(self, what: str, count: int) -> None:
        """Begin with something of which the number is known. Where no bar can be shown, a line says so."""
        self._progress.update(self._task, description=what, total=count, completed=0)
        if not self._progress.console.is_terminal:
            self._progress.console.print(f"{what} …")

    def questions(self, asked: QuestionSet, arm: str, answer: Callable[[str], Answer]) -> Scores:
        """Ask every question: (questions, METRICS)."""
        self.begin(f"{asked.name}: {arm}", len(asked.questions))
        scores = []
        for question in asked.questions:
            scores.append(scores_of(question, answer(question.text)))
            self._progress.advance(self._task)
        return np.array(scores)


@contextmanager
def shown_on(console: Console) -> Iterator[Shown]:
    """A run that tells how far it is while the block runs."""
    columns = (TextColumn("{task.description}"), BarColumn(24), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield Shown(progress)
