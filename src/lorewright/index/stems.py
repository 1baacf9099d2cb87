"""Words that were asked, texts -> the words of the texts that a keyword index takes for the same.

The index itself is asked, so that its stems, its folding of accents and its idea of a word are these.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing

from lorewright.index.fulltext import fulltext_here
from lorewright.index.words import words_of

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
