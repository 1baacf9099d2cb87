"""Stage 2: all chunks that might answer -> one order. Words, meaning and ties become one score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lorewright.index.generation import Generation, StoredChunk
from lorewright.retrieval.filters import COMMON_SHARE, Key, Ties, named_entities, tie_chunks, tie_history, tie_keys
from lorewright.retrieval.lanes import (
    SCORE_DIGITS,
    KeywordLane,
    Synonyms,
    VectorLane,
    VisibleLore,
    keyword_lane,
    vector_lane,
)
from lorewright.retrieval.query import DEFAULT_LIMIT, LoreRetrievalQuery
from lorewright.retrieval.view import LoreView
from lorewright.tokens import count_tokens

# The share of meaning in a score; words have the rest. Precise words are to be taken literally, others are a
# description. These numbers are chosen by `benchmarks/across_packs.py`, each on all packs but the one that it is
# measured on; docs/benchmarks.md shows how little changes around them.
PRECISE_VECTOR_WEIGHT = 0.25
FREE_VECTOR_WEIGHT = 0.65

# Of the many windows of a long text one is near to any question by chance: each doubling of a text's length, from that
# of a window on, takes so much from its cosine.
LENGTH_DISCOUNT = 0.02
WINDOW_TOKENS = 60

# How much each tie counts, against 1.0 for words and meaning. A name in the question says what is wanted, a filter only
# where the scene is.
NAME_WEIGHT = 0.15
FILTER_WEIGHT = 0.25
_MOST = 1 + NAME_WEIGHT + FILTER_WEIGHT

# A second look: what the best sections name has the last places of an answer. The second half of an answer often shares
# no word with the question, and is named in the first.
LOOKED_AT = 2
NAMED_PLACES = 2

# The summands of a score, in the order in which they are shown.
PARTS = ("words", "meaning", "name", "filters", "mention")


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk with its score and the components of it. `text` is what the viewer may read of it.

    Scores lie in 0..1 and compare within one query only; ranks count from 1. `parts` are the summands of the score, by
    the names in `PARTS`; those of zero are left out.
    """

    chunk: StoredChunk
    text: str
    token_count: int
    score: float
    keyword_score: float = 0.0
    keyword_rank: int | None = None
    vector_score: float | None = None
    vector_rank: int | None = None
    terms: dict[str, float] = field(default_factory=dict)
    filters: tuple[str, ...] = ()
    name: str | None = None
    rerank_score: float | None = None
    parts: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ranking:
    """All hits, best first; the share of meaning in their scores, why some packs were not searched by meaning, and the
    synonyms that were looked up."""

    hits: list[Hit]
    vector_weight: float = 0.0
    missing: tuple[str, ...] = ()
    synonyms: Synonyms = field(default_factory=dict)


_UNTIED = Ties()


def rank_chunks(query: LoreRetrievalQuery, view: LoreView, *, hidden: frozenset[str] = frozenset()) -> Ranking:
    """Return all chunks with a reason to be there that the viewer may see, best first; ties by pack, file and position.
    Entities in `hidden` are never named.

    What the viewer may not see is removed before anything is counted: it changes no score.
    """
    visible = VisibleLore(view)
    try:
        tied_chunks = tie_chunks(query, view.generations, hidden=hidden)
        tie_keys(tied_chunks, query, view)
        words = keyword_lane(query.keywords, visible)
        meaning = vector_lane(query.keywords, visible)
        ties = tie_history(tied_chunks, query, view.generations, {*words.hits, *meaning.nearest}, hidden=hidden)
        texts = visible.texts(visible.chunks({**words.hits, **meaning.nearest, **ties}))
        scale = _Scale(words, meaning, texts, precise=words.precise or any(tied.name for tied in ties.values()))
        hits = []
        for key, (chunk, text) in texts.items():
            # The ties of a secret section may themselves be secret: for a viewer who sees a part of it only its own
            # entity counts.
            tied = ties.get(key, _UNTIED)
            filters = tuple(sorted(tied.filters)) if tied.filters and (view.is_gm or text == chunk.text) else ()
            if key in words.hits or key in meaning.nearest or tied.name or filters:
                hits.append(scale.hit(key, name=tied.name, filters=filters))
        hits.sort(key=_best_first)
        # Who filters by place, people or factions has said what the rest of the answer is about.
        if (words.hits or meaning.nearest) and not any(tied.filters for tied in ties.values()):
            hits = _look_again(hits, visible, scale, hidden)
    finally:
        visible.close()
    return Ranking(hits, scale.vector_weight, meaning.missing, words.synonyms)


def _best_first(hit: Hit) -> tuple[float, str, int]:
    return (-hit.score, hit.chunk.pack_id, hit.chunk.row)


def _look_again(hits: list[Hit], visible: VisibleLore, scale: _Scale, hidden: frozenset[str]) -> list[Hit]:
    """Return the hits with what the best of them name in the last places of an answer of the usual length: of each
    entity that has no place before, the section that answers best. Names count as far as the viewer may read them."""
    ahead = _first_sections(hits, DEFAULT_LIMIT - NAMED_PLACES)
    placed = {hit.chunk.entity_id for hit in ahead}
    named = [
        entity_id for entity_id in _named_in(ahead[:LOOKED_AT], visible.generations, hidden) if entity_id not in placed
    ]
    found = [max(keys, key=lambda key: (scale.score(key), -key[1])) for keys in scale.add(visible, named)]
    best = sorted(found, key=lambda key: (-scale.score(key), visible.generations[key[0]].pack_id, key[1]))
    moved = [scale.hit(key, name=None, filters=()) for key in best[:NAMED_PLACES]]
    ids = {hit.chunk.id for hit in moved}
    rest = [hit for hit in hits[len(ahead) :] if hit.chunk.id not in ids]
    return [*ahead, *(_lifted(hit, rest[0].score if rest else 0.0) for hit in moved), *rest]


def _first_sections(hits: list[Hit], count: int) -> list[Hit]:
    """Return the hits of the first so many sections, up to the first hit of another."""
    sections: set[str] = set()
    for place, hit in enumerate(hits):
        sections.add(hit.chunk.section_id)
        if len(sections) > count:
            return hits[:place]
    return hits


def _named_in(hits: Sequence[Hit], generations: Sequence[Generation], hidden: frozenset[str]) -> Iterator[str]:
    """Yield the entities that texts name, each once; by names that stand in few sections only."""
    most = COMMON_SHARE * sum(generation.counts["open_fts"] for generation in generations)
    named: dict[str, str] = {}
    for hit in hits:
        named = {**named_entities(hit.text, generations, hidden=hidden), **named}
    for entity_id, name in named.items():
        if sum(generation.open_count_of(name) for generation in generations) <= max(3, most):
            yield entity_id


def _lifted(hit: Hit, score: float) -> Hit:
    """Return a hit with at least the score of what it stands before."""
    lift = round(max(score - hit.score, 0.0), SCORE_DIGITS)
    return replace(hit, score=max(score, hit.score), parts={**hit.parts, **({"mention": lift} if lift else {})})


class _Scale:
    """Scores the hits of one query."""

    def __init__(
        self,
        words: KeywordLane,
        meaning: VectorLane,
        texts: Mapping[Key, tuple[StoredChunk, str]],
        *,
        precise: bool,
    ) -> None:
        self._words = words
        self._meaning = meaning
        self._texts = dict(texts)
        self._vector_ranks = meaning.ranks
        self._cosines = meaning.cosines(texts)
        self._tokens = {key: tokens_of(chunk, text) for key, (chunk, text) in texts.items()}
        self._meant = {key: _meant(cosine, self._tokens[key]) for key, cosine in self._cosines.items()}
        self._best_meaning = max((self._meant[key] for key in meaning.nearest if key in self._meant), default=0.0)
        weight = PRECISE_VECTOR_WEIGHT if precise else FREE_VECTOR_WEIGHT
        self.vector_weight = weight if self._best_meaning > 0 else 0.0
        # Most chunks that a filter ties to a query have the same parts.
        self._parts: dict[tuple[float, float, bool, int], tuple[float, dict[str, float]]] = {}

    def add(self, visible: VisibleLore, entity_ids: Iterable[str]) -> list[list[Key]]:
        """Take in what the viewer may read of entities; return the keys of each of which that is anything."""
        found = [
            visible.texts(
                {
                    (index, chunk.row): chunk
                    for index, generation in enumerate(visible.generations)
                    for chunk in generation.chunks_of(entity_id)
                }
            )
            for entity_id in entity_ids
        ]
        new = {key: text for texts in found for key, text in texts.items() if key not in self._texts}
        self._texts |= new
        self._tokens |= {key: tokens_of(chunk, text) for key, (chunk, text) in new.items()}
        cosines = self._meaning.cosines(new) if new else {}
        self._cosines |= cosines
        self._meant |= {key: _meant(cosine, self._tokens[key]) for key, cosine in cosines.items()}
        return [list(texts) for texts in found if texts]

    def score(self, key: Key) -> float:
        """Return the score that a chunk has by its words and meaning alone."""
        words, meaning = self._shares(key, self._words.share(key) if key in self._words.hits else 0.0)
        return self._score(words, meaning, False, 0)[0]

    def _shares(self, key: Key, share: float) -> tuple[float, float]:
        """Return what words and meaning add to the score of a chunk with a share of the words."""
        # Convex fusion of normalised scores: Bruch, Gai, Ingber 2023. What was never embedded is judged by its words.
        weight = self.vector_weight if key in self._cosines else 0.0
        meaning = weight * min(self._meant[key] / self._best_meaning, 1.0) if weight else 0.0
        return (1 - weight) * share, meaning

    def hit(self, key: Key, *, name: str | None, filters: tuple[str, ...]) -> Hit:
        """Return a chunk with its score."""
        chunk, text = self._texts[key]
        keyword = self._words.hits.get(key)
        share = self._words.share(key) if keyword else 0.0
        words, meaning = self._shares(key, share)
        score, parts = self._score(words, meaning, bool(name), min(len(filters), 2))
        return Hit(
            chunk=chunk,
            text=text,
            token_count=self._tokens[key],
            score=score,
            keyword_score=share,
            keyword_rank=self._words.ranks.get(key),
            vector_score=self._cosines.get(key),
            vector_rank=self._vector_ranks.get(key),
            terms={term: round(part, 3) for term, part in keyword.terms.items()} if keyword else {},
            filters=filters,
            name=name,
            parts=parts,
        )

    def _score(self, words: float, meaning: float, named: bool, filters: int) -> tuple[float, dict[str, float]]:
        """Return a score, and the parts of it that are not nothing."""
        key = (words, meaning, named, filters)
        if key not in self._parts:
            parts = {"words": words, "meaning": meaning}
            if named:
                parts["name"] = NAME_WEIGHT
            if filters:
                parts["filters"] = FILTER_WEIGHT * filters / 2
            shown = {
                part: share for part, given in parts.items() if given and (share := round(given / _MOST, SCORE_DIGITS))
            }
            self._parts[key] = round(math.fsum(parts.values()) / _MOST, SCORE_DIGITS), shown
        return self._parts[key]


def _meant(cosine: float, tokens: int) -> float:
    """Return how much of a chunk's cosine counts, for the length of its text; none below zero."""
    doublings = math.log2(tokens / WINDOW_TOKENS) if tokens > WINDOW_TOKENS else 0.0
    return max(cosine - LENGTH_DISCOUNT * doublings, 0.0)


def tokens_of(chunk: StoredChunk, text: str) -> int:
    """Return the tokens of what is read of a chunk; counted only where that is neither of its texts."""
    if text == chunk.text:
        return chunk.token_count
    return chunk.written_tokens if text == chunk.written_text else count_tokens(text, reading=chunk.reading)


def with_text(hit: Hit, text: str) -> Hit:
    """Return the hit with another text, its tokens counted again."""
    return replace(hit, text=text, token_count=count_tokens(text, reading=hit.chunk.reading))
