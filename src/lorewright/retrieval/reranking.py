"""After the ranking, where one is set: the best hits are read once more, each together with the question.

Off unless the settings name a reranker: it takes a model, torch and a second a question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lorewright.errors import EmbedderError
from lorewright.index.generation import Generation
from lorewright.index.rerankers.reranker import Reranker
from lorewright.retrieval.lanes import SCORE_DIGITS
from lorewright.retrieval.ranking import Ranking

# So many are read again: what answers is hardly ever further down, and each costs a pass of the model.
RERANKED = 30


def reranked(ranking: Ranking, question: str, generations: Sequence[Generation]) -> Ranking:
    """The ranking with its best hits in the order of the reranker, equal ones as they were; the rest behind them.

    `score` stays what words and meaning gave, `rerank_score` is the reranker's. Where it fails the ranking stays as it
    is, and says so. Only what the viewer may read is shown to it.
    """
    reranker = _reranker_of(generations)
    if reranker is None or not question.strip() or not ranking.hits:
        return ranking
    best, rest = ranking.hits[:RERANKED], ranking.hits[RERANKED:]
    try:
        scores = reranker.scores(question, [f"{hit.chunk.section_path}\n{hit.text}" for hit in best])
    except EmbedderError as problem:
        return replace(ranking, missing=(*ranking.missing, f"not reranked: {problem.message}"))
    read = [replace(hit, rerank_score=round(score, SCORE_DIGITS)) for hit, score in zip(best, scores, strict=True)]
    order = sorted(range(len(read)), key=lambda place: (-(read[place].rerank_score or 0.0), place))
    return replace(ranking, hits=[*(read[place] for place in order), *rest])


def _reranker_of(generations: Sequence[Generation]) -> Reranker | None:
    return next((one.reranker for one in generations if one.reranker is not None), None)
