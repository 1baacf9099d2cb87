"""From how many vectors on is Chroma worth asking? Exact search and Chroma side by side, in one run.

    .venv/bin/python benchmarks/nearest.py [COUNT ...]

The vectors are derived from a seed: "model" has the low inner dimension of a model's vectors, "words" none, like those
of hashed words, which is the hardest that a graph of neighbours can be given. Times are also given as ratios to exact
search, so that they compare across machines; "same" is in how many of the questions the ten best are the same.
"""

from __future__ import annotations

import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.table import Table

from lorewright.index.building import fill
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.generation import CHUNKS_FILE
from lorewright.index.vectors.chroma import open_chroma
from lorewright.index.vectors.chroma_building import build_chroma
from lorewright.index.vectors.exact import VECTORS_FILE, WindowVectors, open_vectors
from lorewright.index.vectors.search import ChromaSearch, NearestSearch
from lorewright.packs.content_hash import READING
from lorewright.packs.models import Chunk, Manifest, Pack, PackEntity

COUNTS = (150, 6_000, 20_000)
QUESTIONS = 100
DIMENSIONS = 384
TOP = 10
Result = TypeVar("Result")


def unit(rows: np.ndarray) -> Vectors:
    """Rows of length 1."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / lengths, dtype=np.float32)


def model_like(count: int, chance: np.random.Generator) -> Vectors:
    """Vectors that lie near a space of 24 dimensions."""
    near = chance.standard_normal((count, 24)) @ chance.standard_normal((24, DIMENSIONS))
    return unit(near + 0.3 * chance.standard_normal((count, DIMENSIONS)))


def word_like(count: int, chance: np.random.Generator) -> Vectors:
    """Sums of 40 words' vectors each; common words weigh less."""
    words = unit(chance.standard_normal((5_000, DIMENSIONS)))
    shares = 1 / np.arange(5, 5_005) ** 0.8
    shares /= shares.sum()
    drawn = chance.choice(len(words), size=(count, 40), p=shares)
    return unit(np.stack([(words[one] / np.sqrt(shares[one])[:, None]).sum(axis=0) for one in drawn]))


def timed(search: NearestSearch, questions: Vectors) -> tuple[float, list[list[tuple[int, float]]]]:
    """The median milliseconds of a question, and the answers."""
    spent, answers = [], []
    for question in questions:
        started = time.perf_counter()
        answers.append(search.best_chunks(question, top=TOP))
        spent.append((time.perf_counter() - started) * 1000)
    return statistics.median(spent), answers


def seconds(work: Callable[[], Result]) -> tuple[float, Result]:
    """How long it takes, and what comes out."""
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


def median_ms(works: list[Callable[[], object]]) -> float:
    """The median milliseconds of some work."""
    return statistics.median(seconds(work)[0] * 1000 for work in works)


def write_sections(folder: Path, count: int) -> None:
    """Write the tables of a pack with so many sections, each of one window: Chroma's records tell where they stand."""
    made = [
        Chunk(f"p:e:{n}", "p", "p:e", "e.md", f"E/{n}", str(n), "lore", "words", "words", 1, 1, n, 1)
        for n in range(count)
    ]
    entity = PackEntity("p:e", "location", "E", "e.md")
    pack = Pack(Manifest(id="p", name="P"), "", "0" * 64, (entity,), tuple(made), (), READING)
    with closing(sqlite3.connect(folder / CHUNKS_FILE, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        fill(connection, pack)
        connection.execute("COMMIT")


def measure(name: str, vectors: Vectors, questions: Vectors) -> list[str]:
    """One row of the table."""
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        np.save(folder / VECTORS_FILE, vectors)
        write_sections(folder, len(vectors))
        build_s, built = seconds(partial(build_chroma, folder))
        size = sum(one.stat().st_size for one in (folder / "chroma").rglob("*") if one.is_file()) if built else 0
        windows = WindowVectors(open_vectors(folder), np.arange(len(vectors)))
        open_s, index = seconds(partial(open_chroma, folder))
        if index is None:
            sys.exit("Chroma could not be built or opened")
        with index:
            exact_ms, exact = timed(windows, questions)
            product_ms = median_ms([partial(np.matmul, windows.vectors, question) for question in questions])
            alone_ms = median_ms([partial(index.nearest, question, top=5 * TOP) for question in questions])
            chroma_ms, proposed = timed(ChromaSearch(index, windows), questions)
    same = sum(one == other for one, other in zip(exact, proposed, strict=True))
    costs = [f"{build_s:.1f}", f"{size / 1e6:.0f}", f"{open_s:.2f}"]
    times = [f"{one:.2f}" for one in (product_ms, exact_ms, alone_ms, chroma_ms)]
    return [name, str(len(vectors)), *costs, *times, f"{chroma_ms / exact_ms:.2f}", f"{same}/{len(questions)}"]


def main() -> None:
    """Measure every size and print the table."""
    counts = [int(one) for one in sys.argv[1:]] or COUNTS
    import chromadb  # noqa: F401  so that the first opening is not charged with the import

    table = Table(title=f"{DIMENSIONS} dimensions, the {TOP} best of {QUESTIONS} questions")
    costs = ("build s", "MB", "open s")
    times = ("product ms", "exact ms", "Chroma alone ms", "Chroma + exact ms")
    for column in ("vectors", "count", *costs, *times, "× exact", "same"):
        table.add_column(column, justify="left" if column == "vectors" else "right")
    for name, derive in (("model", model_like), ("words", word_like)):
        for count in counts:
            rows = derive(count + QUESTIONS, np.random.default_rng(count))
            table.add_row(*measure(name, rows[:count], rows[count:]))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
