"""An answer and several budgets -> what each of them gives, and what comes in with each step up."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from lorewright.retrieval.retriever import Retrieval


class Given(BaseModel):
    """A chunk in an answer: how many of its tokens are in it, of how many."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    chunk_id: str
    section_path: str
    rank: int
    given: int
    tokens: int


class BudgetStep(BaseModel):
    """What a budget gives. `new` are the chunks that the step before did not give, `longer` those of which it gave
    less. `cut` is the chunk that was cut to fit; `next` the first for which there was no room, but would be in a
    larger budget."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    max_tokens: int
    sections: int
    tokens: int
    new: tuple[Given, ...]
    longer: tuple[Given, ...]
    cut: Given | None
    next: Given | None


def budget_steps(retrieval: Retrieval, budgets: Sequence[int], *, limit: int) -> tuple[BudgetStep, ...]:
    """One step for each budget, from the smallest up, each once: what a smaller one gives, a larger one keeps."""
    steps: list[BudgetStep] = []
    before: dict[str, int] = {}
    for budget in sorted(set(budgets)):
        given = retrieval.refit(budget, limit)
        steps.append(_step(retrieval, budget, limit, given, before))
        before = given
    return tuple(steps)


def _step(retrieval: Retrieval, budget: int, limit: int, given: dict[str, int], before: dict[str, int]) -> BudgetStep:
    ranks = {chunk.chunk_id: chunk.rank for chunk in retrieval.trace.chunks}
    told = [
        Given(
            chunk_id=hit.chunk.id,
            section_path=hit.chunk.section_path,
            rank=ranks[hit.chunk.id],
            given=given.get(hit.chunk.id, 0),
            tokens=hit.token_count,
        )
        for hit in retrieval.at_hand
    ]
    chosen = [one for one in told if one.given]
    # What even all the room in the world would not bring in was not kept out by the budget.
    roomy = retrieval.refit(sum(one.tokens for one in told), limit)
    waiting = [one for one in told if not one.given and one.chunk_id in roomy]
    return BudgetStep(
        max_tokens=budget,
        sections=len({one.chunk_id.partition("~")[0] for one in chosen}),
        tokens=sum(given.values()),
        new=tuple(one for one in chosen if one.chunk_id not in before),
        longer=tuple(one for one in chosen if 0 < before.get(one.chunk_id, 0) < one.given),
        cut=next((one for one in chosen if one.given < one.tokens), None),
        next=waiting[0] if waiting else None,
    )
