"""Arms see the same chunks: ours with and without its stages, and ranks that are fused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ablation import ABLATION, Row, homes_of, ranked_with
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.generation import Generation
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.retrieval import budget, ranking
from lorewright.retrieval.lanes import KeywordLane
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from measures import BUDGETS
from other_arms import fused_ranks
from our_arm import ours
from support.pack_builder import TOWN, write_pack
from support.shared_build import embedding_library

LANES = st.lists(st.permutations(range(6)).map(lambda lane: lane[:4]), min_size=1, max_size=3)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generation]:
    """A small pack, embedded by the fake that knows words."""
    folder = tmp_path_factory.mktemp("town")
    library = embedding_library(folder / "indexes", HashingEmbedder())
    generation = library.open(LoreIndexer(library).index_pack(write_pack(folder / "town", TOWN), lenient=True).pack.key)
    yield generation
    generation.close()


def test_ours_hands_over_for_each_budget_what_a_query_with_it_does(town: Generation) -> None:
    answer = ours(town)("who keeps the bar, and what was it before the flood?")
    for tokens in BUDGETS:
        asked = "who keeps the bar, and what was it before the flood?"
        query = LoreRetrievalQuery(keywords=asked, max_tokens=tokens, limit=1_000)
        chunks = retrieve(LoreView((town,)), query).result.chunks
        assert answer.texts[tokens] == "\n\n".join(chunk.text for chunk in chunks)
    best = answer.passages[0]
    assert best.section[0].endswith(".md")
    assert best.text in answer.texts[max(BUDGETS)]


@pytest.mark.parametrize("row", ABLATION, ids=lambda row: row.name)
def test_what_a_row_sets_is_there_to_be_set(row: Row) -> None:
    assert row.sets
    assert all(homes_of(name) for name in row.sets)


@pytest.mark.parametrize("row", ABLATION, ids=lambda row: row.name)
def test_a_question_is_answered_without_each_stage(town: Generation, row: Row) -> None:
    with ranked_with(**row.sets):
        answer = ours(town)("Which laundry had boilers before the flood?")
    assert any("laundry" in text for text in answer.texts.values())


def test_a_setting_holds_while_the_block_runs() -> None:
    before = ranking.NAME_WEIGHT
    with ranked_with(NAME_WEIGHT=before + 1):
        assert before + 1 == ranking.NAME_WEIGHT
    assert before == ranking.NAME_WEIGHT


def test_a_name_reaches_every_module_that_uses_it() -> None:
    with ranked_with(cut_text=lambda *given, **rest: ""):
        assert budget.cut_text("One. Two.", max_tokens=100) == ""
    assert budget.cut_text("One. Two.", max_tokens=100) == "One."


def test_a_method_is_set_in_its_class() -> None:
    before = KeywordLane.share
    with ranked_with(**{"KeywordLane.share": lambda lane, key: 0.0}):
        assert KeywordLane({}, {}, 1.0, False).share((0, 1)) == 0.0
        assert KeywordLane.share is not before
    assert KeywordLane.share is before


def test_ranks_in_place_of_scores_keep_the_order_of_each_lane(town: Generation) -> None:
    row = next(row for row in ABLATION if row.name == "ranks fused, not scores")
    asked = LoreRetrievalQuery(keywords="bar flood courier shotgun railway")
    with ranked_with(**row.sets):
        found = retrieve(LoreView((town,)), asked).trace.chunks
    shares = {chunk.keyword_rank: chunk.keyword_score for chunk in found if chunk.keyword_rank}
    assert len(shares) > 2
    assert shares == {rank: 61 / (60 + rank) for rank in shares}


def test_a_setting_that_is_gone_is_said() -> None:
    with pytest.raises(AttributeError, match="GONE_WEIGHT"), ranked_with(GONE_WEIGHT=1):
        pass


def test_without_the_gazetteer_nobody_is_named(town: Generation) -> None:
    row = next(row for row in ABLATION if row.name == "no gazetteer")
    asked = LoreRetrievalQuery(keywords="What about the barman?")
    with ranked_with(**row.sets):
        trace = retrieve(LoreView((town,)), asked).trace
        assert all(chunk.name is None for chunk in trace.chunks)
    assert any(chunk.name for chunk in retrieve(LoreView((town,)), asked).trace.chunks)


def test_what_stands_first_in_every_lane_stays_first() -> None:
    assert fused_ranks([[3, 1, 2], [3, 2, 1]]) == [3, 1, 2]


@given(LANES)
def test_one_lane_keeps_its_order_and_lanes_can_be_swapped(lanes: list[list[int]]) -> None:
    assert fused_ranks(lanes[:1]) == list(lanes[0])
    assert fused_ranks(lanes) == fused_ranks(lanes[::-1])
    assert set(fused_ranks(lanes)) == {one for lane in lanes for one in lane}
