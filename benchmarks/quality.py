"""How well lore is found: ours, others' ways and ours without each of its stages, side by side, on real questions.

    python benchmarks/quality.py                      both sets of the corpora (LOREWRIGHT_CORPORA)
    python benchmarks/quality.py --set eclipse-phase  one of them
    python benchmarks/quality.py --only others        no ablation (or --only ablation)
    python benchmarks/quality.py --results FOLDER     where the numbers go, instead of benchmarks/results

What a measure means stands in measures.py. Texts are embedded once and kept in `indexes/benchmarks/`: the first run
takes a quarter of an hour more.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ablation import ABLATION, Row
from lorewright.index.generation import Generation
from measures import Answer, Scores, scores_of, summarised
from other_arms import answering, other_arms
from our_arm import ours
from quality_tables import tables
from question_sets import CORPORA, SETS, QuestionSet, Tell, opened, pack_of, question_set
from results import OURS, RESULTS, ArmResult, SetResult, counted, save

SHIPPED = "as it ships"
OTHERS, WITHOUT = "others", "ablation"


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


def compared_with_others(asked: QuestionSet, shown: Shown) -> SetResult:
    """Ours, then each way of others."""
    base = shown.questions(asked, OURS, ours(asked.generation))
    arms = [ArmResult(OURS, SHIPPED, summarised(asked.questions, base))]
    for arm in other_arms(asked, shown.tell):
        scores = shown.questions(asked, arm.name, answering(asked, arm.rank))
        arms.append(ArmResult(arm.name, arm.what, summarised(asked.questions, scores, base)))
    return SetResult(counted(asked.questions), arms)


def compared_without(asked: QuestionSet, shown: Shown) -> SetResult:
    """Ours, then ours without each of its stages."""
    base = shown.questions(asked, OURS, ours(asked.generation))
    arms = [ArmResult(OURS, SHIPPED, summarised(asked.questions, base))]
    for row in ABLATION:
        with row.on(), _generation(asked, row, shown.tell) as generation:
            scores = shown.questions(asked, row.name, ours(generation))
        arms.append(ArmResult(row.name, row.what, summarised(asked.questions, scores, base)))
    return SetResult(counted(asked.questions), arms)


@contextmanager
def _generation(asked: QuestionSet, row: Row, tell: Tell) -> Iterator[Generation]:
    """The index that a row needs."""
    if not row.needs_index:
        yield asked.generation
        return
    generation = opened(pack_of(asked.name), row.way, tell)
    try:
        yield generation
    finally:
        generation.close()


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", choices=SETS, help="one of the sets (default: each)")
    parser.add_argument("--only", choices=(OTHERS, WITHOUT), help="one of the two tables of each set")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder that the numbers are written to")
    given = parser.parse_args()
    if not (CORPORA / "questions").is_dir():
        parser.exit(1, f"no questions at {CORPORA}: set LOREWRIGHT_CORPORA\n")
    console = Console(width=150)
    started = time.monotonic()
    with shown_on(Console(stderr=True)) as shown:
        for name in given.set or SETS:
            asked = question_set(name, shown.tell)
            for part, compare in ((OTHERS, compared_with_others), (WITHOUT, compared_without)):
                if given.only in (part, None):
                    result = compare(asked, shown)
                    save("quality" if part == OTHERS else part, {name: result}, given.results)
                    for table in tables(name, result, without=part == WITHOUT):
                        console.print(table)
            asked.generation.close()
    console.print(f"{(time.monotonic() - started) / 60:.1f} minutes; numbers in {given.results}")


if __name__ == "__main__":
    main()
