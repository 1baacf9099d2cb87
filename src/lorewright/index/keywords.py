"""Words -> scored chunks, by BM25, asked term by term so that several tables can be ranked as one.

SQLite's `bm25()` takes document frequencies from its whole table, so that scores of two packs would not compare. Each
term is therefore asked alone in every table, and its scores are scaled from that table's own inverse document frequency
to the one over all tables asked. What is not asked changes no score; and the terms' shares are the explanation.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lorewright.index.fulltext import FullText, fulltext_of, own_idf
from lorewright.index.schema import COLUMN_WEIGHTS

# Twenty of the rarest terms rank as well as all of them and cost a bounded time.
MAX_TERMS = 20

# A word in more than a quarter of everything says nothing of any one chunk.
MAX_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class KeywordTable:
    """One FTS table to ask; `count` is the number of its rows, `english` the language of its text."""

    connection: sqlite3.Connection
    name: str
    count: int
    english: bool = True
    fulltext: FullText = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fulltext", fulltext_of(self.connection, self.name))


@dataclass(slots=True)
class KeywordHit:
    """A row's score and each term's share of it."""

    score: float = 0.0
    terms: dict[str, float] = field(default_factory=dict)


def rank_keywords(
    tables: Sequence[KeywordTable], words: Sequence[str], *, foreign: Sequence[str] = ()
) -> list[dict[int, KeywordHit]]:
    """For each table: row -> hit. Scores compare across the tables asked together, and with nothing else.

    Tables that are not English are asked for the `foreign` words instead.

    Words are quoted before FTS sees them, so no input is a syntax error.
    """
    hits: list[dict[int, KeywordHit]] = [{} for _ in tables]
    total = sum(table.count for table in tables)
    asked = [frozenset(words if table.english else foreign) for table in tables]
    for word, counts in _rarest(tables, [*words, *foreign], asked, total):
        everywhere = _idf(total, sum(counts))
        for table, count, found in zip(tables, counts, hits, strict=True):
            if count:
                _add_term(table, word, everywhere / own_idf(table.count, count), found)
    return hits


def weigh_words(tables: Sequence[KeywordTable], words: Iterable[str]) -> dict[str, tuple[float, int]]:
    """How much each word says of a chunk (its inverse document frequency) and in how many chunks it stands, over all
    tables asked."""
    total = sum(table.count for table in tables)
    counts = {word: sum(count_matching(table, word) for table in tables) for word in words}
    return {word: (_idf(total, count), count) for word, count in counts.items()}


def _add_term(table: KeywordTable, word: str, scale: float, found: dict[int, KeywordHit]) -> None:
    for row, score in table.fulltext.match(table.connection, table.name, word, COLUMN_WEIGHTS):
        hit = found.setdefault(row, KeywordHit())
        share = score * scale
        hit.score += share
        hit.terms[word] = share


def _rarest(
    tables: Sequence[KeywordTable], words: Sequence[str], asked: Sequence[frozenset[str]], total: int
) -> list[tuple[str, list[int]]]:
    """The words that are found, rarest first; common ones only where there is no other."""
    counted = [
        (word, [count_matching(table, word) if word in own else 0 for table, own in zip(tables, asked, strict=True)])
        for word in dict.fromkeys(words)
    ]
    found = sorted((pair for pair in counted if sum(pair[1])), key=lambda pair: (sum(pair[1]), pair[0]))
    telling = [pair for pair in found if sum(pair[1]) <= max(1, MAX_SHARE * total)]
    return (telling or found)[:MAX_TERMS]


def count_matching(table: KeywordTable, word: str) -> int:
    """In how many rows of a table a word stands."""
    sql = f"SELECT count(*) FROM {table.name} WHERE {table.name} MATCH ?"
    return int(table.connection.execute(sql, (table.fulltext.quoted(word),)).fetchone()[0])


def _idf(count: int, matching: int) -> float:
    return math.log(1 + (count - matching + 0.5) / (matching + 0.5))
