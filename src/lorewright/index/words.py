"""Free text -> the words that are looked up: lower-case, without the ones that say nothing."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import closing

from lorewright.index.fulltext import fulltext_here

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
