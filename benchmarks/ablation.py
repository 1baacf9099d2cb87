"""Every stage of ours, switched off: one row each. A row names what it sets, wherever in retrieval that stands."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

import lorewright.index.keywords
import lorewright.retrieval
from lorewright.index import building as windows
from lorewright.index import vector_building
from lorewright.index.building import Window
from lorewright.index.generation import Generation
from lorewright.packs.models import Item
from lorewright.retrieval import budget, lanes
from lorewright.retrieval.lanes import KeywordLane, VectorLane
from lorewright.retrieval.ranking import Hit, Ranking
from other_arms import RRF_K, path_of
from question_sets import cut_by

WindowsOf = Callable[[str, list[Item]], list[Window]]
Texts = Callable[[Path], list[str]]


@dataclass(frozen=True, slots=True)
class Row:
    """A stage switched off, or done as others do it. `sets` are names in the modules of retrieval and their values;
    `cut` and `texts` ask for an index of its own, in which chunks are cut into other windows or embedded with other
    texts."""

    name: str
    what: str
    sets: dict[str, Any] = field(default_factory=dict)
    cut: WindowsOf | None = None
    texts: Texts | None = None

    @property
    def needs_index(self) -> bool:
        """Whether the shipped index will not do."""
        return self.cut is not None or self.texts is not None

    @property
    def way(self) -> str:
        """The name of its index."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.name) if self.needs_index else "shipped"

    @contextmanager
    def on(self) -> Iterator[None]:
        """Its settings hold while the block runs, in which the index is made too."""
        with (
            ranked_with(**self.sets),
            cut_by(self.cut or windows.windows_of, self.texts or vector_building.window_texts),
        ):
            yield


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


def _share_alone(lane: KeywordLane, key: Any) -> float:
    """BM25 as a share of the best, whatever it covers."""
    return lane.hits[key].score / lane.best if key in lane.hits and lane.best else 0.0


def _as_it_is(text: str, *given: Any, **rest: Any) -> str:
    return text


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


def _whole(text: str, items: list[Item]) -> list[Window]:
    return [Window(text)] if text.split() else []


def _titled(folder: Path) -> list[str]:
    """Each window's text with `Title > Section` before it."""
    generation = Generation(folder)
    try:
        return [
            f"{path_of(chunk)}: {window.text}"
            for chunk in generation.all_chunks()
            for window in windows.windows_of(chunk.text, generation.items_of(chunk.row))
        ]
    finally:
        generation.close()


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


_NO_TIES = {"NAME_WEIGHT": 0.0, "MENTION_WEIGHT": 0.0, "INTRODUCTION_WEIGHT": 0.0, "LINK_WEIGHT": 0.0}

ABLATION = (
    Row("words alone", "the lane of meaning is not asked", {"PRECISE_VECTOR_WEIGHT": 0.0, "FREE_VECTOR_WEIGHT": 0.0}),
    Row(
        "meaning alone",
        "the lane of words is not asked, and nothing is tied to names",
        {"PRECISE_VECTOR_WEIGHT": 1.0, "FREE_VECTOR_WEIGHT": 1.0, **_NO_TIES},
    ),
    Row(
        "one weight for every question",
        "meaning counts .6 whether the words point at something or only describe",
        {"PRECISE_VECTOR_WEIGHT": 0.6, "FREE_VECTOR_WEIGHT": 0.6},
    ),
    Row(
        "ranks fused, not scores",
        "reciprocal rank fusion (k=60, equal weights) of the two lanes; names and introductions as they ship",
        {
            "keyword_lane": _ranked_words,
            "vector_lane": _ranked_meaning,
            "PRECISE_VECTOR_WEIGHT": 0.5,
            "FREE_VECTOR_WEIGHT": 0.5,
            "FILE_WEIGHT": 0.0,
        },
    ),
    Row(
        "no meaning of files",
        "a description is compared with a section alone, not with the whole file too",
        {"FILE_WEIGHT": 0.0},
    ),
    Row(
        "no coverage",
        "one word said often counts as much as many words once",
        {"KeywordLane.share": _share_alone},
    ),
    Row("names embedded too", "the names in a question are embedded with the rest of it", {"without_names": _as_it_is}),
    Row(
        "no gazetteer",
        "names and aliases in the question are words like others",
        {"named_entities": lambda *a, **k: {}},
    ),
    Row(
        "no mentions",
        "who is named counts, but not the sections elsewhere that are tied to them",
        {"MENTION_WEIGHT": 0.0},
    ),
    Row("no word pairs", "neighbouring words are not looked up as a phrase", {"telling_pairs": lambda text: []}),
    Row("no introductions", "a file's first section gets no bonus", {"INTRODUCTION_WEIGHT": 0.0}),
    Row("no links", "what the best sections link to does not come along", {"LINK_WEIGHT": 0.0}),
    Row("with MMR", "the best thirty in the order of maximal marginal relevance, λ = .85", {"reranked": _diverse}),
    Row("duplicates kept", "two sections that say the same are both handed over", {"DUPLICATE_SHARE": 2.0}),
    Row(
        "stop at the overflow",
        "the first section that does not fit is dropped, not cut",
        {"cut_text": lambda *a, **k: ""},
    ),
    Row("skip the overflow", "what does not fit is passed over, and the next tried", {"fit_to_budget": _skipping}),
    Row("whole sections embedded", "one vector a section, of which the model reads 256 word pieces", cut=_whole),
    Row("titles before windows", "each window is embedded with `Title > Section` before it", texts=_titled),
)
