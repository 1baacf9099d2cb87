"""Words -> rows of a keyword table with their BM25: by FTS5, or by FTS4 where SQLite was built without FTS5.

Both give the same scores: FTS4 only counts, and this module computes from the counts what FTS5's `bm25()` does. FTS4's
stemmer reads only ASCII (to it `bar—the` is one word, and `É` is no letter), so its tables hold a folded copy of the
text. Two differences remain, in words that FTS4 does not stem: those with digits (`10s` does not find `10`), of which
it compares the first and last three letters, and those of more than 20 bytes, of which it compares ten and ten.
"""

from __future__ import annotations

import json
import math
import os
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from sqlite_fts4 import decode_matchinfo

from lorewright.errors import SettingsError

# Set to `fts4`, this variable makes the program behave as with an SQLite without FTS5.
FULLTEXT_VARIABLE = "LOREWRIGHT_FULLTEXT"

# rowid, title, section, text: the columns of a keyword table.
Row = tuple[int, str, str, str]

Rows = npt.NDArray[np.int64]

_COLUMNS = "title, section, chunk_text"

# The constants of FTS5's bm25() (fts5_aux.c).
_K1 = 1.2
_B = 0.75

# However often a word stands in a row, its BM25 stays below this times its idf.
MOST_SATURATED = _K1 + 1


@dataclass(frozen=True, slots=True)
class Matches:
    """Rowids, each once, and their scores: higher is better."""

    rows: Rows
    scores: npt.NDArray[np.float64]

    @staticmethod
    def of(found: Iterable[tuple[int, float]]) -> Matches:
        """Return matches from (rowid, score); a rowid below 2**53 is a float without loss."""
        pairs = np.fromiter(chain.from_iterable(found), np.float64).reshape(-1, 2)
        return Matches(pairs[:, 0].astype(np.int64), pairs[:, 1].copy())


class FullText(Protocol):
    """Creates, fills and searches one kind of keyword table. The command `'optimize'` is the same for all."""

    name: ClassVar[str]

    def create(self, table: str, *, english: bool, content: str | None = None) -> str:
        """Return the statement that creates a table. English words are stemmed. `content` names a table from which the
        rows are read, so that this table need not store the text."""

    def insert(self, connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
        """Add rows; with a content table, after they are in it."""

    def take_out(self, connection: sqlite3.Connection, table: str, row: Row) -> None:
        """Remove a row, given as it was added, before it changes in the content table."""

    def quoted(self, word: str) -> str:
        """Return the word, or several as a phrase, as an expression without any operators."""

    def rows(self, connection: sqlite3.Connection, table: str, word: str) -> Rows:
        """Return the rowids of the rows with a word."""

    def match(
        self, connection: sqlite3.Connection, table: str, word: str, weights: Sequence[float], rows: Rows | None = None
    ) -> Matches:
        """Return the rowids of the rows with a word, only those among `rows` if given, and their scores; `weights` has
        a weight for each column."""


@dataclass(frozen=True, slots=True)
class Fts5:
    """SQLite's own ranking."""

    name: ClassVar[str] = "fts5"

    def create(self, table: str, *, english: bool, content: str | None = None) -> str:
        """See `FullText`."""
        source = f"content='{content}', content_rowid='rowid', " if content else ""
        words = fts5_tokenizer(english=english)
        return f"CREATE VIRTUAL TABLE {table} USING fts5({_COLUMNS}, {source}tokenize='{words}')"

    def insert(self, connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
        """See `FullText`."""
        connection.executemany(f"INSERT INTO {table}(rowid, {_COLUMNS}) VALUES (?, ?, ?, ?)", rows)

    def take_out(self, connection: sqlite3.Connection, table: str, row: Row) -> None:
        """See `FullText`; of an external-content table."""
        connection.execute(f"INSERT INTO {table}({table}, rowid, {_COLUMNS}) VALUES ('delete', ?, ?, ?, ?)", row)

    def quoted(self, word: str) -> str:
        """See `FullText`."""
        clean = word.encode("utf-8", "replace").decode("utf-8").replace("\0", " ").replace('"', '""')
        return f'"{clean}"'

    def rows(self, connection: sqlite3.Connection, table: str, word: str) -> Rows:
        """See `FullText`."""
        return _rows(connection, table, self.quoted(word))

    def match(
        self, connection: sqlite3.Connection, table: str, word: str, weights: Sequence[float], rows: Rows | None = None
    ) -> Matches:
        """See `FullText`."""
        sql = f"SELECT rowid, -bm25({table}, {', '.join(map(str, weights))}) FROM {table} WHERE {table} MATCH ?"
        if rows is None:
            return Matches.of(_plain_rows(connection, sql, self.quoted(word)))
        # With the plus SQLite looks up the word once and filters its rows; without it the search would run once for
        # each of `rows`.
        sql += " AND +rowid IN (SELECT value FROM json_each(?))"
        return Matches.of(_plain_rows(connection, sql, self.quoted(word), json.dumps(rows.tolist())))


@dataclass(frozen=True, slots=True)
class Fts4:
    """Counts by SQLite, with the ranking of FTS5. `rank_bm25` of sqlite_fts4 has no weights and ranks each column as a
    separate text, so only that library's decoding is used."""

    name: ClassVar[str] = "fts4"

    def create(self, table: str, *, english: bool, content: str | None = None) -> str:
        """See `FullText`; the index stores the folded text, whatever the content table."""
        return f"CREATE VIRTUAL TABLE {table} USING fts4({_COLUMNS}, tokenize={'porter' if english else 'simple'})"

    def insert(self, connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
        """See `FullText`."""
        folded = ((row, *map(_folded, texts)) for row, *texts in rows)
        connection.executemany(f"INSERT INTO {table}(rowid, {_COLUMNS}) VALUES (?, ?, ?, ?)", folded)

    def take_out(self, connection: sqlite3.Connection, table: str, row: Row) -> None:
        """See `FullText`."""
        connection.execute(f"DELETE FROM {table} WHERE rowid = ?", row[:1])

    def quoted(self, word: str) -> str:
        """See `FullText`. FTS4 cannot escape a quote, and `*` and `^` keep their meaning in quotes; folding removes all
        of them."""
        return f'"{_folded(word)}"'

    def rows(self, connection: sqlite3.Connection, table: str, word: str) -> Rows:
        """See `FullText`."""
        return _rows(connection, table, self.quoted(word))

    def match(
        self, connection: sqlite3.Connection, table: str, word: str, weights: Sequence[float], rows: Rows | None = None
    ) -> Matches:
        """See `FullText`. The rarity of the word depends on all rows, so all are read."""
        # y: how often the phrase is in each column of the row; l: how many tokens each column has.
        sql = f"SELECT rowid, matchinfo({table}, 'yl') FROM {table} WHERE {table} MATCH ?"
        found = [(row, decode_matchinfo(info)) for row, info in connection.execute(sql, (self.quoted(word),))]
        if not found:
            return Matches.of(())
        wanted = None if rows is None else frozenset(rows.tolist())
        count, tokens = _totals(connection, table)
        idf = own_idf(count, len(found))
        return Matches.of(
            (row, idf * _saturated(info[: len(weights)], weights, sum(info[len(weights) :]) * count / tokens))
            for row, info in found
            if wanted is None or row in wanted
        )


FTS5 = Fts5()
FTS4 = Fts4()


def fulltext_here() -> FullText:
    """Return the kind of new tables: FTS5 where SQLite has it.

    Raises:
        SettingsError: this SQLite has neither, or the environment names another kind.
    """
    forced = os.environ.get(FULLTEXT_VARIABLE)
    if forced not in (None, "", FTS4.name):
        raise SettingsError(f"{FULLTEXT_VARIABLE}={forced} is not valid", hint="set it to fts4, or unset it")
    for fulltext in (FTS5, FTS4):
        if can_read(fulltext):
            return fulltext
    raise SettingsError("this SQLite has neither FTS5 nor FTS4", hint="use a Python whose SQLite has one of them")


def fulltext_suffix() -> str:
    """Return the suffix of a generation's name, so that those of FTS5 and FTS4 differ: empty for FTS5."""
    name = fulltext_here().name
    return "" if name == FTS5.name else f"-{name}"


def fulltext_of(connection: sqlite3.Connection, table: str) -> FullText:
    """Return the kind of a table; it is known even where the table cannot be read."""
    sql = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
    return FTS4 if "using fts4" in sql.lower() else FTS5


def can_read(fulltext: FullText) -> bool:
    """Return True if tables of this kind can be read and made here."""
    forbidden = fulltext is FTS5 and os.environ.get(FULLTEXT_VARIABLE) == FTS4.name
    return not forbidden and _is_built_in(fulltext.name)


@cache
def _is_built_in(module: str) -> bool:
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute(f"CREATE VIRTUAL TABLE probe USING {module}(text)")
        except sqlite3.OperationalError:
            return False
    return True


def fts5_tokenizer(*, english: bool) -> str:
    """Return the tokenizer: English words are stemmed, words of other languages are not."""
    return "porter unicode61" if english else "unicode61"


def parse_numbers(text: str | None) -> Rows:
    """Return the whole numbers of SQLite's `group_concat` as an array; empty for NULL. Fetched row by row they take ten
    times as long."""
    return np.fromstring(text, np.int64, sep=",") if text else np.zeros(0, np.int64)


def _plain_rows(connection: sqlite3.Connection, sql: str, *given: str) -> sqlite3.Cursor:
    """Run a statement for rows that are tuples: they take less than rows with names."""
    cursor = connection.cursor()
    cursor.row_factory = None
    return cursor.execute(sql, given)


def _rows(connection: sqlite3.Connection, table: str, expression: str) -> Rows:
    sql = f"SELECT group_concat(rowid) FROM {table} WHERE {table} MATCH ?"
    return parse_numbers(connection.execute(sql, (expression,)).fetchone()[0])


def own_idf(count: int, matching: int) -> float:
    """Return the inverse document frequency of SQLite's bm25(), for a table of `count` rows; it has a floor
    (fts5_aux.c)."""
    idf = math.log((count - matching + 0.5) / (matching + 0.5))
    return idf if idf > 0 else 1e-6


def _saturated(hits: Sequence[int], weights: Sequence[float], length: float) -> float:
    """Return BM25 without its idf; `length` is the row's, as a multiple of the average."""
    frequency = sum(hit * weight for hit, weight in zip(hits, weights, strict=True))
    return frequency * (_K1 + 1) / (frequency + _K1 * (1 - _B + _B * length))


def _totals(connection: sqlite3.Connection, table: str) -> tuple[int, int]:
    """Return a table's number of rows and of tokens. matchinfo has the tokens only as rounded averages, so their source
    is read: a blob of the rows, the tokens of each column, the bytes (sqlite.org/fts3.html, "Shadow Tables")."""
    stored = connection.execute(f"SELECT value FROM {table}_stat WHERE id = 0").fetchone()[0]
    count, *tokens, _ = _varints(stored)
    return count, sum(tokens)


def _varints(stored: bytes) -> Iterator[int]:
    """Yield integers of seven bits a byte, lowest first; a byte above 127 is followed by another of the same number."""
    value = shift = 0
    for byte in stored:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


# The combining marks that unicode61 ignores (fts5_unicode2.c); any other ends a word.
_MARKS = "[\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d\u032e\u0330\u0331]"
_ACCENTS = re.compile(f"(?<=[A-Za-z]){_MARKS}+")
_LEFT_OVER = re.compile(_MARKS)
_NO_WORD = re.compile(r"[\W_]+")


def _folded(text: str) -> str:
    """Return a text as FTS5's unicode61 reads it: only lower-case words, Latin letters without accents (`й` is a letter
    of its own)."""
    bare = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))
    return _NO_WORD.sub(" ", _LEFT_OVER.sub("", bare).lower())
