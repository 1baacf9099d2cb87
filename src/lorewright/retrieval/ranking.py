"""Stage 2: everything that might answer -> one order. Keywords and ties become one score in 0..1."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace

from lorewright.index.generation import Generation, StoredChunk
from lorewright.index.keywords import KeywordHit, KeywordTable, rank_keywords
from lorewright.index.schema import tokenizer_of
from lorewright.index.words import content_words, telling_pairs
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.filters import Key, Ties
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.view import LoreView, visible_text
from lorewright.tokens import count_tokens

# How much each signal counts beside the keywords' 1.0. A name that the asker says is the strongest thing they can say
# of what they want; a filter says only where they stand.
NAME_WEIGHT = 0.35
MENTION_WEIGHT = 0.10
FILTER_WEIGHT = 0.25

# So many keyword hits of each table are looked at.
KEYWORD_DEPTH = 100

_SCORE_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk with its score and all that the score is made of. `text` is what the viewer may read of it."""

    chunk: StoredChunk
    text: str
    token_count: int
    score: float
    keyword_score: float = 0.0
    keyword_rank: int | None = None
    terms: dict[str, float] = field(default_factory=dict)
    filters: tuple[str, ...] = ()
    name: str | None = None
    mention: str | None = None


def rank_chunks(query: LoreRetrievalQuery, view: LoreView, ties: dict[Key, Ties]) -> list[Hit]:
    """All chunks with a reason to be there that the viewer may see, best first; ties go by pack, file and position.

    What the viewer may not see is out before anything is counted: it changes no score.
    """
    visible = _Visible(view)
    keywords = visible.keyword_hits(query.keywords) if query.keywords.strip() else {}
    ranked = sorted(keywords, key=lambda key: (-round(keywords[key].score, _SCORE_DIGITS), key))
    ranks = {key: rank for rank, key in enumerate(ranked, start=1)}
    best = max((hit.score for hit in keywords.values()), default=0.0)
    hits = [
        hit
        for key, chunk in visible.chunks([*ranked, *ties]).items()
        if (hit := _hit(key, chunk, visible, keywords.get(key), ties.get(key), best, ranks)) is not None
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk.pack_id, hit.chunk.row))


def _hit(
    key: Key,
    chunk: StoredChunk,
    visible: _Visible,
    keyword: KeywordHit | None,
    tied: Ties | None,
    best: float,
    ranks: dict[Key, int],
) -> Hit | None:
    text = visible.text(key, chunk)
    if text is None:
        return None
    tied = tied or Ties()
    # What ties a secret section to a name may itself be secret; only its own entity counts for whoever sees a part of
    # it.
    mention = tied.mention if visible.whole(key, chunk) else None
    filters = tuple(sorted(tied.filters)) if visible.whole(key, chunk) else ()
    if not (keyword or tied.name or mention or filters):
        return None
    keyword_score = keyword.score / best if keyword and best else 0.0
    score = keyword_score + FILTER_WEIGHT * min(len(filters), 2) / 2
    score += NAME_WEIGHT if tied.name else MENTION_WEIGHT if mention else 0.0
    return Hit(
        chunk=chunk,
        text=text,
        token_count=count_tokens(text),
        score=round(score / (1 + FILTER_WEIGHT + NAME_WEIGHT), _SCORE_DIGITS),
        keyword_score=round(keyword_score, _SCORE_DIGITS),
        keyword_rank=ranks.get(key),
        terms={term: round(share, 3) for term, share in keyword.terms.items()} if keyword else {},
        filters=filters,
        name=tied.name,
        mention=mention,
    )


def with_text(hit: Hit, text: str) -> Hit:
    """The hit with another text, its tokens counted again."""
    return replace(hit, text=text, token_count=count_tokens(text))


class _Visible:
    """What a viewer can search: the open tables, and for everyone but the game master a small table of their own for
    each pack."""

    def __init__(self, view: LoreView) -> None:
        self._view = view
        self._generations = view.generations
        self._private: dict[Key, str] = {}
        if view.viewer != "gm":
            for index, generation in enumerate(view.generations):
                self._add_private(index, generation)

    def _add_private(self, index: int, generation: Generation) -> None:
        for chunk in generation.hidden_chunks():
            text = visible_text(self._view, generation, chunk)
            if text is not None:
                self._private[(index, chunk.row)] = text

    def whole(self, key: Key, chunk: StoredChunk) -> bool:
        """Whether the viewer sees all of the chunk."""
        return self.text(key, chunk) == chunk.text

    def text(self, key: Key, chunk: StoredChunk) -> str | None:
        """What the viewer may read of the chunk, or None."""
        if self._view.viewer == "gm" or chunk.role in OPEN_ROLES:
            return chunk.text or None
        return self._private.get(key)

    def chunks(self, keys: Iterable[Key]) -> dict[Key, StoredChunk]:
        """The chunks of the keys."""
        rows: dict[int, set[int]] = {}
        for index, row in keys:
            rows.setdefault(index, set()).add(row)
        return {
            (index, row): chunk
            for index in sorted(rows)
            for row, chunk in self._generations[index].chunks(rows[index]).items()
        }

    def keyword_hits(self, text: str) -> dict[Key, KeywordHit]:
        """The best keyword hits of every table that the viewer may search, scored as one collection."""
        with ExitStack() as stack:
            tables = list(self._tables(stack))
            words = [*content_words(text), *telling_pairs(text)]
            hits = rank_keywords([table for _, table in tables], words, foreign=content_words(text, english=False))
        return _best(dict(zip_hits([index for index, _ in tables], hits)))

    def _tables(self, stack: ExitStack) -> Iterator[tuple[int, KeywordTable]]:
        """Every table with the index of its generation; those of the moment are closed with the stack."""
        names = ("open_fts", "hidden_fts") if self._view.viewer == "gm" else ("open_fts",)
        for index, generation in enumerate(self._generations):
            for name in names:
                table = KeywordTable(generation.connection, name, generation.counts[name], generation.english)
                yield index, table
            texts = {row: text for (owner, row), text in self._private.items() if owner == index}
            if texts:
                private = stack.enter_context(closing(_private_connection(texts, generation)))
                yield index, KeywordTable(private, "own_fts", len(texts), generation.english)


def zip_hits(owners: Sequence[int], hits: Sequence[dict[int, KeywordHit]]) -> Iterable[tuple[Key, KeywordHit]]:
    """Hits by row of each table -> hits by key."""
    for index, found in zip(owners, hits, strict=True):
        for row, hit in found.items():
            yield (index, row), hit


def _best(hits: dict[Key, KeywordHit]) -> dict[Key, KeywordHit]:
    order = sorted(hits, key=lambda key: (-round(hits[key].score, _SCORE_DIGITS), key))
    return {key: hits[key] for key in order[:KEYWORD_DEPTH]}


def _private_connection(texts: dict[int, str], generation: Generation) -> sqlite3.Connection:
    """What a viewer may see of a pack beyond open lore (row -> text), as a keyword table of its own: no secret has a
    part in its statistics."""
    connection = sqlite3.connect(":memory:")
    tokenizer = tokenizer_of(english=generation.english)
    connection.execute(f"CREATE VIRTUAL TABLE own_fts USING fts5(title, section, chunk_text, tokenize='{tokenizer}')")
    rows = [(row, chunk.title, chunk.section, texts[row]) for row, chunk in generation.chunks(texts).items()]
    connection.executemany("INSERT INTO own_fts(rowid, title, section, chunk_text) VALUES (?, ?, ?, ?)", rows)
    return connection
