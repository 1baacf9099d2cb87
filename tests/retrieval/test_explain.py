"""A trace says what each score is made of and what of the budget each chunk took."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.index.embedders.embedder import Vectors
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.generation import Generation
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.ranking import PARTS
from lorewright.retrieval.retriever import Retrieval, retrieve
from lorewright.retrieval.view import LoreView
from support.pack_builder import TOWN, write_pack
from support.shared_build import embedding_library

# Each part is rounded for itself.
ROUNDING = 1e-5

QUESTIONS = st.lists(
    st.sampled_from("viktor barman bar laundry boilers pier gulls guild market shotgun jin what the Dragon 9".split()),
    min_size=1,
    max_size=6,
).map(" ".join)


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Generation:
    folder = tmp_path_factory.mktemp("embedded")
    library = embedding_library(folder / "indexes", HashingEmbedder())
    return library.open(LoreIndexer(library).index_pack(write_pack(folder, TOWN)).pack.key)


def ask(generation: Generation, words: str, *, viewer: str = "gm", **fields: object) -> Retrieval:
    query = LoreRetrievalQuery.model_validate({"keywords": words, "viewer": viewer, **fields})
    return retrieve(LoreView((generation,), viewer=viewer), query)


@settings(max_examples=40, deadline=None)
@given(
    words=QUESTIONS,
    viewer=st.sampled_from(["gm", "player", "npc:town:viktor"]),
    place=st.sampled_from([None, "bar", "pier"]),
)
def test_the_parts_of_a_score_sum_to_it(embedded: Generation, words: str, viewer: str, place: str | None) -> None:
    trace = ask(embedded, words, viewer=viewer, location_id=place).trace
    assert trace.chunks
    for chunk in trace.chunks:
        assert set(chunk.parts) <= set(PARTS)
        assert sum(chunk.parts.values()) == pytest.approx(chunk.score, abs=ROUNDING)


def test_every_kind_of_part_is_told_by_its_name(embedded: Generation) -> None:
    trace = ask(embedded, "the barman and the Night Guild", location_id="bar").trace
    seen = {part for chunk in trace.chunks for part in chunk.parts}
    # Where a query has filters nothing is there because it was only mentioned.
    assert seen == {*PARTS} - {"mention"}
    tied = trace.why("town:bar:overview")
    assert tied is not None
    assert tied.parts["filters"] > 0


@settings(max_examples=30, deadline=None)
@given(words=QUESTIONS, budget=st.integers(min_value=0, max_value=400), limit=st.integers(min_value=1, max_value=6))
def test_what_was_given_of_each_chunk_is_what_the_answer_holds(
    embedded: Generation, words: str, budget: int, limit: int
) -> None:
    found = ask(embedded, words, max_tokens=budget, limit=limit)
    given_tokens = {chunk.chunk_id: chunk.given for chunk in found.trace.chunks if chunk.given}
    assert given_tokens == {one.chunk_id: one.metadata["token_count"] for one in found.result.chunks}
    assert sum(given_tokens.values()) == found.result.total_tokens <= found.trace.max_tokens == budget
    assert all(chunk.given <= chunk.tokens for chunk in found.trace.chunks)
    assert all(chunk.given == 0 for chunk in found.trace.chunks if chunk.reason is not None)


def test_a_chunk_that_was_cut_was_given_in_part(embedded: Generation, tmp_path: Path) -> None:
    long = "\n\n".join(f"The lighthouse has a lamp, and keeper number {one} trims its wick." for one in range(30))
    library = embedding_library(tmp_path / "indexes", HashingEmbedder())
    pack = LoreIndexer(library).index_pack(write_pack(tmp_path, {"locations/light.md": f"# Light\n\n{long}\n"})).pack
    (cut,) = ask(library.open(pack.key), "lighthouse", max_tokens=100).trace.chunks
    assert 0 < cut.given < cut.tokens


class AllAlike(HashingEmbedder):
    """Every text has the same vector."""

    def embed_query(self, text: str) -> Vectors:
        unit: Vectors = np.ones(1, dtype=np.float32)
        return unit


def test_of_sections_that_are_equally_near_a_longer_one_means_less(tmp_path: Path) -> None:
    library = embedding_library(tmp_path / "indexes", AllAlike(1))
    sizes = {"long": 100, "middle": 50, "short": 20}
    files = {f"locations/{name}.md": f"# {name}\n\n{'wick lamp keeper ' * count}\n" for name, count in sizes.items()}
    pack = LoreIndexer(library).index_pack(write_pack(tmp_path, files)).pack
    chunks = ask(library.open(pack.key), "somebody who trims it").trace.chunks
    meanings = [(chunk.vector_score, chunk.parts["meaning"]) for chunk in chunks]
    assert {cosine for cosine, _ in meanings} == {1.0}
    assert [chunk.chunk_id.split(":")[1] for chunk in chunks] == ["short", "middle", "long"]
    assert meanings[0][1] > meanings[1][1] > meanings[2][1]


@pytest.mark.parametrize(
    ("words", "precise"),
    [("who is the barman", True), ("in which Laundry", True), ("“laundry”", True), ("which laundry", False)],
)
def test_words_that_name_something_count_for_more_than_meaning(embedded: Generation, words: str, precise: bool) -> None:
    assert (ask(embedded, words).trace.vector_weight < 0.5) == precise
