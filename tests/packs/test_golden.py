"""The packs that ship answer what their authors ask of them, with the embedder that ships."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.authoring.golden import Golden, GoldenQuery, misses, read_golden
from lorewright.errors import EmbedderError
from lorewright.index.embedders.minilm import MiniLM
from lorewright.index.generation import Generation
from lorewright.index.library import Library
from lorewright.index.lore_indexer import LoreIndexer
from support.scale import scaled
from support.shared_build import built_once, embedding_library

PACKS = sorted(
    path for path in (Path(__file__).parents[2] / "content_packs").iterdir() if (path / "pack.yaml").is_file()
)
GOLDEN = [(pack.name, one) for pack in PACKS for one in read_golden(pack)]


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Generation, ...]]:
    """All packs that ship, embedded once for all processes of a run."""
    try:
        embedder = MiniLM()
    except EmbedderError as problem:
        pytest.skip(f"no weights: {problem.message}")

    def build(folder: Path) -> None:
        library = embedding_library(folder, embedder)
        for pack in PACKS:
            assert LoreIndexer(library).index_pack(pack).embedding is not None

    library = embedding_library(built_once(tmp_path_factory, "shipped-minilm", build), embedder)
    generations = tuple(library.open(pack.key) for pack in library.packs())
    yield generations
    for generation in generations:
        generation.close()


# Those that need meaning, and some of those that words alone answer too: all of them with CAMPAIGN_SCALE=6.
BY_MEANING = [(pack, one) for number, (pack, one) in enumerate(GOLDEN) if one.query.needs or number % 6 < scaled(1)]


@pytest.mark.campaign
@pytest.mark.parametrize(("pack", "golden"), BY_MEANING, ids=[f"{pack}/{one.place}" for pack, one in BY_MEANING])
def test_a_golden_query_is_answered_as_expected(pack: str, golden: Golden, shipped: tuple[Generation, ...]) -> None:
    assert misses(shipped, golden.query) == (), f"{pack}/{golden.place}: {golden.query.title}"


@pytest.fixture(scope="module")
def by_words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Generation, ...]]:
    """The same packs where nothing embeds."""
    library = Library(tmp_path_factory.mktemp("by-words"))
    for pack in PACKS:
        LoreIndexer(library).index_pack(pack)
    generations = tuple(library.open(pack.key) for pack in library.packs())
    yield generations
    for generation in generations:
        generation.close()


BY_WORDS = [(pack, one) for pack, one in GOLDEN if one.query.needs is None]


@pytest.mark.parametrize(("pack", "golden"), BY_WORDS, ids=[f"{pack}/{one.place}" for pack, one in BY_WORDS])
def test_a_golden_query_that_needs_no_meaning_is_answered_by_words_alone(
    pack: str, golden: Golden, by_words: tuple[Generation, ...]
) -> None:
    assert misses(by_words, golden.query) == (), f"{pack}/{golden.place}: {golden.query.title}"


def test_there_are_enough_of_them_and_of_every_kind() -> None:
    queries = [one.query for _, one in GOLDEN]
    assert len(queries) >= 60
    assert len({one.asked for one in queries}) == len(queries)
    kinds = {
        "a player who must not get secrets": [one for one in queries if one.viewer == "player" and one.exclude],
        "a character": [one for one in queries if one.viewer.startswith("npc:")],
        "a scene": [one for one in queries if one.scene is not None],
        "conditions": [one for one in queries if one.given is not None],
        "what was revealed": [one for one in queries if one.revealed],
        "several sections": [one for one in queries if len(one.include) > 1],
        "filters": [one for one in queries if one.location or one.factions or one.tags],
        "little room": [one for one in queries if one.budget <= 400],
        "a sentence": [one for one in queries if one.include_text or one.exclude_text],
        "a place in the answer": [one for one in queries if one.top],
        "meaning": [one for one in queries if one.needs == "meaning"],
    }
    assert {kind: len(found) for kind, found in kinds.items() if len(found) < 3} == {}
    assert len(BY_WORDS) >= 0.75 * len(GOLDEN)


@pytest.mark.campaign
def test_a_wrong_one_fails(shipped: tuple[Generation, ...]) -> None:
    """The same question with the answer turned round, and with names that are nothing's."""
    right = next(one.query for _, one in GOLDEN if one.query.viewer == "gm" and one.query.include)
    wrong = GoldenQuery(query=right.query, budget=right.budget, exclude=right.include)
    assert len(misses(shipped, wrong)) == len(right.include)
    assert "is in the answer, at place" in misses(shipped, wrong)[0]
    misspelt = tuple(f"{one}x" for one in right.include)
    assert misses(shipped, GoldenQuery(query=right.query, exclude=misspelt)) == tuple(
        f"there is no chunk {one}" for one in misspelt
    )
    assert (
        "is not in the answer, which is nothing"
        in misses(shipped, GoldenQuery(query="xyzzy", budget=1, include=right.include))[0]
    )
