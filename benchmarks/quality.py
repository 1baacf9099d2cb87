"""How well lore is found: arms side by side, in one run, on real questions.

    make bench                                   the corpora beside the checkout, or named by LOREWRIGHT_CORPORA
    python benchmarks/quality.py --windows       other ways to cut texts for embedding, too (several minutes more)
    python benchmarks/quality.py --tales         a thousand readers' questions on tales, too (two minutes more)

any@k: a section that answers is among the first k; all@k: every one is; MRR: the mean of 1 / rank of the first.
Vectors are kept between runs in `indexes/benchmarks/`, below the checkout.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "benchmarks")]

from arms import RANKING, WINDOWS, ranked_with  # noqa: E402

from lorewright.index import building, vector_building  # noqa: E402
from lorewright.index.embedders.minilm import MiniLM  # noqa: E402
from lorewright.index.embedders.remembering import RememberingEmbedder  # noqa: E402
from lorewright.index.embedding_cache import EmbeddingCache  # noqa: E402
from lorewright.index.generation import Generation  # noqa: E402
from lorewright.index.library import Library  # noqa: E402
from lorewright.index.vector_building import VectorBuilder  # noqa: E402
from lorewright.retrieval.query import LoreRetrievalQuery  # noqa: E402
from lorewright.retrieval.retriever import retrieve  # noqa: E402
from lorewright.retrieval.view import LoreView  # noqa: E402
from tale_pack import write_tales  # noqa: E402

CORPORA = Path(os.environ.get("LOREWRIGHT_CORPORA", ROOT.parent / "shared" / "corpora"))
KEPT = ROOT / "indexes" / "benchmarks"
KINDS = ("lookup", "paraphrase", "multihop", "scene")
Section = tuple[str, str]


def library(folder: Path) -> Library:
    """A library with the shipped embedder; vectors are shared by all of them."""
    embedder = RememberingEmbedder(MiniLM(), kept=2_000)
    return Library(folder, VectorBuilder(embedder, EmbeddingCache(KEPT / "embeddings.db"), bool))


def opened(folder: Path, pack: Path) -> Generation:
    """A pack, indexed and embedded where that was not done before."""

    def tell(what: str, done: int, total: int) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{pack.name}: {what} {done}/{total}   ")

    into = library(folder)
    installed = into.install(pack, lenient=True, progress=tell)
    return into.open(installed.pack.key)


def sections(view: LoreView, words: str) -> list[Section]:
    """The first ten sections of an answer."""
    found = retrieve(view, LoreRetrievalQuery(keywords=words, limit=10, max_tokens=1_000_000)).result.chunks
    return list(dict.fromkeys((c.file_path, " > ".join(c.section_path.split(" > ")[1:])) for c in found))


def section(gold: dict[str, Any]) -> Section:
    """A gold section as `sections` tells it."""
    path = gold["section_path"]
    return (gold["file"], path[1] if len(path) > 1 else "")


def measure(ask: Callable[[str], list[Section]], questions: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The row of an arm."""
    ranks: dict[str, list[int]] = defaultdict(list)
    whole: dict[str, list[bool]] = defaultdict(list)
    for question in questions:
        found = ask(question["query"])
        gold = [section(one) for one in question["gold"]]
        good = {*gold, *(section(one) for one in question["also_ok"])}
        rank = next((n for n, one in enumerate(found, start=1) if one in good), 0)
        for kind in (question["kind"], "all"):
            ranks[kind].append(rank)
            whole[kind].append(all(one in found for one in gold))
    return {
        "row": [
            f"{sum(r == 1 for r in ranks['lookup'])}/{len(ranks['lookup'])}",
            f"{sum(r > 0 for r in ranks['paraphrase'])}/{len(ranks['paraphrase'])}",
            f"{sum(whole['multihop'])}/{len(whole['multihop'])}",
            f"{sum(whole['scene'])}/{len(whole['scene'])}",
            *(f"{statistics.mean(1 / r if r else 0 for r in ranks[kind]):.3f}" for kind in (*KINDS, "all")),
        ]
    }


def arms_table(windows: bool) -> Table:
    """Every arm on the questions on the published pack."""
    asked = CORPORA / "questions" / "eclipse-phase.jsonl"
    questions = [json.loads(line) for line in asked.read_text(encoding="utf-8").splitlines()]
    pack = CORPORA / "packs" / "eclipse-phase"
    table = Table(title=f"{pack.name}: {len(questions)} questions, ten sections each")
    for column in ("arm", "lookup any@1", "paraphrase any@10", "multihop all@10", "scene all@10"):
        table.add_column(column)
    for kind in (*KINDS, "all"):
        table.add_column(f"MRR {kind}")
    generation = opened(KEPT / "shipped", pack)
    for name, setting in RANKING.items():
        with ranked_with(**setting):
            measured = measure(lambda words: sections(LoreView((generation,)), words), questions)
        table.add_row(name, *measured["row"], style="bold" if name == "as shipped" else "")
    generation.close()
    for name, cut in WINDOWS.items() if windows else ():
        building.windows_of = vector_building.windows_of = cut  # type: ignore[assignment]
        generation = opened(KEPT / name.replace(" ", "-"), pack)
        measured = measure(lambda words, one=generation: sections(LoreView((one,)), words), questions)  # type: ignore[misc]
        table.add_row(name, *measured["row"])
        generation.close()
    return table


def tales_table() -> Table:
    """The same settings on a thousand questions that have nothing to do with the others."""
    folder = KEPT / "tales"
    shutil.rmtree(folder, ignore_errors=True)
    questions = write_tales(CORPORA / "ir" / "fairytaleqa", folder)
    generation = opened(KEPT / "tales-index", folder)
    table = Table(title=f"tales: {len(questions)} readers' questions")
    for column in ("arm", "any@1", "any@10", "MRR"):
        table.add_column(column)
    for name in ("as shipped", "words alone", "meaning alone", "one weight .6 for all", "no names"):
        ranks = []
        with ranked_with(**RANKING[name]):
            for question in questions:
                query = LoreRetrievalQuery(keywords=question.text, limit=10, max_tokens=1_000_000)
                chunks = retrieve(LoreView((generation,)), query).result.chunks
                ids = list(dict.fromkeys(chunk.chunk_id.partition("~")[0] for chunk in chunks))
                ranks.append(next((n for n, one in enumerate(ids, start=1) if one in question.gold), 0))
        shares = (sum(r == 1 for r in ranks), sum(r > 0 for r in ranks), sum(1 / r for r in ranks if r))
        table.add_row(name, *(f"{share / len(ranks):.3f}" for share in shares))
    generation.close()
    return table


def main() -> None:
    """Print the tables."""
    if not (CORPORA / "questions").is_dir():
        sys.exit(f"no questions at {CORPORA}: set LOREWRIGHT_CORPORA")
    console = Console(width=150)
    console.print(arms_table("--windows" in sys.argv))
    if "--tales" in sys.argv:
        console.print(tales_table())


if __name__ == "__main__":
    main()
