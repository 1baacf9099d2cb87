"""Ours, as it ships: a question to the retriever, its budget stage run once for each budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from lorewright.index.generation import Generation
from lorewright.retrieval import retriever
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from measures import BUDGETS, Answer, Passage
from question_sets import section_of

Fill = Callable[..., tuple[list[Any], list[Any]]]

_UNBOUNDED = 10**9
# As many sections as the budget holds, as with the other arms: a budget alone says what is handed over.
_SECTIONS = 1_000


def ours(generation: Generation) -> Callable[[str], Answer]:
    """The shipped retriever on one pack."""
    view = LoreView((generation,))

    def answer(question: str) -> Answer:
        with _budgets_tried() as tried:
            # An answer puts parts of one section together; for ranks they stand where they were ranked, as others' do.
            hits = retrieve(view, LoreRetrievalQuery(keywords=question, limit=_SECTIONS)).at_hand
        found = [hit for hit in hits if hit.chunk.id not in tried.duplicates]
        ranked = (Passage(section_of(hit.chunk.file_path, hit.chunk.section_path), hit.text) for hit in found)
        return Answer(tuple(ranked), tried.texts)

    return answer


@dataclass(slots=True)
class _Tried:
    """The text within each budget; and what no budget brings, for the answer says the same already."""

    texts: dict[int, str] = field(default_factory=dict)
    duplicates: set[str] = field(default_factory=set)


@contextmanager
def _budgets_tried() -> Iterator[_Tried]:
    """While the block runs, whatever is fitted to a budget is fitted to each of BUDGETS besides: what comes before is
    the same for all, and takes nearly all of the time."""
    fill: Fill = retriever.fill
    tried = _Tried()

    def every(ruled: Any, *, budget_tokens: int) -> tuple[list[Any], list[Any]]:
        for budget in BUDGETS:
            chosen, _ = fill(ruled, budget_tokens=budget)
            tried.texts[budget] = _joined([hit.text for hit in chosen])
        _, left_out = fill(ruled, budget_tokens=_UNBOUNDED)
        tried.duplicates |= {hit.chunk.id for hit, reason in left_out if reason == "duplicate"}
        return fill(ruled, budget_tokens=budget_tokens)

    retriever.fill = every  # type: ignore[assignment]
    try:
        yield tried
    finally:
        retriever.fill = fill  # type: ignore[assignment]


def _joined(texts: Sequence[str]) -> str:
    return "\n\n".join(texts)
