"""Settings of the ranking, side by side, for whoever tunes it: the arms of arms.py, as tables. Nothing is written.

    python benchmarks/ranking_settings.py [--set eclipse-phase] [--windows]

With --windows other ways to cut texts for embedding, too: their indexes take minutes.
"""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console

from arms import RANKING, WINDOWS, ranked_with
from lorewright.index import vector_building
from measures import summarised
from our_arm import ours
from quality import shown_on
from quality_tables import figures
from question_sets import SETS, cut_by, opened, pack_of, question_set
from results import ArmResult, SetResult, counted


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", choices=SETS, help="one of the sets (default: each)")
    parser.add_argument("--windows", action="store_true", help="other ways to cut texts, too")
    given: Any = parser.parse_args()
    console = Console(width=150)
    with shown_on(Console(stderr=True)) as shown:
        for name in given.set or SETS:
            asked = question_set(name, shown.tell)
            arms = []
            for arm, setting in RANKING.items():
                with ranked_with(**setting):
                    scores = shown.questions(asked, arm, ours(asked.generation))
                arms.append(ArmResult(arm, "", summarised(asked.questions, scores)))
            for arm, cut in WINDOWS.items() if given.windows else ():
                with cut_by(cut, vector_building.window_texts):
                    generation = opened(pack_of(name), arm.replace(" ", "-"), shown.tell)
                    scores = shown.questions(asked, arm, ours(generation))
                    generation.close()
                arms.append(ArmResult(arm, "", summarised(asked.questions, scores)))
            console.print(figures(name, SetResult(counted(asked.questions), arms), without=False))
            asked.generation.close()


if __name__ == "__main__":
    main()
