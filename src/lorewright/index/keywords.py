"""Words -> scored chunks, by BM25, asked term by term so that several tables can be ranked as one.

SQLite's `bm25()` takes document frequencies from its whole table, so that scores of two packs would not compare. Each
term is therefore asked alone in every table, and its scores are scaled from that table's own inverse document frequency
to the one over all tables asked. What is not asked changes no score; and the terms' shares are the explanation.

Finding where a word stands costs a hundredth of what scoring it there does. Where only the best are wanted, what no
word can lift among them is therefore never scored: each term's share has a bound, and the few with the highest bounds
say how much is needed (Turtle and Flood 1995, "MaxScore").
"""

from __future__ import annotations

import math
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lorewright.index.fulltext import MOST_SATURATED, FullText, Rows, fulltext_here, fulltext_of, own_idf

# The tables of a generation's `chunks.db`. Each is written once, when the generation is built.

# Raised whenever what stands in a generation changes, so that an old one is rebuilt rather than misread.
GENERATION_FORMAT = 10

# BM25 weights of title, section and text: on linked documents 2 to 5 for the first two lift nDCG from .40 to .48.
COLUMN_WEIGHTS = (3.0, 2.0, 1.0)


KEYWORD_TABLES = ("open_fts", "hidden_fts")


def keyword_statements(*, english: bool) -> tuple[str, ...]:
    """Two keyword indexes, because a secret must not show even in how rare a word is: what everyone may read, and the
    rest."""
    made_with = fulltext_here()
    return tuple(made_with.create(table, english=english, content="pack_chunks") for table in KEYWORD_TABLES)


STATEMENTS = (
    # Facts about the generation: pack, manifest, content hash, format.
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    # What each file is about.
    """CREATE TABLE entities (
        id TEXT PRIMARY KEY, type TEXT NOT NULL, name TEXT NOT NULL, file_path TEXT NOT NULL,
        aliases_json TEXT NOT NULL, tags_json TEXT NOT NULL, attrs_json TEXT NOT NULL
    )""",
    # Which entity of another pack an entity stands for, as it is written: a bare ID may be one of several packs'.
    "CREATE TABLE overrides (entity_id TEXT PRIMARY KEY, target_id TEXT NOT NULL)",
    # The gazetteer: every name and alias, in lower-case words, and how many words it has.
    "CREATE TABLE names (name TEXT NOT NULL, entity_id TEXT NOT NULL, PRIMARY KEY (name, entity_id))",
    # The seed's pack_chunks; title, section and chunk_text are what the keyword indexes read, and all that others than
    # the game master may read. What an author's editor does not show stands in written_text alone (NULL: the same).
    """CREATE TABLE pack_chunks (
        rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, pack_id TEXT NOT NULL, entity_id TEXT NOT NULL,
        file_path TEXT NOT NULL, section_path TEXT NOT NULL, title TEXT NOT NULL, section TEXT NOT NULL,
        chunk_text TEXT NOT NULL, role TEXT NOT NULL, line INTEGER NOT NULL, part INTEGER NOT NULL,
        token_count INTEGER NOT NULL, metadata_json TEXT NOT NULL, embedding_id TEXT,
        written_text TEXT, written_tokens INTEGER NOT NULL
    )""",
    "CREATE INDEX chunks_of_entity ON pack_chunks (entity_id, rowid)",
    # Who may read what: the role stands behind the text, which would be read through to get there.
    "CREATE INDEX chunks_of_role ON pack_chunks (role, entity_id)",
    # What a chunk is tied to, for the filter stage.
    "CREATE TABLE links (kind TEXT NOT NULL, value TEXT NOT NULL, chunk INTEGER NOT NULL)",
    "CREATE INDEX links_by_value ON links (kind, value, chunk)",
    "CREATE INDEX links_by_chunk ON links (chunk)",
    # What can be known one by one.
    """CREATE TABLE items (
        id TEXT PRIMARY KEY, chunk INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, line INTEGER NOT NULL,
        trigger TEXT, hint TEXT, condition TEXT
    )""",
    "CREATE INDEX items_of_chunk ON items (chunk)",
    # What is embedded, in the order of the vectors (from 0): a piece of a chunk, or with item_id of one item of it.
    "CREATE TABLE windows (id INTEGER PRIMARY KEY, chunk INTEGER NOT NULL, item_id TEXT)",
    # When a chunk, or one item of it, holds: the condition as JSON, and its line in the file.
    "CREATE TABLE conditions (chunk INTEGER NOT NULL, item_id TEXT, condition TEXT NOT NULL, line INTEGER NOT NULL)",
)


# Free text -> the words that are looked up: lower-case, without the ones that say nothing.

WORD = re.compile(r"\w+(?:[’'\-]\w+)*")
_POSSESSIVE = re.compile(r"[’']s\b")

# English function words and the words of asking; in another language they may mean something (`die`, `war`, `not`).
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both but by
    can could did do does doing down during each ever every few for from further get give had has have having he her
    here hers him his how i if in into is it its itself just know let like make may me might mine more most much must
    my near no nor not now of off on once one only or other our out over own please same say see shall she should show
    so some such tell than that the their them then there these they thing this those through to too under until up us
    very was
    way we were what when where which while who whom whose why will with would yes yet you your""".split()
)


def words_of(text: str) -> list[str]:
    """Lower-case words in order; `Phelan’s` is `phelan`, `X-1` is `x-1`; case and accents as Unicode folds them."""
    folded = _POSSESSIVE.sub("", unicodedata.normalize("NFC", text).casefold())
    return WORD.findall(folded)


def is_english(language: str) -> bool:
    """Whether a pack's language (`en`, `en-GB`, `de`) is the one whose endings and small words we know."""
    return language.casefold().replace("_", "-").partition("-")[0] in ("en", "eng", "english")


def content_words(text: str, *, english: bool = True) -> list[str]:
    """The words that carry meaning, each once, in order; all of them where nothing else is left.

    Which carry none is known of English only.
    """
    words = list(dict.fromkeys(words_of(text)))
    if not english:
        return words
    return [word for word in words if word not in STOP_WORDS] or words


def telling_pairs(text: str) -> list[str]:
    """Neighbouring words that both carry meaning, as they are written (`crasher’s bazaar`): looked up as a phrase."""
    raw = WORD.findall(unicodedata.normalize("NFC", text).casefold())
    telling = [not STOP_WORDS.intersection(words_of(word)) and len(word) > 1 for word in raw]
    pairs = zip(raw, raw[1:], telling, telling[1:], strict=False)
    return list(dict.fromkeys(f"{first} {second}" for first, second, a, b in pairs if a and b))


# Words that were asked, texts -> the words of the texts that a keyword index takes for the same.
#
# The index itself is asked, so that its stems, its folding of accents and its idea of a word are these.

_WORD = re.compile(r"\w+")


def matching_words(asked: Iterable[str], texts: Iterable[str], *, english: bool = True) -> Mapping[str, frozenset[str]]:
    """For each asked word (or phrase) the words of the texts, in lower case, that it finds; none where it does not."""
    found_in = sorted({word.casefold() for text in texts for word in _WORD.findall(text)})
    wanted = {one: [word for part in words_of(one) for word in _WORD.findall(part)] for one in dict.fromkeys(asked)}
    fulltext = fulltext_here()
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(fulltext.create("words_fts", english=english))
        fulltext.insert(connection, "words_fts", [(row, "", "", word) for row, word in enumerate(found_in, start=1)])

        def found(word: str) -> Iterable[str]:
            return (found_in[row - 1] for row in fulltext.rows(connection, "words_fts", word).tolist())

        return {one: frozenset(hit for word in words for hit in found(word)) for one, words in wanted.items()}


# Twenty of the rarest terms rank as well as all of them and cost a bounded time.
MAX_TERMS = 20

# A word in more than a quarter of everything says nothing of any one chunk.
MAX_SHARE = 0.25

# Whoever rounds scores may take such as are so close for equal.
_TIE = 1e-5

# The most promising, so many times what is wanted, are scored first; between 2 and 6 little changes.
_FIRST = 4

# Below so many rows in which terms stand it is as quick to score them all.
_WORTH_PRUNING = 1_000

# So many words' counts are kept for a table, some 100 bytes each.
_KEPT_COUNTS = 20_000

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class KeywordTable:
    """One FTS table to ask; `count` is the number of its rows, `english` the language of its text. Neither may change:
    what was counted once is not counted again."""

    connection: sqlite3.Connection
    name: str
    count: int
    english: bool = True
    fulltext: FullText = field(init=False)
    _counts: dict[str, int] = field(init=False, default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fulltext", fulltext_of(self.connection, self.name))

    def count_of(self, word: str) -> int:
        """In how many rows a word stands."""
        if word not in self._counts:
            if len(self._counts) >= _KEPT_COUNTS:
                self._counts.clear()
            sql = f"SELECT count(*) FROM {self.name} WHERE {self.name} MATCH ?"
            self._counts[word] = int(self.connection.execute(sql, (self.fulltext.quoted(word),)).fetchone()[0])
        return self._counts[word]


@dataclass(slots=True)
class KeywordHit:
    """A row's score and each term's share of it."""

    score: float = 0.0
    terms: dict[str, float] = field(default_factory=dict)


def rank_keywords(
    tables: Sequence[KeywordTable], words: Sequence[str], *, foreign: Sequence[str] = (), best: int | None = None
) -> list[dict[int, KeywordHit]]:
    """For each table: row -> hit. Scores compare across the tables asked together, and with nothing else.

    With `best`, rows that are surely not among so many best of all tables may be missing; those that come as near to
    the last of them as 0.00001 are there. Tables that are not English are asked for the `foreign` words instead.

    Words are quoted before FTS sees them, so no input is a syntax error.
    """
    total = sum(table.count for table in tables)
    asked = [frozenset(words if table.english else foreign) for table in tables]
    terms = [
        (word, counts, _idf(total, sum(counts))) for word, counts in _rarest(tables, [*words, *foreign], asked, total)
    ]
    rankings = [
        _ranking(table, [(word, counts[place], idf) for word, counts, idf in terms])
        for place, table in enumerate(tables)
    ]
    least = 0.0
    if best is not None and sum(ranking.matches for ranking in rankings) > _WORTH_PRUNING:
        for ranking in rankings:
            ranking.score_most_promising(_FIRST * best)
        least = _least_of(best, rankings)
    for ranking in rankings:
        ranking.score_rest(least)
    least = _least_of(best, rankings) if best is not None else 0.0
    return [ranking.hits(least) for ranking in rankings]


def weigh_words(tables: Sequence[KeywordTable], words: Iterable[str]) -> dict[str, tuple[float, int]]:
    """How much each word says of a chunk (its inverse document frequency) and in how many chunks it stands, over all
    tables asked."""
    total = sum(table.count for table in tables)
    counts = {word: sum(table.count_of(word) for table in tables) for word in words}
    return {word: (_idf(total, count), count) for word, count in counts.items()}


@dataclass(frozen=True, slots=True)
class _Term:
    """A word, the rows where it stands, what its scores are scaled by, and what no share of it exceeds."""

    word: str
    rows: Rows
    scale: float
    most: float


class _Ranking:
    """One table's rows as their scores become known. Shares are added in the order of the terms, whichever rows are
    scored together: a row's score has the same bits whatever else is wanted."""

    def __init__(self, table: KeywordTable, terms: Sequence[_Term]) -> None:
        self._table = table
        self._terms = terms
        self.matches = sum(len(term.rows) for term in terms)
        size = max((int(term.rows.max()) + 1 for term in terms), default=0)
        self._scores = np.zeros(size)
        # What a row's score may come to, as far as is known; 0 where no term stands.
        self._bounds = np.zeros(size)
        self._known = np.zeros(size, np.bool_)
        self._shares: list[tuple[str, Rows, Scores]] = []
        for term in terms:
            self._bounds[term.rows] += term.most

    @property
    def scores(self) -> Scores:
        """Those that are known, by row."""
        return self._scores[self._known]

    def score_most_promising(self, count: int) -> None:
        """Score `count` of the rows that may come to most, or all where there are no more."""
        first = np.zeros(len(self._bounds), np.bool_)
        # Without the rows where no term stands: among so many equal ones the search for the largest takes 60 times as
        # long.
        told = np.flatnonzero(self._bounds)
        first[told[np.argpartition(self._bounds[told], -count)[-count:]] if count < len(told) else told] = True
        self._score(first, least=0.0)

    def score_rest(self, least: float) -> None:
        """Score every other row that may come to as much."""
        self._score(~self._known, least=least)

    def _score(self, among: npt.NDArray[np.bool_], *, least: float) -> None:
        table = self._table
        for term in self._terms:
            rows = term.rows[among[term.rows] & (self._bounds[term.rows] >= least)]
            if len(rows):
                chosen = rows if len(rows) < len(term.rows) else None
                found = table.fulltext.match(table.connection, table.name, term.word, COLUMN_WEIGHTS, rows=chosen)
                shares = found.scores * term.scale
                self._scores[found.rows] += shares
                self._bounds[found.rows] += shares - term.most
                self._shares.append((term.word, found.rows, shares))
        self._known |= among & (self._bounds > 0) & (self._bounds >= least)

    def hits(self, least: float) -> dict[int, KeywordHit]:
        """The rows that are known and come to as much, with their terms in order."""
        chosen = self._known & (self._scores >= least)
        hits = {row: KeywordHit(float(self._scores[row])) for row in np.flatnonzero(chosen).tolist()}
        for word, rows, shares in self._shares:
            of_chosen = chosen[rows]
            for row, share in zip(rows[of_chosen].tolist(), shares[of_chosen].tolist(), strict=True):
                hits[row].terms[word] = share
        return hits


def _ranking(table: KeywordTable, words: Iterable[tuple[str, int, float]]) -> _Ranking:
    """A table to be asked for words, each with its count in this table and its idf over all tables."""
    terms = [
        _Term(
            word,
            table.fulltext.rows(table.connection, table.name, word),
            scale=idf / own_idf(table.count, count),
            most=idf * MOST_SATURATED,
        )
        for word, count, idf in words
        if count
    ]
    return _Ranking(table, terms)


def _least_of(best: int, rankings: Sequence[_Ranking]) -> float:
    """What a score must come to, to be among so many best of those that are known."""
    known = np.concatenate([ranking.scores for ranking in rankings]) if rankings else np.zeros(0)
    return float(np.partition(known, -best)[-best]) - _TIE if len(known) >= best > 0 else 0.0


def _rarest(
    tables: Sequence[KeywordTable], words: Sequence[str], asked: Sequence[frozenset[str]], total: int
) -> list[tuple[str, list[int]]]:
    """The words that are found, rarest first; common ones only where there is no other."""
    counted = [
        (word, [table.count_of(word) if word in own else 0 for table, own in zip(tables, asked, strict=True)])
        for word in dict.fromkeys(words)
    ]
    found = sorted((pair for pair in counted if sum(pair[1])), key=lambda pair: (sum(pair[1]), pair[0]))
    telling = [pair for pair in found if sum(pair[1]) <= max(1, MAX_SHARE * total)]
    return (telling or found)[:MAX_TERMS]


def _idf(count: int, matching: int) -> float:
    return math.log(1 + (count - matching + 0.5) / (matching + 0.5))
