"""Ours, as it ships: a question to the retriever, its budget stage run once for each budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lorewright.index.generation import Generation
from lorewright.retrieval import retriever
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from measures import BUDGETS, Answer
from question_sets import section_of

# What ranks are read from: everything that is found.
_NO_BUDGET = 1_000_000

Fit = Callable[..., tuple[list[Any], list[Any]]]


def ours(generation: Generation) -> Callable[[str], Answer]:
    """The shipped retriever on one pack."""
    view = LoreView((generation,))

    def answer(question: str) -> Answer:
        query = LoreRetrievalQuery(keywords=question, limit=10, max_tokens=_NO_BUDGET)
        with _budgets_tried() as texts:
            chunks = retrieve(view, query).result.chunks
        for budget in BUDGETS:
            if budget not in texts:
                again = retrieve(view, query.model_copy(update={"max_tokens": budget}))
                texts[budget] = _joined([chunk.text for chunk in again.result.chunks])
        found = dict.fromkeys(section_of(chunk.file_path, chunk.section_path) for chunk in chunks)
        return Answer(tuple(found), texts)

    return answer


@contextmanager
def _budgets_tried() -> Iterator[dict[int, str]]:
    """While the block runs, whatever is fitted to a budget is fitted to each of BUDGETS besides: what comes before is
    the same for all, and takes nearly all of the time."""
    fit: Fit = retriever.fit_to_budget
    texts: dict[int, str] = {}

    def every(hits: Sequence[Any], *, budget_tokens: int, **rest: Any) -> tuple[list[Any], list[Any]]:
        for budget in BUDGETS:
            chosen, _ = fit(hits, budget_tokens=budget, **rest)
            texts[budget] = _joined([hit.text for hit in chosen])
        return fit(hits, budget_tokens=budget_tokens, **rest)

    retriever.fit_to_budget = every  # type: ignore[assignment]
    try:
        yield texts
    finally:
        retriever.fit_to_budget = fit  # type: ignore[assignment]


def _joined(texts: Sequence[str]) -> str:
    return "\n\n".join(texts)
