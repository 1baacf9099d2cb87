"""The two lanes: the asker's words -> chunks that hold them, and chunks that mean the like."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.keywords import MAX_SHARE, KeywordHit, rank_keywords, weigh_words
from lorewright.index.vectors.exact import WindowVectors
from lorewright.index.words import content_words, telling_pairs
from lorewright.retrieval.filters import Key
from lorewright.retrieval.gazetteer import marked_words, without_names
from lorewright.retrieval.scene_query import without_labels
from lorewright.retrieval.synonyms import Synonyms, other_words, said_by, synonyms_said
from lorewright.retrieval.visible import Visible, by_key

# So many of each lane's best are looked at.
DEPTH = 75

SCORE_DIGITS = 6

# A chunk that holds so much of what the words say was meant by them.
_COVER = 0.6

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KeywordLane:
    """The best chunks by their words. `precise` says that the words themselves point at something: they name what the
    packs tell of, or one chunk holds nearly all that they say."""

    hits: Mapping[Key, KeywordHit]
    ranks: Mapping[Key, int]
    best: float
    precise: bool
    weights: Mapping[str, float] = field(default_factory=dict)
    synonyms: Synonyms = field(default_factory=dict)

    def share(self, key: Key) -> float:
        """A chunk's BM25 as a share of the best one's, times its coverage: 0 where it has none, 1 for the best one that
        holds every word. One word said often is no answer to six."""
        hit = self.hits.get(key)
        return round(hit.score / self.best * self.coverage(hit), SCORE_DIGITS) if hit and self.best else 0.0

    def coverage(self, hit: KeywordHit) -> float:
        """How much of what the words say a chunk holds, in 0..1, each word by its inverse document frequency. A word is
        held where one that says the same is."""
        said = sum(self.weights.values())
        same = said_by(self.synonyms)
        held = (word for word in self.weights if word in hit.terms or not same.get(word, _NONE).isdisjoint(hit.terms))
        return sum(self.weights[word] for word in held) / said if said else 0.0


def keyword_lane(text: str, visible: Visible) -> KeywordLane:
    """Ask every table that the viewer may search, scored as one collection."""
    if not text.strip():
        return KeywordLane({}, {}, 0.0, False)
    tables = [table for _, table in visible.tables]
    marked = marked_words(text)
    text = without_labels(text)
    words = content_words(text)
    synonyms = synonyms_said(text, visible.generations)
    others = other_words(synonyms)
    foreign = [*content_words(text, english=False), *others]
    found = rank_keywords(tables, [*words, *telling_pairs(text), *others], foreign=foreign, best=DEPTH)
    hits = by_key([index for index, _ in visible.tables], found)
    order = sorted(hits, key=lambda key: (-round(hits[key].score, SCORE_DIGITS), key))[:DEPTH]
    weighed = weigh_words(tables, words)
    total = sum(table.count for table in tables)
    named = any(weighed[word][1] for word in marked if word in weighed)
    lane = KeywordLane(
        hits={key: hits[key] for key in order},
        ranks={key: rank for rank, key in enumerate(order, start=1)},
        best=hits[order[0]].score if order else 0.0,
        precise=named,
        weights=_telling(weighed, total) or {word: weight for word, (weight, _) in weighed.items()},
        synonyms=synonyms,
    )
    return replace(lane, precise=named or bool(order and lane.coverage(hits[order[0]]) >= _COVER))


def _telling(weighed: Mapping[str, tuple[float, int]], total: int) -> dict[str, float]:
    """What is looked up where there is any such word: what does not stand nearly everywhere, or nowhere at all."""
    return {word: weight for word, (weight, count) in weighed.items() if count <= max(1, MAX_SHARE * total)}


@dataclass(frozen=True, slots=True)
class VectorLane:
    """What each embedded chunk's cosine to the question is. `missing` says why some packs have none."""

    windows: Mapping[int, WindowVectors]
    questions: Mapping[int, Vectors]
    nearest: Mapping[Key, float]
    missing: tuple[str, ...] = ()

    @property
    def ranks(self) -> dict[Key, int]:
        """The rank of each of the nearest."""
        order = sorted(self.nearest, key=lambda key: (-self.nearest[key], key))
        return {key: rank for rank, key in enumerate(order, start=1)}

    def file_cosines(self, keys: Iterable[Key], visible: Visible) -> dict[Key, float]:
        """For each chunk the mean over all chunks of its file: whoever describes a thing without naming it describes
        what its whole file tells. Only what the viewer may see is in it."""
        found: dict[Key, float] = {}
        wanted = set(keys)
        for index, windows in self.windows.items():
            files = visible.generations[index].files_of([row for i, row in wanted if i == index])
            every = sorted({row for rows in files.values() for row in rows})
            cosines = windows.of_rows(every, self.questions[index])
            means = {rows: _mean([cosines[row] for row in rows if row in cosines]) for rows in set(files.values())}
            found |= {(index, row): means[rows] for row, rows in files.items()}
        return found

    def cosines(self, keys: Iterable[Key]) -> dict[Key, float]:
        """The exact cosine of each chunk that has one."""
        wanted = set(keys)
        return {
            (index, row): cosine
            for index, windows in self.windows.items()
            for row, cosine in windows.of_rows([r for i, r in wanted if i == index], self.questions[index]).items()
        }


def _mean(cosines: Sequence[float]) -> float:
    return round(math.fsum(cosines) / len(cosines), SCORE_DIGITS) if cosines else 0.0


def vector_lane(text: str, visible: Visible, *, names: Iterable[str] = ()) -> VectorLane:
    """Embed the question as each pack was embedded, and find the nearest chunks of all packs that were.

    The names that the words name are left out of what is embedded: finding a name is the work of words, and beside it
    an embedder hears little else.
    """
    text = without_names(text, names)
    windows: dict[int, WindowVectors] = {}
    questions: dict[int, Vectors] = {}
    near: dict[Key, float] = {}
    missing: list[str] = []
    for index, generation in enumerate(visible.generations if text.strip() else ()):
        shown = visible.windows(index)
        if shown is None or generation.embedder is None or generation.vectors is None:
            continue
        try:
            questions[index] = generation.embedder.embed_query(text)
        except EmbedderError as problem:
            missing.append(f"found by words alone: {problem.message}")
            continue
        windows[index] = shown
        found = generation.vectors.search(shown).best_chunks(questions[index], top=DEPTH)
        near |= {(index, row): cosine for row, cosine in found}
    order = sorted(near, key=lambda key: (-near[key], key))[:DEPTH]
    return VectorLane(windows, questions, {key: near[key] for key in order}, tuple(dict.fromkeys(missing)))
