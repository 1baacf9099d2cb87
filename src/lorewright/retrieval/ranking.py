"""Stage 2: all chunks that might answer -> one order. Words, meaning and ties become one score."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.filters import Key, Ties
from lorewright.retrieval.lanes import (
    SCORE_DIGITS,
    KeywordLane,
    Synonyms,
    VectorLane,
    VisibleLore,
    keyword_lane,
    vector_lane,
)
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.view import LoreView, find_same_things, ids_of
from lorewright.tokens import count_tokens

# Links: the entities that the best hits link to come along with them, one hop away.

# The link kinds that are followed: a tag ties half a pack together, and threads have their own filter.
_KINDS = ("entity", "location", "faction")


def linked_entities(
    best: Mapping[Key, StoredChunk], visible: VisibleLore, *, hidden: frozenset[str]
) -> dict[Key, tuple[str, ...]]:
    """Return for each of the best chunks the entities that it links to, by ID; none that is `hidden`.

    Links of a section that is not open may be secret, so a viewer who sees only a part of such a section gets none.
    """
    same = find_same_things(visible.generations)
    found: dict[Key, tuple[str, ...]] = {}
    for source, chunk in best.items():
        if chunk.role not in OPEN_ROLES and not visible.whole(source, chunk):
            continue
        linked = visible.generations[source[0]].links_of(source[1])
        targets = {entity_id for kind, value in linked if kind in _KINDS for entity_id in ids_of(value, same)}
        found[source] = tuple(sorted(targets - hidden - set(ids_of(chunk.entity_id, same))))
    return found


def introductions(entity_ids: Iterable[str], visible: VisibleLore) -> dict[str, list[Key]]:
    """Return the keys of each entity's introduction, the first chunk with text in its own file; entities of no searched
    pack are left out."""
    found = {entity_id: _introduction(entity_id, visible.generations) for entity_id in entity_ids}
    return {entity_id: keys for entity_id, keys in found.items() if keys}


def _introduction(entity_id: str, generations: Sequence[Generation]) -> list[Key]:
    """Return the keys of an entity's introduction in all packs."""
    found = ((index, generation.introduction_of(entity_id)) for index, generation in enumerate(generations))
    return [(index, row) for index, row in found if row is not None]


# The share of meaning in a score; words have the rest. Precise words are to be taken literally, others are a
# description. Chosen by `benchmarks/quality.py`; between .3 and .4, and between .7 and .8, little changes.
PRECISE_VECTOR_WEIGHT = 0.35
FREE_VECTOR_WEIGHT = 0.75

# A description of a thing often matches its whole file: this share of a chunk's meaning is its file's. Where the words
# are precise, the section counts alone.
FILE_WEIGHT = 0.4

# How much each tie counts, against 1.0 for words and meaning. A name in the question is the strongest sign of what is
# wanted; a filter says only where the scene is; a file's introduction says what its subject is.
NAME_WEIGHT = 0.20
MENTION_WEIGHT = 0.05
FILTER_WEIGHT = 0.25
INTRODUCTION_WEIGHT = 0.04
_MOST = 1 + NAME_WEIGHT + FILTER_WEIGHT + INTRODUCTION_WEIGHT

# The best few hits give this share of their score to what they link to, spread over all their links (a hit that links
# to everything points at nothing); a linked hit never ranks above them.
LINK_WEIGHT = 0.15
LINKED_FROM = 2

# The summands of a score, in the order in which they are shown.
PARTS = ("words", "meaning", "name", "filters", "introduction", "link")


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
    file_score: float | None = None
    terms: dict[str, float] = field(default_factory=dict)
    filters: tuple[str, ...] = ()
    name: str | None = None
    mention: str | None = None
    linked_from: str | None = None
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


def rank_chunks(query: LoreRetrievalQuery, view: LoreView, ties: dict[Key, Ties], *, hidden: frozenset[str]) -> Ranking:
    """Return all chunks with a reason to be there that the viewer may see, best first; ties by pack, file and position.

    What the viewer may not see is removed before anything is counted: it changes no score.
    """
    visible = VisibleLore(view)
    try:
        words = keyword_lane(query.keywords, visible)
        meaning = vector_lane(query.keywords, visible, names=[tied.name for tied in ties.values() if tied.name])
        scale = _Scale(visible, ties, words, meaning, hidden)
        hits = scale.hits([*words.hits, *meaning.nearest, *ties])
        if query.keywords.strip():
            best = dict(sorted(hits.items(), key=_order)[:LINKED_FROM])
            hits |= scale.linked(best, hits)
    finally:
        visible.close()
    ranked = [hit for _, hit in sorted(hits.items(), key=_order)]
    return Ranking(ranked, scale.vector_weight, meaning.missing, words.synonyms)


def _order(found: tuple[Key, Hit]) -> tuple[float, str, int]:
    hit = found[1]
    return (-hit.score, hit.chunk.pack_id, hit.chunk.row)


class _Scale:
    """Scores the hits of one query."""

    def __init__(
        self,
        visible: VisibleLore,
        ties: Mapping[Key, Ties],
        words: KeywordLane,
        meaning: VectorLane,
        hidden: frozenset[str],
    ) -> None:
        self._visible = visible
        self._is_gm = visible.view.is_gm
        self._hidden = hidden
        self._ties = ties
        self._words = words
        self._meaning = meaning
        self._vector_ranks = meaning.ranks
        precise = words.precise or any(tied.name for tied in ties.values())
        self._file_weight = 0.0 if precise else FILE_WEIGHT
        nearest = [self._meant(*both) for both in self._cosines(meaning.nearest).values()]
        self._best_meaning = max(nearest, default=0.0)
        weight = PRECISE_VECTOR_WEIGHT if precise else FREE_VECTOR_WEIGHT
        self.vector_weight = weight if self._best_meaning > 0 else 0.0

    def hits(self, keys: Iterable[Key]) -> dict[Key, Hit]:
        """Return those of the chunks that the viewer may see and that match in any way."""
        return {key: hit for key, hit in self._made(keys).items() if self._is_spoken_for(key, hit)}

    def linked(self, best: Mapping[Key, Hit], hits: Mapping[Key, Hit]) -> dict[Key, Hit]:
        """Return the hits that the best link to, each with a part of its source's score but never above it: of each
        file the best hit, or else its introduction."""
        found: dict[Key, Hit] = {}
        chunks = {key: hit.chunk for key, hit in best.items()}
        for key, entities in linked_entities(chunks, self._visible, hidden=self._hidden).items():
            source, told = best[key], introductions(entities, self._visible)
            bare = self._made({key for keys in told.values() for key in keys} - hits.keys())
            share = LINK_WEIGHT * source.score / math.sqrt(len(told)) if told else 0.0
            for target, hit in _best_of_each({**bare, **hits}, told.keys()).items():
                if target not in best and target not in found and self._visible.whole(target, hit.chunk):
                    score = max(min(round(hit.score + share, SCORE_DIGITS), source.score), hit.score)
                    parts = {**hit.parts, **_given(link=score - hit.score)}
                    found[target] = replace(hit, score=score, linked_from=source.chunk.id, parts=parts)
        return found

    def _is_spoken_for(self, key: Key, hit: Hit) -> bool:
        return bool(hit.keyword_rank or key in self._meaning.nearest or hit.name or hit.mention or hit.filters)

    def _made(self, keys: Iterable[Key]) -> dict[Key, Hit]:
        """Return those of the chunks that the viewer may see, with their scores."""
        wanted = dict.fromkeys(keys)
        cosines = self._cosines(wanted)
        return {
            key: self._hit(key, chunk, text, *cosines.get(key, (None, None)))
            for key, (chunk, text) in self._visible.texts(self._visible.chunks(wanted)).items()
        }

    def _cosines(self, keys: Iterable[Key]) -> dict[Key, tuple[float, float | None]]:
        """Return each embedded chunk's cosine to the question, and that of its file where it counts."""
        cosines = self._meaning.cosines(keys)
        files = self._meaning.file_cosines(cosines, self._visible) if self._file_weight else {}
        return {key: (cosine, files.get(key)) for key, cosine in cosines.items()}

    def _hit(self, key: Key, chunk: StoredChunk, text: str, cosine: float | None, of_file: float | None) -> Hit:
        tied, keyword = self._ties.get(key, Ties()), self._words.hits.get(key)
        # The ties of a secret section may themselves be secret: for a viewer who sees a part of it only its own entity
        # counts.
        whole = self._is_gm or text == chunk.text
        filters = tuple(sorted(tied.filters)) if whole else ()
        mention = tied.mention if whole else None
        share = self._words.share(key)
        words, meaning = self._fused(share, cosine, of_file)
        named = NAME_WEIGHT if tied.name else MENTION_WEIGHT if mention else 0.0
        filtered = FILTER_WEIGHT * min(len(filters), 2) / 2
        introduces = 0.0 if chunk.section else INTRODUCTION_WEIGHT
        return Hit(
            chunk=chunk,
            text=text,
            token_count=tokens_of(chunk, text),
            score=round((words + meaning + named + filtered + introduces) / _MOST, SCORE_DIGITS),
            keyword_score=share,
            keyword_rank=self._words.ranks.get(key),
            vector_score=cosine,
            vector_rank=self._vector_ranks.get(key),
            file_score=of_file,
            terms={term: round(part, 3) for term, part in keyword.terms.items()} if keyword else {},
            filters=filters,
            name=tied.name,
            mention=mention,
            parts=_given(
                words=words / _MOST,
                meaning=meaning / _MOST,
                name=named / _MOST,
                filters=filtered / _MOST,
                introduction=introduces / _MOST,
            ),
        )

    def _fused(self, share: float, cosine: float | None, of_file: float | None) -> tuple[float, float]:
        """Return what words and what meaning give to the score: convex fusion of normalised scores (Bruch, Gai, Ingber
        2023), meaning as a share of the best.

        A chunk that was never embedded is judged by its words.
        """
        if cosine is None or self._best_meaning <= 0:
            return share, 0.0
        meaning = min(max(self._meant(cosine, of_file), 0.0) / self._best_meaning, 1.0)
        return (1 - self.vector_weight) * share, self.vector_weight * meaning

    def _meant(self, cosine: float, of_file: float | None) -> float:
        return cosine if of_file is None else (1 - self._file_weight) * cosine + self._file_weight * of_file


def _best_of_each(hits: Mapping[Key, Hit], entity_ids: Collection[str]) -> dict[Key, Hit]:
    """Return the best hit of each of the entities."""
    found: dict[str, tuple[Key, Hit]] = {}
    for key, hit in sorted(hits.items(), key=_order):
        if hit.chunk.entity_id in entity_ids:
            found.setdefault(hit.chunk.entity_id, (key, hit))
    return dict(found.values())


def _given(**parts: float) -> dict[str, float]:
    """Return the parts of a score that are not zero."""
    return {part: rounded for part, given in parts.items() if (rounded := round(given, SCORE_DIGITS))}


def tokens_of(chunk: StoredChunk, text: str) -> int:
    """Return the tokens of what is read of a chunk; counted only where that is neither of its texts."""
    if text == chunk.text:
        return chunk.token_count
    return chunk.written_tokens if text == chunk.written_text else count_tokens(text, reading=chunk.reading)


def with_text(hit: Hit, text: str) -> Hit:
    """Return the hit with another text, its tokens counted again."""
    return replace(hit, text=text, token_count=count_tokens(text, reading=hit.chunk.reading))
