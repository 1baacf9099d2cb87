"""How well lore is found, with the embedder that ships: what the project promises, on real questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lorewright.errors import EmbedderError
from lorewright.index.embedders.minilm import MiniLM
from lorewright.index.generation import Generation
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from support.corpora import corpora, corpus_pack, questions
from support.scale import scaled
from support.shared_build import built_once, embedding_library
from support.tale_pack import write_tales

pytestmark = [pytest.mark.campaign, pytest.mark.corpora]

# The least mean reciprocal rank of the passages, a little below what is measured, where all tales are asked about and
# where each fifth is.
FLOORS = {1: 0.65, 5: 0.63}

Section = tuple[str, str]


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    try:
        return MiniLM()
    except EmbedderError as problem:
        pytest.skip(f"no weights: {problem}")


@pytest.fixture(scope="module")
def eclipse_phase(embedder: MiniLM, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generation]:
    folder = corpus_pack("eclipse-phase")
    shared = built_once(
        tmp_path_factory, "eclipse-minilm", lambda shared: _installed(embedding_library(shared, embedder), folder)
    )
    library = embedding_library(shared, embedder)
    generation = library.open(library.get("eclipse-phase").key)
    yield generation
    generation.close()


def _installed(library: Any, folder: Path) -> None:
    assert LoreIndexer(library).index_pack(folder).embedding is not None


def found(generation: Generation, words: str) -> list[Section]:
    """The first ten sections of an answer, as (file, section)."""
    query = LoreRetrievalQuery(keywords=words, limit=10, max_tokens=1_000_000)
    chunks = retrieve(LoreView((generation,)), query).result.chunks
    return list(dict.fromkeys((c.file_path, " > ".join(c.section_path.split(" > ")[1:])) for c in chunks))


def section(gold: dict[str, Any]) -> Section:
    path = gold["section_path"]
    return (gold["file"], path[1] if len(path) > 1 else "")


def test_real_questions_find_their_sections(eclipse_phase: Generation) -> None:
    """The floors lie a little below what is measured with numbers that were chosen on other packs, too: numbers that
    were chosen on these questions answered three more of the questions of two sections."""
    counts: Counter[str] = Counter()
    reciprocal = 0.0
    for question in questions():
        ten = found(eclipse_phase, question["query"])
        gold = [section(one) for one in question["gold"]]
        good = {*gold, *(section(one) for one in question["also_ok"])}
        rank = next((place for place, one in enumerate(ten, start=1) if one in good), 0)
        reciprocal += 1 / rank if rank else 0.0
        counts[f"{question['kind']} any@1"] += rank == 1
        counts[f"{question['kind']} any@10"] += rank > 0
        counts[f"{question['kind']} all@10"] += all(one in ten for one in gold)
    assert counts["lookup any@1"] >= 21
    assert counts["paraphrase any@10"] >= 15
    assert counts["multihop all@10"] >= 13
    assert counts["scene all@10"] >= 18
    assert reciprocal / len(questions()) >= 0.69


def test_readers_questions_on_tales_find_their_passages(
    embedder: MiniLM, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Of each fifth tale by name; of all 278 with CAMPAIGN_SCALE=5."""
    source = corpora() / "ir" / "fairytaleqa"
    every = 5 if scaled(1) < 5 else 1
    asked = write_tales(source, tmp_path / "tales", every=every)
    shared = built_once(
        tmp_path_factory,
        "tales-minilm",
        lambda shared: _installed(embedding_library(shared, embedder), tmp_path / "tales"),
    )
    library = embedding_library(shared, embedder)
    generation = library.open(library.get("tales").key)
    reciprocal = 0.0
    for question in asked:
        query = LoreRetrievalQuery(keywords=question.text, limit=10, max_tokens=1_000_000)
        chunks = retrieve(LoreView((generation,)), query).result.chunks
        sections = list(dict.fromkeys(chunk.chunk_id.partition("~")[0] for chunk in chunks))
        rank = next((place for place, one in enumerate(sections, start=1) if one in question.gold), 0)
        reciprocal += 1 / rank if rank else 0.0
    generation.close()
    found_at = reciprocal / len(asked)
    assert found_at >= FLOORS[every], found_at
