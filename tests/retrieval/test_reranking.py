"""What a reranker may do: order the best hits anew, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import EmbedderError
from lorewright.index.generation import Generation
from lorewright.index.reranker import OverlapReranker, Reranker
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve
from lorewright.retrieval.view import LoreView
from support.pack_builder import opened_packs

FILES = {
    f"{name}.md": f"# {name.title()}\n\n{text}\n\n## Secrets\n\n- The {name} hides a pearl under the ferry.\n"
    for name, text in {
        "quay": "The ferry leaves the quay. Ferry, ferry, ferry.",
        "toll": "The toll of the ferry is one copper by day.",
        "night": "By night the toll of the ferry is three coppers.",
        "bread": "Bread is dear.",
    }.items()
}
WORDS = "what is the toll of the ferry by night"


@dataclass
class Given:
    """Scores as they are given, in turn; what it was shown is kept."""

    values: Sequence[float]
    shown: list[str] = field(default_factory=list)

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        self.shown += texts
        return [self.values[place % len(self.values)] for place in range(len(texts))]


class Broken:
    """A model that is not there."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        raise EmbedderError("the model sleeps", hint="wake it")


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generation]:
    with opened_packs(Path(tmp_path_factory.mktemp("reranked")), {"town": FILES}) as generations:
        yield generations[0]


def asked(town: Generation, reranker: Reranker | None, *, viewer: str = "gm") -> Retrieval:
    town.reranker = reranker
    try:
        return retrieve(LoreView((town,), viewer=viewer), LoreRetrievalQuery(keywords=WORDS, viewer=viewer))
    finally:
        town.reranker = None


def ids(found: Retrieval) -> list[str]:
    return [chunk.chunk_id for chunk in found.result.chunks]


@given(values=st.lists(st.floats(-9, 9), min_size=1, max_size=8))
def test_the_best_stand_in_the_order_of_its_scores_and_equal_ones_as_they_were(
    values: list[float], town: Generation
) -> None:
    before, after = asked(town, None), asked(town, Given(values))
    assert sorted(ids(before)) == sorted(ids(after))
    scores = [chunk.rerank_score for chunk in after.trace.chunks]
    assert scores == sorted(scores, key=lambda score: -(score or 0.0))
    if len(set(values)) == 1:
        assert ids(before) == ids(after)


def test_what_words_and_meaning_gave_stays_told(town: Generation) -> None:
    before, after = asked(town, None).trace, asked(town, OverlapReranker()).trace
    assert {chunk.chunk_id: chunk.score for chunk in before.chunks} == {c.chunk_id: c.score for c in after.chunks}
    assert all(chunk.rerank_score is None for chunk in before.chunks)


def test_whoever_answers_best_comes_first(town: Generation) -> None:
    assert ids(asked(town, OverlapReranker()))[0] == "town:night:overview"


def test_it_is_shown_only_what_the_viewer_may_read(town: Generation) -> None:
    for viewer, sees in (("gm", True), ("player", False)):
        reranker = Given([0.5])
        asked(town, reranker, viewer=viewer)
        assert reranker.shown and any("pearl" in text for text in reranker.shown) == sees


def test_where_it_fails_the_ranking_stays_and_the_reason_is_told(town: Generation) -> None:
    found = asked(town, Broken())
    assert ids(found) == ids(asked(town, None))
    assert found.degraded == ("not reranked: the model sleeps",)
