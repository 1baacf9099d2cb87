"""Every stage of ours, switched off: one row each. A row names what it sets, wherever in retrieval that stands."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

import lorewright.index.keywords
import lorewright.retrieval
from lorewright.index.generation import Generation
from lorewright.retrieval import budget, lanes
from lorewright.retrieval.lanes import KeywordLane, VectorLane
from lorewright.retrieval.ranking import Hit, Ranking
from other_arms import RRF_K


@dataclass(frozen=True, slots=True)
class Row:
    """A stage switched off, or done as others do it. `sets` are names in the modules of retrieval and their values."""

    name: str
    what: str
    sets: dict[str, Any]


def homes_of(name: str) -> list[Any]:
    """The modules of retrieval in which a name stands; of a dotted one (`KeywordLane.share`) the class."""
    names = [f"lorewright.retrieval.{one.name}" for one in pkgutil.iter_modules(lorewright.retrieval.__path__)]
    modules = [*map(importlib.import_module, names), lorewright.index.keywords]
    owner, _, own = name.rpartition(".")
    if not owner:
        return [module for module in modules if hasattr(module, name)]
    classes = dict.fromkeys(getattr(module, owner) for module in modules if hasattr(module, owner))
    return [one for one in classes if hasattr(one, own)]


@contextmanager
def ranked_with(**values: Any) -> Iterator[None]:
    """Other settings while the block runs.

    Raises:
        AttributeError: retrieval has no such name (any more).
    """
    homes = {name: homes_of(name) for name in values}
    if missing := [name for name, found in homes.items() if not found]:
        raise AttributeError(f"no module of retrieval has {', '.join(missing)}")
    places = [(home, name.rpartition(".")[2], values[name]) for name, found in homes.items() for home in found]
    before = [(home, own, getattr(home, own)) for home, own, _ in places]
    for home, own, value in places:
        setattr(home, own, value)
    try:
        yield
    finally:
        for home, own, value in before:
            setattr(home, own, value)


_keyword_lane, _vector_lane = lanes.keyword_lane, lanes.vector_lane


def _by_rank(rank: int) -> float:
    """A rank's part in reciprocal rank fusion, 1 for the first."""
    return (RRF_K + 1) / (RRF_K + rank)


class _RankedWords(KeywordLane):
    """The keyword lane with ranks in place of scores."""

    def share(self, key: Any) -> float:
        return _by_rank(self.ranks[key]) if key in self.ranks else 0.0


class _RankedMeaning(VectorLane):
    """The vector lane with ranks in place of cosines: what is not among the nearest has none."""

    def cosines(self, keys: Any) -> dict[Any, float]:
        return {key: self.nearest.get(key, 0.0) for key in keys}


def _ranked_words(*given: Any, **rest: Any) -> KeywordLane:
    return _RankedWords(**_parts_of(_keyword_lane(*given, **rest)))


def _ranked_meaning(*given: Any, **rest: Any) -> VectorLane:
    lane = _vector_lane(*given, **rest)
    nearest = {key: _by_rank(rank) for key, rank in lane.ranks.items()}
    return _RankedMeaning(**{**_parts_of(lane), "nearest": nearest})


def _parts_of(lane: KeywordLane | VectorLane) -> dict[str, Any]:
    return {one.name: getattr(lane, one.name) for one in fields(lane)}


def _skipping(hits: Sequence[Any], *, budget_tokens: int, limit: int, **rest: Any) -> tuple[list[Any], list[Any]]:
    """Whatever does not fit is passed over, and the next one tried."""
    room, sections = budget_tokens, set()
    fitting: list[Any] = []
    for hit in hits:
        if hit.token_count <= room and len(sections | {hit.chunk.section_id}) <= limit:
            fitting.append(hit)
            sections.add(hit.chunk.section_id)
            room -= hit.token_count
    return _fit(fitting, budget_tokens=budget_tokens, limit=limit, **rest)


_fit = budget.fit_to_budget


def _nothing_named(*given: Any, **rest: Any) -> dict[str, str]:
    return {}


def _nothing_left(*given: Any, **rest: Any) -> str:
    return ""


# Maximal marginal relevance (Carbonell, Goldstein 1998): how much being found counts beside being new, among so many.
_MMR_RELEVANCE = 0.85
_MMR_AMONG = 30


def _diverse(ranking: Ranking, question: str, generations: Sequence[Generation]) -> Ranking:
    """The best hits in the order of MMR: of two that are alike the worse goes behind others."""
    best, rest = ranking.hits[:_MMR_AMONG], ranking.hits[_MMR_AMONG:]
    likeness = _likeness(best, generations[0])
    most = max((hit.score for hit in best), default=0.0) or 1.0
    left, order = [*range(len(best))], []
    while left:
        worth = {
            one: _MMR_RELEVANCE * best[one].score / most
            - (1 - _MMR_RELEVANCE) * max((likeness[one, other] for other in order), default=0.0)
            for one in left
        }
        order.append(max(left, key=lambda one: (worth[one], -one)))
        left.remove(order[-1])
    return replace(ranking, hits=[*(best[one] for one in order), *rest])


def _likeness(hits: Sequence[Hit], generation: Generation) -> Any:
    """The cosine of each two, by the mean of their windows."""
    assert generation.vectors is not None
    vectors = generation.vectors.vectors
    rows = generation.window_table(len(vectors)).rows
    means = np.stack([vectors[rows == hit.chunk.row].mean(axis=0) for hit in hits])
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
    return means @ means.T


ABLATION = (
    Row("words alone", "the lane of meaning is not asked", {"PRECISE_VECTOR_WEIGHT": 0.0, "FREE_VECTOR_WEIGHT": 0.0}),
    Row(
        "meaning alone",
        "the lane of words is not asked, and nothing is tied to names",
        {"PRECISE_VECTOR_WEIGHT": 1.0, "FREE_VECTOR_WEIGHT": 1.0, "NAME_WEIGHT": 0.0},
    ),
    Row(
        "one weight for every question",
        "meaning counts .6 whether the words point at something or only describe",
        {"PRECISE_VECTOR_WEIGHT": 0.6, "FREE_VECTOR_WEIGHT": 0.6},
    ),
    Row(
        "ranks fused, not scores",
        "reciprocal rank fusion (k=60, equal weights) of the two lanes; names as they ship",
        {
            "keyword_lane": _ranked_words,
            "vector_lane": _ranked_meaning,
            "PRECISE_VECTOR_WEIGHT": 0.5,
            "FREE_VECTOR_WEIGHT": 0.5,
            "LENGTH_DISCOUNT": 0.0,
        },
    ),
    Row(
        "no discount for length",
        "a long section may be near by any of its windows as a short one by its only one",
        {"LENGTH_DISCOUNT": 0.0},
    ),
    Row("no coverage", "one word said often counts as much as many words once", {"COVERAGE_POWER": 0.0}),
    Row("whole coverage", "a share of BM25 is multiplied by coverage, not by its root", {"COVERAGE_POWER": 1.0}),
    Row(
        "no gazetteer",
        "names and aliases in the question are words like others",
        {"named_entities": _nothing_named},
    ),
    Row("no second look", "what the best two sections name has no place of its own", {"NAMED_PLACES": 0}),
    Row("with MMR", "the best thirty in the order of maximal marginal relevance, λ = .85", {"reranked": _diverse}),
    Row("duplicates kept", "two sections that say the same are both handed over", {"DUPLICATE_SHARE": 2.0}),
    Row(
        "stop at the overflow",
        "the first section that does not fit is dropped, not cut",
        {"cut_text": _nothing_left},
    ),
    Row("skip the overflow", "what does not fit is passed over, and the next tried", {"fit_to_budget": _skipping}),
)
