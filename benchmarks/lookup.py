"""How well and how fast lore is found: arms side by side, in one run, on real questions.

    make bench        the corpora beside the checkout, or named by LOREWRIGHT_CORPORA

Quality is any@1, any@10 and the mean reciprocal rank of a gold section, by kind of question. Speed is a ratio to the
simplest arm, so that it compares across machines.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from lorewright.index.library import Library
from lorewright.retrieval import ranking
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView

CORPORA = Path(os.environ.get("LOREWRIGHT_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
Section = tuple[str, str]


@contextmanager
def replaced(**values: Any) -> Iterator[None]:
    """Another setting of the ranking while the block runs."""
    before = {name: getattr(ranking, name) for name in values}
    for name, value in values.items():
        setattr(ranking, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(ranking, name, value)


def no_pairs(text: str) -> list[str]:
    """No phrases at all."""
    return []


ARMS: dict[str, dict[str, Any]] = {
    "words alone": {"telling_pairs": no_pairs, "NAME_WEIGHT": 0.0, "MENTION_WEIGHT": 0.0},
    "+ names": {"telling_pairs": no_pairs},
    "+ pairs": {"NAME_WEIGHT": 0.0, "MENTION_WEIGHT": 0.0},
    "all (as shipped)": {},
}


def sections(view: LoreView, words: str) -> list[Section]:
    """The first ten sections of an answer."""
    found = retrieve(view, LoreRetrievalQuery(keywords=words, limit=10, max_tokens=1_000_000)).result.chunks
    return list(dict.fromkeys((c.file_path, " > ".join(c.section_path.split(" > ")[1:])) for c in found))


def gold(question: dict[str, Any]) -> set[Section]:
    """The sections that answer a question."""
    return {
        (one["file"], one["section_path"][1] if len(one["section_path"]) > 1 else "")
        for one in (*question["gold"], *question["also_ok"])
    }


def measure(ask: Callable[[str], list[Section]], questions: list[dict[str, Any]]) -> dict[str, Any]:
    """Quality by kind, and the median milliseconds of a question."""
    ranks: dict[str, list[int]] = defaultdict(list)
    spent = []
    for question in questions:
        started = time.perf_counter()
        found = ask(question["query"])
        spent.append((time.perf_counter() - started) * 1000)
        place = next((n for n, one in enumerate(found, start=1) if one in gold(question)), 0)
        ranks[question["kind"]].append(place)
        ranks["all"].append(place)
    return {"ranks": ranks, "p50_ms": statistics.median(spent)}


def main() -> None:
    """Install the pack into a temporary library, run every arm, print the table."""
    asked = CORPORA / "questions" / "eclipse-phase.jsonl"
    if not asked.is_file():
        sys.exit(f"no questions at {asked}: set LOREWRIGHT_CORPORA")
    questions = [json.loads(line) for line in asked.read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder))
        started = time.perf_counter()
        installed = library.install(CORPORA / "packs" / "eclipse-phase").pack
        rate = installed.chunks / (time.perf_counter() - started)
        generation = library.open(installed.key)
        view = LoreView((generation,))
        table = Table(title=f"{installed.id}: {installed.chunks} chunks, read and indexed at {rate:.0f} chunks/s")
        for column in ("arm", "lookup any@1", "any@10", "MRR", "lookup MRR", "multihop MRR", "scene MRR", "time"):
            table.add_column(column)
        base = None
        for name, setting in ARMS.items():
            with replaced(**setting):
                measured = measure(lambda words: sections(view, words), questions)
            base = base or measured["p50_ms"]
            table.add_row(name, *row(measured["ranks"]), f"{measured['p50_ms'] / base:.2f} ×")
        generation.close()
    Console(width=120).print(table)


def row(ranks: dict[str, list[int]]) -> list[str]:
    """The figures of an arm."""

    def share(places: list[int], top: int) -> str:
        return f"{sum(0 < place <= top for place in places) / len(places):.3f}"

    def mrr(places: list[int]) -> str:
        return f"{sum(1 / place for place in places if place) / len(places):.3f}"

    kinds = [mrr(ranks[kind]) for kind in ("lookup", "multihop", "scene")]
    return [share(ranks["lookup"], 1), share(ranks["all"], 10), mrr(ranks["all"]), *kinds]


if __name__ == "__main__":
    main()
