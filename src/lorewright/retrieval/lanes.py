"""The two lanes: the words of a query -> the chunks that hold them, and the chunks of similar meaning."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TypeVar

import numpy as np

from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.fulltext import fulltext_here
from lorewright.index.generation import Generation, StoredChunk
from lorewright.index.keywords import (
    MAX_SHARE,
    KeywordHit,
    KeywordTable,
    content_words,
    indexed_row,
    name_key,
    parts_of_words,
    rank_keywords,
    weigh_words,
    words_of,
)
from lorewright.index.vectors.exact import WindowVectors
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.filters import Key, marked_words
from lorewright.retrieval.query import without_labels
from lorewright.retrieval.view import LoreView, may_see, visible_text
from lorewright.scripts import folded, holds_name, is_unspaced, without_marks
from lorewright.tokens import BY_SCRIPT

# A view -> what its viewer can search: the open keyword tables, and for each pack a small table of the viewer's own.
#
# Nothing that the viewer may not see is in these tables, so it changes no score.

T = TypeVar("T")


class VisibleLore:
    """The tables and texts that a viewer can search and read. It must be closed: some tables are temporary."""

    def __init__(self, view: LoreView) -> None:
        self.view = view
        self.generations = view.generations
        self._private: dict[Key, str] = {}
        self._stack = ExitStack()
        self._is_gm = view.is_gm
        self._open = frozenset(
            role for role, sight in view.sights.items() if sight == "all" and (view.is_gm or role in OPEN_ROLES)
        )
        self._as_written = view.sights["written"] == "all"
        if not view.is_gm:
            for index, generation in enumerate(view.generations):
                self._add_private(index, generation)
        self.tables = list(self._tables())

    def close(self) -> None:
        """Close the temporary tables."""
        self._stack.close()

    def _add_private(self, index: int, generation: Generation) -> None:
        for chunk in generation.hidden_chunks():
            text = visible_text(self.view, generation, chunk)
            if text is not None:
                self._private[(index, chunk.row)] = text

    def whole(self, key: Key, chunk: StoredChunk) -> bool:
        """Return True if the viewer sees all of the chunk."""
        return self._is_gm or self.text(key, chunk) == chunk.text

    def text(self, key: Key, chunk: StoredChunk) -> str | None:
        """Return what the viewer may read of the chunk, or None."""
        if chunk.role in self._open:
            return (chunk.written if self._as_written else chunk.text) or None
        if self._is_gm or chunk.role in OPEN_ROLES:
            return visible_text(self.view, self.generations[key[0]], chunk)
        return self._private.get(key)

    def texts(self, chunks: Mapping[Key, StoredChunk]) -> dict[Key, tuple[StoredChunk, str]]:
        """Return the chunks of which the viewer may read anything, each with what that is."""
        found = ((key, chunk, self.text(key, chunk)) for key, chunk in chunks.items())
        return {key: (chunk, text) for key, chunk, text in found if text is not None}

    def chunks(self, keys: Iterable[Key]) -> dict[Key, StoredChunk]:
        """Return the chunks of the keys."""
        rows: dict[int, set[int]] = {}
        for index, row in keys:
            rows.setdefault(index, set()).add(row)
        return {
            (index, row): chunk
            for index in sorted(rows)
            for row, chunk in self.generations[index].chunks(rows[index]).items()
        }

    @cached_property
    def windows(self) -> list[WindowVectors | None]:
        """For each pack its windows that the viewer may see; None where nothing was embedded."""
        return list(map(self._windows, range(len(self.generations))))

    def _windows(self, index: int) -> WindowVectors | None:
        generation = self.generations[index]
        if generation.vectors is None:
            return None
        table = generation.window_table(len(generation.vectors.vectors))
        shown = table.present
        if not self.view.is_gm:
            shown = shown & table.opens
            learned = np.isin(table.rows, [row for owner, row in self._private if owner == index])
            for window in np.flatnonzero(table.present & ~table.opens & learned).tolist():
                shown[window] = self._shows(index, int(table.rows[window]), table.items.get(window))
        return WindowVectors(generation.vectors.vectors, table.rows, None if shown.all() else shown, table.starts)

    def _shows(self, index: int, row: int, item_id: str | None) -> bool:
        """Tell whether the viewer sees a window of a section that is not open: all of the section, or this item."""
        chunk = self.generations[index].chunks([row])[row]
        return may_see(self.view, role=chunk.role, owner_id=chunk.entity_id, item_id=item_id)

    def _tables(self) -> Iterator[tuple[int, KeywordTable]]:
        """Yield every keyword table with the index of its generation; the temporary ones are closed by `close`."""
        names = ("open_fts", "hidden_fts") if self.view.is_gm else ("open_fts",)
        for index, generation in enumerate(self.generations):
            for name in names:
                yield index, generation.keyword_table(name)
            texts = {row: text for (owner, row), text in self._private.items() if owner == index}
            if texts:
                private = self._stack.enter_context(closing(_private_connection(texts, generation)))
                yield index, KeywordTable(private, "own_fts", len(texts), generation.english, generation.reading)


def by_key(owners: Sequence[int], found: Sequence[dict[int, T]]) -> dict[Key, T]:
    """Return the results by key, of results by row for each table; `owners` are the tables' generations."""
    return {(index, row): value for index, of in zip(owners, found, strict=True) for row, value in of.items()}


def _private_connection(texts: dict[int, str], generation: Generation) -> sqlite3.Connection:
    """Return an in-memory keyword table of what a viewer may see of a pack beyond open lore (row -> text): a table of
    its own, so that no secret has a part in its statistics."""
    connection = sqlite3.connect(":memory:")
    fulltext = fulltext_here()
    connection.execute(fulltext.create("own_fts", english=generation.english))
    rows = [
        indexed_row((row, chunk.title, chunk.section, texts[row]), reading=generation.reading)
        for row, chunk in generation.chunks(texts).items()
    ]
    fulltext.insert(connection, "own_fts", rows)
    return connection


# The words of a query -> synonyms for them, from the packs that are searched: `synonyms:` in `pack.yaml`.
#
# Names have aliases; synonyms are for the rest of a world's vocabulary: what players call a thing that its pack calls
# by another word.

Synonyms = dict[str, tuple[str, ...]]


def synonyms_said(text: str, generations: Sequence[Generation]) -> Synonyms:
    """Return what the text says (as lower-case words) -> the other words for it, in the order of packs, groups and
    words.

    A synonym of several words counts where they stand in a row; singular and plural are the same. In scripts without
    spaces between words it counts wherever the text holds it.
    """
    groups = [(group, generation.reading) for generation in generations for group in generation.manifest.synonyms]
    if not groups:
        return {}
    said, whole = words_of(text), folded(text)
    found: Synonyms = {}
    for group, reading in groups:
        members = [name_key(member, reading=reading) for member in group]
        for member in members:
            inside = reading >= BY_SCRIPT and is_unspaced(member)
            if member and (holds_name(whole, member) if inside else _stands(member.split(), said)):
                others = (*found.get(member, ()), *(other for other in members if other and other != member))
                found[member] = tuple(dict.fromkeys(others))
    return found


def other_words(synonyms: Synonyms) -> list[str]:
    """Return all words to look up besides those of the query, each once."""
    return list(dict.fromkeys(chain.from_iterable(synonyms.values())))


def said_by(synonyms: Synonyms) -> dict[str, frozenset[str]]:
    """Return for each single word of the query the words that say the same."""
    found: dict[str, frozenset[str]] = {}
    for member, others in synonyms.items():
        for word in parts_of_words(member.split()):
            found[word] = found.get(word, frozenset()) | frozenset(parts_of_words(others)) | frozenset(others)
    return found


def _stands(member: Sequence[str], said: Sequence[str]) -> bool:
    folded, wanted = [_singular(word) for word in said], [_singular(word) for word in member]
    return any(folded[start : start + len(wanted)] == wanted for start in range(len(folded) - len(wanted) + 1))


def _singular(word: str) -> str:
    """Return a word without a plural `s`: enough to match `cops` and `cop`, for the index stems what it looks up."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


# How many of each lane's best hits are used.
DEPTH = 75

SCORE_DIGITS = 6

# The power of coverage in a share: 1 would be proportional, 0 would leave it out.
COVERAGE_POWER = 0.5


@dataclass(frozen=True)
class KeywordLane:
    """The best chunks by their words. `precise` says that the words point at something definite: one of them that the
    packs hold is capitalised or quoted."""

    hits: Mapping[Key, KeywordHit]
    ranks: Mapping[Key, int]
    best: float
    precise: bool
    weights: Mapping[str, float] = field(default_factory=dict)
    synonyms: Synonyms = field(default_factory=dict)

    def share(self, key: Key) -> float:
        """Return a chunk's BM25 as a share of the best hit's, times the root of its coverage: 0 where it has none, 1
        for the best hit if it holds every word. So one word that is repeated often does not answer a question of
        six."""
        hit = self.hits.get(key)
        if not hit or not self.best:
            return 0.0
        return round(hit.score / self.best * math.pow(self.coverage(hit), COVERAGE_POWER), SCORE_DIGITS)

    def coverage(self, hit: KeywordHit) -> float:
        """Return how much of the words a chunk holds, in 0..1, each word weighed by its inverse document frequency. A
        synonym counts as the word."""
        said, same, terms = self._said, self._same, hit.terms
        covered = [
            weight
            for word, weight in self.weights.items()
            if word in terms or (word in same and not same[word].isdisjoint(terms))
        ]
        return sum(covered) / said if said else 0.0

    @cached_property
    def _said(self) -> float:
        return sum(self.weights.values())

    @cached_property
    def _same(self) -> Mapping[str, frozenset[str]]:
        return said_by(self.synonyms)


def keyword_lane(text: str, visible: VisibleLore) -> KeywordLane:
    """Search every table that the viewer may search, scored as one collection; return the best chunks."""
    if not text.strip():
        return KeywordLane({}, {}, 0.0, False)
    tables = [table for _, table in visible.tables]
    marked = marked_words(text)
    text = without_labels(text)
    has_bigrams = any(table.has_bigrams for table in tables)
    if has_bigrams:
        text = without_marks(text)
    words = content_words(text)
    synonyms = synonyms_said(text, visible.generations)
    others = other_words(synonyms)
    foreign = [*content_words(text, english=False), *others]
    found = rank_keywords(tables, [*words, *others], foreign=foreign, best=DEPTH)
    hits = by_key([index for index, _ in visible.tables], found)
    order = sorted(hits, key=lambda key: (-round(hits[key].score, SCORE_DIGITS), key))[:DEPTH]
    weighed = weigh_words(tables, parts_of_words(words) if has_bigrams else words)
    if has_bigrams:
        # Letters that stand across two words of the question are no word: they are nowhere, and not missing.
        weighed = {word: (weight, count) for word, (weight, count) in weighed.items() if count or not is_unspaced(word)}
    total = sum(table.count for table in tables)
    return KeywordLane(
        hits={key: hits[key] for key in order},
        ranks={key: rank for rank, key in enumerate(order, start=1)},
        best=hits[order[0]].score if order else 0.0,
        precise=any(weighed[word][1] for word in marked if word in weighed),
        weights=_telling(weighed, total) or {word: weight for word, (weight, _) in weighed.items()},
        synonyms=synonyms,
    )


def _telling(weighed: Mapping[str, tuple[float, int]], total: int) -> dict[str, float]:
    """Return the weights of the words that are looked up where there are any: those not in nearly every chunk."""
    return {word: weight for word, (weight, count) in weighed.items() if count <= max(1, MAX_SHARE * total)}


@dataclass(frozen=True, slots=True)
class VectorLane:
    """The cosine of each embedded chunk to the question. `missing` says why some packs were not searched."""

    windows: Mapping[int, WindowVectors]
    questions: Mapping[int, Vectors]
    nearest: Mapping[Key, float]
    missing: tuple[str, ...] = ()

    @property
    def ranks(self) -> dict[Key, int]:
        """The rank of each of the nearest chunks, from 1."""
        order = sorted(self.nearest, key=lambda key: (-self.nearest[key], key))
        return {key: rank for rank, key in enumerate(order, start=1)}

    def cosines(self, keys: Iterable[Key]) -> dict[Key, float]:
        """Return the exact cosine of each chunk that has one."""
        wanted = set(keys)
        return {
            (index, row): cosine
            for index, windows in self.windows.items()
            for row, cosine in windows.of_rows([r for i, r in wanted if i == index], self.questions[index]).items()
        }


def vector_lane(text: str, visible: VisibleLore) -> VectorLane:
    """Embed the question as each pack was embedded, and return the nearest chunks of all embedded packs."""
    windows: dict[int, WindowVectors] = {}
    questions: dict[int, Vectors] = {}
    near: dict[Key, float] = {}
    missing: list[str] = []
    for index, generation in enumerate(visible.generations if text.strip() else ()):
        if generation.without_vectors is not None:
            missing.append(f"found by words alone: {generation.without_vectors}")
        shown = visible.windows[index]
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
