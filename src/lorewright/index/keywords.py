"""Words -> scored chunks, by BM25, term by term so that several tables can be ranked as one.

SQLite's `bm25()` takes document frequencies from its whole table, so that scores of two packs would not compare. Each
term is therefore searched alone in every table, and its scores are scaled from that table's own inverse document
frequency to the one over all searched tables. Other tables change no score; and the terms' shares are the explanation.

Finding where a word stands costs a hundredth of what scoring it there does. Where only the best are wanted, rows that
no word can lift among them are therefore never scored: each term's share has a bound, and the few rows with the highest
bounds say how much is needed (Turtle and Flood 1995, "MaxScore").
"""

from __future__ import annotations

import math
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from sys import intern

import numpy as np
import numpy.typing as npt

from lorewright.index.fulltext import MOST_SATURATED, FullText, Row, Rows, fulltext_here, fulltext_of, own_idf
from lorewright.scripts import folded, is_unspaced, parts_of, spaced, without_marks
from lorewright.tokens import BY_SCRIPT

# The tables of a generation's `chunks.db`. Each is written once, when the generation is built.

# Raised whenever the contents of a generation change, so that an old one is rebuilt rather than misread.
GENERATION_FORMAT = 11

# BM25 weights of title, section and text: on linked documents 2 to 5 for the first two lift nDCG from .40 to .48.
COLUMN_WEIGHTS = (3.0, 2.0, 1.0)


KEYWORD_TABLES = ("open_fts", "hidden_fts")


def keyword_statements(*, english: bool) -> tuple[str, ...]:
    """Return the statements for two keyword indexes: open lore, and the rest. They are separate because a secret must
    not even change how rare a word is."""
    fulltext = fulltext_here()
    return tuple(fulltext.create(table, english=english, content="pack_chunks") for table in KEYWORD_TABLES)


STATEMENTS = (
    # Facts about the generation: pack, manifest, content hash, format, counts, entry rules.
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    # The subject of each file.
    """CREATE TABLE entities (
        id TEXT PRIMARY KEY, type TEXT NOT NULL, name TEXT NOT NULL, file_path TEXT NOT NULL,
        aliases_json TEXT NOT NULL, tags_json TEXT NOT NULL, attrs_json TEXT NOT NULL
    )""",
    # The entity of another pack that an entity overrides, as written: a bare ID may be one of several packs'.
    "CREATE TABLE overrides (entity_id TEXT PRIMARY KEY, target_id TEXT NOT NULL)",
    # The gazetteer: every name and alias, in lower-case words, and how many words it has.
    "CREATE TABLE names (name TEXT NOT NULL, entity_id TEXT NOT NULL, PRIMARY KEY (name, entity_id))",
    # The seed's pack_chunks; the keyword indexes read title, section and chunk_text, and others than the game master
    # may read nothing else. Text that an author's editor does not show is in written_text alone (NULL: the same).
    """CREATE TABLE pack_chunks (
        rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, pack_id TEXT NOT NULL, entity_id TEXT NOT NULL,
        file_path TEXT NOT NULL, section_path TEXT NOT NULL, title TEXT NOT NULL, section TEXT NOT NULL,
        chunk_text TEXT NOT NULL, role TEXT NOT NULL, line INTEGER NOT NULL, part INTEGER NOT NULL,
        token_count INTEGER NOT NULL, metadata_json TEXT NOT NULL, embedding_id TEXT,
        written_text TEXT, written_tokens INTEGER NOT NULL
    )""",
    "CREATE INDEX chunks_of_entity ON pack_chunks (entity_id, rowid)",
    # For the check of who may read a chunk: the role column comes after the text, which SQLite would read through.
    "CREATE INDEX chunks_of_role ON pack_chunks (role, entity_id)",
    # The links of a chunk, for the filter stage.
    "CREATE TABLE links (kind TEXT NOT NULL, value TEXT NOT NULL, chunk INTEGER NOT NULL)",
    "CREATE INDEX links_by_value ON links (kind, value, chunk)",
    "CREATE INDEX links_by_chunk ON links (chunk)",
    # Items, which can be revealed one by one.
    """CREATE TABLE items (
        id TEXT PRIMARY KEY, chunk INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, line INTEGER NOT NULL,
        trigger TEXT, hint TEXT, condition TEXT, opened_by TEXT
    )""",
    "CREATE INDEX items_of_chunk ON items (chunk)",
    # The embedded windows, in the order of the vectors (from 0): a piece of a chunk, or with item_id of one item of it.
    "CREATE TABLE windows (id INTEGER PRIMARY KEY, chunk INTEGER NOT NULL, item_id TEXT)",
    # Under which condition a chunk, or one item of it, holds: the condition as JSON, and its line in the file.
    "CREATE TABLE conditions (chunk INTEGER NOT NULL, item_id TEXT, condition TEXT NOT NULL, line INTEGER NOT NULL)",
)


# Free text -> the words that are looked up: lower-case, without stop words.

WORD = re.compile(r"\w+(?:[’'\-]\w+)*")
_POSSESSIVE = re.compile(r"[’']s\b")

# English function words and the words of questions; in another language they may mean something (`die`, `war`, `not`).
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both but by
    can could did do does doing down during each ever every few for from further get give had has have having he her
    here hers him his how i if in into is it its itself just know let like make may me might mine more most much must
    my near no nor not now of off on once one only or other our out over own please same say see shall she should show
    so some such tell than that the their them then there these they thing this those through to too under until up us
    very was
    way we were what when where which while who whom whose why will with would yes yet you your""".split()
)


# What a question asks with in scripts without spaces: there it stands inside of the words, and its bigrams are rare
# enough in prose to outweigh what is asked about.
_QUESTION_WORDS = re.compile(
    "叫?[什甚][么麼](?:名字|时候|時候|样|樣|地方)?|[为為]什[么麼]|怎[么麼][样樣]?|哪[里裡儿兒个個些]|多少|来着|來著|到底|究竟|是?[谁誰]"
    "|どこ|だれ|どんな|どの(?:よう|くらい)|どうして|どうやって|なぜ|いつ|何(?:という|といい?|で|が|を|の|は|時|人|者)?"
    "|で(?:すか|しょうか|したか)|ますか|ましたか|ください"
)


def words_of(text: str) -> list[str]:
    """Return lower-case words in order; `Phelan’s` is `phelan`, `X-1` is `x-1`; case folded as Unicode does."""
    folded = _POSSESSIVE.sub("", unicodedata.normalize("NFC", text).casefold())
    return [intern(word) for word in WORD.findall(folded)]


def name_key(name: str, *, reading: int) -> str:
    """Return a name as the table of names has it: lower-case words, in scripts without spaces with all their marks."""
    return folded(name) if reading >= BY_SCRIPT and is_unspaced(name) else " ".join(words_of(name))


def indexed_row(row: Row, *, reading: int) -> Row:
    """Return a row of a keyword table as it is indexed: scripts without spaces between words as bigrams."""
    number, title, section, text = row
    return (number, spaced(title), spaced(section), spaced(text)) if reading >= BY_SCRIPT else row


def parts_of_words(words: Iterable[str]) -> list[str]:
    """Return the words as tables of bigrams are searched for them: in scripts without spaces by their parts, without
    those of question words where anything else is asked."""
    return list(dict.fromkeys(part for word in words for part in _parts_asked(word)))


def _parts_asked(word: str) -> list[str]:
    if not is_unspaced(word):
        return [word]
    telling = [part for piece in _QUESTION_WORDS.split(word) if piece for part in parts_of(piece)]
    return telling or parts_of(word)


def is_english(language: str) -> bool:
    """Return True if a pack's language (`en`, `en-GB`, `de`) is English, whose endings and stop words are known."""
    return language.casefold().replace("_", "-").partition("-")[0] in ("en", "eng", "english")


def content_words(text: str, *, english: bool = True) -> list[str]:
    """Return the words that carry meaning, each once, in order; all words where none of them does.

    Stop words are known of English only.
    """
    words = list(dict.fromkeys(words_of(text)))
    if not english:
        return words
    return [word for word in words if word not in STOP_WORDS] or words


# Search words, texts -> the words of the texts that match them in a keyword index.
#
# A keyword index itself decides, so that its stemming, folding of accents and tokens are used.

_WORD = re.compile(r"\w+")


def matching_words(asked: Iterable[str], texts: Iterable[str], *, english: bool = True) -> Mapping[str, frozenset[str]]:
    """Return for each search word (or phrase) the words of the texts, in lower case, that it matches, maybe none; of a
    word in a script without spaces those of its parts that the texts hold."""
    texts = list(texts)
    found_in = sorted({word.casefold() for text in texts for word in _WORD.findall(text)})
    wanted = {
        phrase: [word for part in words_of(phrase) for word in _WORD.findall(part)] for phrase in dict.fromkeys(asked)
    }
    fulltext = fulltext_here()
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(fulltext.create("words_fts", english=english))
        fulltext.insert(connection, "words_fts", [(row, "", "", word) for row, word in enumerate(found_in, start=1)])

        def found(word: str) -> Iterable[str]:
            return (found_in[row - 1] for row in fulltext.rows(connection, "words_fts", word).tolist())

        whole = without_marks("\n".join(texts).casefold())
        return {
            phrase: frozenset(hit for word in words for hit in found(word))
            | frozenset(part for part in parts_of(phrase) if is_unspaced(part) and part in whole)
            for phrase, words in wanted.items()
        }


# Twenty of the rarest terms rank as well as all of them and cost a bounded time.
MAX_TERMS = 20

# A word in more than a quarter of all chunks is not telling.
MAX_SHARE = 0.25

# Scores closer than this count as equal, for callers may round them.
_TIE = 1e-5

# How many times the wanted number of rows, those with the highest bounds, are scored first; 2 to 6 change little.
_FIRST = 4

# With fewer matching rows it is as quick to score them all.
_WORTH_PRUNING = 1_000

# How many words' counts are cached for a table, some 100 bytes each.
_KEPT_COUNTS = 20_000

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class KeywordTable:
    """An FTS table to search; `count` is the number of its rows, `english` the language of its text, `reading` the
    version of the rules by which it was filled. The table must not change, for counts are cached."""

    connection: sqlite3.Connection
    name: str
    count: int
    english: bool = True
    reading: int = 1
    fulltext: FullText = field(init=False)
    _counts: dict[str, int] = field(init=False, default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fulltext", fulltext_of(self.connection, self.name))

    def count_of(self, word: str) -> int:
        """Return the number of rows with a word."""
        if word not in self._counts:
            if len(self._counts) >= _KEPT_COUNTS:
                self._counts.clear()
            sql = f"SELECT count(*) FROM {self.name} WHERE {self.name} MATCH ?"
            self._counts[word] = int(
                self.connection.execute(sql, (self.fulltext.quoted(self.phrase(word)),)).fetchone()[0]
            )
        return self._counts[word]

    @property
    def has_bigrams(self) -> bool:
        """True if words of scripts without spaces are looked up by their parts."""
        return self.reading >= BY_SCRIPT

    def phrase(self, word: str) -> str:
        """Return a word, or a part of one, as the words that stand in the index."""
        return spaced(word) if self.has_bigrams else word


@dataclass(slots=True)
class KeywordHit:
    """A row's score and each term's share of it."""

    score: float = 0.0
    terms: dict[str, float] = field(default_factory=dict)


def rank_keywords(
    tables: Sequence[KeywordTable], words: Sequence[str], *, foreign: Sequence[str] = (), best: int | None = None
) -> list[dict[int, KeywordHit]]:
    """Return for each table: row -> hit. Scores compare across the tables searched together, and with nothing else.

    With `best`, rows that are surely not among that many best of all tables may be missing; rows within 0.00001 of the
    last of them are there. Tables that are not English are searched for the `foreign` words instead. Tables of bigrams
    are searched for the parts of the words of scripts without spaces.

    Words are quoted before FTS sees them, so no input is a syntax error.
    """
    total = sum(table.count for table in tables)
    asked = [_asked(table, words if table.english else foreign) for table in tables]
    every = [*words, *foreign, *(word for own in asked for word in own)]
    terms = [(word, counts, _idf(total, sum(counts))) for word, counts in _rarest(tables, every, asked, total)]
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
    """Return for each word its inverse document frequency and the number of chunks that hold it, over all tables."""
    total = sum(table.count for table in tables)
    counts = {word: sum(table.count_of(word) for table in tables) for word in words}
    return {word: (_idf(total, count), count) for word, count in counts.items()}


def _asked(table: KeywordTable, words: Sequence[str]) -> frozenset[str]:
    return frozenset(parts_of_words(words) if table.has_bigrams else words)


@dataclass(frozen=True, slots=True)
class _Term:
    """A word, its rows, the factor for its scores, and an upper bound of its share."""

    word: str
    rows: Rows
    scale: float
    most: float


class _Ranking:
    """The rows of one table with their scores, as they become known. Shares are added in the order of the terms,
    whichever rows are scored together: so a row's score has the same bits in any case."""

    def __init__(self, table: KeywordTable, terms: Sequence[_Term]) -> None:
        self._table = table
        self._terms = terms
        self.matches = sum(len(term.rows) for term in terms)
        size = max((int(term.rows.max()) + 1 for term in terms), default=0)
        self._scores = np.zeros(size)
        # Upper bounds of the rows' scores, as far as known; 0 where no term stands.
        self._bounds = np.zeros(size)
        self._known = np.zeros(size, np.bool_)
        self._shares: list[tuple[str, Rows, Scores]] = []
        for term in terms:
            self._bounds[term.rows] += term.most

    @property
    def scores(self) -> Scores:
        """The known scores, by row."""
        return self._scores[self._known]

    def score_most_promising(self, count: int) -> None:
        """Score `count` of the rows with the highest bounds, or all where there are no more."""
        first = np.zeros(len(self._bounds), np.bool_)
        # Without the rows where no term stands: among so many equal ones the search for the largest takes 60 times as
        # long.
        bounded = np.flatnonzero(self._bounds)
        first[bounded[np.argpartition(self._bounds[bounded], -count)[-count:]] if count < len(bounded) else bounded] = (
            True
        )
        self._score(first, least=0.0)

    def score_rest(self, least: float) -> None:
        """Score every other row whose bound is at least `least`."""
        self._score(~self._known, least=least)

    def _score(self, among: npt.NDArray[np.bool_], *, least: float) -> None:
        table = self._table
        for term in self._terms:
            rows = term.rows[among[term.rows] & (self._bounds[term.rows] >= least)]
            if len(rows):
                chosen = rows if len(rows) < len(term.rows) else None
                phrase = table.phrase(term.word)
                found = table.fulltext.match(table.connection, table.name, phrase, COLUMN_WEIGHTS, rows=chosen)
                shares = found.scores * term.scale
                self._scores[found.rows] += shares
                self._bounds[found.rows] += shares - term.most
                self._shares.append((term.word, found.rows, shares))
        self._known |= among & (self._bounds > 0) & (self._bounds >= least)

    def hits(self, least: float) -> dict[int, KeywordHit]:
        """Return the scored rows with at least that score, with their terms in order."""
        chosen = self._known & (self._scores >= least)
        hits = {row: KeywordHit(float(self._scores[row])) for row in np.flatnonzero(chosen).tolist()}
        for word, rows, shares in self._shares:
            of_chosen = chosen[rows]
            for row, share in zip(rows[of_chosen].tolist(), shares[of_chosen].tolist(), strict=True):
                hits[row].terms[word] = share
        return hits


def _ranking(table: KeywordTable, words: Iterable[tuple[str, int, float]]) -> _Ranking:
    """Return a table's ranking for words, each with its count in this table and its idf over all tables."""
    terms = [
        _Term(
            word,
            table.fulltext.rows(table.connection, table.name, table.phrase(word)),
            scale=idf / own_idf(table.count, count),
            most=idf * MOST_SATURATED,
        )
        for word, count, idf in words
        if count
    ]
    return _Ranking(table, terms)


def _least_of(best: int, rankings: Sequence[_Ranking]) -> float:
    """Return the least score among that many best of the known scores."""
    known = np.concatenate([ranking.scores for ranking in rankings]) if rankings else np.zeros(0)
    return float(np.partition(known, -best)[-best]) - _TIE if len(known) >= best > 0 else 0.0


def _rarest(
    tables: Sequence[KeywordTable], words: Sequence[str], asked: Sequence[frozenset[str]], total: int
) -> list[tuple[str, list[int]]]:
    """Return the words that are found, rarest first; common ones only where there is no other."""
    counted = [
        (word, [table.count_of(word) if word in own else 0 for table, own in zip(tables, asked, strict=True)])
        for word in dict.fromkeys(words)
    ]
    found = sorted((pair for pair in counted if sum(pair[1])), key=lambda pair: (sum(pair[1]), pair[0]))
    telling = [pair for pair in found if sum(pair[1]) <= max(1, MAX_SHARE * total)]
    return (telling or found)[:MAX_TERMS]


def _idf(count: int, matching: int) -> float:
    return math.log(1 + (count - matching + 0.5) / (matching + 0.5))
