"""The packs that ship answer what their authors ask of them, with the embedder that ships."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.errors import EmbedderError
from lorewright.index.embedders.minilm import MiniLM
from lorewright.index.generation import Generation
from lorewright.retrieval.golden import Golden, GoldenQuery, misses, read_golden
from shared_build import built_once, embedding_library

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
            assert library.install(pack).embedding is not None

    library = embedding_library(built_once(tmp_path_factory, "shipped-minilm", build), embedder)
    generations = tuple(library.open(pack.key) for pack in library.packs())
    yield generations
    for generation in generations:
        generation.close()


@pytest.mark.parametrize(("pack", "golden"), GOLDEN, ids=[f"{pack}/{one.place}" for pack, one in GOLDEN])
def test_a_golden_query_is_answered_as_expected(pack: str, golden: Golden, shipped: tuple[Generation, ...]) -> None:
    assert misses(shipped, golden.query) == (), f"{pack}/{golden.place}: {golden.query.query}"


def test_there_are_enough_of_them_and_of_every_kind() -> None:
    queries = [one.query for _, one in GOLDEN]
    assert len(queries) >= 40
    assert len({(one.query, one.viewer) for one in queries}) == len(queries)
    assert sum(one.viewer == "player" and bool(one.exclude) for one in queries) >= 3


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
