"""Ours, as it ships: a question to the retriever, its budget stage run once for each budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from lorewright.index.generation import Generation
from lorewright.retrieval import retriever
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from measures import BUDGETS, TOP, Answer, Passage, Section
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
            retrieve(view, LoreRetrievalQuery(keywords=question, limit=_SECTIONS))
        # An answer puts parts of one section together; for ranks they stand where they were ranked, as others' do.
        return Answer(tuple(Passage(_section(hit), hit.text) for hit in tried.ranked), tried.texts)

    return answer


@dataclass(slots=True)
class _Tried:
    """The text within each budget; and the hits as they were ranked, those of more sections than are looked at, without
    what no budget brings, for the answer says the same already."""

    texts: dict[int, str] = field(default_factory=dict)
    ranked: list[Any] = field(default_factory=list)


@contextmanager
def _budgets_tried() -> Iterator[_Tried]:
    """While the block runs, whatever is fitted to a budget is fitted to each of BUDGETS instead: what comes before is
    the same for all. What `retrieve` returns is empty."""
    fill: Fill = retriever.fill
    tried = _Tried()

    def every(ruled: Any, *, budget_tokens: int) -> tuple[list[Any], list[Any]]:
        for budget in BUDGETS:
            tried.texts[budget] = _joined([hit.text for hit in fill(ruled, budget_tokens=budget)[0]])
        tried.ranked = _without_duplicates(ruled, fill)
        return [], []

    retriever.fill = every  # type: ignore[assignment]
    try:
        yield tried
    finally:
        retriever.fill = fill  # type: ignore[assignment]


def _without_duplicates(ruled: Any, fill: Fill) -> list[Any]:
    """The hits without duplicates, down to more than TOP sections. Whether a hit is one is told by those before it
    alone, and is told by comparing each two of them: so first few are compared, then twice as many."""
    at_hand = [*ruled.hits, *(hit for hit, _ in ruled.out)]
    count = 2 * TOP
    while True:
        chosen, left_out = fill(replace(ruled, hits=ruled.hits[:count]), budget_tokens=_UNBOUNDED)
        if count >= len(ruled.hits) or len(set(map(_section, chosen))) > TOP:
            duplicates = {hit.chunk.id for hit, reason in left_out if reason == "duplicate"}
            looked_at = at_hand if count >= len(ruled.hits) else at_hand[:count]
            return [hit for hit in looked_at if hit.chunk.id not in duplicates]
        count *= 2


def _section(hit: Any) -> Section:
    return section_of(hit.chunk.file_path, hit.chunk.section_path)


def _joined(texts: Sequence[str]) -> str:
    return "\n\n".join(texts)
